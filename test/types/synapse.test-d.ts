import { type Effect, Schema } from "effect"
import { type Provider, Synapse } from "cogito"
import type { AnalyzeDetails, ConvertDetails } from "cogito/types"
import { same } from "./same.ts"

type Asking = Provider.ProviderError | Synapse.ResponseError

const Old = Schema.Struct({ name: Schema.String, born: Schema.DateTimeUtcFromString })
const New = Schema.Struct({ year: Schema.Int })

// ------------------------------------------------------------------------------------------------- typed values

const convert = Synapse.convert(Old, New, { prompt: "Convert", rules: ["keep the year"] })
same<typeof convert, Synapse.Synapse<{ readonly year: number }, typeof Old.Type, ConvertDetails>>(true)
declare const old: typeof Old.Type
const converted = convert(old)
same<typeof converted, Effect.Effect<{ readonly year: number }, Asking, Provider.Provider>>(true)
const analyze = Synapse.analyze(Old, { prompt: "Say what is unusual" })
same<typeof analyze, Synapse.Synapse<Synapse.Analysis, typeof Old.Type, AnalyzeDetails>>(true)

// ----------------------------------------------------------------------------------------------------- rankings

const ranking = Synapse.ranking({ criteria: "urgency" })
const ranked = ranking({ items: ["a", "b"], top: 1 })
same<typeof ranked, Effect.Effect<Synapse.Ranking, Asking | Synapse.InvalidItems, Provider.Provider>>(true)

// ------------------------------------------------------------------------------------------------------ details

const topic = Synapse.classification({ question: "Which?", categories: ["a", "b"], examples: { a: ["one"] } })
const chosen = topic({ subject: "text", examples: { b: ["two"] }, context: "A shop." })
same<Effect.Success<typeof chosen>, Synapse.Classification<"a" | "b">>(true)
const more = topic.with({ criteria: ["the main thing"] })
same<typeof more, typeof topic>(true)
// whatever else it takes, a synapse on texts is one on plain texts
const plain: ReadonlyArray<Synapse.Synapse<unknown>> = [topic, Synapse.sentiment(), Synapse.transform({ prompt: "?" })]
void plain

// ---------------------------------------------------------------------------------------------- what is refused

// @ts-expect-error Property 'born' is missing
void convert({ name: "Ada" })
// @ts-expect-error is not assignable to parameter of type
void analyze("Ada")
// @ts-expect-error 'c' does not exist in type
void topic({ subject: "text", examples: { c: ["three"] } })
// @ts-expect-error 'c' does not exist in type
Synapse.classification({ question: "Which?", categories: ["a", "b"], examples: { c: ["three"] } })
// @ts-expect-error is not assignable to parameter of type
void topic({ context: "A shop." })
// @ts-expect-error is not assignable to type 'undefined'
void Synapse.binary({ question: "Go on?" })({ subject: "text", text: "another" })
// @ts-expect-error is not assignable to type
Synapse.binary({ question: "Go on?", criteria: "how soon" })
// @ts-expect-error 'maxLength' does not exist in type
void Synapse.sentiment()({ text: "text", maxLength: 3 })
// @ts-expect-error 'via' does not exist in type
Synapse.convert(Old, New, { prompt: "Convert", via: "native" })
// @ts-expect-error is not assignable to type
Synapse.ranking({ criteria: ["urgency"] })
