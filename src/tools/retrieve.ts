import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Tool from "effect/ai/Tool"
import * as Toolkit from "effect/ai/Toolkit"
import { inCodeFunction, maybe, others, string } from "../arguments/forms.ts"
import { taking } from "../arguments/taking.ts"
import type { Embedder } from "../Embedder.ts"
import * as Memory from "../Memory.ts"
import * as Store from "../Store.ts"
import * as Thought from "../Thought.ts"
import { counts } from "./kit/counts.ts"
import { type Kit, kitOf, withServices } from "./kit/Kit.ts"
import { limitOf, Query } from "./kit/query.ts"
import { asToolFailed, ToolFailed } from "./kit/ToolFailed.ts"
import { cut } from "./text/cut.ts"
import { passagesOf } from "./text/passages.ts"

/**
 * A passage, with where it comes from: the name of a document, or its address.
 *
 * @category models
 */
export const Passage = Schema.Struct({ source: Schema.String, text: Schema.String })

/**
 * @category models
 */
export interface Passage extends Schema.Schema.Type<typeof Passage> {}

const toolOf = <const N extends string>(name: N, description: string) =>
  Tool.make(name, {
    description,
    parameters: Query,
    success: Schema.Array(Passage),
    failure: ToolFailed
  }).annotate(Tool.Readonly, true)

/**
 * The tool that finds passages, by its name.
 *
 * @category models
 */
export type RetrieveTools<N extends string> = { readonly [P in N]: ReturnType<typeof toolOf<P>> }

/**
 * Options of `Tools.retrieve`.
 *
 * **Details**
 *
 * - `name`: the name of the tool. Default `"retrieve"`
 * - `description`: what the model is told of it, such as what the documents are about
 * - `limit`: the most passages of one call. Default 5
 * - `characters`: the longest passage. Default 1,500
 *
 * @category models
 */
export interface RetrieveOptions<N extends string> {
  readonly name?: N
  readonly description?: string
  readonly limit?: number
  readonly characters?: number
}

/**
 * Documents that are searched in memory.
 *
 * **Details**
 *
 * Without `embedder: "none"`, they are embedded when the layer is built, and found by meaning and by words; with it, by words alone.
 *
 * @category models
 */
export interface Documents {
  readonly documents: ReadonlyArray<Passage>
  readonly embedder?: "none"
}

/**
 * A function that finds at most `limit` passages.
 *
 * @category models
 */
export interface Finder<E, R> {
  readonly find: (query: string, limit: number) => Effect.Effect<ReadonlyArray<Passage>, E, R>
}

/**
 * A tool that finds passages of documents, with where they come from.
 *
 * **Details**
 *
 * It only reads. Give it `documents`, or the function `find` over an index of yours.
 *
 * Documents are divided into passages at the ends of paragraphs, and searched as a memory of their own: by meaning and by words. They
 * are embedded each time the layer is built, which fails with `MemoryError` if that is not possible; for many documents, keep them in a
 * memory and give `find`. The layer needs an `Embedder`, or the services of `find`. What `find` fails with becomes a result that the
 * model reads.
 *
 * Throws if a limit is not a whole number from 1.
 *
 * **Example** (A handbook)
 *
 * ```ts
 * import assert from "node:assert/strict"
 * import { Effect, Layer } from "effect"
 * import { Pipeline, Thought } from "cogito"
 * import { Agent } from "cogito/agent"
 * import { Testing } from "cogito/testing"
 * import { Tools } from "cogito/tools"
 *
 * const handbook = Tools.retrieve({
 *   name: "handbook",
 *   description: "Finds passages of the handbook for employees.",
 *   documents: [
 *     { source: "refunds.md", text: "Refunds take three days." },
 *     { source: "hours.md", text: "We open at nine." }
 *   ],
 *   limit: 1,
 *   embedder: "none"
 * })
 *
 * const clerk = Agent.make("clerk", { instructions: "You answer from the handbook.", triage: false, toolkit: handbook.toolkit })
 * const model = Testing.scripted([Testing.calls([{ name: "handbook", params: { query: "refunds" } }]), "Three days."])
 *
 * const program = Effect.gen(function*() {
 *   const done = yield* Pipeline.run(clerk, yield* Thought.make("question", { message: "How long does a refund take?" }))
 *   const [, found] = Thought.history(done, "clerk.handbook")
 *   assert.deepEqual(JSON.parse(found?.content ?? ""), [{ source: "refunds.md", text: "Refunds take three days." }])
 * })
 *
 * await Effect.runPromise(program.pipe(Effect.provide(Layer.mergeAll(model.layer, handbook.layer, Testing.memory))))
 * ```
 *
 * @category constructors
 */
