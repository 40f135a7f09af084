import { Effect, Schema } from "effect"
import { Note, Pipeline, Primitive, type Provider, type Step, type Synapse, type Thought } from "cogito"
import { same } from "./same.ts"

type Asking = Provider.ProviderError | Synapse.ResponseError

// ------------------------------------------------------------------------------------------------- fixed items

const fixed = Primitive.prioritize("order", { criteria: "urgency", items: ["a", "b"] })
same<typeof fixed, Primitive.Primitive<"order", Synapse.Ranking<"a" | "b">, {}, Asking, Provider.Provider>>(true)
same<Step.Out<typeof fixed>, { readonly order: Synapse.Ranking<"a" | "b"> }>(true)

// -------------------------------------------------------------------------------------------- items from notes

const list = Primitive.analyze("list", { schema: Schema.Array(Schema.String), prompt: "Extract the tasks" })
const named = Primitive.analyze("named", { schema: Schema.Struct({ name: Schema.String }), prompt: "Extract" })

const byHandle = Primitive.prioritize("order", { criteria: "urgency", items: list })
same<
  typeof byHandle,
  Primitive.Primitive<
    "order",
    Synapse.Ranking,
    { readonly list: ReadonlyArray<string> },
    Asking | Synapse.InvalidItems,
    Provider.Provider
  >
>(true)

const both = Primitive.prioritize("order", {
  criteria: Note.from(named, ({ name }) => `what matters to ${name}`),
  items: Note.from(list, (items) => items.slice(0, 3))
})
same<Step.In<typeof both>, { readonly named: { readonly name: string } } & { readonly list: ReadonlyArray<string> }>(
  true
)
same<Step.Err<typeof both>, Asking | Synapse.InvalidItems>(true)
same<Step.Req<typeof both>, Provider.Provider>(true)

class Broken extends Schema.TaggedError<Broken>()("Broken", {}) {}
const failing = Primitive.prioritize("order", {
  criteria: "urgency",
  items: Note.from(list, (items) => (items.length > 9 ? Effect.fail(new Broken()) : Effect.succeed(items)))
})
same<Step.Err<typeof failing>, Asking | Synapse.InvalidItems | Broken>(true)

declare const thought: Thought.Thought
declare const withList: Thought.Thought<{ readonly list: ReadonlyArray<string> }>
void Pipeline.run(byHandle, withList)
const inOrder = Pipeline.sequence("in-order", [list, byHandle])
same<
  typeof inOrder,
  Step.Step<
    {},
    { readonly list: ReadonlyArray<string>; readonly order: Synapse.Ranking },
    Asking | Synapse.InvalidItems,
    Provider.Provider
  >
>(true)

// ---------------------------------------------------------------------------------------------- what is refused

// @ts-expect-error Property 'list' is missing
void Pipeline.run(byHandle, thought)
// @ts-expect-error is not assignable to type
Primitive.prioritize("order", { criteria: "urgency", items: [] })
// @ts-expect-error is not assignable to type
Primitive.prioritize("order", { criteria: "urgency", items: named })
// @ts-expect-error is not assignable to type
Primitive.prioritize("order", { criteria: "urgency", items: Note.from(named, ({ name }) => name) })
// @ts-expect-error Property 'items' is missing
Primitive.prioritize("order", { criteria: "urgency" })
// @ts-expect-error is not assignable to parameter of type '"a" | "b"'
fixed.schema.Type.ranked.includes("c")
