import { assert, beforeAll, describe, it } from "@effect/vitest"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { compile } from "./compile.ts"

const start = `import { Schema } from "effect"
import { Note, Pipeline, Primitive, Step, Thought } from "cogito"
`

/** Programs that do not compile. */
const programs = {
  "unwritten.ts": `${start}
const message = Note.handle("message", Schema.String)
const length = Step.make("length", { schema: Schema.Finite, run: Note.from(message, (text) => text.length) })
declare const empty: Thought.Thought
export const ran = Pipeline.run(length, empty)
`,
  "overwritten.ts": `${start}
const size = Note.handle("size", Schema.Finite)
const renamed = Pipeline.sequence("renamed", [
  Step.make("size", { schema: Schema.String, run: () => "large" }),
  Step.make("double", { schema: Schema.Finite, run: Note.from(size, (n) => n * 2) })
])
declare const sized: Thought.Thought<{ readonly size: number }>
export const ran = Pipeline.run(renamed, sized)
`,
  "unbranched.ts": `${start}
const size = Note.handle("size", Schema.Literals(["small", "large"]))
export const route = Pipeline.switch("route", {
  on: Note.from(size, (label) => label),
  branches: { small: Primitive.decide("ok", { question: "Is this enough?" }) }
})
`,
  "twice.ts": `${start}
export const both = Pipeline.concurrent("both", {
  first: Primitive.decide("spam", { question: "Is this spam?" }),
  second: Primitive.decide("spam", { question: "Is this an advert?" })
})
`
}

const large = "connected.test-d.ts"

/** What the compiler says about all of them in one run, as most of its time goes to what they import. */
let output: ReadonlyArray<string> = []
beforeAll(() => {
  const others = [large, "same.ts"].map((name) => [name, readFileSync(join(import.meta.dirname, name), "utf8")])
  output = compile({ ...programs, ...Object.fromEntries(others) }).split("\n")
})

describe("the compiler's message", () => {
  /** The errors of a program, without its folder. */
  const errorsOf = (name: string): string => {
    let own = false
    return output
      .filter((line) => {
        own = line.includes("error TS") ? line.includes(`${name}.ts(`) : own && /^ {2,}\S/.test(line)
        return own
      })
      .map((line) => line.replace(/^.*[\\/](\w+\.ts\()/, "$1"))
      .join("\n")
  }

  it("for a note that nobody writes names the note", () => {
    assert.strictEqual(
      errorsOf("unwritten"),
      `unwritten.ts(7,41): error TS2345: Argument of type 'Thought<{}>' is not assignable to parameter of type 'Thought<{ readonly message: string; }>'.
  Property 'message' is missing in type '{}' but required in type '{ readonly message: string; }'.`
    )
  })

  it("for a note that has another type when it is read names the note and both types", () => {
    assert.strictEqual(
      errorsOf("overwritten"),
      `overwritten.ts(10,42): error TS2345: Argument of type 'Thought<{ readonly size: number; }>' is not assignable to parameter of type 'Thought<{ readonly size: { readonly "a step writes another type under this key before it is read": { readonly read: number; readonly written: string; }; }; }>'.
  Type '{ readonly size: number; }' is not assignable to type '{ readonly size: { readonly "a step writes another type under this key before it is read": { readonly read: number; readonly written: string; }; }; }'.
    Types of property 'size' are incompatible.
      Type 'number' is not assignable to type '{ readonly "a step writes another type under this key before it is read": { readonly read: number; readonly written: string; }; }'.`
    )
  })

  it("for a label without a branch names the label, and says what to do", () => {
    assert.strictEqual(
      errorsOf("unbranched"),
      `unbranched.ts(7,3): error TS2322: Type '{ small: Step.Keyed<"ok", Decision, {}, ProviderError | ResponseError, Provider>; }' is not assignable to type '{ readonly small: Keyed<"ok", Decision, {}, ProviderError | ResponseError, Provider>; } & { readonly "a label has no branch: add it, or a default": "large"; }'.
  Property '"a label has no branch: add it, or a default"' is missing in type '{ small: Step.Keyed<"ok", Decision, {}, ProviderError | ResponseError, Provider>; }' but required in type '{ readonly "a label has no branch: add it, or a default": "large"; }'.`
    )
  })

  it("for two branches that write one note names the note", () => {
    assert.strictEqual(
      errorsOf("twice"),
      `twice.ts(4,49): error TS2345: Argument of type '{ first: Step.Keyed<"spam", Decision, {}, ProviderError | ResponseError, Provider>; second: Step.Keyed<"spam", Decision, {}, ProviderError | ResponseError, Provider>; }' is not assignable to parameter of type '{ readonly first: Keyed<"spam", Decision, {}, ProviderError | ResponseError, Provider>; readonly second: Keyed<"spam", Decision, {}, ProviderError | ResponseError, Provider>; } & { ...; }'.
  Property '"two branches write the same note"' is missing in type '{ first: Step.Keyed<"spam", Decision, {}, ProviderError | ResponseError, Provider>; second: Step.Keyed<"spam", Decision, {}, ProviderError | ResponseError, Provider>; }' but required in type '{ readonly "two branches write the same note": "spam"; }'.`
    )
  })
})

describe("a hundred steps with connectors around them", () => {
  it("cost the checker a bounded number of instantiations", () => {
    assert.isEmpty(output.filter((line) => line.includes("error TS") && line.includes(large)))
    const [count = 0] = output.flatMap((line) =>
      Array.from(line.matchAll(/^Instantiations: +(\d+)$/g), ([, n]) => Number(n))
    )
    assert.isAbove(count, 100_000)
    assert.isBelow(count, 1_000_000)
  })
})
