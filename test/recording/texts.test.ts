/** What a recording does to texts: ids and fences, the part that a conversation keeps, lines, and what is redacted. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Provider } from "cogito"
import type { Message } from "../../src/provider/request.ts"
import { essenceOf } from "../../src/recording/essence.ts"
import { canonical } from "../../src/recording/canonical.ts"
import { fromRecorded, toRecorded } from "../../src/recording/messages.ts"
import { awkwardTexts } from "../../src/testing/contract/stage/rows.ts"
import { request } from "../provider/fake.ts"

const id = (last: number) => `01890000-0000-7000-8000-00000000000${last}`

describe("texts of one request", () => {
  it("have every fence the same, on whatever line, and ids by their order in all texts", () => {
    const fenced = (fence: string) => `Read:\n<note ${fence} key="a">\n<note ${fence}>\nx\n</note ${fence}>`
    assert.deepStrictEqual(canonical([fenced("123456"), fenced("98765432")]), [fenced("fence"), fenced("fence")])
    // not at the beginning of a line, too short, or of another word
    for (const text of ["see <note 123456>", "<note 12345>", "<notes 123456>"]) {
      assert.deepStrictEqual(canonical([text]), [text])
    }
    assert.deepStrictEqual(canonical([`${id(2)} and ${id(1)}`, `${id(1)}, ${id(3)}, ${id(2)}`]), [
      "id-1 and id-2",
      "id-2, id-3, id-1"
    ])
  })

  it("are two messages where a conversation keeps only the beginning of one, without the space between", () => {
    const messages = (text: string, kept: number) =>
      essenceOf({ asked: "text", request: { ...request, messages: [{ role: "user", text, kept }] } }, undefined)
        .messages
    const whole: ReadonlyArray<Message> = [{ role: "user", text: "begin" }]
    assert.deepStrictEqual(messages("begin\n\nrest ", 5), [...whole, { role: "user", text: "rest " }])
    assert.deepStrictEqual(messages("begin", 5), whole)
    assert.deepStrictEqual(messages("begin", 9), whole)
  })
})

it("a recorded message is read as it was, whatever its texts are", () => {
  for (const text of [...awkwardTexts, "two\nlines\n\n", "\r\n", "a\u2028b"]) {
    const message: Message = {
      role: "tool",
      text,
      calls: [{ id: "1", name: "look", params: "{}" }],
      results: [{ id: "1", name: "look", text, isFailure: false }]
    }
    assert.deepStrictEqual(fromRecorded(toRecorded(message)), message)
  }
})

it.effect("a redacted recording has no parameter of a call and nothing that an answer carries as it was", () =>
  Effect.gen(function* () {
    const folder = yield* Effect.acquireRelease(
      Effect.sync(() => mkdtempSync(join(tmpdir(), "cogito-recording-"))),
      (path) => Effect.sync(() => rmSync(path, { recursive: true }))
    )
    const path = join(folder, "run.json")
    const answer = {
      text: "",
      calls: [{ id: "1", name: "look", params: '{"who":"SECRET"}' }],
      carry: { provider: "p", model: "m", data: { thinking: ["SECRET"] } },
      usage: {}
    }
    const model = Provider.make({
      name: "p",
      model: "m",
      capabilities: { temperature: "free", efforts: [], structuredOutput: "none", seed: false, tools: true },
      complete: () => Effect.succeed(answer)
    })
    const options = { redact: (text: string) => text.replaceAll("SECRET", "…") }
    const complete = Effect.flatMap(Provider.Provider, (provider) => provider.complete(request))
    const layer = Layer.succeed(Provider.Provider, model).pipe(Provider.record(path, options))
    assert.deepInclude(yield* Effect.provide(complete, layer), answer)
    assert.notInclude(readFileSync(path, "utf8"), "SECRET")
    const again = yield* Effect.provide(complete, Provider.replay(path, options))
    assert.deepStrictEqual(again.calls, [{ id: "1", name: "look", params: '{"who":"…"}' }])
    assert.deepStrictEqual(again.carry?.data, { thinking: ["…"] })
  })
)
