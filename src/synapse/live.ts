/** Who watches answers while they are written: where somebody does, calls are made as streams. */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { Form } from "./form.ts"

/** What a watcher is told of one answer, in order. */
export interface Watched {
  /** The next piece of its text. */
  readonly text: (delta: string) => Effect.Effect<void>
  /** It was taken as this value. */
  readonly accepted: (value: unknown) => Effect.Effect<void>
  /** It was not taken: it goes back to be corrected, or it was never complete. */
  readonly discarded: Effect.Effect<void>
  /** The call was interrupted, before or after its last piece; never waits for who watches. */
  readonly stopped: Effect.Effect<void>
}

export interface Watcher {
  /** An answer begins. Its form is undefined when it is free text, its key when it becomes no note of a step's own. */
  readonly begin: (call: {
    readonly kind: string
    readonly form: Form<unknown> | undefined
    readonly key: string | undefined
  }) => Effect.Effect<Watched>
}

export const Watching = Context.Reference<Watcher | undefined>("cogito/Watcher", { defaultValue: () => undefined })
