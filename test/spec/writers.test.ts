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
const log = (note: string) => ({ type: "mutate", name: `log ${note}`, note, update: { function: "log" } })

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

describe("the summary of a search or an answer", () => {
  it.effect("is a note with the key that the option says, or with that of the step and _summary", () =>
    Effect.gen(function* () {
      const summaryKey = "in short"
      const seek = { type: "seek", key: "found", query: "mugs" }
      for (const [step, note, isKnown] of [
        [{ ...seek, summarize: { summaryKey } }, summaryKey, true],
        [{ ...seek, summarize: true }, "found_summary", true],
        [{ ...seek, summarize: true }, summaryKey, false],
        [{ ...decide("spam"), introspect: { summaryKey } }, summaryKey, true],
        [{ ...decide("spam"), introspect: true }, "spam_summary", true],
        [{ ...decide("spam"), introspect: true }, summaryKey, false]
      ] as const) {
        const built = yield* building(document(step, log(note)), Note.handle(note, Schema.String))
        assert.strictEqual(Result.isSuccess(built), isKnown, `${step.type} ${note}`)
        if (Result.isFailure(built))
          assert.include(built.failure.message, `No step of the document writes a note "${note}"`)
      }
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

describe("a definition that is used", () => {
  const assess = (key: string) => ({ type: "assess", key, question: "How good is it?" })
  const outcome = (input: object, given: Spec.Registry<any, any> = registry) =>
    Effect.map(
      Effect.flatMap(Spec.decode(given, input), (read) => Effect.result(Spec.build(given, read))),
      Result.match({
        onFailure: ({ problems }) => problems.map(({ message, path }) => `${path}: ${message}`),
        onSuccess: ({ node }) => node.writes
      })
    )

  it.effect("writes its notes where it is used, each with the name of its branch where branches have keys", () =>
    Effect.gen(function* () {
      const definitions = { asked: decide("spam") }
      const branches = { a: { use: "asked" }, b: assess("spam") }
      const both = { type: "concurrent", name: "both", branches, conflicts: "namespace" }
      const all = document(both, { use: "asked" }, log("spam"), log("a.spam"), log("b.spam"))
      assert.deepStrictEqual(yield* outcome({ ...all, definitions }), ["a.spam", "b.spam", "spam"])
      // the note of the branch has a key of its own
      const within = { a: { type: "sequence", name: "in", steps: [{ use: "asked" }, log("spam")] }, b: assess("spam") }
      const inside = document({ ...both, branches: within })
      assert.deepStrictEqual(yield* outcome({ ...inside, definitions }), ["a.spam", "b.spam"])
    })
  )

  it.effect("may be a registered step, whose notes are known by their handle", () =>
    Effect.gen(function* () {
      const seen = Step.make("seen", { schema: Schema.String, run: () => "x" })
      const steps = { seen, wrapped: Pipeline.sequence("wrapped", [seen]) }
      const given = Spec.registry({ functions, steps })
      const unknown = (i: number) => [
        `step.steps[${i}].note: The type of the note "seen" is unknown, because a registered step writes it: register its handle.`
      ]
      const seens = (...uses: ReadonlyArray<string>) => document(...uses.map((use) => ({ use })), log("seen"))
      assert.deepStrictEqual(yield* outcome(seens("seen"), given), ["seen"])
      assert.deepStrictEqual(yield* outcome(seens("wrapped"), given), unknown(1))
      const twice = document(
        { type: "sequence", name: "twice", overwrite: true, steps: [{ use: "seen" }, { use: "wrapped" }] },
        log("seen")
      )
      assert.deepStrictEqual(yield* outcome(twice, given), unknown(1))
      const registered = Spec.registry({ functions, steps, handles: [Note.handle("seen", Schema.String)] })
      assert.deepStrictEqual(yield* outcome(twice, registered), ["seen"])
    })
  )
})
