import * as Schema from "effect/Schema"
import * as Pipeline from "../../Pipeline.ts"
import type * as Step from "../../Step.ts"
import { define, type Definition } from "../model/define.ts"
import { branches, concurrency, count, maybe, Name, oneOf, option, words } from "../model/parts.ts"

const name = option("Name of the step.", Name)
const together = maybe("How many branches run at a time.", concurrency)

/** Which notes branches write is not in the types of a document: what clashes is refused when the step is built. */
type Unchecked = (name: string, branches: unknown, options: unknown) => Step.Any

const fallback = define("fallback", {
  description: "Tries one step after the other until one is good.",
  fields: (parts) => ({
    name,
    alternatives: option(
      "The steps, best first.",
      Schema.NonEmptyArray(parts.node).annotate({ expected: "a list of at least one step" })
    ),
    accept: maybe("A reader of whether what came of a step is good enough; not asked of the last.", parts.condition),
    while: maybe("A function of the error: whether the next one is tried.", parts.function)
  }),
  build: ({ alternatives, name, ...options }) => Pipeline.fallback(name, alternatives, options)
})

const concurrent = define("concurrent", {
  description: "Runs branches beside each other and keeps the notes of all.",
  fields: (parts) => ({
    name,
    branches: option("The branches.", branches(parts)),
    conflicts: maybe("What becomes of keys that several branches write.", oneOf("error", "last", "namespace")),
    minSuccesses: maybe("How many branches must succeed. Without it, all.", count(1)),
    report: maybe("Key of a note that says how each branch ended.", words),
    concurrency: together
  }),
  defaults: { conflicts: "error", concurrency: "unbounded" },
  build: ({ branches, name, ...options }) => (Pipeline.concurrent as unknown as Unchecked)(name, branches, options)
})

const race = define("race", {
  description: "Runs branches beside each other and goes on with the first that succeeds.",
  fields: (parts) => ({ name, branches: option("The branches.", branches(parts)), concurrency: together }),
  defaults: { concurrency: "unbounded" },
  build: ({ branches, name, ...options }) => Pipeline.race(name, branches, options)
})

const contest = define("contest", {
  description: "Runs branches beside each other and goes on with the first that is good enough.",
  fields: (parts) => ({
    name,
    branches: option("The branches.", branches(parts)),
    accept: option("A reader of whether what came of a branch is good enough.", parts.condition),
    concurrency: together
  }),
  defaults: { concurrency: "unbounded" },
  build: ({ branches, name, ...options }) => (Pipeline.contest as unknown as Unchecked)(name, branches, options)
})

/** Steps of which one, or all, go on. */
export const alternatives: ReadonlyArray<Definition> = [fallback, concurrent, race, contest]
