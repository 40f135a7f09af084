import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Tool from "effect/ai/Tool"
import * as Toolkit from "effect/ai/Toolkit"
import { inCodeFunction, maybe, others, string } from "../arguments/forms.ts"
import { taking } from "../arguments/taking.ts"
import { counts } from "./kit/counts.ts"
import { type Kit, kitOf, withServices } from "./kit/Kit.ts"
import { asToolFailed, ToolFailed } from "./kit/ToolFailed.ts"
import { limitOf, Query } from "./kit/query.ts"
import { cut } from "./text/cut.ts"

/**
 * One result of a search.
 *
 * @category models
 */
export const SearchResult = Schema.Struct({ title: Schema.String, url: Schema.String, text: Schema.String })

/**
 * @category models
 */
export interface SearchResult extends Schema.Schema.Type<typeof SearchResult> {}

const toolOf = <const N extends string>(name: N, description: string) =>
  Tool.make(name, { description, parameters: Query, success: Schema.Array(SearchResult), failure: ToolFailed })
    .annotate(Tool.Readonly, true)
    .annotate(Tool.OpenWorld, true)

const longestTitle = 300

/**
 * The tool of a search, by its name.
 *
 * @category models
 */
export type SearchTools<N extends string> = { readonly [P in N]: ReturnType<typeof toolOf<P>> }

/**
 * Options of `Tools.search`.
 *
 * **Details**
 *
 * - `search`: finds at most `limit` results. What it fails with becomes a result that the model reads
 * - `name`: the name of the tool. Default `"search"`
 * - `description`: what the model is told of it. Default: it searches the web
 * - `limit`: the most results of one call. Default 10
 * - `characters`: the most of the text of one result. Default 1,000
 *
 * @category models
 */
export interface SearchToolOptions<N extends string, E, R> {
  readonly search: (query: string, limit: number) => Effect.Effect<ReadonlyArray<SearchResult>, E, R>
  readonly name?: N
  readonly description?: string
  readonly limit?: number
  readonly characters?: number
}

/**
 * A tool that searches with a function of yours, such as a client of a search engine.
 *
 * **Details**
 *
 * It only reads. The layer needs the services of the function. `Tools.scrape` reads the addresses that it finds without an approval,
 * if the tool has the name `"search"` or one of its `searches`. Throws if a limit is not a whole number from 1.
 *
 * **Example** (A search engine)
 *
 * ```ts
 * import assert from "node:assert/strict"
 * import { Effect, Layer } from "effect"
 * import { Pipeline, Thought } from "cogito"
 * import { Agent } from "cogito/agent"
 * import { Testing } from "cogito/testing"
 * import { Tools } from "cogito/tools"
 *
 * const pages = [{ title: "Opening hours", url: "https://example.com/hours", text: "We open at nine." }]
 * const search = Tools.search({
 *   search: (query, limit) =>
 *     Effect.succeed(pages.filter(({ text }) => text.includes(query)).slice(0, limit))
 * })
 *
 * const agent = Agent.make("reader", { instructions: "You look things up.", triage: false, toolkit: search.toolkit })
 * const model = Testing.scripted([Testing.calls([{ name: "search", params: { query: "open" } }]), "At nine."])
 *
 * const program = Effect.gen(function*() {
 *   const done = yield* Pipeline.run(agent, yield* Thought.make("question", { message: "When do you open?" }))
 *   assert.deepEqual(JSON.parse(Thought.history(done, "reader.search").at(-1)?.content ?? ""), pages)
 * })
 *
 * await Effect.runPromise(program.pipe(Effect.provide(Layer.mergeAll(model.layer, search.layer, Testing.memory))))
 * ```
 *
 * @category constructors
 */
export const search: <E, R, const N extends string = "search">(
  options: SearchToolOptions<N, E, R>
) => Kit<SearchTools<N>, never, R> = taking("Tools.search", {
  options: 0,
  needs: ["search"],
  known: {
    ...others("limit", "characters"),
    search: inCodeFunction,
    name: maybe("", string),
    description: maybe("", string)
  }
  // typed above, where the name and the services of the function are known
})((options: SearchToolOptions<string, unknown, unknown>): any => {
  const { description = "Searches the web.", name = "search", search: find, ...given } = options
  const { characters, limit } = counts("Tools.search", { limit: 10, characters: 1000 }, given)
  const handler = Effect.map(withServices<unknown>(), (provided) => ({
    [name]: (query: Query) =>
      provided(Effect.suspend(() => find(query.query, limitOf(query, limit)))).pipe(
        Effect.map((results) =>
          results
            .slice(0, limit)
            .map(({ text, title, url }) => ({ title: cut(title, longestTitle), url, text: cut(text, characters) }))
        ),
        Effect.mapError(asToolFailed)
      )
  }))
  return kitOf(Toolkit.make(toolOf(name, description)), handler)
})
