import { Schema } from "effect"
import { Note, Pipeline, Primitive, Step, Synapse } from "cogito"
import { same } from "./same.ts"

// Lists whose length the compiler does not know: from a configuration, or made with `map`.

declare const names: ReadonlyArray<string>
declare const mutable: Array<string>
declare const described: Readonly<Record<string, string>>

const list = Primitive.categorize("list", { question: "Which?", categories: names })
same<Step.Out<typeof list>["list"], Synapse.Classification<string>>(true)
Primitive.categorize("list", { question: "Which?", categories: mutable })
Primitive.categorize("list", { question: "Which?", categories: described })
Synapse.classification({ question: "Which?", categories: names })
const ranked = Primitive.prioritize("ranked", { criteria: "urgency", items: names })
same<Step.Out<typeof ranked>["ranked"], Synapse.Ranking>(true)
Primitive.prioritize("ranked", { criteria: "urgency", items: mutable })

const lengths = names.map((name) =>
  Step.make("length", {
    schema: Schema.Finite,
    run: Note.from(Note.handle(name, Schema.String), (text) => text.length)
  })
)
const tried = Pipeline.fallback("tried", lengths)
same<Step.Out<typeof tried>, { readonly length: number }>(true)
Pipeline.fallback("tried", lengths, { accept: () => true })
const raced = Pipeline.race("raced", lengths)
same<Step.Out<typeof raced>, { readonly length: number }>(true)
const contested = Pipeline.contest("contested", lengths, { accept: () => true })
same<Step.Out<typeof contested>, { readonly length: number }>(true)
// the compiler does not know whether the list is empty
const together = Pipeline.concurrent("together", lengths, { conflicts: "last" })
same<Step.Out<typeof together>, { readonly length?: number }>(true)
Primitive.converge("view", { branches: lengths, prompt: "Sum up" })
// it is not empty with a step before or after the others
const first = Step.make("first", { schema: Schema.String, run: () => "first" })
const more = Pipeline.concurrent("more", [first, ...lengths], { conflicts: "last" })
same<Step.Out<typeof more>, { readonly first: string; readonly length?: number }>(true)

// Branches by name, made with `map`.
const letter = <const K extends string>(key: K) => Step.make(key, { schema: Schema.String, run: () => key })
const letters = Object.fromEntries((["x", "y"] as const).map((key) => [key, letter(key)]))
const spelled = Pipeline.concurrent("spelled", letters)
same<Step.Out<typeof spelled>, { readonly x?: string; readonly y?: string }>(true)
Pipeline.concurrent("spelled", Object.fromEntries(names.map((key) => [key, letter(key)])))
declare const anySteps: Readonly<Record<string, Step.Any>>
Pipeline.concurrent("any", anySteps)
Primitive.converge("spelled", { branches: letters, prompt: "Sum up" })
declare const either: Readonly<Record<string, Step.Keyed<"x", string, {}> | Step.Keyed<"y", string, {}>>>
const eitherOne = Pipeline.concurrent("either", either)
same<Step.Out<typeof eitherOne>, { readonly x?: string; readonly y?: string }>(true)

// A value of any type, which a schema gives.
export const loading = <K extends string, T>(key: K, schema: Schema.Codec<T, any>, load: () => Promise<T>) =>
  Step.make(key, { schema, run: load })
export const loadingAny = <K extends string, T>(key: K, schema: Note.AnySchema<T>, load: () => Promise<T>) =>
  Step.make(key, { schema, run: load })
// literals that a function returns keep their types
Step.make("power", { schema: Schema.Literals(["on", "off"]), run: () => "on" })

// ---------------------------------------------------------------------------------------------- what is refused

// @ts-expect-error is not assignable to type 'Categories<never>'
Primitive.categorize("list", { question: "Which?", categories: {} })
// @ts-expect-error Argument of type '[]' is not assignable
Pipeline.fallback("tried", [])
// @ts-expect-error Argument of type '[]' is not assignable
Pipeline.race("raced", [])
// @ts-expect-error Argument of type '[]' is not assignable
Pipeline.contest("contested", [], { accept: () => true })
// @ts-expect-error Argument of type '[]' is not assignable
Pipeline.concurrent("together", [])
// @ts-expect-error Type '[]' is not assignable
Primitive.converge("view", { branches: [], prompt: "Sum up" })
// @ts-expect-error is not assignable
Step.make("power", { schema: Schema.Literals(["on", "off"]), run: () => "maybe" })
// every branch writes the same note
// @ts-expect-error two branches write the same note
Pipeline.concurrent("spelled", Object.fromEntries(names.map((key) => [key, letter("x")])))
// @ts-expect-error two branches write the same note
Primitive.converge("spelled", { branches: Object.fromEntries(names.map((key) => [key, letter("x")])), prompt: "" })
// @ts-expect-error two branches write the same note
Pipeline.concurrent("spelled", letters, { report: "x" })
