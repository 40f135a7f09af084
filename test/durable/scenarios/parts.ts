/** What scenarios are made of. */
import { Effect, Schema } from "effect"
import { Primitive, Step } from "cogito"
import type { Process } from "../process.ts"
import type { World } from "../world.ts"

export interface Inside {
  readonly process: Process
  readonly world: World
  /** What its own parts are named after. */
  readonly name: string
}

/** A question to the model. */
export const asks = (key: string, text = "") =>
  Primitive.decide(key, { question: `Is it ${key}? ${text}`, via: "text" })

/** Code that does something outside, and whose outcome is a note. */
export const does = ({ process, world }: Inside, key: string) =>
  Step.make(key, { schema: Schema.Finite, run: world.effect(process, `make ${key}`) })

/** A condition that is decided by something outside. */
export const decided = <A>({ name, process, world }: Inside, value: A): Effect.Effect<A> =>
  Effect.as(world.effect(process, `decides ${name}`), value)

/** Code of the caller that a resumed run runs again. */
export const again = ({ name, process, world }: Inside): Effect.Effect<unknown> =>
  world.effect(process, `again ${name}`)
