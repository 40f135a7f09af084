/** Bounds on how long an answer may take, and on what of it is read. */
import { assert, describe, it } from "@effect/vitest"
import { Duration } from "effect"
import { countsAt } from "../../src/http/counts.ts"
import { deadlinesOf } from "../../src/http/deadlines.ts"
import { guarded } from "../../src/http/guarded.ts"

describe("the time between two pieces of an answer", () => {
  const idleIn = (options: Parameters<typeof deadlinesOf>[0]) => Duration.toSeconds(deadlinesOf(options).idle)

  it("is half of the whole time, at least half a minute and at most five, unless one is given", () => {
    assert.strictEqual(idleIn({}), 30)
    for (const [timeout, seconds] of [
      ["10 seconds", 30],
      ["2 minutes", 60],
      ["10 minutes", 300],
      ["1 hour", 300],
      ["Infinity", 300]
    ] as const) {
      assert.strictEqual(idleIn({ timeout }), seconds, timeout)
      assert.strictEqual(idleIn({ timeout, idleTimeout: "7 seconds" }), 7)
    }
  })
})

describe("a count of tokens", () => {
  it("is a number from 0 that is an own field, and others beside it count", () => {
    const usage: unknown = JSON.parse('{ "a": 0, "b": -1, "c": 1e999, "d": "4", "e": { "f": 5.5 }, "g": null }')
    const places: Readonly<Record<string, ReadonlyArray<string>>> = Object.fromEntries(
      ["a", "b", "c", "d", "g", "toString"].map((name) => [name, [name]])
    )
    const deep: typeof places = { f: ["e", "f"], none: ["e", "x"], through: ["a", "f"], length: ["d", "length"] }
    assert.deepStrictEqual(countsAt(usage, { ...places, ...deep }), { a: 0, f: 5.5 })
    assert.deepStrictEqual(countsAt(undefined, places), {})
  })
})

describe("the body of an error", () => {
  const most = 1024 * 1024
  const answering = (status: number, sizes: ReadonlyArray<number>) => {
    let isCancelled = false
    const pieces = sizes.map((size) => new Uint8Array(size))
    const body = new ReadableStream<Uint8Array>(
      {
        pull: (controller) => {
          const piece = pieces.shift()
          if (piece === undefined) controller.close()
          else controller.enqueue(piece)
        },
        cancel: () => {
          isCancelled = true
        }
      },
      { highWaterMark: 0 }
    )
    const fetch = guarded(() => Promise.resolve(new Response(body, { status, headers: { "x-id": "7" } })))
    return { answer: fetch("https://model.test/"), isCancelled: () => isCancelled }
  }

  it("is read up to a MiB, whatever its pieces, and no further", async () => {
    for (const [sizes, length, isCut] of [
      [[10, 20], 30, false],
      [[most - 1], most - 1, false],
      [[most - 1, 5, 7], most, true],
      [[most + 3, 7], most, true]
    ] as const) {
      const { answer, isCancelled } = answering(500, sizes)
      const response = await answer
      assert.deepStrictEqual([response.status, response.headers.get("x-id")], [500, "7"])
      assert.strictEqual((await response.arrayBuffer()).byteLength, length)
      assert.strictEqual(isCancelled(), isCut)
    }
  })

  it("is no answer's, which is read whole", async () => {
    const response = await answering(200, [most, 5]).answer
    assert.strictEqual((await response.arrayBuffer()).byteLength, most + 5)
  })
})