export const retrieve: {
  <const N extends string = "retrieve">(
    options: RetrieveOptions<N> & Documents & { readonly embedder: "none" }
  ): Kit<RetrieveTools<N>, Memory.MemoryError>
  <const N extends string = "retrieve">(
    options: RetrieveOptions<N> & Documents & { readonly embedder?: never }
  ): Kit<RetrieveTools<N>, Memory.MemoryError, Embedder>
  <E, R, const N extends string = "retrieve">(
    options: RetrieveOptions<N> & Finder<E, R>
  ): Kit<RetrieveTools<N>, never, R>
} = taking("Tools.retrieve", {
  options: 0,
  known: {
    ...others("limit", "characters", "documents", "embedder"),
    name: maybe("", string),
    description: maybe("", string),
    find: inCodeFunction
  }
  // typed above, where it is known which of the options were given
})((options: RetrieveOptions<string> & Partial<Documents> & Partial<Finder<unknown, unknown>>): any => {
  const {
    description = "Finds passages of documents.",
    documents,
    embedder,
    find,
    name = "retrieve",
    ...given
  } = options
  const { characters, limit } = counts("Tools.retrieve", { limit: 5, characters: 1500 }, given)
  if ((documents === undefined) === (find === undefined)) {
    throw new Error("Tools.retrieve needs either the option documents or the option find.")
  }
  const finding = find === undefined ? searching(documents ?? [], embedder, characters) : fromUser(find)
  const handler = Effect.map(finding, (finder) => ({
    [name]: (query: Query) =>
      finder(query.query, limitOf(query, limit)).pipe(
        Effect.map((passages) =>
          passages.slice(0, limit).map(({ source, text }) => ({ source, text: cut(text, characters) }))
        ),
        Effect.mapError(asToolFailed)
      )
  }))
  return kitOf(Toolkit.make(toolOf(name, description)), handler)
})

const fromUser = (find: Finder<unknown, unknown>["find"]) =>
  Effect.map(
    withServices<unknown>(),
    (provided): Finder<unknown, never>["find"] =>
      (query, limit) =>
        provided(Effect.suspend(() => find(query, limit)))
  )

/** The scope of the documents. What the run has as its scope is that of its own memory. */
const inScope = Memory.withScope("documents")

/** Keeps documents in a memory of their own. */
const searching = Effect.fnUntraced(function* (
  documents: ReadonlyArray<Passage>,
  embedder: "none" | undefined,
  characters: number
) {
  const store = yield* Store.makeInMemory
  const memory = yield* Memory.make({ store, scope: "documents", ...(embedder === undefined ? {} : { embedder }) })
  for (const { source, text } of documents) {
    const notes = passagesOf(text, characters).map((content, i) => [
      `passage ${i + 1}`,
      { content, metadata: { source } }
    ])
    const thought = yield* Thought.make("A document", Object.fromEntries(notes))
    if (notes.length > 0) yield* inScope(memory.commit(thought))
  }
  if (embedder === undefined) yield* memory.embedPending
  return ((query, limit) =>
    Effect.map(inScope(memory.search(query, { limit })), ({ matches }) =>
      matches.map(({ note }) => ({ source: note.metadata["source"] ?? "", text: note.content }))
    )) satisfies Finder<Memory.MemoryError, never>["find"]
})
