import { Context, Data, type Effect, Schema } from "effect"
import { Note, Pipeline, Primitive, type Provider, Step, type Synapse } from "cogito"
import { same } from "./same.ts"

// Steps that refine a text or bring several views together, with inline texts, sources and branches.

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

// ------------------------------------------------------------------------------------------------------ converge

const views = Primitive.converge("review", {
  branches: {
    pro: Primitive.analyze("strengths", { schema: Schema.String, prompt: Note.from(draft, (text) => text) }),
    con: Pipeline.sequence("con", [
      Step.make("euros", { schema: Schema.String, run: Note.from(amount, inEuros) }),
      Primitive.sift("risky", { question: "?", step: Step.make("risk", { schema: Schema.Finite, run: () => 1 }) })
    ])
  },
  prompt: Note.from(Note.handle("task", Schema.String), (text) => text)
})
same<
  Parts<typeof views>,
  [
    { readonly task: string; readonly draft: string; readonly amount: number },
    {
      readonly review: Primitive.Convergence
      readonly strengths?: string
      readonly euros?: string
      readonly risky?: Synapse.Decision
      readonly risk?: number
    },
    Provider.ProviderError | Primitive.BranchesFailed<Asking | NoRate>,
    Provider.Provider | Rates
  ]
>(true)

const listed = Primitive.converge("review", {
  branches: [
    Step.make("euros", { schema: Schema.String, run: Note.from(amount, inEuros) }),
    Step.make("size", { schema: Schema.Finite, run: Note.from(draft, (text) => text.length) })
  ],
  prompt: "?",
  minSuccesses: 2
})
same<
  Parts<typeof listed>,
  [
    { readonly amount: number; readonly draft: string },
    { readonly review: Primitive.Convergence; readonly euros?: string; readonly size?: number },
    Provider.ProviderError | Primitive.BranchesFailed<NoRate>,
    Provider.Provider | Rates
  ]
>(true)

const inline = Pipeline.sequence("inline", [
  Primitive.converge("review", {
    branches: {
      euros: Step.make("euros", { schema: Schema.String, run: Note.from(amount, inEuros) }),
      size: Step.make("size", { schema: Schema.Finite, run: () => 1 })
    },
    prompt: "?"
  }),
  Primitive.decide("go", { question: Note.from(views, ({ synthesis }) => synthesis) })
])
same<
  Parts<typeof inline>,
  [
    { readonly amount: number },
    {
      readonly review: Primitive.Convergence
      readonly euros?: string
      readonly size?: number
      readonly go: Synapse.Decision
    },
    Asking | Primitive.BranchesFailed<NoRate>,
    Provider.Provider | Rates
  ]
>(true)

// ------------------------------------------------------------------------------------------------ what is refused

const one = Step.make("one", { schema: Schema.Finite, run: () => 1 })
// @ts-expect-error two branches write the same note
Primitive.converge("review", { branches: { a: one, b: one }, prompt: "?" })
// @ts-expect-error two branches write the same note
Primitive.converge("review", { branches: [one, one], prompt: "?" })
// @ts-expect-error two branches write the same note
Primitive.converge("one", { branches: { a: one }, prompt: "?" })
// @ts-expect-error is not assignable to type
Primitive.converge("review", { branches: [], prompt: "?" })

// @ts-expect-error is not assignable to type 'string'
Primitive.amplify("reply", { source: amount, refine: "?", criteria: "?" })
// @ts-expect-error is not assignable to type
Primitive.amplify("reply", { source: "draft", refine: "?", criteria: "?" })
// @ts-expect-error Property 'criteria' is missing
Primitive.amplify("reply", { source: draft, refine: "?" })
// @ts-expect-error 'introspect' does not exist in type
Primitive.amplify("reply", { source: draft, refine: "?", criteria: "?", introspect: true })
