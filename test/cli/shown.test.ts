import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { Memory, Pipeline, Step, Thought } from "cogito"
import { PgliteMemory } from "cogito/pglite"
import { Testing } from "cogito/testing"
import { Effect, Schema, Stream } from "effect"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { manifest } from "../../scripts/run.ts"
import { prefill } from "../pglite/prefilled.ts"
import { cogito, type Ended } from "./cogito.ts"
import { keepOpen } from "./keptOpen.ts"

/**
 * A fork of a fork with a note of a step and a redacted note, thirteen notes about parcels, of which two are equal, and 23 equal
 * notes about kites.
 */
const plant = Effect.gen(function* () {
  const memory = yield* Memory.Memory
  const first = yield* memory.commit(yield* Thought.make("first", { secret: "my number is 4711" }))
  const second = yield* memory.commit(yield* Thought.fork(first))
  const size = Step.make("size", { schema: Schema.Finite, run: () => 12 })
  const third = yield* Pipeline.run(Pipeline.sequence("measure", [size]), yield* Thought.fork(second))
  // so that the redaction is later than the note
  yield* Effect.sleep("2 millis")
  yield* memory.redact(Thought.notes(first)[0]?.id ?? "")
  for (let number = 0; number < 13; number++) {
    yield* memory.commit(yield* Thought.make("report", { message: `parcel ${Math.max(1, number)} was lost` }))
  }
  for (let number = 0; number < 23; number++) yield* memory.commit(yield* Thought.make("seen", { sight: "a kite" }))
  const archive = `${(yield* Stream.runCollect(Memory.exportLines())).join("\n")}\n`
  return { archive, first: first.id, second: second.id, third: third.id }
}).pipe(Effect.provide(Testing.memory), Effect.orDie)

