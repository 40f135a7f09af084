import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { Provider } from "cogito"
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll } from "vitest"
import { failing, fake } from "./fake.ts"

// What people read: a recording itself, and how a call differs from it.

const folder = mkdtempSync(join(tmpdir(), "cogito-recording-text-"))
afterAll(() => rmSync(folder, { recursive: true }))
let files = 0
const fresh = () => join(folder, `${++files}.json`)

const requestOf = (
  messages: ReadonlyArray<string | Provider.Message>,
  { kind = "count", ...rest }: Partial<Provider.Request> & { readonly kind?: string } = {}
): Provider.Request => ({
  messages: messages.map((message) => (typeof message === "string" ? { role: "user", text: message } : message)),
  task: { kind, instruction: "Count", questions: [], context: [] },
  phase: "reason",
  sampling: {},
  ...rest
})

const withOutput = (name: string, jsonSchema: Record<string, unknown>): Provider.Request => {
  const request = requestOf(["Count"])
  return { ...request, task: { ...request.task, output: { name, jsonSchema, instructions: "Answer with JSON." } } }
}

const call = (request: Provider.Request) => Provider.Provider.use((provider) => provider.complete(request))
const decide = (request: Provider.DecideRequest) =>
  Provider.Provider.use((provider) => provider.decide?.(request) ?? Effect.die(new Error("it does not decide")))

/** Records calls of a model, and gives the file. */
const recorded = (requests: ReadonlyArray<Provider.Request>, model = fake(() => Effect.succeed({ text: "three" }))) =>
  Effect.gen(function* () {
    const path = fresh()
    const calls = Effect.forEach(requests, (request) => Effect.exit(call(request)))
    yield* Effect.provide(calls, Provider.record(path)(model.layer))
    return path
  })

/** What a replay of the one request says of the other, without the line that names the call. */
const difference = (before: Provider.Request, now: Provider.Request) =>
  Effect.gen(function* () {
    const path = yield* recorded([before])
    const { cause } = yield* Effect.flip(Effect.provide(call(now), Provider.replay(path)))
    const [head, ...lines] = cause instanceof Provider.ReplayDifference ? cause.message.split("\n") : []
    assert.strictEqual(head, `call 1 (${before.task.kind}) of ${path}`)
    return lines
  })

const text = (...lines: ReadonlyArray<string>) => lines.join("\n")
const letters = (...letters: ReadonlyArray<string>) => requestOf([text(...letters)])

