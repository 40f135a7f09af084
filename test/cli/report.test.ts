import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Memory, Pipeline, Thought } from "../../src/index.ts"
import { PgliteMemory } from "../../src/pglite/index.ts"
import { prefill } from "../pglite/prefilled.ts"
import { cogito, type Ended, terminals, typing } from "./cogito.ts"
import { keepOpen } from "./keptOpen.ts"
import { layer, triage } from "./refunds.ts"

const folder = mkdtempSync(join(tmpdir(), "cogito-cli-report-"))
const at = (name: string) => join(folder, name)
const place = ["--data-dir", at("memory")]
const report = (args: ReadonlyArray<string>, env: Readonly<Record<string, string>> = {}): Promise<Ended> =>
  cogito([...args, ...place], { command: "report", env })
afterAll(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }))
keepOpen()

let thoughtId = ""

/** The data in a page. */
const dataOf = (html: string): any =>
  JSON.parse(/<script type="application\/json" id="data">(.*)<\/script>/.exec(html)?.[1] ?? "")

const assertRefused = async (code: number, line: RegExp, args: ReadonlyArray<string>): Promise<void> => {
  const ended = await report(args)
  assert.deepStrictEqual([ended.code, ended.stdout], [code, ""], ended.stderr)
  assert.match(ended.stderr, /^cogito: [^\n]+\n$/)
  assert.match(ended.stderr, line)
}

beforeAll(async () => {
  await prefill(at("memory"))
  const memory = PgliteMemory.layer({ dataDir: at("memory") }).pipe(Layer.provide(layer))
  const program = Effect.gen(function* () {
    const start = yield* Thought.make("sort the mail", { message: "It is down" }, { traceId: "mail-1" })
    const done = yield* Pipeline.run(triage, start, { durable: { id: "t-1", keep: "answers" } })
    thoughtId = done.id
    yield* Memory.commit(yield* Thought.make("another one", { message: "Hello" }, { traceId: "mail-2" }))
  })
  await Effect.runPromise(Effect.provide(program, Layer.merge(layer, memory)))
}, 180_000)

describe("cogito report", { timeout: 180_000 }, () => {
  it("writes a page about a run, a thought, or what a trace id names", async () => {
    for (const ref of ["t-1", thoughtId, thoughtId.toUpperCase(), "mail-1"]) {
      const { code, stderr, stdout } = await report([ref])
      assert.deepStrictEqual([code, stderr], [0, ""])
      assert.match(stdout, /^<!doctype html>[\s\S]*<\/html>\n$/)
      const { focus, notes, runs } = dataOf(stdout)
      assert.deepStrictEqual(focus, { thoughtId, runId: "t-1" })
      assert.deepStrictEqual(
        notes.map(({ key }: any) => key),
        ["message", "spam", "urgent"]
      )
      assert.strictEqual(runs[0].calls.length, 2)
    }
  })

  it("writes a page about a thought without a run", async () => {
    const { stdout } = await report(["mail-2"])
    assert.deepInclude(dataOf(stdout), { runs: [] })
  })

  it("writes a file that its user alone can read, and the data as JSON", async () => {
    const file = at("run.html")
    const ended = await report(["t-1", "--out", file])
    assert.deepStrictEqual(ended, {
      code: 0,
      stdout: `Wrote 3 notes and 1 run to ${file}. Open it in a browser.\n`,
      stderr: ""
    })
    assert.match(readFileSync(file, "utf8"), /^<!doctype html>/)
    assert.strictEqual(statSync(file).mode & 0o777, 0o600)
    const json = JSON.parse((await report(["t-1", "--json"])).stdout)
    assert.strictEqual(json.format, "cogito-report/1")
    const named = await report(["t-1", "--json", "--out", at("run.json")])
    assert.deepStrictEqual(JSON.parse(named.stdout), { file: at("run.json"), notes: 3, runs: 1 })
    assert.deepInclude(JSON.parse(readFileSync(at("run.json"), "utf8")), { format: "cogito-report/1" })
  })

  it("holds nothing of the environment", async () => {
    const env = { OPENAI_API_KEY: "sk-canary-1", ANTHROPIC_API_KEY: "sk-canary-2", COGITO_OTHER: "sk-canary-3" }
    const { code, stdout } = await report(["t-1"], env)
    assert.strictEqual(code, 0)
    assert.notInclude(stdout, "sk-canary")
    assert.notInclude(stdout, folder)
  })

  it("is refused for what there is not, and changes nothing", async () => {
    await assertRefused(1, /No run, thought or trace has the id "other" in the scope "local"/, ["other"])
    await assertRefused(1, /check the id and --scope/, ["t-1", "--scope", "somebody-else"])
    await assertRefused(1, /cannot be written/, ["t-1", "--out", at("no/such/folder/run.html")])
    await assertRefused(2, /limit must be a whole number/, ["t-1", "--limit", "0"])
    await assertRefused(2, /Missing required argument/, [])
  })

  it("explains itself", async () => {
    const { code, stdout } = await cogito(["--help"], { command: "report" })
    assert.strictEqual(code, 0)
    for (const text of ["--out file", "--data-dir folder", "npx cogito report", "whoever has"])
      assert.include(stdout, text)
    assert.isAtMost(Math.max(...stdout.split("\n").map(({ length }) => length)), 110)
  })

  it("is written to a terminal as JSON, or elsewhere, but not as a page", async () => {
    const before = Object.getOwnPropertyDescriptor(process.stdout, "isTTY")
    Object.defineProperty(process.stdout, "isTTY", { configurable: true, value: true })
    try {
      for (const out of [[], ["--out", "-"]]) {
        assert.deepStrictEqual(await report(["t-1", ...out]), {
          code: 2,
          stdout: "",
          stderr: "cogito: The page is too long for a terminal: write it to a file with > run.html or --out run.html.\n"
        })
        const { code, stdout } = await report(["t-1", "--json", ...out])
        assert.deepStrictEqual([code, JSON.parse(stdout).format], [0, "cogito-report/1"])
      }
      assert.strictEqual((await report(["t-1", "--out", at("terminal.html")])).code, 0)
    } finally {
      if (before === undefined) Reflect.deleteProperty(process.stdout, "isTTY")
      else Object.defineProperty(process.stdout, "isTTY", before)
    }
  })

  it.skipIf(!terminals)("is refused on a terminal, with what to do instead", async () => {
    const { ended, shown } = await typing(["t-1", ...place], { command: "report" })
    assert.strictEqual(await ended, 2)
    assert.match(shown(), /cogito: The page is too long for a terminal: .*> run\.html or --out run\.html/)
    assert.isFalse(existsSync("run.html"))
  })
})
