import * as Effect from "effect/Effect"
import * as kinds from "../arguments/kinds.ts"
import { taking } from "../arguments/taking.ts"
import { fork } from "../thought/fork.ts"
import type { Thought } from "../thought/model.ts"
import { at, history, withSession } from "../thought/Thought.ts"
import { conversationBefore } from "./rounds/before.ts"

/**
 * A thought before its last message, and the text of that message.
 *
 * @category models
 */
export interface Undone {
  readonly thought: Thought
  readonly message: string
}

/**
 * A fork of a thought as it was before its last message, with the conversation as it was then. Undefined if it has no message.
 *
 * **Details**
 *
 * The next message is said to the fork, which is stored with it, or by `Memory.commit`. Its id is a new one, and the given thought stays
 * as it is. Undo again to go back one message more.
 *
 * What tools have done outside is not undone. A summary of the conversation that was made since the message gives way to what it stood
 * for, as the notes have it. A run of the given thought that is not over does not go on with the fork: give it up with
 * `Agent.cancel`, so that nothing else goes on with it.
 *
 * **Example** (Taking back a message, also after a restart)
 *
 * ```ts
 * import assert from "node:assert/strict"
 * import { Effect, Layer } from "effect"
 * import { Toolkit } from "effect/ai"
 * import { Memory, Thought } from "cogito"
 * import { Agent } from "cogito/agent"
 * import { Testing } from "cogito/testing"
 *
 * const poet = Agent.make("poet", { instructions: "You write poems.", toolkit: Toolkit.empty, triage: false })
 * const model = Testing.scripted(["Rain on the roof.", "Hail on the roof.", "Snow on the roof."])
 *
 * const program = Effect.gen(function*() {
 *   const first = yield* Agent.say(poet, yield* Thought.make("poems"), "Something with rain")
 *   const { id } = yield* Agent.say(poet, first, "And with hail?")
 *
 *   // another process
 *   const undone = yield* Agent.undo(yield* Memory.load(id))
 *   assert.equal(undone?.message, "And with hail?")
 *   if (undone === undefined) return
 *   yield* Agent.say(poet, undone.thought, "And with snow?")
 *   const texts = model.requests.at(-1)?.messages.map(({ text }) => text).join()
 *   assert.ok(texts?.includes("rain") && !texts.includes("hail"))
 * })
 *
 * await Effect.runPromise(program.pipe(Effect.provide(Layer.merge(model.layer, Testing.memory))))
 * ```
 *
 * @category running
 */
export const undo = taking("Agent.undo", { args: [kinds.thought] })(
  (thought: Thought<any>): Effect.Effect<Undone | undefined> =>
    Effect.gen(function* () {
      const message = history(thought, "message").at(-1)
      if (message === undefined) return undefined
      const forked = yield* fork(at(thought, message.seq - 1))
      return { thought: withSession(forked, conversationBefore(thought, message.seq)), message: message.content }
    })
)
