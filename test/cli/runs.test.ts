import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { Effect, Layer, Schema } from "effect"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import { root } from "../../scripts/run.ts"
import { Memory, Pipeline, Primitive, type Step, Thought } from "../../src/index.ts"
import { PgliteMemory } from "../../src/pglite/index.ts"
import { newRun, noon } from "../../src/testing/contract/ledger/rows.ts"
import { Testing } from "../../src/testing/index.ts"
import { prefill } from "../pglite/prefilled.ts"
import { providerError } from "../pipeline/triage.ts"
import { cogito, type Ended, spawned } from "./cogito.ts"
import { keepOpen } from "./keptOpen.ts"
import { check, doubt, layer, order, refund, triage } from "./refunds.ts"

const timeout = 180_000
const folder = mkdtempSync(join(tmpdir(), "cogito-runs-"))
const at = (name: string) => join(folder, name)
const steps = join(import.meta.dirname, "refunds.ts")
const open = at("open")
// the steps read it
process.env["COGITO_TEST_OPEN"] = open
afterAll(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }))
keepOpen()

type Needs = Memory.Memory | Layer.Success<typeof layer>

/** Something done with the memory of the tests, as a program does it. */
const within = <A, E>(effect: Effect.Effect<A, E, Needs>, scope = "local"): Promise<A> => {
  const memory = PgliteMemory.layer({ dataDir: at("memory"), scope }).pipe(Layer.provide(layer))
  return Effect.runPromise(Effect.provide(effect, Layer.merge(layer, memory)))
}

const place = () => ["--data-dir", at("memory")]
const runs = (...args: ReadonlyArray<string>): Promise<Ended> => cogito([...args, ...place()], { command: "runs" })

const json = async (...args: ReadonlyArray<string>): Promise<any> => {
  const ended = await runs(...args, "--json")
  assert.strictEqual(ended.code, 0, ended.stderr)
  assert.lengthOf(ended.stdout.trimEnd().split("\n"), 1)
  return JSON.parse(ended.stdout)
}

/** It says in one line why it has failed, and prints nothing. */
const assertRefused = async (code: number, line: RegExp, ...args: ReadonlyArray<string>): Promise<void> => {
  const ended = await runs(...args)
  assert.deepStrictEqual([ended.code, ended.stdout], [code, ""], ended.stderr)
  assert.match(ended.stderr, /^cogito: [^\n]+\n$/)
  assert.match(ended.stderr, line)
}

/** A module that a user might name, with these lines. */
const module = (name: string, text: string): string => {
  const url = (...path: ReadonlyArray<string>) => pathToFileURL(join(root, ...path)).href
  const head = `import { Pipeline, Primitive } from "${url("src", "index.ts")}"
import { layer as house } from "${pathToFileURL(steps).href}"\n`
  writeFileSync(at(name), head + text)
  return at(name)
}

beforeAll(async () => {
  await prefill(at("memory"))
  const begin = (step: Step.Step<any, any, unknown, Needs>, id: string, message: string, durable = {}) =>
    Effect.flatMap(Thought.make(id, { message }), (thought) =>
      Effect.exit(Pipeline.run(step, thought, { durable: { id, ...durable } }))
    )
  await within(
    Effect.all([
      begin(triage, "t-1", "my invoice", { keep: "answers" }),
      begin(order, "order-1", "a chair"),
      begin(refund, "refund-17", "order 17\u001b[2J")
    ])
  )
}, timeout)

