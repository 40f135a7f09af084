import { assert, describe, it } from "@effect/vitest"
import { Memory, Primitive, Provider } from "cogito"
import { Cogito } from "cogito/promise"
import { Testing } from "cogito/testing"
import { batch } from "../../examples/batch/batch.ts"

const urgent = Primitive.decide("urgent", { question: "Is it urgent?" })
const rows = Array.from({ length: 30 }, (_, i) => ({ id: `row-${i}`, text: `number ${i}` }))
const yes = { decision: true, confidence: 1, reasoning: ["it says so"] }

describe("examples/batch", () => {
  it("goes on where it was stopped, tries failed rows again, and asks no row twice", async () => {
    const asked = new Map<string, number>()
    let isDown = true
    const stop = new AbortController()
    const model = Testing.scripted((request) => {
      const text = /number \d+/.exec(request.messages.at(-1)?.text ?? "")?.[0] ?? ""
      asked.set(text, (asked.get(text) ?? 0) + 1)
      return isDown && text === "number 3"
        ? new Provider.ProviderError({ provider: "x", model: "x", reason: { _tag: "Overloaded", message: "busy" } })
        : yes
    })
    await using ai = Cogito.make([model.layer, Memory.layerInMemory({ embedder: "none" })])
    const progress: Array<number> = []
    const run = (signal: AbortSignal) =>
      batch(
        rows,
        async ({ id, text }) => {
          const done = await ai.run(urgent, { intent: "batch", notes: { text } }, { signal, durable: { id } })
          return done.get("urgent")
        },
        {
          concurrency: 4,
          signal,
          onProgress: ({ done }) => {
            progress.push(done)
            if (done === 10) stop.abort(new Error("stopped"))
          }
        }
      )
    const stopped: unknown = await run(stop.signal).catch((error: unknown) => error)
    assert.strictEqual(String(stopped), "Error: stopped")
    assert.isBelow(asked.size, rows.length)

    const second = await run(new AbortController().signal)
    assert.deepStrictEqual(
      second.failures.map(({ id }) => id),
      ["row-3"]
    )
    isDown = false
    const third = await run(new AbortController().signal)
    assert.deepStrictEqual(
      third.results.map(({ id }) => id),
      rows.map(({ id }) => id)
    )
    assert.isTrue(third.results.every(({ value }) => value.decision))
    const often = [...asked].filter(([text, times]) => times > 1 && text !== "number 3")
    // a call that was cut off has no answer in the ledger
    assert.isAtMost(often.length, 4)
    assert.isAtLeast(progress.length, rows.length)
  })
})
