import { assert, layer, vi } from "@effect/vitest"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { answering, type Asked } from "../faults/answering.ts"
import { key } from "../faults/clean.ts"
import { type Recorded, reply, serve } from "../faults/server.ts"
import { prefill } from "../pglite/prefilled.ts"
import { type Ended, folder, run } from "./triage.ts"

const timeout = 180_000
vi.setConfig({ testTimeout: timeout })

// The second one finds the first, so that its prompt has what differs from run to run.
const tickets = [
  "I was charged twice for order 4411, please refund one. Dana Fox",
  "You charged me twice for order 4411"
]

/** The answer to a form, by what the form has. */
const answers: ReadonlyArray<readonly [property: string, answer: object]> = [
  ["customer", { customer: "Dana Fox", issue: "Charged twice", signals: [] }],
  ["primary", { primary: "billing", secondary: null, confidence: 0.8, reasoning: ["It names a charge."] }],
  [
    "overall",
    {
      overall: "negative",
      confidence: 0.7,
      scores: { positive: 0, negative: 0.9, neutral: 0.1 },
      emotions: ["anger"],
      reasoning: ["It asks for money back."]
    }
  ],
  ["decision", { decision: true, confidence: 0.9, reasoning: ["It is about money."] }]
]

const answerTo = ({ schema }: Asked): string => {
  if (schema === undefined) return "A senior agent should call back."
  const found = answers.find(([property]) => JSON.stringify(schema).includes(`"${property}":`))
  return JSON.stringify(found?.[1])
}

interface Triaged {
  readonly ended: Ended
  readonly recorded: ReadonlyArray<Recorded>
  readonly recording: string
}

const dialects = { openai: "chat", anthropic: "messages" } as const

/** With the other kind of server the example is run in support-triage.test.ts too. */
const kinds =
  process.env["COGITO_CONTRACT_LIES"] === undefined ? (["anthropic"] as const) : (["openai", "anthropic"] as const)

/** The example with a model behind a server that is busy at first, recorded. */
const triaged = Effect.fnUntraced(function* (provider: keyof typeof dialects, cwd: string) {
  const answer = answering(answerTo)
  const busy = reply(provider === "openai" ? 503 : 529, "busy", { "retry-after": "0" })
  const server = yield* serve((response, request, asked) =>
    (server.recorded.length === 1 ? busy : answer)(response, request, asked)
  )
  yield* Effect.promise(() => prefill(join(cwd, provider)))
  const recording = join(cwd, `${provider}.json`)
  const baseUrl = provider === "openai" ? server.baseUrl : `http://${server.host}`
  const args = ["--provider", provider, "--model", "claude-sonnet-4-6", "--base-url", baseUrl, "--record", recording]
  const env = { OPENAI_API_KEY: `${key}-openai`, ANTHROPIC_API_KEY: `${key}-anthropic` }
  const ended = yield* run(["--file", "tickets", "--json", "--data", provider, ...args], { cwd, env })
  return { ended, recorded: [...server.recorded], recording }
}, Effect.scoped)

class Runs extends Context.Service<Runs, { readonly cwd: string; readonly of: ReadonlyMap<string, Triaged> }>()(
  "test/Runs"
) {
  static readonly layer = Layer.effect(
    Runs,
    Effect.gen(function* () {
      const cwd = yield* folder
      writeFileSync(join(cwd, "tickets"), tickets.join("\n"))
      const all = yield* Effect.forEach(kinds, (kind) => Effect.map(triaged(kind, cwd), (one) => [kind, one] as const))
      return { cwd, of: new Map(all) }
    })
  )
}

const objects = (text: string): ReadonlyArray<any> =>
  text
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line))

/** What was said of the tickets, apart from when. */
const reports = ({ stdout }: Ended): unknown =>
  JSON.parse(
    JSON.stringify(objects(stdout))
      .replaceAll(/"thoughtId":"[^"]*",/g, "")
      .replaceAll(/(ticket-\d+)-\w+/g, "$1")
  )

layer(Runs.layer, { timeout })("the example", (it) => {
  const runOf = (kind: string) => Effect.map(Runs, ({ of }) => of.get(kind) ?? assert.fail(`no run of ${kind}`))

  for (const provider of kinds) {
    it.effect(`triages with a model behind a server of the kind of ${provider}`, () =>
      Effect.gen(function* () {
        const { ended, recorded } = yield* runOf(provider)
        assert.strictEqual(ended.code, 0, ended.stderr)
        const [first, second] = objects(ended.stdout)
        assert.deepStrictEqual(
          [first, second].map(({ answers, message, modelCalls }) => [
            message,
            modelCalls,
            answers.category.primary,
            answers.escalate.decision,
            answers.summary
          ]),
          tickets.map((text) => [text, 5, "billing", true, "A senior agent should call back."])
        )
        assert.lengthOf(second.answers.history, 1)
        // the first call was made twice, as the server was busy
        assert.lengthOf(recorded, 11)
        assert.deepStrictEqual(recorded[0]?.body, recorded[1]?.body)
      })
    )

    it.effect(`asks ${provider} for the forms of its answers, with its own key`, () =>
      Effect.gen(function* () {
        const { recorded } = yield* runOf(provider)
        const schemas = recorded.map(({ body }) =>
          provider === "openai" ? body.response_format?.json_schema?.schema : body.output_config?.format?.schema
        )
        // of five calls for a ticket the last one looks back, in words
        assert.deepStrictEqual(
          schemas.map((schema) => schema !== undefined),
          [true, ...tickets.flatMap(() => [true, true, true, true, false])]
        )
        assert.hasAllKeys(schemas[0].properties, ["customer", "issue", "signals"])
        for (const { body, headers, path } of recorded) {
          assert.strictEqual(path, provider === "openai" ? "/v1/chat/completions" : "/v1/messages")
          assert.strictEqual(headers.authorization, `Bearer ${key}-${provider}`)
          assert.strictEqual(body.model, "claude-sonnet-4-6")
        }
      })
    )

    it.effect(`keeps the calls of ${provider} in a file, and no key`, () =>
      Effect.gen(function* () {
        const { recording } = yield* runOf(provider)
        const text = readFileSync(recording, "utf8")
        const { calls, source } = JSON.parse(text)
        assert.strictEqual(source, "recorded")
        assert.lengthOf(calls, 11)
        assert.strictEqual(calls[0].failure.reason._tag, "Overloaded")
        assert.include(text, "I was charged twice for order 4411")
        assert.notInclude(text, "canary")
      })
    )
  }

  it.effect("gives the same answers from that file, with no server there", () =>
    Effect.gen(function* () {
      const { cwd } = yield* Runs
      const anthropic = yield* runOf("anthropic")
      yield* Effect.promise(() => prefill(join(cwd, "replayed")))
      const args = ["--file", "tickets", "--json", "--data", "replayed", "--replay", anthropic.recording]
      const ended = yield* run(args, { cwd })
      assert.strictEqual(ended.code, 0, ended.stderr)
      assert.deepStrictEqual(reports(ended), reports(anthropic.ended))
    })
  )
})