describe("cogito runs", { timeout }, () => {
  it("lists runs, the newest first, with what they wait for", async () => {
    const { stdout } = await runs("list")
    assert.match(
      stdout,
      /^refund-17 {2}waiting {2}refund {2}\S+Z\n {4}thought \S+; 2 open questions: (?:ok, amount|amount, ok)\n {4}fraud: no 90 %\norder-1 {2}failed {2}order .*\n {4}thought \S+; failed with Closed\n {4}stock: no 90 %\nt-1 {2}completed {2}triage .*\n {4}thought \S+\n {4}spam: no 90 %; urgent: no 90 %\n$/
    )
    const all = await json("list")
    assert.deepStrictEqual(
      all.runs.map(({ id, questions, status }: any) => [id, status, questions.map(({ key }: any) => key).toSorted()]),
      [
        ["refund-17", "waiting", ["amount", "ok"]],
        ["order-1", "failed", []],
        ["t-1", "completed", []]
      ]
    )
    assert.containsAllKeys(all.runs[0], ["pipeline", "fingerprint", "thoughtId", "created", "epoch", "keep"])
    assert.strictEqual(all.runs[1].error, "Closed")
    assert.deepStrictEqual(
      all.runs[2].answers.map(({ content, key, step }: any) => [key, step, JSON.parse(content).decision]),
      [
        ["spam", "triage/spam", false],
        ["urgent", "triage/urgent", false]
      ]
    )
    assert.deepStrictEqual((await json("list", "--status", "failed")).runs.length, 1)
    const few = await runs("list", "--limit", "1")
    assert.match(few.stdout, /^refund-17/)
    assert.strictEqual(few.stderr, "Only the newest 1 are shown: --limit shows more.\n")
    assert.strictEqual((await runs("list", "--status", "pending")).stderr, "No run is pending.\n")
    await assertRefused(2, /limit must be a whole number/, "list", "--limit", "0")
    await assertRefused(2, /status/, "list", "--status", "asleep")
  })

  it("says that more runs exist only if they do, and suggests a higher --limit only if it is possible", async () => {
    await within(
      Effect.gen(function* () {
        const memory = yield* Memory.Memory
        const { id } = yield* memory.commit(yield* Thought.make("many"))
        const begins = Array.from({ length: 501 }, (_, number) =>
          newRun(id, { id: `run-${number}`, createdMillis: noon + number })
        )
        yield* memory.ledger.record({ runId: "run-0", epoch: 1, begins })
      }),
      "many"
    )
    assert.strictEqual((await runs("list", "--limit", "3")).stderr, "")
    const listed = async (limit: number) => {
      const { stderr, stdout } = await runs("list", "--scope", "many", "--limit", String(limit))
      return [stdout.match(/^run-/gm)?.length, stderr]
    }
    assert.deepStrictEqual(await listed(499), [499, "Only the newest 499 are shown: --limit shows more.\n"])
    assert.deepStrictEqual(await listed(500), [500, "Only the newest 500 are shown.\n"])
  })

  it("leads to the notes of a run: memory show takes its id", async () => {
    const shown = await cogito(["show", "t-1", ...place()])
    assert.match(shown.stdout, /^Thought \S+\nTrace .*\nIntent {2}t-1\n/)
    assert.match(shown.stdout, /urgent {2}from decide {2}at triage\/urgent {2}/)
    const { thought } = JSON.parse((await cogito(["show", "t-1", "--json", ...place()])).stdout)
    assert.strictEqual(thought.id, (await json("show", "t-1")).run.thoughtId)
    const unknown = await cogito(["show", "t-2\u001b", ...place()])
    assert.deepStrictEqual(
      [unknown.code, unknown.stdout, unknown.stderr],
      [
        1,
        "",
        'cogito: No run, thought or trace has the id "t-2\\u001b" in the scope "local": check the id and --scope.\n'
      ]
    )
  })

  it("shows steps, calls and questions in order, with what they cost", async () => {
    const { stdout } = await runs("show", "refund-17")
    // what a text holds is no command for a terminal
    assert.notInclude(stdout, "\u001b")
    const shown = stdout
      .split("\n")
      .flatMap((line) => /^\S+Z {2}(\w+ {2}\S+(?: #\d+)?) {2}(.*)/.exec(line)?.slice(1, 3) ?? [])
    const lines = Object.fromEntries(Array.from({ length: shown.length / 2 }, (_, i) => shown.slice(2 * i, 2 * i + 2)))
    assert.match(lines["step  /refund"], /^sequence, waiting, /)
    assert.match(lines["step  /refund/fraud"], /^decide, completed, \d+ ms$/)
    assert.match(lines["call  /refund/fraud #0"], /^\w+, answered, \d+ ms, 9 tokens in, 3 out, 0 USD, house \(m-1\)$/)
    assert.match(lines["wait  /refund/people/amount"], /^open, until \S+Z$/)
    assert.deepStrictEqual(Object.keys(lines).slice(0, 3), [
      "step  /refund",
      "step  /refund/fraud",
      "call  /refund/fraud #0"
    ])
    assert.match(stdout, /^\d steps; 1 model call, 9 tokens in, 3 out, 0 USD; 2 questions, 2 open\.$/m)
    assert.include(stdout, "  | May we refund «order 17[U+001B][2J»?")
    assert.include(stdout, `  npx cogito runs answer refund-17 ok yes --data-dir ${at("memory")}\n`)
    assert.include(stdout, "  (VALUE is JSON: number)")
    assert.include(stdout, "\n\nfraud: no 90 %\n\n")
    const last = `As a page: npx cogito report refund-17 --out run.html --data-dir ${at("memory")}\n`
    assert.isTrue(stdout.endsWith(`\n\n${last}`), stdout)

    const { calls, questions, run, steps, totals } = await json("show", "refund-17")
    assert.strictEqual(run.status, "waiting")
    assert.deepInclude(
      steps.find(({ frame }: any) => frame === "/refund/fraud"),
      { kind: "decide", outcome: "completed" }
    )
    assert.deepInclude(calls[0], {
      frame: "/refund/fraud",
      n: 0,
      state: "answered",
      attempt: 1,
      provider: "house",
      model: "m-1",
      usage: { inputTokens: 9, outputTokens: 3 }
    })
    assert.sameDeepMembers(
      questions.map(({ key, schema: { type } }: any) => [key, type]),
      [
        ["ok", "object"],
        ["amount", "number"]
      ]
    )
    assert.deepInclude(totals, { modelCalls: 1, failedCalls: 0, questions: 2, openQuestions: 2 })
    await assertRefused(1, /There is no run "refund-18" in this scope: npx cogito runs list/, "show", "refund-18")
    await assertRefused(1, /There is no run/, "show", "refund-17", "--scope", "other")
  })

  it("refuses answers that do not fit, and says what fits", async () => {
    const answer = (...args: ReadonlyArray<string>) => ["answer", "refund-17", ...args] as const
    await assertRefused(2, /The answer "maybe" is not JSON\. A text needs quotes/, ...answer("ok", "maybe"))
    for (const value of ["9007199254740993", "[90071992547409.93]"]) {
      await assertRefused(2, /has a number with more digits than can be kept\./, ...answer("ok", value))
    }
    await assertRefused(2, /--reason goes with yes or no/, ...answer("amount", "3", "--reason", "x"))
    await assertRefused(2, /--by is empty/, ...answer("ok", "yes", "--by", " "))
    await assertRefused(
      1,
      /does not fit the question "ok": .*"approved" is missing.* yes or no, or \{approved/,
      ...answer("ok", "{}")
    )
    await assertRefused(1, /"amount": expected number\. It must be JSON of number\./, ...answer("amount", '"much"'))
    await assertRefused(
      1,
      /"amount" is not one of yes or no: answer it with JSON that fits number/,
      ...answer("amount", "yes")
    )
    await assertRefused(1, /does not ask "okay": it asks "\w+", "\w+"\./, ...answer("okay", "yes"))
    await assertRefused(1, /There is no run "refund-18"/, "answer", "refund-18", "ok", "yes")
    await assertRefused(1, /does not ask "x": it has no open question/, "answer", "t-1", "x", "yes")
    assert.lengthOf((await json("list")).runs[0].questions, 2)
  })

  it("takes the first answer to a question, and says of it what was answered, by whom and when", async () => {
    const first = await runs("answer", "refund-17", "ok", "no", "--by", "jane", "--reason", "too late")
    assert.deepStrictEqual(
      [first.code, first.stdout],
      [0, 'Answered "ok" of the run refund-17.\nIt has 1 open question left: amount.\n'],
      first.stderr
    )
    await assertRefused(
      1,
      /"ok" of the run "refund-17" is closed: answered by jane at \d{4}-\S+Z: \{"approved":false,"reason":"too late"\}\. The first/,
      "answer",
      "refund-17",
      "ok",
      "yes"
    )
    const { questions } = await json("show", "refund-17")
    const { amount: _, ok } = Object.fromEntries(questions.map((question: any) => [question.key, question]))
    assert.deepInclude(ok, { value: { approved: false, reason: "too late" }, by: "jane" })
    const shown = await runs("show", "refund-17")
    assert.match(shown.stdout, /^ {4}answered by jane at \S+Z: /m)
  })

  it("takes yes and no for a boolean as well", async () => {
    await within(
      Effect.forEach(["check-1", "check-2"], (id) =>
        Effect.flatMap(Thought.make(id), (thought) => Effect.exit(Pipeline.run(check, thought, { durable: { id } })))
      )
    )
    const shown = await runs("show", "check-1")
    assert.include(shown.stdout, `  npx cogito runs answer check-1 damaged yes --data-dir ${at("memory")}\n  (or no)\n`)
    const answer = (...args: ReadonlyArray<string>) => ["answer", "check-1", "damaged", ...args] as const
    await assertRefused(1, /"damaged" takes no reason: leave out --reason/, ...answer("yes", "--reason", "it broke"))
    await assertRefused(1, /It must be yes or no, or boolean\./, ...answer("1"))
    assert.strictEqual((await json(...answer("no"))).value, false)
    assert.strictEqual((await json("answer", "check-2", "damaged", "yes")).value, true)
  })

  it("says so if its layer waits for something that never happens", async () => {
    const effect = pathToFileURL(join(root, "node_modules", "effect", "dist", "index.js")).href
    const never = `import { Effect, Layer } from "${effect}"
export { refund } from "${pathToFileURL(steps).href}"
export const layer = Layer.effectDiscard(Effect.never)`
    const args = ["resume", "refund-17", "--steps", module("never.ts", never), ...place()]
    const ended = await spawned(args, { command: "runs" })
    const line = `cogito: The layer of "${at("never.ts")}" has failed: it waits for something that never happens.\n`
    assert.deepStrictEqual(ended, { code: 1, stdout: "", stderr: line })
  })

  it("resumes a run that still waits, and prints its questions and how to answer them", async () => {
    const ended = await runs("resume", "refund-17", "--steps", steps)
    assert.strictEqual(ended.code, 0, ended.stderr)
    assert.match(
      ended.stdout,
      /^Made 0 model calls\. The ledger has saved 1 model call\.\nThe run refund-17 waits for 1 answer:\n\namount, until /
    )
    assert.include(ended.stdout, `npx cogito runs answer refund-17 amount VALUE --data-dir ${at("memory")}`)
  })

  it("resumes an answered run in a process of its own, and says what the ledger has saved, and nothing that the code logs", async () => {
    assert.deepInclude(await json("answer", "refund-17", "/refund/people/amount", "49.9"), {
      run: "refund-17",
      key: "amount",
      value: 49.9,
      openQuestions: 0
    })
    const { stdout: answered } = await runs("list", "--status", "waiting")
    assert.match(answered, /^refund-17 {2}waiting .*\n {4}thought \S+; answered: resume it to go on\n/m)
    const code = module(
      "logging.ts",
      `import { Effect, Layer } from "${pathToFileURL(join(root, "node_modules", "effect", "dist", "index.js")).href}"
import { layer as before, refund } from "${pathToFileURL(steps).href}"
export { refund }
export const layer = Layer.merge(before, Layer.effectDiscard(Effect.log("layer built")))\n`
    )
    const ended = await spawned(["resume", "refund-17", "--steps", code, ...place()], { command: "runs" })
    assert.strictEqual(ended.code, 0, ended.stderr)
    assert.match(ended.stderr, /layer built/)
    assert.notInclude(ended.stdout, "layer built")
    const [made, completed, notes] = ended.stdout.split("\n")
    assert.strictEqual(made, "Made 1 model call, 9 tokens in, 3 out, 0 USD. The ledger has saved 1 model call.")
    assert.strictEqual(completed, "The run refund-17 is completed.")
    const [, thoughtId = ""] = /^Its notes: npx cogito memory show (\S+) --data-dir /.exec(notes ?? "") ?? []
    const shown = await cogito(["show", thoughtId, "--json", ...place()])
    const keys = JSON.parse(shown.stdout).notes.map(({ key }: any) => key)
    assert.deepStrictEqual(keys, ["message", "fraud", "ok", "amount", "happy"])
    const again = await json("resume", "refund-17", "--steps", steps)
    assert.deepInclude(again, { saved: 2, made: 0 })
    await assertRefused(1, /is closed: answered at/, "answer", "refund-17", "amount", "3")
  })

  it("resumes a failed run, which tries again only what it failed with", async () => {
    await assertRefused(
      1,
      /A step of the run "order-1" has failed\. order\/ship failed after .*Closed/,
      "resume",
      "order-1",
      "--steps",
      steps
    )
    writeFileSync(open, "")
    const resumed = await json("resume", "order-1", "--steps", steps)
    assert.deepInclude(resumed, { saved: 1, made: 0, questions: [] })
    assert.strictEqual((await json("show", "order-1")).run.status, "completed")
  })

  it("repeats a run with another note, and prints what has changed and what it cost", async () => {
    const args = ["rerun", "t-1", "--note", "message=The site is down", "--steps", steps]
    const ended = await runs(...args)
    assert.strictEqual(ended.code, 0, ended.stderr)
    assert.match(
      ended.stdout,
      /^The run \S+ repeats t-1\.\nReused 0 answers; made 2 model calls, 18 tokens in, 6 out, 0 USD\.\n1 note changed, 1 is the same\.\n\nurgent {2}at triage\/urgent\nbefore:\n {2}\| \{"decision":false.*\nafter:\n {2}\| \{"decision":true/
    )
    const same = await json("rerun", "t-1", "--from", "urgent", "--steps", steps)
    assert.deepInclude(same, { repeats: "t-1", reused: 1, made: 1 })
    assert.strictEqual(same.run.parent, "t-1")
    assert.deepStrictEqual(
      same.notes.map(({ isSame, key }: any) => [key, isSame]),
      [
        ["spam", true],
        ["urgent", true]
      ]
    )
    // the text of a note may have the sign that follows its key
    const sums = await json("rerun", "t-1", "--note", "message=1 + 1 = 2", "--steps", steps)
    const { notes } = JSON.parse((await cogito(["show", sums.run.thoughtId, "--json", ...place()])).stdout)
    const messages = notes.filter(({ key }: any) => key.startsWith("message"))
    assert.deepInclude(messages.at(-1), { key: "message", content: "1 + 1 = 2" })
    await assertRefused(
      2,
      /--note "x" names no note: write --note key=text/,
      "rerun",
      "t-1",
      "--note",
      "x",
      "--steps",
      steps
    )
    const twice = ["rerun", "t-1", "--note", "message=a", "--note", "message=b", "--steps", steps]
    await assertRefused(2, /--note names a key twice: give each note once/, ...twice)
    await assertRefused(
      1,
      /no step "urgnt" for `from`: it has "triage", "spam", "urgent"/,
      "rerun",
      "t-1",
      "--from",
      "urgnt",
      "--steps",
      steps
    )
    await assertRefused(1, /no step "" for `from`/, "rerun", "t-1", "--from", "", "--steps", steps)
    await assertRefused(
      1,
      /answers of the run "order-1" were not kept.*keep: "answers"/,
      "rerun",
      "order-1",
      "--steps",
      steps
    )
  })

  it("builds a document, with the services of a module", async () => {
    const text = (question: string) => `cogito: 1
name: triage
step:
  type: sequence
  name: triage
  steps:
    - { type: decide, key: spam, question: Is this spam? }
    - { type: decide, key: urgent, question: "${question}" }
`
    writeFileSync(at("triage.yaml"), text("Must we act today?"))
    const changed = await json("rerun", "t-1", "--spec", at("triage.yaml"), "--steps", steps)
    assert.deepInclude(changed, { reused: 1, made: 1 })
    writeFileSync(at("broken.yaml"), "cogito: 1\nname: triage\n")
    const broken = await runs("resume", "t-1", "--spec", at("broken.yaml"))
    assert.deepStrictEqual([broken.code, broken.stdout], [1, ""])
    assert.match(broken.stderr, /^cogito: \S+broken\.yaml[^\n]* problem/)
  })

  it("builds a document that reads a note with which the run began", async () => {
    const url = (...path: ReadonlyArray<string>) => pathToFileURL(join(root, ...path)).href
    const registry = module(
      "registry.mjs",
      `import { Schema } from "${url("node_modules", "effect", "dist", "index.js")}"
import { Note } from "${url("src", "index.ts")}"
import { Spec } from "${url("src", "spec", "index.ts")}"
const message = Note.handle("message", Schema.String)
export const layer = house
export const registry = Spec.registry({ readers: { ask: Note.prompt\`Is \${message} urgent?\` }, handles: [message] })`
    )
    const text = `cogito: 1
name: triage
step: { type: sequence, name: triage, steps: [{ type: decide, key: spam, question: { reader: ask } }] }
`
    writeFileSync(at("reads.yaml"), text)
    const changed = await json("rerun", "t-1", "--spec", at("reads.yaml"), "--steps", registry)
    assert.deepInclude(changed, { reused: 0, made: 1 })
    const missing = await runs("rerun", "t-1", "--spec", at("reads.yaml"))
    assert.strictEqual(missing.code, 1)
    assert.match(missing.stderr, /no reader "ask" in the registry[^]*The registry is empty: [^\n]* --steps/)
  })

  it("says which code it needs", async () => {
    const resume = (...args: ReadonlyArray<string>) => ["resume", "order-2", ...args] as const
    rmSync(open, { force: true })
    await within(
      Effect.flatMap(Thought.make("order-2", { message: "a chair" }), (thought) =>
        Effect.exit(Pipeline.run(order, thought, { durable: { id: "order-2" } }))
      )
    )
    await assertRefused(2, /Name the code of the pipeline: --steps .* or --spec/, ...resume())
    await assertRefused(1, /nowhere\.ts cannot be loaded: /, ...resume("--steps", at("nowhere.ts")))
    await assertRefused(
      1,
      /throws\.mjs cannot be loaded: no luck/,
      ...resume("--steps", module("throws.mjs", 'throw new Error("no luck\\nat all")'))
    )
    await assertRefused(
      1,
      /"order", which \S+empty\.mjs does not have: it exports no step/,
      ...resume("--steps", module("empty.mjs", ""))
    )
    const other = 'export default [Primitive.decide("other", { question: "?" })]'
    await assertRefused(
      1,
      /which \S+other\.mjs does not have: it has "other"/,
      ...resume("--steps", module("other.mjs", other))
    )
    const changed = `export const layer = house
      export const order = Pipeline.sequence("order", [Primitive.decide("stock", { question: "Is it there?" })])`
    await assertRefused(
      1,
      /The pipeline has changed since the run "order-2" began, at .* or repeat it with the new code/,
      ...resume("--steps", module("changed.mjs", changed))
    )
    await assertRefused(
      1,
      /The export "layer" of \S+nolayer\.mjs is no Layer/,
      ...resume("--steps", module("nolayer.mjs", "export const layer = 3"))
    )
  })

  it("leaves a run to the process that has it, and takes what a dead one has left", async () => {
    const takes = (owner: string | undefined) =>
      Effect.gen(function* () {
        const { ledger } = yield* Memory.Memory
        const own = (yield* ledger.load("order-2"))?.run.owner ?? ""
        return yield* ledger.claim("order-2", { owner: owner ?? own, millis: 600_000, seize: true })
      })
    // this process, in which the command runs too
    await within(takes(undefined))
    const held = /"order-2" is in progress in another process until \S+Z at least: wait for it/
    await assertRefused(1, held, "resume", "order-2", "--steps", steps)
    await assertRefused(1, held, "remove", "order-2")
    assert.match(
      (await runs("list", "--status", "running")).stdout,
      /; process \S+ has it until \S+Z at least\n {4}stock: no 90 %\n$/
    )

    // it died in the middle of the effect
    await within(
      Effect.gen(function* () {
        const { ledger } = yield* Memory.Memory
        const claim = yield* takes("dead")
        const calls = (yield* ledger.load("order-2"))?.calls ?? []
        const epoch = claim?.run.epoch ?? 0
        const begun = calls
          .filter(({ kind }) => kind === "effect")
          .map((call) => ({ ...call, state: "begun" as const, response: undefined, endedMillis: undefined, epoch }))
        yield* ledger.record({ runId: "order-2", epoch, calls: begun })
      })
    )
    const left = "its process has ended: resume it to go on"
    assert.include((await runs("list", "--status", "running")).stdout, `; ${left}\n`)
    assert.include((await runs("show", "order-2")).stdout, `Owner    ${left}\n`)
    const resume = ["resume", "order-2", "--steps", steps] as const
    const unknown = /not known whether the effect of the step "\/order\/ship" .* with --on-interrupted rerun/
    await assertRefused(1, unknown, ...resume, "--on-interrupted", "fail")
    await assertRefused(1, /A step of the run "order-2" has failed\./, ...resume)
    await within(takes("dead"))
    const removed = await runs("remove", "order-2")
    assert.match(removed.stdout, /^Removed the run order-2: /, removed.stderr)
  })

  it("removes a run, and says what it has deleted and what stays", async () => {
    const ended = await runs("remove", "refund-17")
    assert.match(
      ended.stdout,
      /^Removed the run refund-17: \d steps, \d+ calls, 2 questions\.\nIts thought \S+ stays, with its notes\.\n$/
    )
    await assertRefused(1, /There is no run "refund-17"/, "remove", "refund-17")
    assert.notInclude(JSON.stringify(await json("list")), "refund-17")
  })

  it("shows the most that calls without a known outcome can have used, and does not add it to the totals", async () => {
    const model = Testing.scripted(
      ({ messages }) =>
        messages.at(-1)?.text.includes("slow") === true
          ? Effect.never
          : { decision: true, confidence: 0.9, reasoning: ["it says so"] },
      { usage: { inputTokens: 9, outputTokens: 3 } }
    )
    const decide = (name: string) => Primitive.decide(name, { question: `Is it ${name}?` })
    const race = Pipeline.race("first", [decide("slow"), decide("quick")])
    await within(
      Effect.flatMap(Thought.make("race"), (thought) =>
        Effect.exit(Pipeline.run(race, thought, { durable: { id: "race-1" } }))
      ).pipe(Effect.provide(model.layer))
    )
    const { stdout } = await runs("show", "race-1")
    assert.match(stdout, /call {2}\/first\/slow #0 {2}[^\n]*interrupted[^\n]*\n?[^\n]*at most \d+ tokens in/)
    assert.match(
      stdout.replaceAll(/\n +/g, " "),
      /; 2 model calls, 9 tokens in, 3 out, 0 USD, \+ at most \d+ tokens in, \d+ out, 0 USD of 1 call without a known outcome; /
    )
    const { calls, totals } = await json("show", "race-1")
    const slow = calls.find(({ frame }: any) => frame === "/first/slow")
    assert.isTrue(slow.isBound)
    assert.deepInclude(totals.usage, { inputTokens: 9, outputTokens: 3 })
    assert.deepStrictEqual(totals.atMost, { calls: 1, usage: slow.usage, usd: slow.usd })
  })

  it("counts a call that has failed among what the ledger has saved, as it is not made again", async () => {
    const model = Testing.scripted([providerError("Authentication")], { name: "house", model: "m-1" })
    await within(
      Effect.flatMap(Thought.make("doubt", { message: "order 18" }), (thought) =>
        Effect.exit(Pipeline.run(doubt, thought, { durable: { id: "doubt-1" } }))
      ).pipe(Effect.provide(model.layer))
    )
    await json("answer", "doubt-1", "person", '"none"')
    const resumed = await json("resume", "doubt-1", "--steps", steps)
    assert.deepInclude(resumed, { saved: 1, made: 0 })
    assert.strictEqual((await json("show", "doubt-1")).run.status, "completed")
  })

  it("asks for the frame of a question while its key is that of two, and takes the key of the last open one", async () => {
    const size = (place: string) =>
      Pipeline.sequence(place, [Pipeline.waitFor("size", { schema: Schema.Finite, prompt: `How long is ${place}?` })])
    const both = Pipeline.concurrent("both", [size("left"), size("right")], { conflicts: "last" })
    await within(
      Effect.flatMap(Thought.make("sizes"), (thought) =>
        Effect.exit(Pipeline.run(both, thought, { durable: { id: "sizes-1" } }))
      )
    )
    const [left, right] = ["/both/left/size", "/both/right/size"]
    const answer = (...args: ReadonlyArray<string>) => ["answer", "sizes-1", ...args] as const
    const twice = `cogito: The run "sizes-1" asks "size" 2 times: name one of "${left}", "${right}" instead.\n`
    assert.deepStrictEqual(await runs(...answer("size", "1")), { code: 1, stdout: "", stderr: twice })
    assert.deepStrictEqual(await runs(...answer("length", "1")), {
      code: 1,
      stdout: "",
      stderr: `cogito: The run "sizes-1" does not ask "length": it asks "${left}", "${right}".\n`
    })
    const { stdout } = await runs("show", "sizes-1")
    for (const frame of [left, right]) assert.include(stdout, ` runs answer sizes-1 ${frame} VALUE `)
    assert.deepStrictEqual(await runs(...answer(left, "1")), {
      code: 0,
      stdout: `Answered "size" of the run sizes-1.\nIt has 1 open question left: ${right}.\n`,
      stderr: ""
    })
    await assertRefused(1, /"size" of the run "sizes-1" is closed: answered at \S+Z: 1\./, ...answer(left, "3"))
    assert.deepStrictEqual(await json(...answer("size", "2", "--by", "jane")), {
      run: "sizes-1",
      key: "size",
      frame: right,
      value: 2,
      by: "jane",
      openQuestions: 0
    })
    await assertRefused(1, /"size" of the run "sizes-1" is closed: /, ...answer("size", "3"))
    const { questions } = await json("show", "sizes-1")
    assert.sameDeepMembers(
      questions.map(({ by, frame, value }: any) => [frame, value, by]),
      [
        [left, 1, undefined],
        [right, 2, "jane"]
      ]
    )
  })

  it("comes to a fork when it leaves its thought: memory show takes the fork for the run", async () => {
    const forgetful = Pipeline.sequence("forgetful", [Primitive.forget("without", { drop: ["message"] })])
    const [from, to] = await within(
      Effect.gen(function* () {
        const thought = yield* Thought.make("forgets", { message: "old", kept: "new" })
        const done = yield* Pipeline.run(forgetful, thought, { durable: { id: "forgets-1" } })
        return [thought.id, done.id]
      })
    )
    assert.notStrictEqual(from, to)
    assert.strictEqual((await json("show", "forgets-1")).run.thoughtId, to)
    const { thought } = JSON.parse((await cogito(["show", "forgets-1", "--json", ...place()])).stdout)
    assert.deepStrictEqual([thought.id, thought.ancestors], [to, [from]])
    const shown = await cogito(["show", "forgets-1", ...place()])
    assert.include(shown.stdout, `Thought ${to}\n`)
    assert.include(shown.stdout, `Forked  from ${from}\n`)
  })

  it("lists the last five answers of a run, and how many there are before them", async () => {
    const ask = (count: number) =>
      Pipeline.sequence(
        `ask ${count}`,
        Array.from({ length: count }, (_, i) => Primitive.decide(`q${i + 1}`, { question: "Is it so?" }))
      )
    await within(
      Effect.forEach([5, 7], (count) =>
        Effect.flatMap(Thought.make("asks"), (thought) =>
          Pipeline.run(ask(count), thought, { durable: { id: `asks-${count}` } })
        )
      )
    )
    const { stdout } = await runs("list", "--limit", "2")
    const answers = (from: number, to: number) =>
      Array.from({ length: to - from + 1 }, (_, i) => `q${from + i}: no 90 %`).join("; ")
    assert.include(stdout, `\n    2 more; ${answers(3, 7)}\n`)
    assert.include(stdout, `\n    ${answers(1, 5)}\n`)
  })

  it("takes yes in capitals and between spaces", async () => {
    await within(
      Effect.flatMap(Thought.make("checks"), (thought) =>
        Effect.exit(Pipeline.run(check, thought, { durable: { id: "check-yes" } }))
      )
    )
    const answered = await json("answer", "check-yes", "damaged", " YES ", "--by", "jane")
    assert.deepInclude(answered, { value: true, by: "jane", openQuestions: 0 })
  })
})
