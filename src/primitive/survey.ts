import * as Schema from "effect/Schema"
import * as forms from "../arguments/forms.ts"
import { taking } from "../arguments/taking.ts"
import { cut } from "../text/legible.ts"
import { list } from "../thought/render.ts"
import type { Memory } from "../memory/Memory.ts"
import type { MemoryError } from "../memory/model/error.ts"
import type { SurveyOptions, TaskMatch } from "../memory/model/Search.ts"
import type * as Note from "../thought/Note.ts"
import type { Keyed } from "../step/runtime/model.ts"
import { surveyed } from "./reasoning/remembered.ts"
import { Arms, type Summarize, summarizeForm, Unit } from "./reasoning/found.ts"
import { shown } from "./reasoning/side.ts"
import { makeSearching } from "./reasoning/searching.ts"
import { surveyForms } from "../memory/search/options.ts"

/** Maximum length in code points, enough to see what a note is about. The whole note is in the memory. */
const mostContent = 400

const words = {
  prompt:
    "These are notes of earlier tasks, the nearest to the query of each. Summarise in a few sentences which tasks are " +
    "related to the query and what they came to.",
  nothing: "No related tasks were found."
}

/**
 * The tasks that a memory search found, best first.
 *
 * `thoughtId` and `intent` are those of the task's newest thought. Tasks are ordered by `score`, and `similarity` (in
 * [0, 1]) is that of the best match. `matches` has at most three notes, with their `content` cut to 400 characters.
 *
 * @category models
 */
export const Overview = Schema.Struct({
  tasks: Schema.Array(
    Schema.Struct({
      taskId: Schema.String,
      thoughtId: Schema.String,
      intent: Schema.String,
      score: Schema.Finite,
      similarity: Unit,
      matches: Schema.Array(
        Schema.Struct({
          noteId: Schema.String,
          thoughtId: Schema.String,
          key: Schema.String,
          content: Schema.String,
          score: Schema.Finite,
          similarity: Unit
        })
      )
    })
  ),
  arms: Arms
})
/**
 * The tasks that a memory search found, best first.
 *
 * @category models
 */
export interface Overview extends Schema.Schema.Type<typeof Overview> {}

/**
 * Searches earlier tasks by the meaning and the words of their notes, and writes the best ones, each once.
 *
 * **Details**
 *
 * `limit` counts tasks: 5 by default, at most 100. The filters and exclusions are those of `seek`. Thoughts without a
 * task are not found. The note is untrusted if a task was found, because the intents are. Fails with `MemoryError`.
 *
 * `summarize` adds a summary as for `seek`. Its request shows the intents like an untrusted note with the key `tasks`.
 *
 * **Example** (Related tasks)
 *
 * ```ts
 * import assert from "node:assert/strict"
 * import { Effect } from "effect"
 * import { Pipeline, Primitive, Thought } from "cogito"
 * import { Testing } from "cogito/testing"
 *
 * const related = Primitive.survey("related", { query: "charged twice", limit: 3 })
 *
 * const program = Effect.gen(function*() {
 *   const one = yield* Thought.make("triage", { message: "I was charged twice" }, { taskId: "ticket 1" })
 *   yield* Pipeline.run(related, one)
 *   const two = yield* Thought.make("triage", { message: "Me too" }, { taskId: "ticket 2" })
 *   const done = yield* Pipeline.run(related, two)
 *   assert.equal(done.get("related").tasks[0]?.taskId, "ticket 1")
 * })
 *
 * await Effect.runPromise(program.pipe(Effect.provide(Testing.memory)))
 * ```
 *
 * @category memory
 */
export const survey = taking("Primitive.survey", {
  options: 1,
  known: {
    query: forms.option("What to look for.", forms.text),
    ...surveyForms,
    limit: forms.maybe("Most matches.", forms.count(1), 5),
    summarize: forms.maybe("Whether, and how, what is found is summarised.", summarizeForm, false)
  }
})(
  <const K extends string, const Q extends Note.Text, const S extends Summarize.Option = false>(
    key: K,
    options: SurveyOptions & { readonly query: Q; readonly summarize?: S }
  ): Keyed<
    K,
    Overview,
    Note.Text.In<Q>,
    MemoryError | Note.Text.Err<Q> | Summarize.Err<S>,
    Memory | Note.Text.Req<Q> | Summarize.Req<S>
  > =>
    makeSearching(key, options, {
      kind: "survey",
      schema: Overview,
      limit: { usual: 5, most: 100 },
      words,
      entry: surveyed,
      search: (memory, query, filter) => memory.survey(query, filter),
      value: ({ arms, tasks }) => ({
        tasks: tasks.map((task) => ({
          ...task,
          matches: task.matches.map(({ note, score, similarity }) => ({
            noteId: note.id,
            thoughtId: note.thoughtId,
            key: note.key,
            content: cut(note.content, mostContent),
            score,
            similarity
          }))
        })),
        arms
      }),
      notes: ({ tasks }) =>
        tasks.flatMap(({ matches }) =>
          matches.map(({ note }) => ({ ...note, content: cut(note.content, mostContent) }))
        ),
      // the trust of other thoughts' intents is not known
      heading: ({ tasks }, thought) =>
        shown(thought, { key: "tasks", content: outline(tasks), source: "survey", trust: "untrusted" })
    })
)

/** Lists the intents of the tasks. */
const outline = (tasks: ReadonlyArray<TaskMatch>): string => {
  const items = tasks.map(({ intent, matches }) => `${cut(intent, mostContent)} (${count(matches.length)})`)
  return `Tasks, in the order of their notes:\n${list(items)}`
}

const count = (notes: number): string => (notes === 1 ? "1 note" : `${notes} notes`)
