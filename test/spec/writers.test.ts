import { assert, describe, it } from "@effect/vitest"
import { Effect, Result, Schema } from "effect"
import { Note, Pipeline, Step } from "cogito"
import { Spec } from "cogito/spec"

// Which notes a document knows, and what they hold, although no option says it.

const functions = { log: () => Effect.void }
const registry = Spec.registry({ functions })
const document = (...steps: ReadonlyArray<unknown>) => ({
  cogito: 1,
  name: "notes",
  step: { type: "sequence", name: "all", steps }
})
const decide = (key: string) => ({ type: "decide", key, question: "Is this spam?" })
const log = (note: string) => ({ type: "mutate", name: "log", note, update: { function: "log" } })

/** Builds a document, which may read a note that is not always written. */
const building = (input: object, note: Note.Handle<any, any>, given: Spec.Registry<any, any> = registry) =>
  Effect.flatMap(Spec.decode(given, input), (read) => Effect.result(Spec.build(given, read, { reads: [note] })))

describe("the summary of a conversation", () => {
  it.effect("is a note that later steps can name, by the key of compact or the usual one", () =>
    Effect.gen(function* () {
      for (const [note, more, isKnown] of [
        ["conversation_summary", {}, true],
        ["so far", { summaryKey: "so far" }, true],
        ["conversation_summary", { summaryKey: "so far" }, false],
        ["so far", {}, false]
      ] as const) {
        // it is written only when the conversation is long
        const compact = { type: "compact", step: decide("spam"), ...more }
        const built = yield* building(document(compact, log(note)), Note.handle(note, Schema.String))
        assert.strictEqual(Result.isSuccess(built), isKnown, note)
        if (Result.isFailure(built))
          assert.include(built.failure.message, `No step of the document writes a note "${note}"`)
      }
    })
  )
})

describe("the summary of what a step has thought", () => {
  it.effect("gives way to a note of the same key that is always written", () =>
    Effect.gen(function* () {
      const note = Note.handle("spam_summary", Schema.String)
      const input = document(decide("spam"), decide("spam_summary"), log("spam_summary"))
      const built = yield* building(input, note)
      assert.isTrue(Result.isSuccess(built))
    })
  )
})

describe("a report", () => {
  it.effect("is of a failure, or of branches", () =>
    Effect.gen(function* () {
      const failure = Note.handle("why", Step.FailureReport)
      const branches = Note.handle("why", Schema.Array(Pipeline.BranchResult))
      const enrich = { type: "enrich", name: "maybe", step: decide("a"), report: "why" }
      const concurrent = {
        type: "concurrent",
        name: "both",
        branches: { a: decide("a"), b: decide("b") },
        report: "why"
      }
      for (const [step, right, wrong] of [
        [enrich, failure, branches],
        [concurrent, branches, failure]
      ] as const) {
        for (const handle of [right, wrong]) {
          const given = Spec.registry({ functions, handles: [handle] })
          const built = yield* building(document(step, log("why")), handle, given)
          assert.strictEqual(Result.isSuccess(built), handle === right, step.type)
        }
      }
    })
  )
})
