/** Who watches answers while they are written: where somebody does, calls are made as streams. */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { Form } from "./form.ts"

/** What a watcher is told of one answer, in order. */
export interface Watched {
  /** The next piece of its text. */
  readonly text: (delta: string) => Effect.Effect<void>
  /** Its end: taken, sent back to be corrected, or never complete. */
  readonly end: (outcome: "accepted" | "rejected" | "failed") => Effect.Effect<void>
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
