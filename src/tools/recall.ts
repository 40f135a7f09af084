import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Tool from "effect/ai/Tool"
import * as Toolkit from "effect/ai/Toolkit"
import { callOf } from "../agent/calls/conversation.ts"
import { maybe, oneOf, others, within } from "../arguments/forms.ts"
import { taking } from "../arguments/taking.ts"
import * as Memory from "../Memory.ts"
import { filterForms } from "../memory/search/options.ts"
import { own } from "../primitive/reasoning/found.ts"
import { Run } from "../run/run.ts"
import { counts } from "./kit/counts.ts"
import { type Kit, kitOf } from "./kit/Kit.ts"
import { limitOf, Query } from "./kit/query.ts"
import { asToolFailed, ToolFailed, toolFailed } from "./kit/ToolFailed.ts"
import { cut } from "./text/cut.ts"

/**
 * A note of the past.
 *
 * **Details**
 *
 * - `key`: the key of the note, and `intent` what its thought was about
 * - `created`: when it was written, as ISO 8601
 *
 * @category models
 */
export const Recalled = Schema.Struct({
  key: Schema.String,
  text: Schema.String,
  created: Schema.String,
  intent: Schema.String
})

/**
 * @category models
 */
export interface Recalled extends Schema.Schema.Type<typeof Recalled> {}

const toolOf = <const N extends string>(name: N, description: string) =>
  Tool.make(name, {
    description,
    parameters: Query,
    success: Schema.Array(Recalled),
    failure: ToolFailed,
    dependencies: [Memory.Memory]
  }).annotate(Tool.Readonly, true)

/**
 * The tool that finds notes of the past, by its name.
 *
 * @category models
 */
export type RecallTools<N extends string> = { readonly [P in N]: ReturnType<typeof toolOf<P>> }

/**
 * Options of `Tools.recall`.
 *
 * **Details**
 *
 * - `name`: the name of the tool. Default `"recall"`
 * - `description`: what the model is told of it
 * - `task`: `"own"` finds only notes of the task of the running thought. Default: those of all tasks in the scope
 * - `thoughts`: `"all"` also finds notes of the running thought and of those it was forked from. Default `"others"`
 * - `filter`: what else holds for the notes, as for `Memory.search`: a task, keys, sources, trust, times and metadata. Without sources,
 *   notes from `seek`, `survey` and tools are not found
 * - `limit`: the most notes of one call. Default 5
 * - `characters`: the most of one note. Default 1,000
 *
 * @category models
 */
export interface RecallOptions<N extends string> {
  readonly name?: N
  readonly description?: string
  readonly task?: "own"
  readonly thoughts?: "others" | "all"
  readonly filter?: Memory.Filter
  readonly limit?: number
  readonly characters?: number
}

/**
 * A tool that finds notes of the past in the memory of the run.
 *
 * **Details**
 *
 * It only reads, and searches as `Memory.search` does: by meaning and by words, in the memory and the scope of the run that calls it. So
 * it never finds notes of another tenant; which notes of the scope it finds, the options say, and never the model. Users who share a
 * scope must be told apart by `task` or `filter`.
 *
 * It does not find the calls of agents. With `task: "own"`, a call fails if the running thought belongs to no task. What the memory fails
 * with becomes a result that the model reads. Throws if a limit is not a whole number from 1, or a task is given twice.
 *
 * **Example** (What a customer wrote before)
 *
 * ```ts
 * import assert from "node:assert/strict"
 * import { Effect, Layer } from "effect"
 * import { Memory, Pipeline, Thought } from "cogito"
 * import { Agent } from "cogito/agent"
 * import { Testing } from "cogito/testing"
 * import { Tools } from "cogito/tools"
 *
 * const recall = Tools.recall({ task: "own", filter: { keys: ["message", "answer"] } })
 * const agent = Agent.make("support", { instructions: "You help customers.", triage: false, toolkit: recall.toolkit })
 * const model = Testing.scripted([Testing.calls([{ name: "recall", params: { query: "kite" } }]), "It is on its way."])
 *
 * const program = Effect.gen(function*() {
 *   yield* Memory.commit(yield* Thought.make("order", { message: "I ordered a kite" }, { taskId: "customer 7" }))
 *   yield* Memory.commit(yield* Thought.make("order", { message: "I ordered a kite, too" }, { taskId: "customer 8" }))
 *
 *   const start = yield* Thought.make("question", { message: "Where is it?" }, { taskId: "customer 7" })
 *   const done = yield* Pipeline.run(agent, start)
 *   const found = JSON.parse(Thought.history(done, "support.recall").at(-1)?.content ?? "")
 *   assert.deepEqual(found.map(({ text }: { text: string }) => text), ["I ordered a kite"])
 * })
 *
 * await Effect.runPromise(program.pipe(Effect.provide(Layer.mergeAll(model.layer, recall.layer, Testing.memory))))
 * ```
 *
 * @category constructors
 */
export const recall: <const N extends string = "recall">(options?: RecallOptions<N>) => Kit<RecallTools<N>> = taking(
  "Tools.recall",
  {
    options: 0,
    optional: true,
    known: {
      ...others("name", "description", "limit", "characters"),
      task: maybe("", oneOf("own")),
      thoughts: maybe("", oneOf("others", "all")),
      filter: within(...Object.keys(filterForms))
    }
  }
  // typed above, where the name is known
)((options: RecallOptions<string> = {}): any => {
  const { description = "Finds notes of earlier work.", name = "recall", ...rest } = options
  const { filter = {}, task, thoughts = "others", ...given } = rest
  const { characters, limit } = counts("Tools.recall", { limit: 5, characters: 1000 }, given)
  if (task !== undefined && filter.taskId !== undefined) {
    throw new Error("Tools.recall got the option task and a taskId in its filter: leave one of them out.")
  }
  const found = Effect.fnUntraced(function* (
    query: Query
  ): Effect.fn.Return<ReadonlyArray<Recalled>, ToolFailed, Memory.Memory> {
    const memory = yield* Memory.Memory
    const { given: running } = yield* Run
    const taskId = task === undefined ? filter.taskId : running?.taskId
    if (task !== undefined && taskId === undefined) {
      return yield* toolFailed("Refused", "This work belongs to no task, so there is nothing to recall.")
    }
    const most = limitOf(query, limit)
    const { matches } = yield* Effect.mapError(
      memory.search(query.query, {
        ...(filter.sources === undefined ? { excludeSources: unwanted } : {}),
        ...filter,
        ...(taskId === undefined ? {} : { taskId }),
        excludeThoughts: [
          ...(filter.excludeThoughts ?? []),
          ...(thoughts === "all" || running === undefined ? [] : own(running))
        ],
        limit: Math.min(mostNotes, most * 4)
      }),
      asToolFailed
    )
    return matches
      .filter(({ note }) => callOf(note) === undefined)
      .slice(0, most)
      .map(({ note, thought: { intent } }) => ({
        key: note.key,
        text: cut(note.content, characters),
        created: DateTime.formatIso(note.created),
        intent: cut(intent, characters)
      }))
  })
  return kitOf(Toolkit.make(toolOf(name, description)), { [name]: found })
})

/** What was found or read before, which would be found again and again. */
const unwanted = ["seek", "survey", "tool"]

/** The most matches of a search. */
const mostNotes = 500
