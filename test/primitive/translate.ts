/** A primitive of one's own, in one file: it asks for text, may be followed by a step, and goes on with a fork. */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { needed } from "../../src/arguments/needed.ts"
import { taking } from "../../src/arguments/taking.ts"
import { askAside } from "../../src/primitive/reasoning/side.ts"
import { Provider } from "../../src/provider/Provider.ts"
import type { ProviderError } from "../../src/provider/ProviderError.ts"
import { afterCommit, commit } from "../../src/run/run.ts"
import { write } from "../../src/run/write.ts"
import { inTurn, makeHandled, maybe } from "../../src/step/runtime/make.ts"
import type * as Step from "../../src/step/runtime/model.ts"
import { go } from "../../src/step/runtime/route.ts"
import * as Note from "../../src/thought/Note.ts"
import { fork } from "../../src/thought/fork.ts"
import { current } from "../../src/thought/Thought.ts"

const kind = "translate"

/** A translation of the notes. A long one goes to `review` first; `onStored` runs once all of it is stored. */
export const translate = taking("translate", { options: 1, known: ["into", "review", "onStored"], needs: ["into"] })(<
  const K extends string,
  S extends Step.Any
>(
  key: K,
  options: { readonly into: string; readonly review: S; readonly onStored: Effect.Effect<void> }
): Step.Step<
  Step.In<S>,
  { readonly [P in K]: string } & Partial<Step.Out<S>>,
  ProviderError | Step.Err<S>,
  Provider | Step.Req<S>
> &
  Note.Handle<K, string> => {
  const { into, onStored, review } = options
  const own = { name: key, kind, reads: [], writes: [key], surely: [key], children: [], settings: { into } }
  const node: Step.Node = {
    ...own,
    ...inTurn([own, maybe(review.node)]),
    children: [review.node],
    leaves: true,
    afterCommit: "anything",
    layout: { _tag: "Choice", labels: ["long"], past: "short" }
  }
  const handle = Note.handle(key, Schema.String)
  return makeHandled(handle, node, (given) =>
    Effect.gen(function* () {
      const provider = yield* needed(Provider)
      const thought = yield* fork(given)
      const notes = current(thought)
      const instruction = `Translate the notes into ${into}.`
      const sections = [{ heading: "Task", body: instruction }]
      const reply = yield* askAside(provider, thought, { kind, wants: "text", instruction, notes, sections })
      const noted = yield* write(thought, kind, handle, reply.value, { from: notes })
      const waiting = yield* afterCommit(noted.thought, () => onStored, { interruptible: true })
      const reviewed = yield* go<Step.Err<S>, Step.Req<S>>(waiting, reply.value.length > 20 ? review : undefined)
      return yield* commit(reviewed)
    })
  )
})
