import { Context, Data, type Effect, Schema } from "effect"
import { Note, Pipeline, Primitive, type Provider, type Step, type Synapse } from "cogito"
import { same } from "./same.ts"

// Steps that refine a text, with inline texts and sources.

class Rates extends Context.Service<Rates, { readonly euro: number }>()("test/Rates") {}
class NoRate extends Data.TaggedError("NoRate")<{ readonly currency: string }> {}

type Asking = Provider.ProviderError | Synapse.ResponseError
type Parts<S> = [Step.In<S>, Step.Out<S>, Step.Err<S>, Step.Req<S>]

const draft = Note.handle("draft", Schema.String)
const amount = Note.handle("amount", Schema.Finite)
declare const inEuros: (n: number) => Effect.Effect<string, NoRate, Rates>

const plain = Primitive.amplify("reply", { source: draft, refine: "Say it kindly.", criteria: "It apologises." })
same<
  typeof plain,
  Primitive.Primitive<"reply", Primitive.Amplification, { readonly draft: string }, Asking, Provider.Provider>
>(true)

const reading = Primitive.amplify("reply", {
  source: Note.handle("tone", Schema.Literals(["kind", "short"])),
  refine: Note.from(amount, inEuros),
  criteria: Note.from(draft, (text) => `It is shorter than ${text.length} characters.`)
})
same<
  Parts<typeof reading>,
  [
    { readonly tone: "kind" | "short"; readonly amount: number; readonly draft: string },
    { readonly reply: Primitive.Amplification },
    Asking | NoRate,
    Provider.Provider | Rates
  ]
>(true)

const all = Pipeline.sequence("all", [
  Primitive.analyze("draft", { schema: Schema.String, prompt: "Write an answer" }),
  Primitive.amplify("reply", { source: draft, refine: "Say it kindly.", criteria: Note.from(amount, inEuros) }),
  Primitive.decide("send", { question: Note.from(plain, ({ content }) => `Send ${content}?`) })
])
same<
  Parts<typeof all>,
  [
    { readonly amount: number },
    { readonly draft: string; readonly reply: Primitive.Amplification; readonly send: Synapse.Decision },
    Asking | NoRate,
    Provider.Provider | Rates
  ]
>(true)

// ------------------------------------------------------------------------------------------------ what is refused

// @ts-expect-error is not assignable to type 'string'
Primitive.amplify("reply", { source: amount, refine: "?", criteria: "?" })
// @ts-expect-error is not assignable to type
Primitive.amplify("reply", { source: "draft", refine: "?", criteria: "?" })
// @ts-expect-error Property 'criteria' is missing
Primitive.amplify("reply", { source: draft, refine: "?" })
// @ts-expect-error 'introspect' does not exist in type
Primitive.amplify("reply", { source: draft, refine: "?", criteria: "?", introspect: true })
