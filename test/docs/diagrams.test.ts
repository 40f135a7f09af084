import { assert, describe, it } from "@effect/vitest"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { Effect } from "effect"
import { Note, Pipeline, Primitive, Step } from "cogito"
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

/** The pipeline that docs/pipelines.md shows. */
const spam = Primitive.decide("spam", { question: "Is this spam?" })
const mood = Primitive.assess("mood", { question: "How does the customer feel?" })
const support = Pipeline.sequence("support", [
  spam.pipe(Step.timeout("20 seconds"), Step.retry({ times: 2 })),
  Pipeline.gate("wanted", { check: Note.from(spam, ({ decision }) => (decision ? "fail" : "pass")) }),
  Pipeline.concurrent("look", {
    category: Primitive.categorize("category", { question: "What is it about?", categories: ["billing", "technical"] }),
    mood: mood.pipe(Step.enrich())
  }),
  Step.once("mail", Effect.void)
])

describe("the diagrams of the documents", () => {
  const table: ReadonlyArray<readonly [file: string, shown: Step.Any, diagram: string]> = [
    ["docs/how-it-works.md", mail, Pipeline.toMermaid(mail, { direction: "LR" })],
    ["docs/pipelines.md", support, Pipeline.toMermaid(support)]
  ]

  it.each(table)("are what the library draws of the pipeline beside them: %s", (file, shown, diagram) => {
    const text = readFileSync(join(root, file), "utf8")
    const fences = Array.from(text.matchAll(/^```mermaid\n([^`]*)\n```$/gm), ([, source]) => source)
    assert.deepStrictEqual(fences, [diagram])
    // the program beside the diagram asserts this of its own pipeline
    assert.include(text, Pipeline.outline(shown))
  })
})
