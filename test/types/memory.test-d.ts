/** Steps that go back to notes and moments, inline in a sequence: what they fail with and need is exact. */
import { type Effect, type Layer, Schema } from "effect"
import {
  type Embedder,
  Memory,
  Note,
  Pipeline,
  Primitive,
  type Provider,
  type Step,
  type Store,
  type Thought
} from "cogito"
import { PgliteMemory } from "cogito/pglite"
import { PostgresMemory } from "cogito/postgres"
import { same } from "./same.ts"

const message = Note.handle("message", Schema.String)
const id = Note.handle("id", Schema.String)

const plain = Pipeline.sequence("plain", [
  Primitive.seek("a", { query: Note.from(message, (text) => text), limit: 3 }),
  Primitive.survey("b", { query: "b", limit: 3 }),
  Primitive.survey("c", { query: "c", summarize: false })
])
same<Step.In<typeof plain>, { readonly message: string }>(true)
same<Step.Err<typeof plain>, Memory.MemoryError>(true)
same<Step.Req<typeof plain>, Memory.Memory>(true)
same<
  Step.Out<typeof plain>,
  { readonly a: Primitive.Findings; readonly b: Primitive.Overview; readonly c: Primitive.Overview }
>(true)

const summarised = Pipeline.sequence("summarised", [
  Primitive.seek("a", { query: "a", summarize: true }),
  Primitive.survey("b", { query: "b", summarize: { prompt: "Which?" } })
])
same<Step.Err<typeof summarised>, Memory.MemoryError | Provider.ProviderError>(true)
same<Step.Req<typeof summarised>, Memory.Memory | Provider.Provider>(true)

const reflecting = Pipeline.sequence("reflecting", [
  Primitive.reflect("a"),
  Primitive.reflect("b", { prompt: Note.from(message, (text) => text), unpublishedOnly: true })
])
same<Step.In<typeof reflecting>, { readonly message: string }>(true)
same<Step.Out<typeof reflecting>, { readonly a: string; readonly b: string }>(true)
same<Step.Err<typeof reflecting>, Primitive.NoNotes | Provider.ProviderError>(true)
same<Step.Req<typeof reflecting>, Provider.Provider>(true)

const recalling = Pipeline.sequence("recalling", [
  Primitive.recall("a", { thought: { traceId: "ticket 7" } }),
  Primitive.recall("b", { thought: Note.from(id, (text) => text), prompt: Note.from(message, (text) => text) })
])
same<Step.In<typeof recalling>, { readonly id: string; readonly message: string }>(true)
same<Step.Err<typeof recalling>, Memory.MemoryError | Primitive.NoNotes | Provider.ProviderError>(true)
same<Step.Req<typeof recalling>, Memory.Memory | Provider.Provider>(true)

declare const thought: Thought.Thought<{ readonly message: string }>
// @ts-expect-error Property 'id' is missing
void Pipeline.run(recalling, thought)

const forking = Pipeline.sequence("forking", [
  Primitive.checkpoint("before"),
  Primitive.restore("back", { from: { checkpoint: "before" } }),
  Primitive.restore("there", { from: Note.from(id, (text) => text) }),
  Primitive.forget("anew", { drop: ["id"] })
])
same<Step.In<typeof forking>, { readonly id: string }>(true)
same<Step.Err<typeof forking>, Memory.MemoryError | Primitive.CheckpointNotFound>(true)
same<Step.Req<typeof forking>, Memory.Memory>(true)
const there = Primitive.restore("there", { from: "an id" })
same<Step.Err<typeof there>, Memory.MemoryError>(true)

// Without an embedder none is required; a forgotten option is a forgotten layer
declare const store: Store.Store
declare const off: boolean
const where = { url: "postgres://localhost", scope: "acme" }
const wordsOnly = [
  Memory.layerInMemory({ embedder: "none" }),
  PgliteMemory.layer({ embedder: "none", dataDir: "memory" }),
  PostgresMemory.layer({ ...where, embedder: "none" })
] as const
same<Layer.Services<(typeof wordsOnly)[number]>, never>(true)
const byMeaning = [
  Memory.layerInMemory(),
  Memory.layerInMemory({ scope: "acme" }),
  Memory.layerInMemory({ embedder: off ? "none" : undefined }),
  PgliteMemory.layer(),
  PgliteMemory.layer({ onEmbedderChange: "rebuild" }),
  PostgresMemory.layer(where)
] as const
same<Layer.Services<(typeof byMeaning)[0]>, Embedder.Embedder>(true)
same<Layer.Services<(typeof byMeaning)[1]>, Embedder.Embedder>(true)
same<Layer.Services<(typeof byMeaning)[2]>, Embedder.Embedder>(true)
same<Layer.Services<(typeof byMeaning)[3]>, Embedder.Embedder>(true)
same<Layer.Services<(typeof byMeaning)[4]>, Embedder.Embedder>(true)
same<Layer.Services<(typeof byMeaning)[5]>, Embedder.Embedder>(true)
const made = Memory.make({ store, scope: "local", embedder: "none" })
same<Embedder.Embedder extends Effect.Services<typeof made> ? true : false, false>(true)
const needing = Memory.make({ store, scope: "local" })
same<Embedder.Embedder extends Effect.Services<typeof needing> ? true : false, true>(true)
// @ts-expect-error not assignable to type '"none"'
Memory.layerInMemory({ embedder: "nothing" })
