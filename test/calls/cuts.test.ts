/** Streams with calls that are cut at every kind of place: the whole calls, or a typed error. */
import { assert, describe, it } from "@effect/vitest"
import type { Response, Shape, StreamPart } from "cogito/Provider"
import { ProviderError } from "cogito/Provider"
import { Effect, Result, Stream } from "effect"
import { adapters } from "../faults/adapters.ts"
import { key } from "../faults/clean.ts"
import type { Called } from "../faults/dialect.ts"
import { asking } from "./asking.ts"

const all = process.env["COGITO_STREAM_CUTS"] === "all"

const call = (id: string, name: string, params: string) => ({ id, name, params })

const lists: ReadonlyArray<readonly [what: string, called: Called]> = [
  ["a call without parameters", { calls: [call("a", "time_now", "{}")] }],
  [
    "a text and two calls, with thoughts before",
    {
      text: "Ich sähe 漢",
      thought: "hm 😀",
      calls: [call("a", "weather", `{"city":"Köln 👩‍👧"}`), call("b", "weather", `{"city":"Ulm"}`)]
    }
  ],
  ["a call that the length limit cuts", { calls: [call("a", "weather", `{"city":"Ul`)], cut: true }]
]

const newline = 0x0a
const backslash = 0x5c

/** Whether a text may mean something else without this byte: an end of a line, an escape, or a part of a character. */
const counts = (byte: number | undefined): boolean =>
  byte === undefined || byte === newline || byte === backslash || byte >= 0x80

/** The lengths to cut at: before and after each byte that counts, and at one in so many of the others. */
const lengthsOf = (bytes: Uint8Array): ReadonlyArray<number> =>
  Array.from({ length: bytes.length + 1 }, (_, length) => length).filter(
    (length) => all || length % 11 === 0 || counts(bytes[length - 1]) || counts(bytes[length])
  )

/** Answers with the first bytes, and then ends as if that were all, or breaks. */
const cutting =
  (bytes: Uint8Array, at: () => readonly [bytes: number, breaks: boolean], type: string): typeof fetch =>
  () => {
    const [length, breaks] = at()
    const body = new ReadableStream<Uint8Array>({
      start: (controller) => {
        if (length > 0) controller.enqueue(Uint8Array.from(bytes.subarray(0, length)))
      },
      pull: (controller) => (breaks ? controller.error(new TypeError("terminated")) : controller.close())
    })
    return Promise.resolve(new globalThis.Response(body, { headers: { "content-type": type } }))
  }

const read = (provider: Shape, isStream: boolean) =>
  Effect.gen(function* () {
    const pieces = new Map<string, string>()
    let answer: Response | undefined
    const take = (part: StreamPart) => {
      if (part._tag === "Call") pieces.set(part.id, (pieces.get(part.id) ?? "") + part.delta)
      if (part._tag === "Done") answer = part.response
    }
    const run = isStream
      ? Stream.runForEach(provider.stream(asking()), (part) => Effect.sync(() => take(part)))
      : Effect.map(provider.complete(asking()), (response) => take({ _tag: "Done", response }))
    const result = yield* Effect.result(run)
    return { pieces, answer, error: Result.isFailure(result) ? result.failure : undefined }
  })

for (const { dialect, make } of Object.values(adapters)) {
  describe(`calls over ${dialect.name}, cut at every kind of place`, () => {
    for (const [what, called] of lists) {
      for (const isStream of [true, false]) {
        it.live(
          `${what}, ${isStream ? "streamed" : "whole"}`,
          () =>
            Effect.gen(function* () {
              const answer = dialect.called(called, "gpt-4o")
              const text = isStream ? answer.events.join("") : JSON.stringify(answer.body)
              const bytes = new TextEncoder().encode(text)
              let at: readonly [number, boolean] = [0, false]
              const type = isStream ? "text/event-stream" : "application/json"
              const fetch = cutting(bytes, () => at, type)
              const provider = yield* make("https://model.test", { apiKey: key, fetch })
              let wholes = 0
              for (const [turn, length] of lengthsOf(bytes).entries()) {
                for (const breaks of all || length === bytes.length ? [false, true] : [turn % 2 === 0]) {
                  at = [length, breaks]
                  const where = `cut at ${length} of ${bytes.length}${breaks ? ", broken" : ""}`
                  const { answer: found, error, pieces } = yield* read(provider, isStream)
                  for (const [id, params] of pieces) {
                    assert.isTrue(called.calls.find((one) => one.id === id)?.params.startsWith(params), where)
                  }
                  if (found === undefined) {
                    assert.instanceOf(error, ProviderError, where)
                    continue
                  }
                  wholes++
                  assert.isUndefined(error, where)
                  assert.isUndefined(called.cut, where)
                  assert.deepStrictEqual(found.calls, called.calls, where)
                  assert.strictEqual(found.text, called.text ?? "", where)
                }
              }
              assert.strictEqual(wholes > 0, called.cut === undefined)
            }),
          60_000
        )
      }
    }
  })
}
