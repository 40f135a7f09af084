/** What the studio answers about a memory: cut texts, runs that have left their thought, questions of one run. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Schema } from "effect"
import { Memory, Pipeline, Primitive, Thought } from "../../src/index.ts"
import { Testing } from "../../src/testing/index.ts"
import { newRun, noon } from "../../src/testing/contract/ledger/rows.ts"
import { begin, type Desk, model, open, refund, sent } from "./desk.ts"

const services = Layer.merge(model.layer, Testing.memory)

/** The studio after something was done with its memory. */
const after = <A, E>(
  done: Effect.Effect<A, E, Layer.Success<typeof services>>,
  use: (desk: Desk, done: A) => Promise<void>
) =>
  Effect.gen(function* () {
    const value = yield* done
    const desk = yield* open
    yield* Effect.promise(() => use(desk, value))
  }).pipe(Effect.scoped, Effect.provide(services), Effect.runPromise)

const read = async (desk: Desk, path: string): Promise<any> => JSON.parse((await desk.get(path)).body)

describe("the data of the studio", () => {
  it("cuts long notes of a search, and says so", () =>
    after(
      Effect.gen(function* () {
        const memory = yield* Memory.Memory
        for (const length of [1500, 1501]) {
          yield* memory.commit(yield* Thought.make(`${length}`, { message: "kiwi ".padEnd(length, "x") }))
        }
        for (const smiles of [1495, 1496]) {
          yield* memory.commit(yield* Thought.make(`smiles ${smiles}`, { message: `kiwi ${"😀".repeat(smiles)}` }))
        }
      }),
      async (desk) => {
        const { matches } = await read(desk, "data/search?q=kiwi")
        const found = new Map(matches.map((one: any) => [one.intent, one]))
        assert.deepInclude(found.get("1500"), { isCut: false, content: "kiwi ".padEnd(1500, "x") })
        const long: any = found.get("1501")
        assert.isTrue(long.isCut)
        assert.isAtMost(long.content.length, 1501)
        assert.isTrue(long.content.startsWith("kiwi xxx"))
        // a character of two halves counts as one, and stays whole
        assert.deepInclude(found.get("smiles 1495"), { isCut: false, content: `kiwi ${"😀".repeat(1495)}` })
        assert.deepInclude(found.get("smiles 1496"), { isCut: true, content: `kiwi ${"😀".repeat(1492)}...` })
      }
    ))

  it("has a next page of runs only if there are more than one page holds", () =>
    after(
      Effect.gen(function* () {
        const memory = yield* Memory.Memory
        const { id } = yield* memory.commit(yield* Thought.make("orders"))
        const add = (number: number) => {
          const run = newRun(id, { id: `run ${number}`, createdMillis: noon + number })
          return memory.ledger.record({ runId: run.id, epoch: 1, begins: [run] })
        }
        for (let number = 0; number < 25; number++) yield* add(number)
        return { addOne: add(25) }
      }),
      async (desk, { addOne }) => {
        const all = await read(desk, "data/runs")
        assert.deepStrictEqual([all.runs.length, Object.keys(all)], [25, ["runs"]])
        await Effect.runPromise(addOne)
        const { next, runs } = await read(desk, "data/runs")
        assert.deepStrictEqual([runs.length, next], [25, { id: "run 1", createdMillis: noon + 1 }])
        const rest = await read(desk, `data/runs?after=${encodeURIComponent(next.id)}&created=${next.createdMillis}`)
        assert.deepStrictEqual([rest.runs.length, Object.keys(rest)], [1, ["runs"]])
      }
    ))

  it("has a next page of thoughts only if there are more than one page holds", () =>
    after(
      Effect.gen(function* () {
        const memory = yield* Memory.Memory
        for (let i = 0; i < 25; i++) yield* memory.commit(yield* Thought.make(`number ${i}`))
        const last = yield* Thought.make("one more")
        return { last, memory }
      }),
      async (desk, { last, memory }) => {
        const all = await read(desk, "data/thoughts")
        assert.deepStrictEqual([all.thoughts.length, Object.keys(all)], [25, ["thoughts"]])
        await Effect.runPromise(memory.commit(last))
        const { next, thoughts } = await read(desk, "data/thoughts")
        const { createdMillis, id } = thoughts.at(-1)
        assert.deepStrictEqual([thoughts.length, next], [25, { id, createdMillis }])
        const rest = await read(desk, `data/thoughts?after=${id}&created=${createdMillis}`)
        assert.deepStrictEqual([rest.thoughts.length, Object.keys(rest)], [1, ["thoughts"]])
      }
    ))

  it("has a run at the fork that it has come to", () =>
    after(
      Effect.gen(function* () {
        const forgetful = Pipeline.sequence("forgetful", [Primitive.forget("without", { drop: ["message"] })])
        const thought = yield* Thought.make("forgets", { message: "old" })
        const done = yield* Pipeline.run(forgetful, thought, { durable: { id: "forgets-1" } })
        assert.notStrictEqual(done.id, thought.id)
        return done.id
      }),
      async (desk, thoughtId) => {
        assert.strictEqual((await read(desk, "data/runs")).runs[0].thoughtId, thoughtId)
        assert.deepStrictEqual((await read(desk, "data/runs/forgets-1")).focus, { thoughtId, runId: "forgets-1" })
      }
    ))

  it("has the questions of one run, with the time until which they can be answered", () =>
    after(
      Effect.gen(function* () {
        const late = Pipeline.waitFor("late", { schema: Schema.Finite, prompt: "How much?", timeout: "1 hour" })
        yield* begin(late, { id: "late-1", text: "note" })
        yield* begin(refund, { id: "refund-1", text: "note" })
      }),
      async (desk) => {
        const of = async (path: string) => (await read(desk, `data/questions${path}`)).questions
        assert.lengthOf(await of(""), 3)
        assert.lengthOf(await of("?run=refund-1"), 2)
        assert.lengthOf(await of("?run=none"), 0)
        const [late] = await of("?run=late-1")
        assert.strictEqual(late.dueMillis - late.createdMillis, 3_600_000)
        for (const one of await of("?run=refund-1")) assert.notProperty(one, "dueMillis")
      }
    ))
})

describe("the pages of the studio", () => {
  it("are no deeper than a thought or a run", () =>
    after(Effect.void, async (desk) => {
      for (const path of ["runs", "runs/a", "thoughts", "thoughts/a"]) {
        assert.strictEqual((await desk.get(path)).status, 200, path)
      }
      for (const path of ["runs/a/b", "thoughts/a/b", "questions/a", "data/thoughts/a/b"]) {
        assert.strictEqual((await desk.get(path)).status, 404, path)
      }
    }))

  it("are given in any case of the host's name, and beside an old cookie", () =>
    after(Effect.void, async ({ address, cookie, get }) => {
      assert.strictEqual((await get("data/runs", { host: `LocalHost:${address.port}` })).status, 200)
      const url = new URL("data/runs", address)
      const [name] = cookie.split("=")
      for (const both of [`${name}=old; ${cookie}`, `${cookie}; ${name}=old`, `a=b; ${cookie}; c=d`]) {
        assert.strictEqual((await sent(url, { headers: { cookie: both } })).status, 200, both)
      }
    }))
})
