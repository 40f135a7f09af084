import { Data, Effect, Schema } from "effect"
import { Toolkit } from "effect/ai"
import { Agent } from "cogito/agent"
import { Note, Pipeline, Primitive, Step, type Thought } from "cogito"
import { same } from "./same.ts"

// One reader or another, as a setting decides: a step reads what either of them reads.

declare const flag: boolean

const h1 = Note.handle("h1", Schema.String)
const h2 = Note.handle("h2", Schema.String)
const list = Note.handle("list", Schema.Array(Schema.String))
interface First {
  readonly h1: string
}
interface Two {
  readonly h1: string
  readonly h2: string
}
type Same<A, B> = [A] extends [B] ? ([B] extends [A] ? true : false) : false

/** Does not compile unless the step reads these notes. */
declare const reads: <In>() => <S extends Step.Any>(step: S, proof: Same<Step.In<S>, In>) => void
const both = reads<Two>()
const first = reads<First>()

const text = flag ? Note.from(h1, (it) => it) : Note.from(h2, (it) => it)
const textOrFixed = flag ? "fixed" : Note.from(h1, (it) => it)
const yes = flag ? Note.from(h1, (it) => it !== "") : Note.from(h2, (it) => it !== "")
const yesOrFunction = flag ? () => true : Note.from(h1, (it) => it !== "")
const valueOrFunction = flag ? () => "text" : Note.from(h1, (it) => it)
const functions = flag
  ? (thought: Thought.Thought<First>) => thought.get("h1")
  : (thought: Thought.Thought<{ readonly h2: string }>) => Effect.succeed(thought.get("h2"))

// -------------------------------------------------------------------------------------------------------- primitives

first(Primitive.amplify("k", { source: h1, refine: textOrFixed, criteria: textOrFixed }), true)
both(Primitive.amplify("k", { source: h1, refine: text, criteria: "It is short" }), true)
both(Primitive.analyze("k", { schema: Schema.Struct({ n: Schema.Finite }), prompt: text }), true)
both(Primitive.approve("k", { prompt: text }), true)
both(Primitive.assess("k", { question: text }), true)
both(Primitive.categorize("k", { question: text, categories: ["a", "b"] }), true)
both(Primitive.compress("k", { prompt: text }), true)
both(Primitive.converge("k", { branches: { a: Step.make("a", { run: () => {} }) }, prompt: text }), true)
both(Primitive.decide("k", { question: text }), true)
first(Primitive.decide("k", { question: textOrFixed }), true)
both(Primitive.discern("k", { question: text, routes: { a: { when: "always" } } }), true)
both(Primitive.make("k", { kind: "own", schema: Schema.Struct({ n: Schema.Finite }), question: text }), true)
both(
  Primitive.make("k", {
    kind: "own",
    schema: Schema.Struct({ n: Schema.Finite }),
    question: "How many?",
    reads: [flag ? h1 : h2]
  }),
  true
)
both(Primitive.prioritize("k", { criteria: text, items: ["a", "b"] }), true)
first(Primitive.prioritize("k", { criteria: "age", items: flag ? ["a"] : Note.from(h1, (it) => [it]) }), true)
reads<{ readonly h1: string; readonly list: ReadonlyArray<string> }>()(
  Primitive.prioritize("k", { criteria: "age", items: flag ? list : Note.from(h1, (it) => [it]) }),
  true
)
both(Primitive.recall("k", { thought: text }), true)
first(Primitive.recall("k", { thought: flag ? { traceId: "t" } : Note.from(h1, (it) => it) }), true)
both(Primitive.recall("k", { thought: "an id", prompt: text }), true)
both(Primitive.reflect("k", { prompt: text }), true)
both(Primitive.restore("k", { from: text }), true)
first(Primitive.restore("k", { from: flag ? { checkpoint: "c" } : Note.from(h1, (it) => it) }), true)
both(Primitive.seek("k", { query: text }), true)
first(Primitive.seek("k", { query: textOrFixed }), true)
both(Primitive.sift("k", { question: text, step: Step.make("a", { run: () => {} }) }), true)
both(Primitive.survey("k", { query: text }), true)

