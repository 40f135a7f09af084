import { Data, Effect, Schema } from "effect"
import { Note, Pipeline, Primitive, Step, type Synapse } from "cogito"
import { same } from "./same.ts"

// Routes of which some may be absent, as a setting decides: their notes are optional, and what they read, fail with and need
// counts.

class Down extends Data.TaggedError("Down")<{}> {}

const h1 = Note.handle("h1", Schema.String)
const tone = Step.make("tone", { schema: Schema.String, run: () => "kind" })
const facts = Step.make("facts", {
  schema: Schema.String,
  run: Note.from(h1, (it) => (it === "" ? Effect.fail(new Down()) : Effect.succeed(it)))
})

declare const flag: boolean
declare const records: { readonly facts: typeof facts } | { readonly tone: typeof tone }
const spread = { tone, ...(flag ? { facts } : {}) }
const either = flag ? { facts } : { tone }

type Reads = { readonly h1: string }
type Any = { readonly tone?: string; readonly facts?: string }

// ------------------------------------------------------------------------------------------------------------ switch

const routed = Pipeline.switch("c", { on: (): string => "tone", branches: records, default: "pass" })
same<Step.In<typeof routed>, Reads>(true)
same<Step.Out<typeof routed>, Partial<Any>>(true)
same<Step.Err<typeof routed>, Down>(true)
const routedElse = Pipeline.switch("c", { on: (): string => "tone", branches: either, default: tone })
same<Step.Out<typeof routedElse>, Any>(true)
const routedSure = Pipeline.switch("c", { on: () => "tone" as const, branches: { tone, ...(flag ? {} : { tone }) } })
same<Step.Out<typeof routedSure>, { readonly tone: string }>(true)

// ----------------------------------------------------------------------------------------------------------- discern

const discern = Primitive.discern("c", { question: "Which?", routes: records })
same<Step.In<typeof discern>, Reads>(true)
same<
  Step.Out<typeof discern>,
  { readonly c: Synapse.Classification<"facts" | "tone">; readonly facts?: string; readonly tone?: string }
>(true)
same<Extract<Step.Err<typeof discern>, Down>, Down>(true)
// a route that may be absent, or may have no step
const discernSome = Primitive.discern("c", { question: "Which?", routes: { tone, ...(flag ? { other: tone } : {}) } })
same<Step.Out<typeof discernSome>, { readonly c: Synapse.Classification<"tone" | "other">; readonly tone: string }>(
  true
)
declare const open: { readonly when: string; readonly step?: typeof facts }
const discernOpen = Primitive.discern("c", { question: "Which?", routes: { a: open } })
same<Step.In<typeof discernOpen>, Reads>(true)
same<Step.Out<typeof discernOpen>, { readonly c: Synapse.Classification<"a">; readonly facts?: string }>(true)
const discernEither = Primitive.discern("c", {
  question: "Which?",
  routes: { a: flag ? tone : { when: "never" } }
})
same<Step.Out<typeof discernEither>, { readonly c: Synapse.Classification<"a">; readonly tone?: string }>(true)

// ---------------------------------------------------------------------------------------------------- what is refused

// @ts-expect-error a label has no branch: add it, or a default
Pipeline.switch("c", { on: (): "tone" | "facts" => "tone", branches: spread })
// @ts-expect-error a label has no branch: add it, or a default
Pipeline.switch("c", { on: (): "tone" | "facts" => "tone", branches: records })
// @ts-expect-error a branch has a label that is never given
Pipeline.switch("c", { on: () => "tone" as const, branches: spread })
// @ts-expect-error undefined' is not assignable to type 'Keyed<
Pipeline.switch("c", { on: (): string => "a", branches: { a: flag ? tone : undefined }, default: tone })
// @ts-expect-error undefined' is not assignable to type 'Keyed<
Primitive.discern("c", { question: "Which?", routes: { a: flag ? tone : undefined } })
