import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { Provider, Synapse } from "cogito"
import { Testing } from "cogito/testing"
import { Effect } from "effect"
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { cogito } from "./cogito.ts"

const error = new Provider.ProviderError({
  provider: "house",
  model: "m-1",
  reason: { _tag: "Overloaded", message: "busy" },
  usage: { inputTokens: 4 }
})

/** Records two calls, of which the second fails. */
const recordTo = (path: string, question: string) => {
  const replies = [{ decision: true, confidence: 0.9, reasoning: ["a \u001b[31mred\u001b[0m one"] }, Effect.fail(error)]
  const model = Testing.scripted(replies, { name: "house", model: "m-1", usage: { inputTokens: 9, outputTokens: 3 } })
  const ask = Synapse.binary({ question })
  return Effect.runPromise(
    Effect.all([ask("first"), Effect.flip(ask("second"))]).pipe(Effect.provide(model.layer.pipe(Provider.record(path))))
  )
}

describe("cogito replay", { timeout: 60_000 }, () => {
  let folder = ""
  const replay = (...args: ReadonlyArray<string>) => cogito(args, { command: "replay" })
  const path = (name: string) => join(folder, name)
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), "cogito-replay-"))
    await recordTo(path("one.json"), "Is it urgent?")
    await recordTo(path("same.json"), "Is it urgent?")
    await recordTo(path("other.json"), "Is it really urgent?")
    writeFileSync(path("broken.json"), "{")
  })
  afterAll(() => rmSync(folder, { recursive: true }))

  it("lists the calls, and prints one in full without signs that a terminal obeys", async () => {
    const [listed, shown] = await Promise.all([replay(path("one.json")), replay(path("one.json"), "--call", "1")])
    assert.strictEqual(
      listed.stdout,
      [
        "Recorded: 2 calls of house (m-1)",
        "",
        "CALL  KIND    ASKED  TOKENS       OUTCOME",
        "1     binary  text   9 in, 3 out  79 characters",
        "2     binary  text   4 in, ? out  failed: Overloaded",
        ""
      ].join("\n")
    )
    assert.include(shown.stdout, "Is it urgent?")
    assert.include(shown.stdout, "system:")
    assert.notInclude(shown.stdout, "\u001b")
    assert.deepStrictEqual([listed.code, shown.code], [0, 0])
  })

  it("names the first call that differs, and shows the difference of the prompts", async () => {
    const [same, other, json] = await Promise.all([
      replay(path("one.json"), "--against", path("same.json")),
      replay(path("one.json"), "--against", path("other.json")),
      replay(path("one.json"), "--against", path("other.json"), "--json")
    ])
    assert.deepStrictEqual([same.code, same.stdout], [0, "Alike: 2 calls.\n"])
    assert.strictEqual(other.code, 3)
    assert.include(other.stdout, "Call 1 (binary) differs:")
    assert.include(other.stdout, "- Is it urgent?\n+ Is it really urgent?")
    assert.include(other.stderr, "Call 1 of")
    assert.deepInclude(JSON.parse(json.stdout).difference, { call: 1, kind: "binary" })
  })

  /** A recording as somebody has changed it. */
  const edited = (name: string, from: string, edit: (recording: any) => void): string => {
    const recording: unknown = JSON.parse(readFileSync(path(from), "utf8"))
    edit(recording)
    writeFileSync(path(name), JSON.stringify(recording))
    return path(name)
  }

  it("prints the whole recording as JSON, or one of its calls", async () => {
    const [all, first, last] = await Promise.all([
      replay(path("one.json"), "--json"),
      replay(path("one.json"), "--call", "1", "--json"),
      replay(path("one.json"), "--call", "2", "--json")
    ])
    const { calls, ...head } = JSON.parse(all.stdout)
    assert.deepInclude(head, { provider: "house", model: "m-1" })
    assert.lengthOf(calls, 2)
    assert.property(JSON.parse(first.stdout).call, "answer")
    assert.strictEqual(JSON.parse(last.stdout).call.failure.reason._tag, "Overloaded")
    for (const { code, stderr } of [all, first, last]) assert.deepStrictEqual([code, stderr], [0, ""])
  })

  it("finds a call that only one of the two has, and an answer that differs", async () => {
    const shorter = edited("shorter.json", "one.json", ({ calls }) => calls.splice(1))
    const answered = edited("answered.json", "one.json", ({ calls }) => {
      calls[0].answer.text = ["{}"]
    })
    const failed = edited("failed.json", "one.json", ({ calls }) => {
      calls[1].failure.reason.message = "still busy"
    })
    const [gone, fresh, answer, failure, alike] = await Promise.all([
      replay(path("one.json"), "--against", shorter),
      replay(shorter, "--against", path("one.json"), "--json"),
      replay(path("one.json"), "--against", answered),
      replay(path("one.json"), "--against", failed),
      replay(path("one.json"), "--against", path("same.json"), "--json")
    ])
    assert.deepStrictEqual([gone.code, gone.stdout], [3, "Call 2 (binary) differs:\n- this call is gone\n"])
    assert.strictEqual(fresh.code, 3)
    assert.deepStrictEqual(JSON.parse(fresh.stdout), {
      same: false,
      difference: { call: 2, kind: "binary", lines: ["+ this call is new"] }
    })
    assert.strictEqual(answer.code, 3)
    assert.match(answer.stdout, /^Call 1 \(binary\) differs:\nanswer:\n- \{[^]*\n\+ \{\}\n$/)
    assert.strictEqual(failure.code, 3)
    assert.include(failure.stdout, "- Overloaded: busy\n+ Overloaded: still busy\n")
    assert.deepStrictEqual([alike.code, JSON.parse(alike.stdout)], [0, { same: true }])
  })

  it("finds a failure that differs in what its message does not say, and reasons of one text", async () => {
    const later = edited("later.json", "one.json", ({ calls }) => {
      calls[1].failure.usage = { inputTokens: 5 }
    })
    const other = edited("limited.json", "one.json", ({ calls }) => {
      calls[1].failure.reason._tag = "RateLimited"
    })
    for (const [file, now] of [
      [later, "Overloaded: busy"],
      [other, "RateLimited: busy"]
    ] as const) {
      const { code, stdout } = await replay(path("one.json"), "--against", file, "--json")
      assert.strictEqual(code, 3)
      assert.deepStrictEqual(JSON.parse(stdout), {
        same: false,
        difference: { call: 2, kind: "binary", lines: ["answer:", "- Overloaded: busy", `+ ${now}`] }
      })
    }
  })

  it("tells a recording that was written by hand, calls that were interrupted, native answers, and the sampling", async () => {
    const changed = edited("changed.json", "one.json", (recording) => {
      recording.source = "scripted"
      const [first, second] = recording.calls
      first.answer.sampling = { temperature: 0, maxTokens: 100 }
      delete second.failure
      second.interrupted = true
      recording.calls.push({
        call: 3,
        kind: "binary",
        asked: "native",
        answer: { answers: [{ _tag: "Predicate", name: "decision", probability: 0.9 }] }
      })
    })
    const [listed, shown] = await Promise.all([replay(changed), replay(changed, "--call", "1")])
    assert.strictEqual(
      listed.stdout,
      [
        "Written by hand: 3 calls of house (m-1)",
        "",
        "CALL  KIND    ASKED   TOKENS       OUTCOME",
        "1     binary  text    9 in, 3 out  79 characters",
        "2     binary  text                 interrupted",
        "3     binary  native               1 answer",
        ""
      ].join("\n")
    )
    assert.include(shown.stdout, '\nSampling {"temperature":0,"maxTokens":100}\n')
    const partly = edited("partly.json", "one.json", (recording) => (recording.calls[0].interrupted = true))
    assert.match((await replay(partly)).stdout, /^1 +binary +text +9 in, 3 out +interrupted$/m)
  })

  it("prints calls of tools and their results", async () => {
    const calls = [{ id: "a", name: "weather", params: `{"city":"Ulm"}` }]
    const model = Testing.scripted([Testing.calls(calls)])
    const messages: ReadonlyArray<Provider.Message> = [
      { role: "assistant", text: "", calls },
      { role: "tool", text: "", results: [{ id: "a", name: "weather", text: "no city", isFailure: true }] },
      { role: "assistant", text: "It knows no such city.", calls: [{ id: "b", name: "weather", params: "{}" }] },
      { role: "tool", text: "", results: [{ id: "b", name: "weather", text: "rain", isFailure: false }] }
    ]
    const task = { kind: "chat", instruction: "", questions: [], context: [] }
    const tools = [{ name: "weather", description: "", parameters: {} }]
    const ask = Provider.Provider.use((provider) =>
      provider.complete({ messages, tools, task, phase: "reason", sampling: {} })
    )
    await Effect.runPromise(Effect.provide(ask, model.layer.pipe(Provider.record(path("tools.json")))))
    const { stdout } = await replay(path("tools.json"), "--call", "1")
    const shown = stdout.replaceAll(/^\s*(?:\|\s?)?/gm, "")
    assert.include(shown, `assistant:\nweather({"city":"Ulm"})\ntool:\nweather failed: no city\n`)
    assert.include(shown, "assistant:\nIt knows no such city.\nweather({})\ntool:\nweather: rain\n")
    assert.include(shown, `answer:\nweather({"city":"Ulm"})\n`)
  })

  it("says what is wrong with a file or a question", async () => {
    const [broken, missing, zero, call, both] = await Promise.all([
      replay(path("broken.json")),
      replay(path("none.json")),
      replay(path("one.json"), "--call", "0"),
      replay(path("one.json"), "--call", "3", "--json"),
      replay(path("one.json"), "--call", "1", "--against", path("same.json"))
    ])
    assert.deepStrictEqual([broken.code, missing.code, zero.code, call.code, both.code], [1, 1, 2, 2, 2])
    assert.include(broken.stderr, "it is not the JSON of a recording")
    assert.include(missing.stderr, "there is no such file or folder (ENOENT)")
    assert.include(call.stderr, "a number from 1 to 2")
    for (const { stdout } of [broken, missing, zero, call, both]) assert.strictEqual(stdout, "")
  })
})
