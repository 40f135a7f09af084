/** Runs that the command line begins, and pipelines that it checks. */
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import { root } from "../../../scripts/run.ts"
import { prefill } from "../../pglite/prefilled.ts"
import { cogito, type Ended } from "../cogito.ts"
import { keepOpen } from "../keptOpen.ts"

const timeout = 180_000
const folder = mkdtempSync(join(tmpdir(), "cogito-start-"))
const at = (name: string) => join(folder, name)
const steps = join(import.meta.dirname, "..", "refunds.ts")
const house = at("house.ts")
const document = at("triage.yaml")
afterAll(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }))
keepOpen()

const runs = (...args: ReadonlyArray<string>): Promise<Ended> => cogito(args, { command: "runs" })
const place = ["--data-dir", at("memory")]

const json = async (...args: ReadonlyArray<string>): Promise<any> => {
  const ended = await runs(...args, "--json")
  assert.strictEqual(ended.code, 0, ended.stderr)
  return JSON.parse(ended.stdout)
}

const assertRefused = async (code: number, line: RegExp, ...args: ReadonlyArray<string>): Promise<void> => {
  const ended = await runs(...args)
  assert.deepStrictEqual([ended.code, ended.stdout], [code, ""], ended.stderr)
  assert.match(ended.stderr, line)
}

beforeAll(async () => {
  await prefill(at("memory"))
  const url = (...path: ReadonlyArray<string>) => pathToFileURL(join(root, ...path)).href
  writeFileSync(
    house,
    `import { Schema } from "${url("node_modules", "effect", "dist", "index.js")}"
import { Note } from "${url("src", "index.ts")}"
import { Spec } from "${url("src", "spec", "index.ts")}"
const message = Note.handle("message", Schema.String)
export { layer } from "${pathToFileURL(steps).href}"
const isDown = Note.from(message, (text) => text.includes("down"))
export const registry = Spec.registry({ readers: { ask: Note.prompt\`Is \${message} urgent?\`, isDown }, handles: [message] })`
  )
  writeFileSync(
    document,
    `cogito: 1
name: triage
step:
  type: sequence
  name: triage
  steps:
    - { type: decide, key: urgent, question: { reader: ask } }
    - { type: filter, name: check, when: { reader: isDown }, step: { type: approve, key: ok, prompt: May we wake Jane? } }
`
  )
}, timeout)

describe("cogito runs start", { timeout }, () => {
  const start = (...args: ReadonlyArray<string>) =>
    ["start", "--spec", document, "--steps", house, ...args, ...place] as const

  it("begins a run of a document with notes, and goes on with it", async () => {
    const ended = await runs(...start("--run", "t-1", "--note", "message=Is the site up?"))
    assert.strictEqual(ended.code, 0, ended.stderr)
    assert.match(
      ended.stdout,
      /^Made 1 model call, 9 tokens in, 3 out[^\n]*\.\nThe run t-1 is completed\.\nIts notes: npx cogito memory show \S+ --data-dir \S+\n$/
    )
    const again = await json(...start("--run", "t-1", "--note", "message=Is the site up?"))
    assert.deepInclude(again, { saved: 1, made: 0 })
    assert.deepInclude(again.run, { id: "t-1", status: "completed", pipeline: "triage" })
    await assertRefused(
      1,
      /^cogito: The run "t-1" began with another intent or other notes: start a run with another id, /,
      ...start("--run", "t-1", "--note", "message=Another")
    )
  })

  it("names a run without an id, and prints what it waits for", async () => {
    const { questions, run } = await json(...start("--note", "message=The site is down", "--intent", "site"))
    assert.deepStrictEqual([run.status, run.pipeline, questions[0].key], ["waiting", "triage", "ok"])
    assert.match(run.id, /^[0-9a-f-]{36}$/)
    const answered = await runs("answer", run.id, "ok", "yes", ...place)
    assert.strictEqual(answered.code, 0, answered.stderr)
    const resumed = await json("resume", run.id, "--spec", document, "--steps", house, ...place)
    assert.strictEqual(resumed.run.status, "completed")
    const shown = await cogito(["show", run.thoughtId, ...place])
    assert.match(shown.stdout, /site/)
    assert.match(shown.stdout, /The site is down/)
  })

  it("keeps the answers for a repetition, if it is told to", async () => {
    const one = ["--steps", steps, "--pipeline", "triage", "--note", "message=Hello", ...place] as const
    await json("start", "--run", "kept", "--keep-answers", ...one)
    const again = await json("rerun", "kept", "--steps", steps, "--note", "message=It is down", ...place)
    assert.strictEqual(again.made, 2)
    await json("start", "--run", "dropped", ...one)
    await assertRefused(1, /answers of the run "dropped" were not kept/, "rerun", "dropped", "--steps", steps, ...place)
  })

  it("says what is missing before anything is stored", async () => {
    await assertRefused(2, /^cogito: The pipeline "triage" reads "message": add --note "message=…"\.\n/, ...start())
    await assertRefused(2, /names no note/, ...start("--note", "message"))
    await assertRefused(
      2,
      /several pipelines: name one with --pipeline: .*"triage"/,
      "start",
      "--steps",
      steps,
      ...place
    )
    const other = ["start", "--steps", steps, "--pipeline", "tirage", ...place] as const
    await assertRefused(2, /no pipeline "tirage": it has "refund", "order", "triage"/, ...other)
    await assertRefused(1, /no reader "ask"[^]*registry is empty/, "start", "--spec", document, ...place)
    await assertRefused(1, /exports no step/, "start", "--steps", house, ...place)
    const { runs: all } = await json("list", ...place)
    assert.notInclude(
      all.map(({ pipeline }: any) => pipeline),
      "order"
    )
  })
})

describe("cogito runs check", { timeout }, () => {
  it("says what a document reads and writes, without a memory", async () => {
    const ended = await runs("check", "--spec", document, "--steps", house)
    assert.deepStrictEqual(
      [ended.code, ended.stdout, ended.stderr],
      [0, "triage reads message and writes urgent, ok.\n", ""]
    )
    const { pipelines } = await json("check", "--steps", steps)
    assert.deepInclude(pipelines, { name: "triage", reads: [], writes: ["spam", "urgent"] })
  })

  it("says what is wrong with a document, and where", async () => {
    const broken = at("broken.yaml")
    writeFileSync(broken, "cogito: 1\nname: triage\nstep: { type: decde, key: x, question: Is it? }\n")
    await assertRefused(1, /^cogito: \S+broken\.yaml[^]*step\.type[^]*Did you mean "decide"/, "check", "--spec", broken)
    await assertRefused(1, /no such file|cannot be read/i, "check", "--spec", at("none.yaml"))
    await assertRefused(2, /Name the code of the pipeline/, "check")
  })
})
