import { Effect } from "effect"
import { type Note, Pipeline, Session, type Step, Thought } from "cogito"
import { Testing } from "cogito/testing"

/** A thought with `count` messages: the system's word, and then requests and replies that carry a note each. */
export const conversing = Effect.fnUntraced(function* (count: number) {
  let thought: Thought.Thought = yield* Thought.make("converse")
  const drafts: Array<Session.Draft> = count === 0 ? [] : [{ role: "system", text: "m1" }]
  for (let i = 2; i <= count; i++) {
    thought = yield* Thought.append(thought, `n${i}`, `note ${i}`)
    const carries = [thought.note(`n${i}`)!.id]
    drafts.push({ role: i % 2 === 0 ? "user" : "assistant", text: `m${i}`, carries })
  }
  return Thought.withSession(thought, Session.append(Session.empty, ...drafts))
})

/** Runs a step that needs no model. */
export const run = <Out, E>(step: Step.Step<{}, Out, E>, thought: Thought.Thought) =>
  Pipeline.run(step, thought).pipe(Effect.provide(Testing.memory))

export const texts = (thought: Thought.Thought<any>): ReadonlyArray<string> =>
  Session.entries(thought.session).map(({ text }) => text)

export const roles = (thought: Thought.Thought<any>): ReadonlyArray<string> =>
  Session.entries(thought.session).map(({ role }) => role)

export const keys = (notes: ReadonlyArray<Note.Note>): ReadonlyArray<string> => notes.map(({ key }) => key)