describe("how a call differs from the recorded one", () => {
  it.effect("is shown with the three lines before and after", () =>
    Effect.gen(function* () {
      const lines = yield* difference(
        letters("a", "b", "c", "d", "e", "f", "g", "h", "i"),
        letters("a", "b", "c", "d", "E", "f", "g", "h", "i")
      )
      assert.deepStrictEqual(lines, ["message 1 (user):", "  b", "  c", "  d", "- e", "+ E", "  f", "  g", "  h"])
    })
  )

  it.effect("is shown where the text begins, where it ends, and where lines repeat", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* difference(letters("a", "b"), letters("A", "b")), [
        "message 1 (user):",
        "- a",
        "+ A",
        "  b"
      ])
      assert.deepStrictEqual(yield* difference(letters("a", "b"), letters("a", "B")), [
        "message 1 (user):",
        "  a",
        "- b",
        "+ B"
      ])
      const [two, three] = [letters("a", "a"), letters("a", "a", "a")]
      assert.deepStrictEqual(yield* difference(two, three), ["message 1 (user):", "  a", "  a", "+ a"])
      assert.deepStrictEqual(yield* difference(three, two), ["message 1 (user):", "  a", "  a", "- a"])
    })
  )

  it.effect("is cut after forty lines, with the number of those left out", () =>
    Effect.gen(function* () {
      const some = (mark: string, count: number) => Array.from({ length: count }, (_, i) => `${mark}${i}`)
      const lines = yield* difference(letters(...some("a", 40)), letters(...some("b", 43)))
      assert.deepStrictEqual(lines, ["message 1 (user):", ...some("- a", 40), ...some("+ b", 40), "+ … 3 more lines"])
    })
  )

  it.effect("is a message that is new, missing, or of another role", () =>
    Effect.gen(function* () {
      const one = requestOf(["Count"])
      const two = requestOf(["Count", { role: "assistant", text: text("one", "two") }])
      assert.deepStrictEqual(yield* difference(one, two), [
        "number of messages:",
        "- 1",
        "+ 2",
        "message 2 (assistant) is new:",
        "+ one",
        "+ two"
      ])
      assert.deepStrictEqual(yield* difference(two, one), [
        "number of messages:",
        "- 2",
        "+ 1",
        "message 2 (assistant) is gone:",
        "- one",
        "- two"
      ])
      assert.deepStrictEqual(yield* difference(one, requestOf([{ role: "system", text: "Count" }])), [
        "message 1 (user, now system):",
        "  Count"
      ])
    })
  )

  it.effect("is its kind, phase, sampling, and the name and schema of its form", () =>
    Effect.gen(function* () {
      const one = requestOf(["Count"])
      const other = requestOf(["Count"], { kind: "sum", phase: "introspect", sampling: { seed: 2, temperature: 1 } })
      assert.deepStrictEqual(yield* difference(one, other), [
        "kind:",
        '- "count"',
        '+ "sum"',
        "phase:",
        '- "reason"',
        '+ "introspect"',
        "sampling:",
        "- {}",
        '+ {"seed":2,"temperature":1}'
      ])
      const forms = yield* difference(withOutput("a", { type: "object" }), withOutput("b", { type: "array" }))
      assert.deepStrictEqual(forms, [
        "output form:",
        '- "a"',
        '+ "b"',
        "schema of the output:",
        '- {"type":"object"}',
        '+ {"type":"array"}'
      ])
    })
  )

  it.effect("is shown for the first remaining call of its kind, else for the first remaining call", () =>
    Effect.gen(function* () {
      const path = yield* recorded([requestOf(["a"], { kind: "one" }), requestOf(["b"], { kind: "two" })])
      const callFor = (kind: string) =>
        Effect.map(Effect.flip(Effect.provide(call(requestOf(["c"], { kind })), Provider.replay(path))), ({ reason }) =>
          reason._tag === "ReplayMismatch" ? reason.call : assert.fail(reason._tag)
        )
      assert.strictEqual(yield* callFor("two"), 2)
      assert.strictEqual(yield* callFor("one"), 1)
      assert.strictEqual(yield* callFor("three"), 1)
    })
  )

  it.effect("is none if only ids or the order of properties differ", () =>
    Effect.gen(function* () {
      const [a, b, c] = [1, 2, 3].map((last) => `0190a6e0-0000-7000-8000-00000000000${last}`)
      const path = yield* recorded([
        { ...withOutput("form", { type: "object", title: "x" }), messages: [{ role: "user", text: `${a} ${b} ${a}` }] }
      ])
      const again = call({
        ...withOutput("form", { title: "x", type: "object" }),
        messages: [{ role: "user", text: `${b} ${c} ${b}` }]
      })
      assert.strictEqual((yield* Effect.provide(again, Provider.replay(path))).text, "three")
    })
  )
})

