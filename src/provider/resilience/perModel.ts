/** State for each provider and model, by name. */
import type { Shape } from "../Shape.ts"

/**
 * The names of a provider and a model.
 *
 * @category models
 */
export type Named = Pick<Shape, "name" | "model">

/** Makes a value once for each provider and model. Throws at once if it cannot be made. */
export const perModel = <A>(make: () => A): ((provider: Named) => A) => {
  const spare = make()
  const made = new Map<string, A>()
  return ({ model, name }) => {
    const key = JSON.stringify([name, model])
    const one = made.get(key) ?? (made.size === 0 ? spare : make())
    made.set(key, one)
    return one
  }
}
