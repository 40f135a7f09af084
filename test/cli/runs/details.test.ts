/** What the commands print of runs that ended in an unusual way. */
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { DateTime, Effect, Layer, Schema } from "effect"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import { Memory, Pipeline, Primitive, Step, Thought } from "../../../src/index.ts"
import { PgliteMemory } from "../../../src/pglite/index.ts"
import { Testing } from "../../../src/testing/index.ts"
import { prefill } from "../../pglite/prefilled.ts"
import { cogito } from "../cogito.ts"
import { keepOpen } from "../keptOpen.ts"
import { check, layer, order } from "../refunds.ts"

const folder = mkdtempSync(join(tmpdir(), "cogito-details-"))
const at = (name: string) => join(folder, name)
const place = ["--data-dir", at("memory")]
const steps = join(import.meta.dirname, "..", "refunds.ts")
// the step of the pipeline reads it, in this process
const open = at("open")
process.env["COGITO_TEST_OPEN"] = open

type Needs = Memory.Memory | Layer.Success<typeof layer>

/** Something done with the memory of the tests, as a program does it. */
const within = <A, E>(effect: Effect.Effect<A, E, Needs>): Promise<A> => {
  const memory = PgliteMemory.layer({ dataDir: at("memory") }).pipe(Layer.provide(layer))
  return Effect.runPromise(Effect.provide(effect, Layer.merge(layer, memory)))
}

const begin = (step: Step.Step<any, any, unknown, Needs>, id: string, durable = {}) =>
  Effect.flatMap(Thought.make(id, { message: id }), (thought) =>
    Effect.exit(Pipeline.run(step, thought, { durable: { id, ...durable } }))
  )

const runs = (...args: ReadonlyArray<string>) => cogito([...args, ...place], { command: "runs" })
const json = async (...args: ReadonlyArray<string>): Promise<any> => {
  const ended = await runs(...args, "--json")
  assert.strictEqual(ended.code, 0, ended.stderr)
  return JSON.parse(ended.stdout)
}

const decide = (name: string) => Primitive.decide(name, { question: `Is it ${name}?` })

beforeAll(() => prefill(at("memory")), 120_000)
afterAll(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }))
keepOpen()

