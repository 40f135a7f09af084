import * as Schema from "effect/Schema"
import * as Note from "../../Note.ts"
import * as Primitive from "../../Primitive.ts"
import * as Synapse from "../../Synapse.ts"
import { define, type Definition } from "../model/define.ts"
import { branches, concurrency, count, maybe, Name, option, text, unit, words } from "../model/parts.ts"
import { askingDefaults, calling, closed } from "./asking.ts"

const key = option("Key of the note that is written.", Name)

const sift = define("sift", {
  description: "Asks a yes/no question, and on yes runs a step.",
  fields: (parts) => ({
    key,
    question: option("The question.", text(parts)),
    step: option("The step that runs on yes.", parts.node),
    ...closed(parts)
  }),
  defaults: askingDefaults,
  build: ({ key, ...options }) => Primitive.sift(key, options),
  handle: ({ key }) => Note.handle(key, Synapse.Decision)
})

const discern = define("discern", {
  description: "Asks which of several routes fits, and runs the step of that route.",
  fields: (parts) => ({
    key,
    question: option("The question.", text(parts)),
    routes: option(
      "Routes by label: a step, or { when, step } with a sentence on what belongs there.",
      Schema.Record(
        Schema.String,
        Schema.Union([
          Schema.Struct({
            when: option("What belongs there.", words),
            step: maybe("The step of the route. Without one the route leads to the default.", parts.node)
          }),
          parts.node
        ]).annotate({ expected: "a step, or { when, step }" })
      ).annotate({ expected: "an object of steps by label" })
    ),
    default: maybe("The step for routes without one, and for answers below minConfidence.", parts.node),
    minConfidence: maybe("Below it the default is taken.", unit),
    ...closed(parts)
  }),
  defaults: askingDefaults,
  // that minConfidence comes with a default is checked when the step is built
  build: ({ key, ...options }) => Primitive.discern(key, options as never),
  handle: ({ key, routes }) =>
    Primitive.categorize(key, { question: "?", categories: Object.fromEntries(Object.keys(routes).map((l) => [l, l])) })
})

const converge = define("converge", {
  description: "Runs branches beside each other and writes what they come to together.",
  fields: (parts) => ({
    key,
    branches: option("The branches.", branches(parts)),
    prompt: option("What the synthesis is to say.", text(parts)),
    minSuccesses: maybe("How many branches must succeed.", count(1)),
    concurrency: maybe("How many run at a time.", concurrency),
    ...calling(parts)
  }),
  defaults: { minSuccesses: 1, concurrency: "unbounded" },
  // that no two branches write one note is checked when the step is built
  build: ({ key, ...options }) => Primitive.converge(key, options as never),
  handle: ({ key }) => Note.handle(key, Primitive.Convergence)
})

/** Steps that ask a model and have steps inside. */
export const routing: ReadonlyArray<Definition> = [sift, discern, converge]
