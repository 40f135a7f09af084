import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Schema } from "effect"
import { TestClock } from "effect/testing"
import { Note, Pipeline, type Step, Synapse, Thought } from "cogito"
import { Spec } from "cogito/spec"
import { Testing } from "cogito/testing"
import { answering, every, message, registry, traceOf } from "./types.ts"

const document = (step: unknown, others: object = {}) => ({ cogito: 1, name: "all", step, ...others })

const noteKeys = {
  reads: [message, Note.handle("list", Schema.Array(Schema.String)), Note.handle("thoughtId", Schema.String)]
}

const built = (step: unknown, given = registry) =>
  Effect.flatMap(Spec.decode(given, document(step)), (read) => Spec.build(given, read, noteKeys))

/** Answers of people, by key. */
const answers: Readonly<Record<string, unknown>> = { ok: { approved: true }, who: { customer: "Ada" } }

/** Runs a step on an earlier thought's successor: what it left, and what the model was sent. */
const ran = (step: Step.Any) => {
  const model = answering()
  return Effect.gen(function* () {
    const before = yield* Pipeline.run(
      Pipeline.sequence("before", []),
      yield* Thought.make("before", { message: "Hi" })
    )
    const start = yield* Thought.make("now", { message: "Hello", list: '["a","b"]', thoughtId: before.id })
    const end = yield* Pipeline.run(step, start, { durable: true }).pipe(
      Effect.catchTag("Suspended", ({ runId, waits }) =>
        Effect.andThen(
          Effect.forEach(waits, ({ key }) => Pipeline.answer(runId, key, answers[key])),
          Pipeline.resume(step, runId)
        )
      )
    )
    yield* TestClock.adjust("1 second")
    return traceOf(end, Thought.notes(end))
  }).pipe(
    // waits for what goes on in the background
    Effect.provide(Pipeline.supervisor().pipe(Layer.provideMerge(Layer.merge(model.layer, Testing.memory)))),
    Effect.map((trace) => {
      const sent = model.requests.map(({ messages, phase, sampling, task }) => ({
        messages: messages.map(({ role, text }) => [role, text.length]),
        phase,
        sampling,
        kind: task.kind,
        instruction: task.instruction
      }))
      return { ...trace, sent }
    })
  )
}

describe("every type of node", () => {
  it("is tried here", () => {
    const { $defs } = Spec.jsonSchema() as { readonly $defs: object }
    assert.deepStrictEqual(
      Object.keys($defs)
        .filter((name) => name !== "step" && name !== "use")
        .toSorted(),
      Object.keys(every).toSorted()
    )
  })

  for (const [type, { code, spec }] of Object.entries(every)) {
    it.effect(`${type} is the step that code makes, and does what it does [C694] [C709] [C772]`, () =>
      Effect.gen(function* () {
        const step = yield* built(spec)
        assert.deepStrictEqual(step.node, code().node)
        assert.strictEqual(yield* Pipeline.fingerprint(step), yield* Pipeline.fingerprint(code()))
        assert.deepStrictEqual(yield* ran(step), yield* ran(code()))
      })
    )

    it.effect(`${type} comes back as it was written [C696] [C743] [C745]`, () =>
      Effect.gen(function* () {
        const read = yield* Spec.decode(registry, document(spec))
        const step = yield* Spec.build(registry, read, noteKeys)
        assert.deepStrictEqual(Spec.encode(step), read)
        assert.deepStrictEqual(yield* Spec.decode(registry, JSON.stringify(Spec.encode(step))), read)
      })
    )
  }
})

/** Paths and messages of the problems of building. */
const refused = (step: unknown, options: Spec.BuildOptions = noteKeys, others: object = {}) =>
  Effect.gen(function* () {
    const read = yield* Spec.decode(registry, document(step, others))
    const error = yield* Effect.flip(Spec.build(registry, read, options))
    return error.problems.map(({ message, path }) => `${path}: ${message}`)
  })

const decide = (key: string) => ({ type: "decide", key, question: "Is this so?" })

