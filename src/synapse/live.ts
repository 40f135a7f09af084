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
  /** An answer begins; its form is undefined when it is free text. */
  readonly begin: (call: { readonly kind: string; readonly form: Form<unknown> | undefined }) => Effect.Effect<Watched>
}

export const Watching = Context.Reference<Watcher | undefined>("cogito/Watcher", { defaultValue: () => undefined })