describe("the text of a recording", () => {
  it.effect("has each call with what differs from the calls and the provider before it", () =>
    Effect.gen(function* () {
      const id = "0190a6e0-0000-7000-8000-000000000001"
      const other = "0190a6e0-0000-7000-8000-000000000002"
      const model = fake((call) =>
        call === 0
          ? Effect.succeed({ text: "one\ntwo", usage: { inputTokens: 3 }, model: "fake-1-0" })
          : Effect.fail(failing("Overloaded", call === 1 ? {} : { provider: "behind", model: "behind-1" }))
      )
      const path = yield* recorded(
        [
          requestOf([`See ${id} and ${other},\nthen ${id}`], { sampling: { temperature: 0 } }),
          requestOf(["Again"]),
          requestOf(["Again", "and again"])
        ],
        model
      )
      const { calls, ...head } = JSON.parse(readFileSync(path, "utf8"))
      assert.deepStrictEqual(calls, [
        {
          call: 1,
          kind: "count",
          asked: "text",
          phase: "reason",
          wish: { temperature: 0 },
          messages: [{ role: "user", text: ["See id-1 and id-2,", "then id-1"] }],
          answer: {
            text: ["one", "two"],
            usage: { inputTokens: 3 },
            model: "fake-1-0",
            sampling: { temperature: 0 }
          }
        },
        {
          call: 2,
          kind: "count",
          asked: "text",
          phase: "reason",
          wish: {},
          messages: [{ role: "user", text: ["Again"] }],
          failure: { reason: { _tag: "Overloaded", message: "planted" } }
        },
        {
          call: 3,
          kind: "count",
          asked: "text",
          phase: "reason",
          wish: {},
          begins: { like: 2, messages: 1 },
          messages: [{ role: "user", text: ["and again"] }],
          failure: {
            reason: { _tag: "Overloaded", message: "planted" },
            provider: "behind",
            model: "behind-1"
          }
        }
      ])
      assert.deepInclude(head, { cogito: "recording", version: 1, source: "recorded", provider: "fake", decides: true })
      // two blanks for each level, so that an edit changes few lines
      assert.include(readFileSync(path, "utf8"), '\n  "calls": [\n    {\n      "call": 1,\n      "kind": "count",\n')
    })
  )

  it.effect("of a native call has its questions, and neither phase nor sampling nor a form", () =>
    Effect.gen(function* () {
      const path = fresh()
      const { phase: _, sampling: __, ...rest } = withOutput("form", { type: "object" })
      const model = fake(() => Effect.succeed({ text: "urgent" }))
      const questions = [{ _tag: "Predicate", name: "urgent", question: "Is it urgent?" }] as const
      const asked = { ...rest, task: { ...rest.task, questions } }
      yield* Effect.provide(decide(asked), Provider.record(path)(model.layer))
      const [written] = JSON.parse(readFileSync(path, "utf8")).calls
      assert.deepStrictEqual(Object.keys(written), ["call", "kind", "asked", "messages", "answer"])
      assert.strictEqual(written.messages.length, 2)
      assert.include(written.messages[1].text.join("\n"), '"question": "Is it urgent?"')
    })
  )
})

/** A recording written by hand. */
const byHand = (...calls: ReadonlyArray<object>) => {
  const path = fresh()
  const document = {
    cogito: "recording",
    version: 1,
    source: "scripted",
    provider: "house",
    model: "m",
    capabilities: { temperature: "free", efforts: [], structuredOutput: "none", seed: false },
    decides: true,
    calls: calls.map((call, i) => ({ call: i + 1, kind: "count", asked: "text", ...call }))
  }
  writeFileSync(path, JSON.stringify(document))
  return path
}

describe("a native answer written by hand", () => {
  const written = (answer: object) => {
    const { phase: _, sampling: __, ...asked } = requestOf(["Count"])
    return Effect.provide(decide(asked), Provider.replay(byHand({ asked: "native", answer })))
  }

  it.effect("has no usage where none is written, and says why a question has no answer", () =>
    Effect.gen(function* () {
      const refusal = { _tag: "Refusal", name: "urgent", message: "too little is known", category: "language" }
      assert.deepStrictEqual<unknown>(yield* written({ answers: [refusal] }), { answers: [refusal], usage: {} })
    })
  )

  it.effect("that is a text fails with what is wrong", () =>
    Effect.gen(function* () {
      const error = yield* Effect.flip(written({ text: ["yes"] }))
      assert.strictEqual(error.reason._tag, "Unsupported")
      assert.match(error.message, /replay of .*: the answer of call 1 is not one to a native call/)
    })
  )
})

describe("a recording with a slip", () => {
  const answer = { text: ["three"] }
  const failure = { reason: { _tag: "Overloaded", message: "busy" } }
  const messages = [{ role: "user", text: ["Count"] }]
  const slips: ReadonlyArray<readonly [string, ReadonlyArray<object>, string]> = [
    [
      "more messages than an earlier call has",
      [
        { messages, answer },
        { begins: { like: 1, messages: 2 }, messages: [], answer }
      ],
      "call 2 refers to messages of a call that does not exist: record again"
    ],
    ["neither answer nor failure", [{}], "call 1 needs either an answer or a failure"],
    ["both answer and failure", [{ answer }, { answer, failure }], "call 2 needs either an answer or a failure"],
    ["a failure of a call that has no end", [{ failure, interrupted: true }], "call 1 needs either an answer or"]
  ]
  it.effect.each(slips)("%s says where it is", ([, calls, expected]) =>
    Effect.gen(function* () {
      const error = yield* Effect.flip(Effect.provide(Provider.Provider, Provider.replay(byHand(...calls))))
      assert.strictEqual(error.reason._tag, "Unsupported")
      assert.include(error.message, expected)
    })
  )
})
