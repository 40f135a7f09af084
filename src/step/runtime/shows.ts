/** How the conversation gets to know what a step of one's own has shown a model. */
import * as Effect from "effect/Effect"
import type * as Note from "../../thought/Note.ts"
import * as Session from "../../thought/Session.ts"
import type { Shown } from "./model.ts"
import type { Thought } from "../../thought/model.ts"
import { stateOf, unpublished, withSession } from "../../thought/state.ts"
import { quoted } from "../../text/legible.ts"
import { seenText } from "../../thought/render.ts"
import { emit } from "../../run/run.ts"

/** Throws when the option cannot be called. */
export const checkShows = (step: string, shows: unknown): void => {
  if (shows === undefined || typeof shows === "function") return
  throw new Error(`The step ${quoted(step)} needs a function of the thought as \`shows\`.`)
}

/** What the step has shown of the thought that it was given. A note that it cannot have shown for the first time is a defect. */
export const shownOf = (step: string, given: Thought<any>, shows: (thought: Thought<any>) => Shown): Session.Draft => {
  const { notes, text } = shows(given)
  const fresh = new Set(unpublished(stateOf(given)).map(({ id }) => id))
  if (notes.some(({ id }) => !fresh.has(id))) {
    throw new Error(
      `The step ${quoted(step)} declares in \`shows\` a note that is already published or not in its thought: ` +
        `use only notes from Thought.unpublished(thought).`
    )
  }
  return { role: "user", text, carries: [...new Set(notes.map(({ id }) => id))] }
}

/** The thought with what was shown in its conversation, and with the step's own note as the reply. */
export const conversed = (
  thought: Thought<any>,
  shown: Session.Draft,
  own?: Note.Note
): Effect.Effect<Thought<any>> => {
  const reply: ReadonlyArray<Session.Draft> =
    own === undefined ? [] : [{ role: "assistant", text: seenText(own), carries: [own.id] }]
  const session = Session.append(thought.session, shown, ...reply)
  return published(withSession(thought, session), (shown.carries?.length ?? 0) + reply.length)
}

/** The thought, with a signal that a model has seen this many of its notes. */
export const published = (thought: Thought<any>, count: number): Effect.Effect<Thought<any>> =>
  Effect.as(
    emit(thought, "NotesPublished", () => ({ published: count, unpublished: unpublished(stateOf(thought)).length })),
    thought
  )
