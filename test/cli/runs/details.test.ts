/** What the commands print of runs that ended in an unusual way. */
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { DateTime, Effect, Layer, Schema } from "effect"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import { endRun } from "../../../src/cli/runs/end.ts"
import { enlist } from "../../../src/pipeline/durable/start.ts"
import { Memory, Pipeline, Primitive, Step, Thought } from "../../../src/index.ts"
import { PgliteMemory } from "../../../src/pglite/index.ts"
import { Testing } from "../../../src/testing/index.ts"
import { prefill } from "../../pglite/prefilled.ts"
import { cogito } from "../cogito.ts"
import { keepOpen } from "../keptOpen.ts"
import { check, layer, order, triage } from "../refunds.ts"

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

  it("repeats a run with a generator from a frame that it prints, and refuses a step that the run has not come to", async () => {
    const path = at("loop.mjs")
    const source = JSON.stringify(pathToFileURL(join(import.meta.dirname, "..", "..", "..", "src", "index.ts")).href)
    writeFileSync(
      path,
      `import { Pipeline, Primitive } from ${source}
      const size = Primitive.decide("a/b", { question: "Is it small?" })
      export const loop = Pipeline.gen("loop", function* () {
        for (let round = 1; round <= 2; round++) yield* Pipeline.ask(size)
      }, { steps: [size] })
      export { layer } from ${JSON.stringify(pathToFileURL(steps).href)}`
    )
    const { loop } = await import(path)
    await within(begin(loop, "loop-1", { keep: "answers" }))
    const { steps: entered } = await json("show", "loop-1")
    const [first, second] = entered.map(({ frame }: any) => frame).filter((frame: string) => frame.endsWith("/a~1b"))
    assert.deepStrictEqual([first, second], ["/loop/a~1b", "/loop/a~1b#2/a~1b"])
    assert.deepInclude(await json("rerun", "loop-1", "--from", second, "--steps", path), { reused: 1, made: 1 })
    assert.deepInclude(await json("rerun", "loop-1", "--from", first, "--steps", path), { reused: 0, made: 2 })
    for (const from of ["", "a/c", "a/b@2"]) {
      const refused = await runs("rerun", "loop-1", "--from", from, "--steps", path)
      assert.deepStrictEqual(refused, {
        code: 1,
        stdout: "",
        stderr: `cogito: The pipeline "loop" has no step "${from}" for \`from\`: it has "loop", "a/b", "a/b#2".\n`
      })
    }
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

  it("lists, watches, shows and removes a run that has not begun", async () => {
    await within(
      Effect.flatMap(Thought.make("pending"), (thought) =>
        enlist(check, thought, { id: "pending-1", keep: "nothing", onInterrupted: undefined })
      )
    )
    assert.match(
      (await runs("list", "--status", "pending")).stdout,
      /^pending-1 {2}pending {2}damaged {2}\S+Z\n {4}thought \S+\n$/
    )
    const watched = await cogito([...place, "--once", "--every", "1"], { command: "watch" })
    assert.match(watched.stdout, /^pending-1 +pending +/m, watched.stderr)
    const shown = await runs("show", "pending-1")
    assert.match(shown.stdout, /^Status {3}pending\nThought {2}\S+\nCreated {2}\S+Z\nAnswers {2}not kept\n/m)
    const removed = await runs("remove", "pending-1")
    assert.match(
      removed.stdout,
      /^Removed the run pending-1: 0 steps, 0 calls, 0 questions\.\nIts thought \S+ stays/,
      removed.stderr
    )
    assert.strictEqual((await runs("list", "--status", "pending")).stderr, "No run is pending.\n")
  })

  it("still lists the open questions of a failed run, and says whether a run has ended or only stopped", async () => {
    const person = Pipeline.waitFor("person", { schema: Schema.String, prompt: "Which one is it?" })
    const broken = Step.make("broken", { schema: Schema.String, run: Effect.fail({ _tag: "Broken" } as const) })
    await within(begin(Pipeline.concurrent("both", [person, broken]), "broken-1"))
    assert.match(
      (await runs("list", "--status", "failed", "--limit", "1")).stdout,
      /^broken-1 {2}failed {2}both {2}\S+Z\n {4}thought \S+; failed with Broken; 1 open question: person\n$/
    )
    const [listed] = (await json("list", "--status", "failed", "--limit", "1")).runs
    assert.deepStrictEqual(
      listed.questions.map(({ key }: any) => key),
      ["person"]
    )
    const failed = await runs("show", "broken-1")
    assert.match(failed.stdout, /^Status {3}failed, with Broken$/m)
    assert.match(failed.stdout, /^Created {2}\S+Z, ended \S+Z$/m)
    assert.include(failed.stdout, "  npx cogito runs answer broken-1 person VALUE ")
    await within(begin(check, "left-1"))
    await within(
      Memory.Memory.use((memory) =>
        Effect.flatMap(memory.ledger.load("left-1"), (stored) =>
          endRun(memory, stored!.run, { status: "interrupted", error: undefined })
        )
      )
    )
    const left = await runs("show", "left-1")
    assert.match(left.stdout, /^Status {3}interrupted$/m)
    assert.match(left.stdout, /^Created {2}\S+Z, stopped \S+Z$/m)
    assert.include(left.stdout, "  npx cogito runs answer left-1 damaged yes ")
    assert.match(
      (await runs("list", "--status", "interrupted", "--limit", "1")).stdout,
      /; 1 open question: damaged\n$/
    )
    await within(begin(decide("over"), "over-1"))
    assert.match((await runs("show", "over-1")).stdout, /^Created {2}\S+Z, ended \S+Z$/m)
  })

  it("repeats a run with the exact text of a note", async () => {
    await within(begin(triage, "spaces-1", { keep: "answers" }))
    const text = "  key=value,\n two lines "
    const { run } = await json("rerun", "spaces-1", "--note", `message=${text}`, "--steps", steps)
    const { notes } = JSON.parse((await cogito(["show", run.thoughtId, "--json", ...place])).stdout)
    const messages = notes.filter(({ key }: any) => key === "message")
    assert.strictEqual(messages.at(-1)?.content, text)
    for (const wrong of ["=text", "message"]) {
      const refused = await runs("rerun", "spaces-1", "--note", wrong, "--steps", steps)
      assert.deepStrictEqual(refused, {
        code: 2,
        stdout: "",
        stderr: `cogito: --note "${wrong}" names no note: write --note key=text.\n`
      })
    }
  })

  const source = (...path: ReadonlyArray<string>) =>
    JSON.stringify(pathToFileURL(join(import.meta.dirname, "..", "..", "..", "src", ...path)).href)

  it("names questions by their frames after a resume if they share a key", async () => {
    const path = at("sizes.mjs")
    writeFileSync(
      path,
      `import { Schema } from ${JSON.stringify(import.meta.resolve("effect"))}
      import { Pipeline } from ${source("index.ts")}
      const size = (place) =>
        Pipeline.sequence(place, [Pipeline.waitFor("size", { schema: Schema.Finite, prompt: "How long is " + place + "?" })])
      export const both = Pipeline.concurrent("both", [size("left"), size("right")], { conflicts: "last" })
      export { layer } from ${JSON.stringify(pathToFileURL(steps).href)}`
    )
    const { both } = await import(path)
    await within(begin(both, "sizes-2"))
    const resumed = await runs("resume", "sizes-2", "--steps", path)
    assert.match(resumed.stdout, /\nThe run sizes-2 waits for 2 answers:\n\nsize:\n/, resumed.stderr)
    for (const side of ["left", "right"]) {
      assert.include(resumed.stdout, `  npx cogito runs answer sizes-2 /both/${side}/size VALUE --data-dir `)
    }
    const { questions, run } = await json("resume", "sizes-2", "--steps", path)
    assert.deepStrictEqual([run.status, questions.length], ["waiting", 2])
  })

  it("resumes in the memory of the command, and says if notes are not embedded there, but not with --json", async () => {
    const path = at("remembering.mjs")
    writeFileSync(
      path,
      `import { Testing } from ${source("testing", "index.ts")}
      export { check } from ${JSON.stringify(pathToFileURL(steps).href)}
      export const layer = Testing.memory`
    )
    await within(begin(check, "check-7"))
    await within(begin(check, "check-8"))
    for (const id of ["check-7", "check-8"]) await json("answer", id, "damaged", "yes")
    const said = await runs("resume", "check-7", "--steps", path)
    assert.deepStrictEqual([said.code, said.stdout.split("\n")[1]], [0, "The run check-7 is completed."], said.stderr)
    assert.match(said.stderr, /^Notes are not embedded: the vectors are those of \S[^\n]*\.\n$/)
    const silent = await runs("resume", "check-8", "--steps", path, "--json")
    assert.deepStrictEqual([silent.code, silent.stderr], [0, ""])
    assert.deepInclude(JSON.parse(silent.stdout).run, { id: "check-8", status: "completed" })
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
