import { type Effect, Schema } from "effect"
import { type Memory, Note, Pipeline, Primitive, type Provider, type Step, Synapse, Thought } from "cogito"
import type { CategoryExamples } from "cogito/types"
import { same } from "./same.ts"

type Asking = Provider.ProviderError | Synapse.ResponseError
type Stored = Note.NoteNotFound | Schema.SchemaError

const decision = Primitive.decide("go", { question: "Go on?" })
const list = Primitive.categorize("list", { question: "Which?", categories: ["a", "b", "c"] })
const record = Primitive.categorize("record", { question: "Which?", categories: { a: "first", b: "second" } })
const mood = Primitive.assess("mood", { question: "How?", aspects: ["price"] })
const found = Primitive.seek("found", { query: "invoices" })
const value = Primitive.analyze("value", {
  schema: Schema.Struct({
    at: Schema.DateTimeUtc,
    tags: Schema.Array(Schema.String),
    note: Schema.optionalKey(Schema.String)
  }),
  prompt: "Extract"
})

same<typeof decision, Primitive.Primitive<"go", Synapse.Decision, {}, Asking, Provider.Provider>>(true)
same<typeof list, Primitive.Primitive<"list", Synapse.Classification<"a" | "b" | "c">, {}, Asking, Provider.Provider>>(
  true
)
same<typeof record, Primitive.Primitive<"record", Synapse.Classification<"a" | "b">, {}, Asking, Provider.Provider>>(
  true
)
same<typeof mood, Primitive.Primitive<"mood", Synapse.Assessment, {}, Asking, Provider.Provider>>(true)
same<typeof found, Primitive.Primitive<"found", Primitive.Findings, {}, Memory.MemoryError, Memory.Memory>>(true)

// A primitive is the typed handle of its note.
declare const loaded: Thought.Thought
const read = Thought.read(loaded, list)
same<typeof read, Effect.Effect<Synapse.Classification<"a" | "b" | "c">, Stored>>(true)
const readDecision = Thought.read(loaded, decision)
same<typeof readDecision, Effect.Effect<Synapse.Decision, Stored>>(true)
const readValue = Thought.read(loaded, value)
same<Effect.Success<typeof readValue>["tags"], ReadonlyArray<string>>(true)
const required = Thought.require(loaded, [decision, record])
same<
  Effect.Success<typeof required>,
  Thought.Thought<{ readonly go: Synapse.Decision; readonly record: Synapse.Classification<"a" | "b"> }>
>(true)
const reader = Note.from({ decision, record }, ({ decision, record }) => {
  same<typeof decision, Synapse.Decision>(true)
  same<typeof record.primary, "a" | "b">(true)
  return record.secondary
})
same<
  typeof reader,
  Note.Reader<
    { readonly go: Synapse.Decision; readonly record: Synapse.Classification<"a" | "b"> },
    "a" | "b" | undefined
  >
>(true)
same<Step.Out<typeof decision>, { readonly go: Synapse.Decision }>(true)

// A primitive of one's own reads the notes of its question, and those that it declares.
const message = Note.handle("message", Schema.String)
const size = Note.handle("size", Schema.Finite)
const own = { kind: "translate", schema: Schema.String } as const
const declaring = Primitive.make("german", { ...own, question: "Translate.", reads: [message, decision] })
same<Step.In<typeof declaring>, { readonly message: string; readonly go: Synapse.Decision }>(true)
const both = Primitive.make("german", {
  ...own,
  question: Note.from(size, (n) => `Translate ${n} words.`),
  reads: [message]
})
same<Step.In<typeof both>, { readonly size: number; readonly message: string }>(true)
const silent = Primitive.make("german", { ...own, question: "Translate." })
same<typeof silent, Primitive.Primitive<"german", string, {}, Asking, Provider.Provider>>(true)
const listing = Primitive.make("german", { ...own, question: "Translate.", reads: [] })
same<typeof listing, Primitive.Primitive<"german", string, {}, Asking, Provider.Provider>>(true)
const translating = <const K extends string, const H extends string>(key: K, of: Note.Handle<H, string>) =>
  Primitive.make(key, { ...own, question: "Translate.", reads: [of] })
const ofMail = translating("german", Note.handle("mail", Schema.String))
same<Step.In<typeof ofMail>, { readonly mail: string }>(true)
same<Step.Out<typeof ofMail>, { readonly german: string }>(true)
// @ts-expect-error is missing the following properties from type '{ readonly go: Decision; readonly message: string; }': go, message
void Pipeline.run(declaring, loaded)
// @ts-expect-error is not assignable to type 'Handle<any, any>'
Primitive.make("german", { ...own, question: "Translate.", reads: ["message"] })

// ---------------------------------------------------------------------------------------------- what is refused

// @ts-expect-error is not assignable to type
Primitive.categorize("list", { question: "Which?", categories: [] })
// @ts-expect-error Property 'question' is missing
Primitive.decide("go", {})
// @ts-expect-error 'via' does not exist in type
Primitive.analyze("value", { schema: Schema.String, prompt: "Extract", via: "native" })
// @ts-expect-error is not assignable to type
Primitive.decide("go", { question: "Go on?", via: "fast" })
// @ts-expect-error Property 'nothing' does not exist on type
Note.from(decision, (d) => d.nothing)
declare const done: Thought.Thought<{ readonly list: Synapse.Classification<"a" | "b" | "c"> }>
// @ts-expect-error This comparison appears to be unintentional
if (done.get("list").primary === "d") throw new Error("unreachable")

// ----------------------------------------------------------------------------------------------------- synapses

const binary = Synapse.binary({ question: "Go on?" })
same<typeof binary, Synapse.Synapse<Synapse.Decision, Synapse.Input<Synapse.Details>, Synapse.Details>>(true)
const classification = Synapse.classification({ question: "Which?", categories: ["a", "b"] })
same<
  typeof classification,
  Synapse.Synapse<
    Synapse.Classification<"a" | "b">,
    Synapse.Input<Synapse.Details<CategoryExamples<"a" | "b">>>,
    Synapse.Details<CategoryExamples<"a" | "b">>
  >
>(true)
const byRecord = Synapse.classification({ question: "Which?", categories: { a: "first", b: "second" } })
same<
  typeof byRecord,
  Synapse.Synapse<
    Synapse.Classification<"a" | "b">,
    Synapse.Input<Synapse.Details<CategoryExamples<"a" | "b">>>,
    Synapse.Details<CategoryExamples<"a" | "b">>
  >
>(true)
const extract = Synapse.extract(Schema.Struct({ n: Schema.Finite }), { prompt: "Extract" })
same<typeof extract, Synapse.Synapse<{ readonly n: number }, Synapse.Input<Synapse.Details>, Synapse.Details>>(true)
const asked = extract("text")
same<typeof asked, Effect.Effect<{ readonly n: number }, Asking, Provider.Provider>>(true)
const answer = Synapse.sentiment()("text")
same<typeof answer, Effect.Effect<Synapse.Assessment, Asking, Provider.Provider>>(true)
