import { assert, describe, it } from "@effect/vitest"
import { Pipeline, Primitive, Step } from "cogito"
import { Spec } from "cogito/spec"
import { formsOf } from "../../src/arguments/taking.ts"

// Options are declared once, beside the function that takes them. What is new has a form in documents, or stands here.

/** Functions that make steps which no document can have. */
const codeOnly = new Set([
  // a function of a program's own
  "Primitive.make",
  "Step.make",
  "Pipeline.gen",
  // a drawing
  "Pipeline.toMermaid",
  // runs, and what is done about them
  "Pipeline.run",
  "Pipeline.stream",
  "Pipeline.answer",
  "Pipeline.logs",
  "Pipeline.rerun",
  "Pipeline.resume",
  "Pipeline.resumeAll",
  "Pipeline.runs",
  "Pipeline.waiting",
  "Pipeline.toFixture",
  // what is piped onto a step has a node of its own, such as `filter` and `sequence`
  "Step.andThen",
  // a layer, and where notes come from, are values of code
  "Step.provide",
  "Step.derivedFrom",
  "Step.when"
])

/** Options that no document can say, by type. */
const inCode: Readonly<Record<string, ReadonlyArray<string>>> = {
  seek: ["context", "dates", "diversity", "excludeLineageOf", "fusion", "maxDistance", "recency", "rerank"],
  survey: ["context", "dates", "excludeLineageOf", "fusion", "maxDistance", "recency"],
  // state that is shared in code: in documents, what limits keeps its state by the name of the step
  rateLimit: ["limiter"],
  circuitBreaker: ["breaker"],
  workerLimit: ["pool"],
  budget: ["budget"],
  // a value of a registered schema
  waitFor: ["otherwise"],
  backoff: ["schedule"]
}

interface Described {
  readonly properties: Readonly<Record<string, unknown>>
}
const { $defs } = Spec.jsonSchema() as unknown as { readonly $defs: Readonly<Record<string, Described>> }

/** Functions of a facade that say what their options may be, by name. */
const takers = Object.entries({ Primitive, Pipeline, Step }).flatMap(([facade, members]) =>
  Object.entries(members as Readonly<Record<string, unknown>>).flatMap(([name, member]) => {
    const forms = typeof member === "function" ? formsOf(member) : undefined
    return forms === undefined || codeOnly.has(`${facade}.${name}`) ? [] : [[name, forms] as const]
  })
)

describe("an option", () => {
  it.each(takers)("of %s is in documents, or is listed as one of code alone", (name, forms) => {
    const described = $defs[name]
    assert.isDefined(
      described,
      `${name} is no type of node: add it to src/spec/nodes, or to the functions of code alone`
    )
    const others = Object.keys(forms).filter((option) => !Object.hasOwn(described.properties, option))
    assert.deepStrictEqual(others.toSorted(), inCode[name] ?? [])
  })

  it.each(takers)("of %s that documents have says what it is", (name, forms) => {
    const described = Object.entries(forms).filter(([option]) => !(inCode[name] ?? []).includes(option))
    assert.deepStrictEqual(
      described.filter(([, { description = "" }]) => description === "").map(([option]) => option),
      []
    )
  })
})

describe("a primitive, or a connector around one step", () => {
  it("is a type of node, or is listed as one of code alone", () => {
    const made = Object.entries({ Primitive, Step }).flatMap(([facade, members]) =>
      Object.entries(members as Readonly<Record<string, unknown>>)
        .filter(([name, member]) => typeof member === "function" && /^[a-z]/.test(name))
        .flatMap(([name]) =>
          Object.hasOwn($defs, name) || codeOnly.has(`${facade}.${name}`) ? [] : [`${facade}.${name}`]
        )
    )
    assert.deepStrictEqual(made, [])
  })

  it("says what its options may be", () => {
    const without = new Set(["step", "use", "checkpoint", "named", "once", "tap"])
    const said = new Set(takers.map(([name]) => name))
    assert.deepStrictEqual(
      Object.keys($defs).filter((type) => !said.has(type) && !without.has(type)),
      []
    )
  })
})
