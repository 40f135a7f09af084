import { assert, beforeAll, describe, it } from "@effect/vitest"
import { compile } from "./compile.ts"

// Without `exactOptionalPropertyTypes`, which most programs do not set, an optional value may be `undefined`.

const start = `import { Schema } from "effect"
import { Pipeline, Primitive, Step } from "cogito"
const tone = Step.make("tone", { schema: Schema.String, run: () => "kind" })
const facts = Step.make("facts", { schema: Schema.String, run: () => "right" })
declare const flag: boolean
`

const programs = {
  "kept.ts": `${start}
const all = Pipeline.concurrent("all", flag ? { tone } : { facts })
export const tones: Step.Out<typeof all>["tone"] = 1
const won = Pipeline.race("won", flag ? { tone } : { facts })
export const wonTones: Step.Out<typeof won>["tone"] = 1
const routed = Pipeline.switch("routed", { on: (): string => "", branches: flag ? { tone } : { facts }, default: tone })
export const routedTones: Step.Out<typeof routed>["tone"] = 1
const discerned = Primitive.discern("discerned", { question: "Which?", routes: flag ? { tone } : { facts } })
export const discernedTones: Step.Out<typeof discerned>["tone"] = 1
const spread = Pipeline.concurrent("all", { tone, ...(flag ? { facts } : {}) })
export const spreadFacts: Step.Out<typeof spread>["facts"] = 1
`,
  "undefined.ts": `${start}
export const all = Pipeline.concurrent("all", { tone, facts: flag ? facts : undefined })
export const routed = Pipeline.switch("routed", {
  on: (): string => "tone",
  branches: { tone, facts: flag ? facts : undefined },
  default: tone
})
`
}

describe("without exactOptionalPropertyTypes", () => {
  let lines: ReadonlyArray<string> = []
  beforeAll(() => {
    lines = compile(programs, { exactOptionalPropertyTypes: false }).split("\n")
  })
  const errorsOf = (name: string) => lines.filter((line) => line.includes("error TS") && line.includes(name))

  it("one record of branches or another keeps the types of its notes", () => {
    const errors = errorsOf("kept.ts")
    assert.strictEqual(errors.length, 5, errors.join("\n"))
    for (const error of errors)
      assert.match(error, /Type 'number' is not assignable to type 'string(?: \| undefined)?'/)
  })

  it("a branch whose key is there and whose value may be undefined is refused", () => {
    const errors = errorsOf("undefined.ts")
    assert.strictEqual(errors.length, 2, errors.join("\n"))
    for (const error of errors) assert.include(error, "undefined' is not assignable to type 'Keyed<")
  })
})
