import { Note, Pipeline, Primitive, type Provider, type Step, type Synapse, type Thought } from "cogito"
import { Context, Effect, Schema } from "effect"
import { same } from "./same.ts"

class Broken extends Schema.TaggedError<Broken>()("Broken", {}) {}
class Names extends Context.Service<Names, { readonly of: (id: string) => string }>()("test/Names") {}

const Ticket = Schema.Struct({ customer: Schema.String, issue: Schema.String })
const ticket = Note.handle("ticket", Ticket)
const age = Note.handle("age", Schema.Finite)
const name = Note.handle("name", Schema.String)

// reads what its parts read, and fails and needs as they do
{
  const failing = Note.from(age, (n) => (n > 3 ? Effect.succeed(n) : Effect.fail(new Broken())))
  const needing = Note.from(name, (id) => Effect.map(Names, (names) => names.of(id)))
  const all = Note.prompt`A ${name} of ${failing}, ${needing}, ${Note.from(ticket, (t) => t.issue)} and ${1} ${true} ${"x"}`
  same<
    typeof all,
    Note.Reader<
      {
        readonly name: string
        readonly age: number
        readonly ticket: { readonly customer: string; readonly issue: string }
      },
      string,
      Broken,
      Names
    >
  >(true)
  const none = Note.prompt`Nothing`
  same<typeof none, Note.Reader<{}, string>>(true)
  const longer = Note.prompt({ limit: 2_000 })`All of ${name}`
  same<typeof longer, Note.Reader<{ readonly name: string }, string>>(true)
}

// is a text option like any other, inline
{
  const step = Primitive.decide("escalate", {
    question: Note.prompt`Is ${Note.from(ticket, (t) => t.customer)} to be called back within ${age} hours?`
  })
  same<
    Step.In<typeof step>,
    { readonly ticket: { readonly customer: string; readonly issue: string }; readonly age: number }
  >(true)
  same<Step.Err<typeof step>, Provider.ProviderError | Synapse.ResponseError>(true)
  same<Step.Req<typeof step>, Provider.Provider>(true)
  const run = (thought: Thought.Thought<{ readonly age: number }>) =>
    // @ts-expect-error Property 'ticket' is missing in type '{ readonly age: number; }'
    Pipeline.run(step, thought)
  void run
}

// takes a step for its note, and refuses what does not read as text
{
  const count = Primitive.analyze("count", { schema: Schema.Finite, prompt: "Count them" })
  const reader = Note.prompt`Are ${count} enough?`
  same<typeof reader, Note.Reader<{ readonly count: number }, string>>(true)
  // @ts-expect-error issue: string; }' is not assignable to type 'Words'
  void Note.prompt`Is ${ticket} urgent?`
  // @ts-expect-error Type 'undefined' is not assignable to type 'Words'
  void Note.prompt`Is ${Note.from(ticket, (t) => (t.issue === "" ? undefined : t.issue))} urgent?`
  // @ts-expect-error Argument of type 'Effect<string, never, never>' is not assignable to parameter of type 'Part'
  void Note.prompt`Is ${Effect.succeed("it")} urgent?`
  // @ts-expect-error Argument of type 'string' is not assignable to parameter of type
  void Note.prompt("Is it urgent?")
}
