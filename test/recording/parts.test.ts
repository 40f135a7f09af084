/** The parts of a recording: what a call refers to, what is kept of an answer, and how the file grows. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { expand } from "../../src/recording/expand.ts"
import { growing } from "../../src/recording/files.ts"
import { type Call, Recording } from "../../src/recording/Recording.ts"

const capabilities = {
  temperature: "free",
  efforts: ["low"],
  structuredOutput: "json-schema",
  seed: true,
  tools: true,
  contextTokens: 1000,
  outputTokens: 100,
  boundsOutput: true,
  prices: { input: 1, output: 2, cachedInput: 0.1, cacheWrite: 1.5, asOf: "2026-01-01" }
} as const
const answer = {
  text: ["Yes."],
  usage: { inputTokens: 5, outputTokens: 4, cachedInputTokens: 3, cacheWriteTokens: 2, reasoningTokens: 1 },
  model: "m",
  id: "i",
  provider: "p",
  usd: 0.25
} as const
const recordingOf = (...calls: ReadonlyArray<Call>): Recording => ({
  cogito: "recording",
  version: 1,
  source: "recorded",
  provider: "p",
  model: "m",
  capabilities,
  decides: false,
  calls
})
const said = (text: string) => ({ role: "user" as const, text: [text] })

describe("a recording", () => {
  it("is read with everything about its answers and its provider", () => {
    const recording = recordingOf({ call: 1, kind: "decide", asked: "text", answer })
    const read = Schema.decodeUnknownSync(Recording)(JSON.parse(JSON.stringify(recording)))
    assert.deepStrictEqual(read, recording)
  })

  it("gives each call the messages that it shares with an earlier call, then its own", () => {
    const call = (number: number, more: Partial<Call>): Call => ({
      call: number,
      kind: "decide",
      asked: "text",
      answer,
      ...more
    })
    const texts = (...calls: ReadonlyArray<Call>) => {
      const expanded = expand(recordingOf(...calls))
      return expanded._tag === "Failure"
        ? expanded.failure
        : expanded.success.map(({ expected }) => expected.messages?.map(({ text }) => text))
    }
    const first = call(1, { messages: [said("a"), said("b"), said("c")] })
    assert.deepStrictEqual(
      texts(
        first,
        call(2, { begins: { like: 1, messages: 2 } }),
        call(3, { begins: { like: 2, messages: 1 }, messages: [said("d")] }),
        call(4, {})
      ),
      [["a", "b", "c"], ["a", "b"], ["a", "d"], undefined]
    )
    const missing = "call 2 refers to messages of a call that does not exist: record again"
    assert.strictEqual(texts(first, call(2, { begins: { like: 1, messages: 4 } })), missing)
    assert.strictEqual(texts(first, call(2, { begins: { like: 7, messages: 1 } })), missing)
  })

  it.effect("grows in its file after text in any script", () => {
    const folder = mkdtempSync(join(tmpdir(), "cogito-recording-"))
    const path = join(folder, "inner", "größe.json")
    return Effect.gen(function* () {
      const before = '{"model":"größe 模型 😀","calls":['
      const { close, insert } = yield* growing(path, before, "]}\n")
      const read = () => readFileSync(path, "utf8")
      assert.strictEqual(read(), `${before}]}\n`)
      yield* insert('"eins ä"')
      assert.strictEqual(read(), `${before}"eins ä"]}\n`)
      yield* insert(',"zwei 😀"')
      yield* close
      assert.strictEqual(read(), `${before}"eins ä","zwei 😀"]}\n`)
    }).pipe(Effect.ensuring(Effect.sync(() => rmSync(folder, { recursive: true, force: true }))))
  })
})
