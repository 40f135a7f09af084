import { Data, Effect, Schema } from "effect"
import { Note, Pipeline, Primitive, Step, type Thought } from "cogito"
import { Testing } from "cogito/testing"
import { same } from "./same.ts"

// Branches of which some may be absent, as a setting decides: their notes are optional, and what they read, fail with and need
// counts.

class Down extends Data.TaggedError("Down")<{}> {}

const h1 = Note.handle("h1", Schema.String)
const tone = Step.make("tone", { schema: Schema.String, run: () => "kind" })
const facts = Step.make("facts", {
  schema: Schema.String,
  run: Note.from(h1, (it) => (it === "" ? Effect.fail(new Down()) : Effect.succeed(it)))
})

declare const flag: boolean
declare const property: { readonly tone: typeof tone; readonly facts?: typeof facts }
declare const records: { readonly facts: typeof facts } | { readonly tone: typeof tone }
const spread = { tone, ...(flag ? { facts } : {}) }
const and = { tone, ...(flag && { facts }) }
const either = flag ? { facts } : { tone }
const list = [tone, ...(flag ? [facts] : [])] as const
const lists = [tone, ...(flag ? ([facts] as const) : ([] as const))] as const

type Reads = { readonly h1: string }
type Some = { readonly tone: string; readonly facts?: string }
type Any = { readonly tone?: string; readonly facts?: string }

// ------------------------------------------------------------------------------------------------------- concurrent

const concurrent = {
  property: Pipeline.concurrent("c", property),
  spread: Pipeline.concurrent("c", spread),
  and: Pipeline.concurrent("c", and),
  list: Pipeline.concurrent("c", list),
  lists: Pipeline.concurrent("c", lists),
  after: Pipeline.concurrent("c", [...(flag ? [facts] : []), tone]),
  either: Pipeline.concurrent("c", either),
  records: Pipeline.concurrent("c", records)
}
type Concurrent = typeof concurrent
type Surely = Step.Step<Reads, Some, Down>
type Perhaps = Step.Step<Reads, Any, Down>
same<Concurrent["property"], Surely>(true)
same<Concurrent["spread"], Surely>(true)
same<Concurrent["and"], Surely>(true)
same<Concurrent["list"], Surely>(true)
same<Concurrent["lists"], Surely>(true)
same<Concurrent["after"], Surely>(true)
same<Concurrent["either"], Perhaps>(true)
same<Concurrent["records"], Perhaps>(true)

// under the names of the branches
const namespace = { conflicts: "namespace" } as const
const spaced = Pipeline.concurrent("c", spread, namespace)
same<Step.Out<typeof spaced>, { readonly "tone.tone": string; readonly "facts.facts"?: string }>(true)
const spacedEither = Pipeline.concurrent("c", records, namespace)
same<Step.Out<typeof spacedEither>, { readonly "tone.tone"?: string; readonly "facts.facts"?: string }>(true)

// with a number of those that must succeed
const quorum = Pipeline.concurrent("c", either, { minSuccesses: 1, report: "how" })
same<
  Step.Out<typeof quorum>,
  { readonly tone?: string; readonly facts?: string; readonly how: ReadonlyArray<Pipeline.BranchResult> }
>(true)

// of one key, the last branch that is there has it
const number = Step.make("tone", { schema: Schema.Finite, run: () => 1 })
const named = Pipeline.sequence("number", [number])
const last = Pipeline.concurrent("c", flag ? [tone] : [tone, named], { conflicts: "last" })
same<Step.Out<typeof last>, { readonly tone: string | number }>(true)
const lastRecord = Pipeline.concurrent("c", { tone, ...(flag ? { named } : {}) }, { conflicts: "last" })
same<Step.Out<typeof lastRecord>, { readonly tone: string | number }>(true)

const lastList = Pipeline.concurrent("c", [tone, ...(flag ? [named] : [])], { conflicts: "last" })
same<Step.Out<typeof lastList>, { readonly tone: string | number }>(true)
const someList = Pipeline.concurrent("c", [tone, ...(flag ? [facts] : [])], { minSuccesses: 1 })
same<Step.Out<typeof someList>, Any>(true)

// the same branch in both records is there
const shared = Pipeline.concurrent("c", flag ? { tone } : { tone, facts })
same<Step.Out<typeof shared>, Some>(true)

