import { assert, describe, it } from "@effect/vitest"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { Pipeline, Primitive, Step } from "cogito"
import { root } from "../../scripts/run.ts"

/** The pipeline that docs/how-it-works.md shows. */
const mail = Pipeline.sequence("mail", [
  Primitive.decide("urgent", { question: "Is this urgent?" }).pipe(Step.retry({ times: 1 })),
  Primitive.discern("route", {
    question: "Who should answer this?",
    routes: {
      billing: Primitive.reflect("refund", { prompt: "Draft a note to the accountants" }),
      rest: Primitive.reflect("reply", { prompt: "Draft a reply" })
    }
  })
])

describe("the diagrams of the documents", () => {
  const text = readFileSync(join(root, "docs/how-it-works.md"), "utf8")
  const fences = Array.from(text.matchAll(/^```mermaid\n([^`]*)\n```$/gm), ([, source]) => source)

  it("are what the library draws of the pipeline beside them", () => {
    assert.deepStrictEqual(fences, [Pipeline.toMermaid(mail, { direction: "LR" })])
    // the program beside the diagram asserts this of its own pipeline
    assert.include(text, Pipeline.outline(mail))
  })
})