// ---------------------------------------------------------------------------------------------- steps and connectors

both(Step.make("k", { schema: Schema.String, run: text }), true)
first(Step.make("k", { schema: Schema.String, run: valueOrFunction }), true)
both(Step.make("k", { schema: Schema.String, run: functions }), true)
both(Step.make("k", { run: text }), true)
both(Pipeline.tap("k", text), true)
first(Pipeline.tap("k", valueOrFunction), true)
both(Pipeline.tap("k", functions), true)
both(Pipeline.waitFor("k", { schema: Schema.Finite, prompt: text }), true)

const step = Step.make("step", { schema: Schema.String, run: () => "done" })
both(Pipeline.filter("k", { when: yes, step }), true)
first(Pipeline.filter("k", { when: yesOrFunction, step }), true)
both(Pipeline.gate("k", { check: flag ? Note.from(h1, () => "pass") : Note.from(h2, () => "fail"), step }), true)
first(Pipeline.gate("k", { check: flag ? () => "pass" : Note.from(h1, () => "fail"), step }), true)
both(Pipeline.switch("k", { on: text, branches: { a: step }, default: "pass" }), true)
first(Pipeline.switch("k", { on: valueOrFunction, branches: { a: step }, default: "pass" }), true)
both(Pipeline.mutate("k", { note: h1, update: () => "", when: yes }), true)
both(
  Pipeline.mutate("k", {
    note: h1,
    update: flag
      ? (it: string) => it
      : (it: string, thought: Thought.Thought<{ readonly h2: string }>) => thought.get("h2")
  }),
  true
)
both(Pipeline.fallback("k", [step, step], { accept: yes }), true)
first(Pipeline.fallback("k", [step, step], { accept: yesOrFunction }), true)
both(Pipeline.contest("k", [Step.make("s", { run: text })], { accept: yes }), true)

// what fails, and what is needed, is that of every member
class Down extends Data.TaggedError("Down")<{}> {}
const failing = Pipeline.filter("k", { when: flag ? Effect.fail(new Down()) : Note.from(h1, () => true), step })
same<typeof failing, Step.Step<{ readonly h1: string }, { readonly step?: string }, Down>>(true)

// one handle or another, or one that may be absent
const count = Note.handle("count", Schema.Finite)
const handles = Note.from({ one: flag ? h1 : h2, two: flag ? h1 : count }, ({ one, two }) => [one, two] as const)
same<
  typeof handles,
  Note.Reader<{ readonly h1: string; readonly h2: string; readonly count: number }, readonly [string, string | number]>
>(true)
const some = Note.from({ one: h1, ...(flag ? { two: h2 } : {}) }, ({ one, two }) => [one, two] as const)
same<typeof some, Note.Reader<Two, readonly [string, string | undefined]>>(true)
both(Pipeline.tap("k", some), true)
const oneOf = Note.from(flag ? { one: h1 } : { two: h2 }, (values) => values)
both(Pipeline.tap("k", oneOf), true)

// a prompt, and an agent with it
both(Primitive.decide("k", { question: Note.prompt`Is ${flag ? h1 : h2} a name?` }), true)
const agent = Agent.make("k", { instructions: text, toolkit: Toolkit.make() })
same<keyof Step.In<typeof agent>, "message" | "h1" | "h2">(true)

// two readers that read one key with different types cannot both be satisfied
const clash = Pipeline.tap("k", flag ? Note.from(h1, () => 1) : Note.from(Note.handle("h1", Schema.Finite), () => 1))
same<Step.In<typeof clash>, { readonly h1: never }>(true)

// ---------------------------------------------------------------------------------------------------- what is refused

declare const begun: Thought.Thought<{ readonly h1: string }>
void Pipeline.run(Pipeline.tap("k", valueOrFunction), begun)
// @ts-expect-error Property 'h2' is missing
void Pipeline.run(Pipeline.tap("k", text), begun)
const filtered = Pipeline.sequence("p", [Pipeline.filter("k", { when: yes, step })])
// @ts-expect-error Property 'h2' is missing
void Pipeline.run(filtered, begun)