describe("what cogito memory prints", { timeout: 180_000 }, () => {
  let folder = ""
  let planted = { archive: "", first: "", second: "", third: "" }
  const memory = () => join(folder, "memory")
  const run = (args: ReadonlyArray<string>, around: { readonly input?: string } = {}): Promise<Ended> =>
    cogito([...args, "--data-dir", memory()], {
      ...around,
      // gives way to the folder that is named
      env: { DATABASE_URL: "postgres://nobody@127.0.0.1:1/none" }
    })

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), "cogito-shown-"))
    planted = await Effect.runPromise(plant)
    await prefill(memory())
    const ended = await run(["import", "-"], { input: planted.archive })
    assert.deepStrictEqual(
      [ended.code, ended.stdout, ended.stderr],
      [
        0,
        "Imported 39 thoughts; 0 were there already.\n",
        "Their notes are embedded by the next program that opens this memory.\n"
      ]
    )
  })
  afterAll(() => {
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
  })
  keepOpen()

  it("of a fork has where it is from, nearest first, and whose each note is", async () => {
    const { code, stderr, stdout } = await run(["show", planted.third])
    assert.deepStrictEqual([code, stderr], [0, ""])
    assert.include(stdout, `\nForked  from ${planted.second}, from ${planted.first}\n`)
    assert.match(stdout, new RegExp(`^#1 .*  secret  .*  of ${planted.first}$`, "m"))
    assert.match(stdout, /^#2 {2}\S+  size {2}from \S+ {2}at measure\/size  untrusted$/m, stdout)
    assert.notMatch(stdout, /^#1 .*  at /m)
  })

  it("of a redacted note is when that was, and none of its text", async () => {
    const text = await run(["show", planted.first])
    assert.match(text.stdout, /^#1 [^\n]*\n {4}\(redacted \d{4}-\d\d-\d\dT[\d:.]+Z\)\n/m)
    assert.notInclude(text.stdout, "  | ")
    const json = await run(["show", planted.first, "--json"])
    const { notes } = JSON.parse(json.stdout)
    assert.include(text.stdout, `    (redacted ${notes[0].redacted})\n`)
    assert.isAbove(Date.parse(notes[0].redacted), Date.parse(notes[0].created))
    assert.notInclude(`${text.stdout}${json.stdout}`, "4711")
  })

  it("is ten notes at most where no limit is given, each numbered, with how many copies it has", async () => {
    const found = await run(["search", "parcel"])
    assert.strictEqual(found.code, 0, found.stderr)
    const heads = found.stdout.split("\n").filter((line) => /^\d+\. /.test(line))
    assert.deepStrictEqual(
      heads.map((line) => Number.parseInt(line)),
      [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]
    )
    for (const line of heads) assert.match(line, /^\d+\. {2}message #1 {2}/)
    assert.lengthOf(
      heads.filter((line) => line.endsWith("  2 copies")),
      1
    )
    // the thought of the other copy
    const folded = heads.find((line) => line.endsWith("  2 copies"))!
    const [, own = "", other = ""] =
      /^[^\n]*\n {4}thought (\S+?)[,:][^\n]*\n {4}also in (\S+)\n/.exec(
        found.stdout.slice(found.stdout.indexOf(folded))
      ) ?? []
    assert.lengthOf(found.stdout.split("    also in "), 2)
    assert.notStrictEqual(other, own)
    const shown = await run(["show", other])
    assert.include(shown.stdout, `Thought ${other}\n`)
    assert.match(shown.stdout, /parcel/)
    const all = await run(["search", "parcel", "--limit", "500", "--json"])
    assert.strictEqual(all.code, 0, all.stderr)
    assert.strictEqual(JSON.parse(all.stdout).matches.length, 12)
  })

  it("names at most twenty thoughts with a copy, and shows if there are more", async () => {
    const { stdout } = await run(["search", "kite", "--embedder", "none"])
    const [head = "", , also = "", ...rest] = stdout.split("\n")
    assert.match(head, /^1\. {2}sight #1 {2}\S+ {2}score \S+ {2}23 copies$/)
    const [, ids = ""] = /^ {4}also in (.*) …$/.exec(also) ?? []
    assert.strictEqual(new Set(ids.split(", ")).size, 20)
    assert.deepStrictEqual(rest, ["  | a kite", ""])
  })

  it("goes to the standard output where the file is named -", async () => {
    const exported = await run(["export", "-"])
    assert.deepStrictEqual([exported.code, exported.stderr], [0, "Exported 39 thoughts.\n"])
    assert.strictEqual(exported.stdout, planted.archive)
  })

  it("of a migration is the embedders that the memory has, too", async () => {
    const before = await run(["migrate"])
    assert.deepStrictEqual([before.code, before.stdout], [0, "The memory's schema was up to date.\n"])
    const embedded = await run(["search", "parcel", "--limit", "1", "--embedder", "local"])
    assert.strictEqual(embedded.code, 0, embedded.stderr)
    const after = await run(["migrate"])
    assert.match(after.stdout, /^The memory's schema was up to date\.\nVectors of \S.*, \d+ dimensions: active\n$/)
  })

  it("of a search has how many notes had no vector, and the search gives them none", async () => {
    await Effect.runPromise(
      Effect.flatMap(Thought.make("late", { message: "the parcel came late" }), Memory.commit).pipe(
        Effect.provide(PgliteMemory.layer({ dataDir: memory(), embedder: "none" }))
      )
    )
    for (let time = 0; time < 2; time++) {
      const found = await run(["search", "the parcel came late", "--limit", "2"])
      const heads = found.stdout.split("\n").filter((line) => /^\d+\. /.test(line))
      assert.strictEqual(found.stderr, "1 note had no vector yet: found by words only.\n")
      assert.lengthOf(heads, 2)
      assert.include(found.stdout, "the parcel came late")
      for (const line of heads) assert.match(line, /  similarity \d\.\d\d/)
    }
    const { stdout } = await run(["search", "the parcel came late", "--limit", "1", "--json"])
    assert.deepStrictEqual(JSON.parse(stdout).arms, { vector: "partial", lexical: "ok", pending: 1 })
  })

  it("of runs is the last five answers, and what a removal has deleted", async () => {
    const runs = (...args: ReadonlyArray<string>) => cogito([...args, "--data-dir", memory()], { command: "runs" })
    const note = (key: string) => Step.make(key, { schema: Schema.String, run: () => `the ${key}` })
    const six = Pipeline.sequence("six", ["a", "b", "c", "d", "e"].map(note))
    const asks = Pipeline.concurrent("people", {
      f: Pipeline.waitFor("f", { schema: Schema.String, prompt: "Who?" }),
      g: Pipeline.waitFor("g", { schema: Schema.String, prompt: "When?" })
    })
    const begun = Effect.forEach(
      [
        ["five", six],
        ["seven", Pipeline.sequence("seven", [six, note("h"), note("i"), asks])]
      ] as ReadonlyArray<readonly [string, Step.Any]>,
      ([id, step]) =>
        Effect.flatMap(Thought.make(id), (thought) =>
          Effect.exit(
            Pipeline.run(step, thought, { durable: { id } }) as Effect.Effect<unknown, unknown, Memory.Memory>
          )
        )
    )
    await Effect.runPromise(Effect.provide(begun, PgliteMemory.layer({ dataDir: memory(), embedder: "none" })))
    const { stdout } = await runs("list")
    assert.deepStrictEqual(
      stdout.split("\n").filter((line) => line.includes(": the ")),
      [
        "    2 more; c: the c; d: the d; e: the e; h: the h; i: the i",
        "    a: the a; b: the b; c: the c; d: the d; e: the e"
      ]
    )
    assert.match(
      (await runs("remove", "seven")).stdout,
      /^Removed the run seven: 12 steps, 7 calls, 2 questions \(2 open\)\.\n/
    )
    const removed = JSON.parse((await runs("remove", "five", "--json")).stdout)
    assert.deepInclude(removed, { removed: "five", steps: 6, calls: 5, questions: 0 })
  })

  it("is the program's name and version when that is asked for", async () => {
    const ended = await cogito(["--version"])
    const { version } = manifest()
    assert.deepStrictEqual([ended.code, ended.stdout, ended.stderr], [0, `cogito v${version}\n`, ""])
  })
})
