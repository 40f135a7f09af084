/** State that is kept for each provider and model, by their names. */
import type { Shape } from "../Shape.ts"

/**
 * Names of a provider and a model; a provider has them.
 *
 * @category models
 */
export type Named = Pick<Shape, "name" | "model">

/** What is made once for each provider and model, when it is first asked for. */
export class PerModel<A> {
  readonly #make: () => A
  readonly #made = new Map<string, A>()

  constructor(make: () => A) {
    this.#make = make
  }

  of({ model, name }: Named): A {
    const key = JSON.stringify([name, model])
    const made = this.#made.get(key) ?? this.#make()
    this.#made.set(key, made)
    return made
  }

  get all(): Iterable<A> {
    return this.#made.values()
  }
}