describe("Spec.build", () => {
  it.effect("says of what its parts refuse at which node it is, all at once [C709] [C717]", () =>
    Effect.gen(function* () {
      const found = yield* refused(
        {
          type: "race",
          name: "either",
          branches: {
            a: { type: "sequence", name: "twice", steps: [decide("one"), decide("one")] },
            b: {
              type: "retry",
              name: "r",
              step: { type: "sequence", name: "t", steps: [decide("x"), decide("x")] }
            },
            c: { type: "categorize", key: "bad\nkey", question: "?", categories: ["a"] },
            d: { use: "twice" }
          }
        },
        noteKeys,
        { definitions: { twice: { type: "converge", key: "x", prompt: "?", branches: [decide("x")] } } }
      )
      assert.deepStrictEqual(
        found.map((line) => line.slice(0, line.indexOf(": "))),
        ["definitions.twice", "step.branches.a", "step.branches.b.step", "step.branches.c"]
      )
      assert.match(found[0] ?? "", /Two parts of the step "x" write "x"/)
      assert.match(found[1] ?? "", /has two steps named "one"/)
      assert.match(found[2] ?? "", /"t" has two steps named "x"/)
      assert.match(found[3] ?? "", /A note's key must have 1 to 200 characters/)
    })
  )

  it.effect("refuses what reads notes that nobody writes, and that are not declared", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* refused({ ...decide("x"), question: { reader: "words" } }, {}), [
        'step: It reads "message", which no earlier step always writes. Write it first, or declare its handle in reads.'
      ])
      const step = yield* Spec.build(registry, yield* Spec.decode(registry, document(decide("x"))))
      assert.deepStrictEqual(step.node.reads, [])
    })
  )

  it.effect("says which step reads a note that no step before it always writes", () =>
    Effect.gen(function* () {
      const reads = { ...decide("x"), question: { reader: "words" } }
      const writes = { type: "decide", key: "message", question: "?" }
      const after = (step: object) => ({ type: "sequence", name: "s", steps: [decide("a"), step] })
      const definitions = { d: reads }
      const placed: ReadonlyArray<readonly [string, unknown, object?]> = [
        ["step.steps[1].step", after({ type: "retry", name: "r", step: reads })],
        ["step.steps[1].branches.b", after({ type: "concurrent", name: "c", branches: { a: decide("b"), b: reads } })],
        ["step.steps[1]", after({ type: "tap", name: "look", run: { reader: "words" } })],
        ["definitions.d", after({ use: "d" }), { definitions }],
        ["step.steps[0]", { type: "sequence", name: "s", steps: [reads, writes, { ...reads, key: "y" }] }]
      ]
      for (const [path, step, others] of placed) {
        assert.deepStrictEqual(yield* refused(step, {}, others), [
          `${path}: It reads "message", which no earlier step always writes. Write it first, or declare its handle in reads.`
        ])
      }
    })
  )

  it.effect("finds the handle of a note in the document: of a step before, around, inside, or used", () =>
    Effect.gen(function* () {
      const better = { type: "amplify", key: "better", source: "text", refine: "Shorter", criteria: "It is short." }
      const text = { type: "reflect", key: "text" }
      const steps: ReadonlyArray<readonly [unknown, object?]> = [
        [{ type: "sequence", name: "s", steps: [text, better] }],
        [{ type: "sequence", name: "s", steps: [{ type: "retry", name: "r", step: text }, better] }],
        [{ type: "sequence", name: "s", steps: [{ use: "t" }, better] }, { definitions: { t: text } }],
        [{ type: "sequence", name: "s", steps: [{ use: "t" }, { use: "b" }] }, { definitions: { b: better, t: text } }]
      ]
      for (const [step, others] of steps) {
        const read = yield* Spec.decode(registry, document(step, others))
        const made = yield* Spec.build(registry, read)
        assert.deepStrictEqual(made.node.surely, ["text", "better"])
      }
      // a step inside the sift reads what the sift itself decides
      const inner = { type: "mutate", name: "m", note: "refund", update: { function: "log" } }
      const sift = { type: "sift", key: "refund", question: "?", step: inner }
      assert.match((yield* refused(sift, {})).join(), /Two parts of the step "refund" write "refund"/)
    })
  )

  it.effect("names the notes that exist if a key is unknown", () =>
    Effect.gen(function* () {
      const step = {
        type: "sequence",
        name: "s",
        steps: [decide("spam"), { type: "mutate", name: "m", note: "spma", update: { function: "log" } }]
      }
      assert.deepStrictEqual(yield* refused(step), [
        'step.steps[1].note: No step of the document writes a note "spma" of its own, and no handle of it is registered. ' +
          'Did you mean "spam"?'
      ])
    })
  )

  const amplify = (source: string, key = "better") => ({ type: "amplify", key, source, refine: "?", criteria: "?" })
  const log = (note: string, name = "m") => ({ type: "mutate", name, note, update: { function: "log" } })
  const sequence = (...steps: ReadonlyArray<unknown>) => ({ type: "sequence", name: "s", steps })

  it.effect("refuses a note of which it is not known what it holds, at the option that names it", () =>
    Effect.gen(function* () {
      const reflect = { type: "reflect", key: "a" }
      const both = { ...sequence(reflect, decide("a"), log("a")), overwrite: true }
      assert.deepStrictEqual(yield* refused(both), [
        'step.steps[2].note: Steps write the note "a" with different schemas, so it is not known what it holds here. ' +
          "Use a key for each."
      ])
      // the same schema twice is one
      yield* built({ ...sequence(reflect, log("a"), reflect, log("a", "n")), overwrite: true })
      assert.deepStrictEqual(yield* refused(sequence(decide("message"), log("message"))), [
        'step.steps[1].note: The note "message" is written with another schema than its handle is registered with. ' +
          "Use the same, or another key."
      ])
      assert.deepStrictEqual(yield* refused(sequence(decide("a"), amplify("a"))), [
        'step.steps[1].source: The note "a" must hold text here, but does not. Use another note.'
      ])
      const prioritize = { type: "prioritize", key: "b", criteria: "?", items: { note: "a" } }
      for (const writer of [decide("a"), reflect]) {
        assert.deepStrictEqual(yield* refused(sequence(writer, prioritize)), [
          'step.steps[1].items.note: The note "a" must hold a list of texts here, but does not. Use another note.'
        ])
      }
    })
  )

  it.effect("refuses a note that may be something else than text where text must be", () =>
    Effect.gen(function* () {
      const { Array: list, Finite, String, Union } = Schema
      const own = Spec.registry({
        handles: [
          Note.handle("mixed", Union([String, Finite])),
          Note.handle("mixedList", list(Union([Finite, String]))),
          Note.handle("lists", Union([list(String), list(Finite)])),
          Note.handle("pair", Schema.Tuple([String, Finite])),
          Note.handle("rest", Schema.TupleWithRest(Schema.Tuple([String]), [Finite])),
          Note.handle("unit", Schema.Enum({ day: "d", week: "w" })),
          Note.handle("names", Schema.Tuple([String, String])),
          Note.handle("tier", Union([Schema.Literal("gold"), String])),
          Note.handle("tiers", Union([list(String), list(Schema.Literal("gold"))]))
        ]
      })
      const prioritize = (note: string) => ({ type: "prioritize", key: "b", criteria: "?", items: { note } })
      const found = (step: unknown) =>
        Effect.flatMap(Spec.decode(own, document(step)), (read) => Spec.build(own, read)).pipe(
          Effect.as("fine"),
          Effect.catchTag("SpecError", ({ problems }) => Effect.succeed(problems[0].message))
        )
      assert.match(yield* found(amplify("mixed")), /"mixed" must hold text/)
      for (const note of ["mixedList", "lists", "pair", "rest", "unit", "tier"]) {
        assert.match(yield* found(prioritize(note)), new RegExp(`"${note}" must hold a list of texts`))
      }
      assert.notMatch(yield* found(amplify("tier")), /must hold/)
      assert.notMatch(yield* found(amplify("unit")), /must hold/)
      assert.notMatch(yield* found(prioritize("tiers")), /must hold/)
      assert.notMatch(yield* found(prioritize("names")), /must hold/)
    })
  )

  it.effect("finds notes in a definition that nothing uses yet, and in branches with keys of their own", () =>
    Effect.gen(function* () {
      const inner = sequence({ type: "reflect", key: "draft" }, amplify("draft"))
      const read = yield* Spec.decode(registry, document(decide("x"), { definitions: { refine: inner } }))
      yield* Spec.build(registry, read)
      const branches = { a: inner, b: sequence(decide("draft"), log("draft")) }
      const spaced = yield* built({ type: "concurrent", name: "c", conflicts: "namespace", branches })
      assert.deepStrictEqual(spaced.node.surely.toSorted(), ["a.better", "a.draft", "b.draft"])
      // also when a branch uses what reads it
      const used = { a: sequence({ type: "reflect", key: "text" }, { use: "b" }) }
      const other = { type: "concurrent", name: "c", conflicts: "namespace", branches: used }
      yield* Spec.build(
        registry,
        yield* Spec.decode(registry, document(other, { definitions: { b: amplify("text") } }))
      )
      // after them the key has the name of its branch
      const after = sequence({ type: "concurrent", name: "c", conflicts: "namespace", branches }, amplify("a.draft"))
      yield* built(after)
      assert.match((yield* refused(log("nothing"))).join(), /^step\.note: No step .* The known notes are "message"/)
    })
  )

  it.effect("takes for a key in a branch with keys of its own the note of the branch, and not the one outside", () =>
    Effect.gen(function* () {
      // only the note of the branch is a text, which can be refined
      const own = sequence({ type: "reflect", key: "draft" }, amplify("draft"))
      const branching = (a: object) => ({ type: "concurrent", name: "c", conflicts: "namespace", branches: { a } })
      const made = yield* built(sequence(decide("draft"), branching(own)))
      assert.deepStrictEqual(made.node.surely.toSorted(), ["a.better", "a.draft", "draft"])
      const outside = yield* refused(sequence(decide("draft"), branching(amplify("draft"))))
      assert.match(outside.join(), /The note "draft" must hold text here/)
    })
  )

  it.effect("finds the handles of many notes in a time that does not grow with each", () =>
    Effect.gen(function* () {
      const many = Array.from({ length: 2_000 }, (_, i) => i)
      const steps = [...many.map((i) => decide(`k${i}`)), ...many.map((i) => log(`k${i}`, `m${i}`))]
      const before = performance.now()
      yield* built(sequence(...steps))
      assert.isBelow(performance.now() - before, 5_000)
    })
  )

  it.effect("refuses a time that ends before it begins", () =>
    Effect.gen(function* () {
      const since = "2026-01-31T12:00:00Z"
      for (const type of ["seek", "survey"]) {
        const search = { type, key: "x", query: "?", since }
        for (const until of ["2026-01-31T13:00:00+02:00", since]) {
          assert.deepStrictEqual(yield* refused({ ...search, until }), ["step: `until` must be after `since`."])
        }
        yield* built({ ...search, until: "2026-01-31T12:00:01Z" })
      }
    })
  )

  it.effect("refuses a key that no note can have, wherever it stands", () =>
    Effect.gen(function* () {
      const bad = "a\nb"
      for (const step of [
        { type: "mutate", name: "m", note: bad, update: { function: "log" } },
        {
          type: "sequence",
          name: "s",
          steps: [decide(bad), { type: "mutate", name: "m", note: bad, update: { function: "log" } }]
        },
        { type: "reset", name: "r", note: bad }
      ]) {
        assert.match((yield* refused(step)).join("\n"), /A note's key must have 1 to 200 characters/)
      }
    })
  )

  const ticket = Note.handle("ticket", Schema.Struct({ customer: Schema.String }))
  const spam = Note.handle("spam", Synapse.Decision)

  it.effect("is as typed as a step in code if it declares what it reads and writes", () => {
    const model = answering()
    return Effect.gen(function* () {
      const read = yield* Spec.decode(
        registry,
        document({
          type: "sequence",
          name: "s",
          steps: [
            { type: "analyze", key: "ticket", schema: "Ticket", prompt: { reader: "words" } },
            { type: "retry", name: "r", step: decide("spam") }
          ]
        })
      )
      const step = yield* Spec.build(registry, read, { reads: [message], writes: [ticket, spam] })
      const done = yield* Pipeline.run(step, yield* Thought.make("run", { message: "I am Ada" }))
      const customer: string = done.get("ticket").customer
      const decision: boolean = done.get("spam").decision
      assert.deepStrictEqual([customer, decision], ["Ada", true])
    }).pipe(Effect.provide(Layer.mergeAll(model.layer, Testing.memory, Pipeline.supervisor())))
  })

  it.effect("refuses what is declared as written and is not, or not surely, or otherwise", () =>
    Effect.gen(function* () {
      const maybe = { type: "enrich", name: "perhaps", step: decide("spam") }
      assert.match(
        (yield* refused(maybe, { writes: [spam] })).join(),
        /^step: The note "spam" is declared as written, but on some paths no step writes it\./
      )
      assert.match(
        (yield* refused(decide("spma"), { writes: [spam] })).join(),
        /^step: The note "spam" is declared as written, and no step writes it\. Did you mean "spma"\?/
      )
      const other = Note.handle("spam", Schema.Struct({ decision: Schema.String }))
      assert.match(
        (yield* refused(decide("spam"), { writes: [other] })).join(),
        /with another schema than it is declared/
      )
      const dated = Note.handle("ticket", Schema.Struct({ customer: Schema.DateTimeUtcFromString }))
      const analyze = { type: "analyze", key: "ticket", schema: "Ticket", prompt: "?" }
      assert.match((yield* refused(analyze, { writes: [dated] })).join(), /with another schema than it is declared/)
      assert.match(
        (yield* refused({ use: "ping" }, { writes: [Note.handle("ping", Schema.String)] })).join(),
        /with another schema than it is declared/
      )
      assert.match(
        (yield* refused(decide("x"), { reads: [Note.handle("message", Schema.Finite)] })).join(),
        /"message" is declared as read with another schema than it is registered with/
      )
    })
  )

  it.effect("takes what a step itself writes for a note, whatever handle is registered", () =>
    Effect.gen(function* () {
      const others = Spec.registry({ handles: [Note.handle("x", Schema.String)] })
      const read = yield* Spec.decode(others, document(decide("x")))
      yield* Spec.build(others, read, { writes: [Note.handle("x", Synapse.Decision)] })
      const error = yield* Effect.flip(Spec.build(others, read, { writes: [Note.handle("x", Schema.String)] }))
      assert.match(error.message, /with another schema than it is declared/)
    })
  )

  it.effect("knows the keys of branches that are put under names of their own", () =>
    Effect.gen(function* () {
      const step = {
        type: "concurrent",
        name: "c",
        conflicts: "namespace",
        branches: { a: decide("x"), b: decide("x") }
      }
      const read = yield* Spec.decode(registry, document(step))
      const one = Note.handle("a.x", Synapse.Decision)
      yield* Spec.build(registry, read, { writes: [one] })
      assert.match(
        (yield* refused(step, { writes: [Note.handle("a.x", Schema.String)] })).join(),
        /with another schema/
      )
    })
  )

  it.effect("has no document for a step that was not built from one", () =>
    Effect.gen(function* () {
      const step = yield* built({ use: "ping" })
      assert.deepStrictEqual(Spec.encode(step)?.step, { use: "ping" })
      assert.isUndefined(Spec.encode(every["decide"]!.code()))
      assert.isUndefined(Spec.encode(registry.steps.get("ping")!))
    })
  )
})