describe("cogito runs", { timeout: 180_000 }, () => {
  it("prints commands that work for an id which begins with a dash", async () => {
    await within(begin(check, "-dash"))
    const shown = await cogito(["show", ...place, "--", "-dash"], { command: "runs" })
    const [, words = ""] = /^ +npx cogito runs (answer .*)$/m.exec(shown.stdout) ?? []
    const answered = await cogito(words.split(" "), { command: "runs" })
    assert.strictEqual(answered.code, 0, answered.stderr)
    const run = await within(Memory.Memory.use(({ ledger }) => ledger.load("-dash")))
    assert.strictEqual(run?.waits[0]?.answer, '{"value":true}')
  })

  it("shows when a question was asked, and when and by whom it was answered", async () => {
    await within(begin(check, "check-1"))
    const asked = await json("show", "check-1")
    await json("answer", "check-1", "damaged", "true", "--by", "jane")
    const [wait] = await within(
      Memory.Memory.use(({ ledger }) => Effect.map(ledger.load("check-1"), (run) => run?.waits ?? []))
    )
    const iso = (millis = 0) => DateTime.formatIso(DateTime.makeUnsafe(millis))
    const question = {
      key: "damaged",
      frame: "/damaged",
      prompt: "Was it damaged?",
      schema: wait?.schema,
      created: iso(wait?.createdMillis)
    }
    assert.deepStrictEqual(asked.questions, [question])
    assert.isAbove(wait?.answeredMillis ?? 0, wait?.createdMillis ?? 0)
    const answered = { ...question, value: true, by: "jane", answered: iso(wait?.answeredMillis) }
    assert.deepStrictEqual((await json("show", "check-1")).questions, [answered])
  })

  it("takes of several steps with the name of the pipeline the one that has not changed", async () => {
    await within(begin(order, "order-1"))
    const url = (path: string) => JSON.stringify(pathToFileURL(path).href)
    writeFileSync(
      at("two.mjs"),
      `import { Pipeline, Primitive } from ${url(join(import.meta.dirname, "..", "..", "..", "src", "index.ts"))}
      import { layer, order } from ${url(steps)}
      const other = Pipeline.sequence("order", [Primitive.decide("stock", { question: "Is it there?" })])
      export default [other, order]
      export { layer }`
    )
    const ended = await runs("resume", "order-1", "--steps", at("two.mjs"))
    assert.deepStrictEqual([ended.code, ended.stdout], [1, ""])
    assert.match(ended.stderr, /^cogito: A step of the run "order-1" has failed\. [^\n]*Closed[^\n]*\n$/)
  })

  it("tells a failure of the run that repeats another one", async () => {
    writeFileSync(open, "")
    await within(begin(order, "order-2", { keep: "answers" }))
    rmSync(open)
    const ended = await runs("rerun", "order-2", "--from", "ship", "--steps", steps)
    assert.deepStrictEqual([ended.code, ended.stdout], [1, ""])
    assert.match(ended.stderr, /^cogito: A step of the run that repeats "order-2" has failed\. [^\n]*Closed[^\n]*\n$/)
    const unkept = await runs("rerun", "order-1", "--steps", steps)
    assert.match(unkept.stderr, /^cogito: The answers of the run "order-1" were not kept/)
  })

  it("asks nobody for what a completed run has not waited for", async () => {
    const person = Pipeline.waitFor("person", { schema: Schema.String, prompt: "Which one is it?" })
    const broken = Step.make("broken", { schema: Schema.String, run: Effect.fail({ _tag: "Broken" } as const) })
    const both = Pipeline.concurrent("both", [person, broken])
    await within(begin(Step.recover(both, decide("quick")), "first-1"))
    const { questions, run, totals } = await json("show", "first-1")
    assert.deepStrictEqual([run.status, questions.length, totals.openQuestions], ["completed", 1, 1])
    const shown = await runs("show", "first-1")
    assert.notInclude(shown.stdout, "runs answer")
    assert.match(shown.stdout, /; 1 question, 1 open\.\n/)
    assert.include((await runs("list", "--limit", "1")).stdout, "first-1  completed")
    assert.notInclude((await runs("list", "--limit", "1")).stdout, "person")
    const late = await runs("answer", "first-1", "person", '"a"')
    assert.deepStrictEqual(late, {
      code: 1,
      stdout: "",
      stderr: 'cogito: The run "first-1" is completed: it needs no answer any more.\n'
    })
    const removed = await runs("remove", "first-1")
    assert.match(removed.stdout, /^Removed the run first-1: 6 steps, 3 calls, 1 question\.\n/)
  })

  it("lists answers of a run on a fork, but not of earlier runs", async () => {
    await within(
      Effect.gen(function* () {
        const thought = yield* Thought.make("forked", { message: "a chair" })
        const done = yield* Pipeline.run(decide("early"), thought, { durable: { id: "early-1" } })
        const fork = yield* Thought.fork(done)
        const later = yield* Pipeline.run(decide("late"), fork, { durable: { id: "late-1" } })
        yield* Pipeline.run(decide("last"), later, { durable: { id: "last-1" } })
      })
    )
    for (const name of ["early", "late", "last"]) {
      const { answers } = await json("show", `${name}-1`)
      assert.deepStrictEqual(
        answers.map(({ key, step }: any) => [key, step]),
        [[name, name]]
      )
    }
  })

  it("counts as made only what resuming has made", async () => {
    const path = at("careful.mjs")
    const source = JSON.stringify(pathToFileURL(join(import.meta.dirname, "..", "..", "..", "src", "index.ts")).href)
    writeFileSync(
      path,
      `import { Schema } from ${JSON.stringify(import.meta.resolve("effect"))}
      import { Pipeline, Primitive } from ${source}
      const decide = (name) => Primitive.decide(name, { question: "Is it " + name + "?" })
      const person = Pipeline.waitFor("person", { schema: Schema.String, prompt: "Which one is it?" })
      export const careful = Pipeline.sequence("careful", [
        Pipeline.race("first", [decide("slow"), decide("quick")]), person, decide("after")
      ])
      export { layer } from ${JSON.stringify(pathToFileURL(steps).href)}`
    )
    const { careful } = await import(path)
    const model = Testing.scripted(
      ({ messages }) =>
        messages.at(-1)?.text.includes("slow") === true
          ? Effect.never
          : { decision: true, confidence: 0.9, reasoning: ["it says so"] },
      { name: "house", model: "m-1", usage: { inputTokens: 9, outputTokens: 3 } }
    )
    await within(Effect.provide(begin(careful, "careful-1"), model.layer))
    assert.strictEqual((await json("show", "careful-1")).totals.atMost.calls, 1)
    await json("answer", "careful-1", "person", '"a"')
    const ended = await runs("resume", "careful-1", "--steps", path)
    assert.strictEqual(
      ended.stdout.split("\n")[0],
      "Made 1 model call, 9 tokens in, 3 out, 0 USD. The ledger has saved 1 model call.",
      ended.stderr
    )
  })
})

describe("cogito report", { timeout: 180_000 }, () => {
  it("is about the run that is named, also if a later one is on its thought", async () => {
    const thoughtId = await within(
      Effect.gen(function* () {
        const thought = yield* Thought.make("twice", { message: "a chair" })
        const done = yield* Pipeline.run(decide("one"), thought, { durable: { id: "twice-1" } })
        yield* Pipeline.run(decide("two"), done, { durable: { id: "twice-2" } })
        return thought.id
      })
    )
    const focusOf = async (ref: string) => {
      const ended = await cogito([ref, "--json", ...place], { command: "report" })
      assert.strictEqual(ended.code, 0, ended.stderr)
      return JSON.parse(ended.stdout).focus
    }
    for (const runId of ["twice-1", "twice-2"]) assert.deepStrictEqual(await focusOf(runId), { thoughtId, runId })
    for (const id of [thoughtId, thoughtId.toUpperCase()]) {
      assert.deepStrictEqual(await focusOf(id), { thoughtId, runId: "twice-2" })
    }
  })
})