// ----------------------------------------------------------------------------------------- the other lists of branches

const race = Pipeline.race("c", spread)
same<typeof race, Step.Step<Reads, Any, Down>>(true)
const raceRecords = Pipeline.race("c", records)
same<typeof raceRecords, Step.Step<Reads, Any, Down>>(true)
const contest = Pipeline.contest("c", records, { accept: () => true })
same<typeof contest, Step.Step<Reads, Any, Down | Pipeline.NoneAccepted>>(true)
const converge = Primitive.converge("c", { branches: records, prompt: "Sum up" })
same<Step.In<typeof converge>, Reads>(true)
same<Step.Out<typeof converge>, Any & { readonly c: Primitive.Convergence }>(false)
same<Step.Out<typeof converge>, { readonly c: Primitive.Convergence; readonly tone?: string; readonly facts?: string }>(
  true
)
const fallback = Pipeline.fallback("c", lists)
same<Step.In<typeof fallback>, Reads>(true)
same<Step.Out<typeof fallback>, Any>(true)
same<Step.Err<typeof fallback>, Down>(true)

// ---------------------------------------------------------------------------------------------------- what is refused

declare const begun: Thought.Thought<{ readonly h1: string }>
const loud = Step.make("loud", { schema: Schema.String, run: Note.from(facts, (it) => it.toUpperCase()) })
// @ts-expect-error Property 'facts' is missing
void Pipeline.run(Pipeline.sequence("p", [Pipeline.concurrent("c", spread), loud]), begun)
// @ts-expect-error Property 'facts' is missing
void Pipeline.run(Pipeline.sequence("p", [Pipeline.concurrent("c", either), loud]), begun)
// @ts-expect-error Property 'facts' is missing
void Pipeline.run(Pipeline.sequence("p", flag ? [loud] : []), begun)
// @ts-expect-error Property 'facts' is missing
void Pipeline.run(Pipeline.sequence("p", [tone, Pipeline.sequence("q", flag ? [loud] : [])]), begun)
// @ts-expect-error Property 'facts' is missing
void Pipeline.run(Pipeline.sequence("p", [Pipeline.concurrent("c", list), loud]), begun)
// @ts-expect-error Property 'facts' is missing
void Pipeline.run(Pipeline.sequence("p", [tone, ...(flag ? [facts] : []), loud]), begun)
// @ts-expect-error Property 'facts' is missing
void Pipeline.run(Pipeline.sequence("p", [...(flag ? [facts] : []), tone, loud]), begun)
// @ts-expect-error Property 'facts' is missing
void Pipeline.run(Pipeline.sequence("p", [...(flag ? [facts, loud] : []), tone]), begun)
// @ts-expect-error Property 'facts' is missing
void Pipeline.run(Pipeline.sequence("p", [...(flag ? [loud] : []), facts]), begun)
const perhaps = Pipeline.sequence("p", [tone, ...(flag ? [facts] : []), loud])
// @ts-expect-error "the thought lacks notes that the step reads": "facts"
void Pipeline.runPromise(perhaps, { intent: "x", notes: { h1: "" } }, { layer: Testing.memory })
// @ts-expect-error two branches write the same note
Pipeline.concurrent("c", flag ? { tone } : { tone, again: tone })
// @ts-expect-error branches need names, as those of a record have
Pipeline.concurrent("c", flag ? { tone } : lists, namespace)
// @ts-expect-error two branches write the same note
Primitive.converge("c", { branches: flag ? { tone } : { tone, again: tone }, prompt: "Sum up" })
// @ts-expect-error undefined' is not assignable to type 'Keyed<
Pipeline.concurrent("c", { tone, facts: flag ? facts : undefined })
// @ts-expect-error undefined' is not assignable to type 'Keyed<
Pipeline.race("c", { tone, facts: flag ? facts : undefined })
// @ts-expect-error undefined' is not assignable to type 'Keyed<
Pipeline.contest("c", { tone, facts: flag ? facts : undefined }, { accept: () => true })
// @ts-expect-error undefined' is not assignable to type 'Keyed<
Primitive.converge("c", { branches: { tone, facts: flag ? facts : undefined }, prompt: "Sum up" })
declare const lookup: Readonly<Record<string, typeof tone | undefined>>
// @ts-expect-error 'string' index signatures are incompatible
Pipeline.concurrent("c", lookup)
