import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import { root } from "../../scripts/run.ts"
import { type Memory, Pipeline, type Provider, type Step, Thought } from "../../src/index.ts"
import { Local } from "../../src/local/index.ts"
import { PgliteMemory } from "../../src/pglite/index.ts"
import { prefill } from "../pglite/prefilled.ts"
import { cogito } from "./cogito.ts"
import { keepOpen } from "./keptOpen.ts"

const text = readFileSync(join(root, "docs", "durability.md"), "utf8")
const section = /^## From the command line\n([\s\S]*?)^## /m.exec(text)?.[1] ?? ""
const commands = ["list", "show", "check", "start", "answer", "resume", "rerun", "remove"]

const folder = mkdtempSync(join(tmpdir(), "cogito-runs-docs-"))
const at = (name: string) => join(folder, name)
afterAll(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }))
keepOpen()

const sources: Readonly<Record<string, string>> = {
  effect: "node_modules/effect/dist/index.js",
  cogito: "src/index.ts",
  "cogito/local": "src/local/index.ts"
}

/** The module of the section, which finds what it imports from any folder. */
const module = (): string => {
  const code = /^```ts\n([\s\S]*?)^```/m.exec(section)?.[1] ?? ""
  return code.replaceAll(/ from "([^"]+)"/g, (_, name: string) => {
    return ` from "${pathToFileURL(join(root, sources[name] ?? assert.fail(name))).href}"`
  })
}

/** Begins a run of the module, as a program does it. */
const begin = async (id: string, durable: { readonly keep?: "answers" }): Promise<void> => {
  const { layer, refund }: Refund = await import(at("refund.ts"))
  const memory = PgliteMemory.layer({ dataDir: at("memory") }).pipe(Layer.provide(Local.embedder))
  const program = Effect.flatMap(Thought.make("refund", { message: "order 17, 49.90 EUR" }), (thought) =>
    Effect.exit(Pipeline.run(refund, thought, { durable: { id, ...durable } }))
  )
  await Effect.runPromise(Effect.provide(program, Layer.merge(layer, memory)))
}

interface Refund {
  readonly refund: Step.Step<any, any, unknown, Provider.Provider | Memory.Memory>
  readonly layer: typeof Local.extractive
}

/** What differs from run to run. */
const timeless = (text: string): string =>
  text
    .replaceAll(folder + "/", "")
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, "TIME")
    .replaceAll(/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, "ID")

describe("what docs/durability.md says of the command line", { timeout: 300_000 }, () => {
  beforeAll(async () => {
    await prefill(at("memory"))
    writeFileSync(at("refund.ts"), module())
    await begin("refund-17", {})
  }, 300_000)

  it("is what the commands print", async () => {
    const session = /^```console\n([\s\S]*?)^```/m.exec(section)?.[1] ?? ""
    const runs = session.split(/^\$ npx cogito runs /m).slice(1)
    assert.lengthOf(runs, 3)
    for (const run of runs) {
      const [line = "", ...printed] = run.split("\n")
      const args = line.split(" ").map((word) => (/^(memory|refund\.ts)$/.test(word) ? at(word) : word))
      const ended = await cogito(args, { command: "runs" })
      assert.strictEqual(timeless(`${ended.stdout}${ended.stderr}`), timeless(printed.join("\n")))
    }
  })

  it("has every command, and the fields that its JSON has", async () => {
    const rows = new Map(
      Array.from(section.matchAll(/^\| `([a-z]+)` \|.*\| `\{ ([a-zA-Z, ]+) \}`/gm), ([, name = "", keys = ""]) => [
        name,
        keys.split(", ")
      ])
    )
    assert.sameMembers(Array.from(rows.keys()), commands)
    await begin("refund-16", { keep: "answers" })
    const code = ["--steps", at("refund.ts")]
    const args: Readonly<Record<string, ReadonlyArray<string>>> = {
      list: [],
      show: ["refund-16"],
      check: code,
      start: ["--note", "message=order 18, 7 EUR", ...code],
      answer: ["refund-16", "ok", "no", "--by", "jane"],
      resume: ["refund-16", ...code],
      rerun: ["refund-16", ...code],
      remove: ["refund-16"]
    }
    for (const command of commands) {
      const place = command === "check" ? [] : ["--data-dir", at("memory")]
      const ended = await cogito([command, ...(args[command] ?? []), ...place, "--json"], { command: "runs" })
      assert.strictEqual(ended.code, 0, ended.stderr)
      // the model of the example has no price
      const due = (rows.get(command) ?? []).filter((key) => key !== "usd")
      assert.sameMembers(Object.keys(JSON.parse(ended.stdout)), due, command)
    }
  })

  it("is where the list of features leads to", () => {
    assert.include(readFileSync(join(root, "docs", "features.md"), "utf8"), "(durability.md#from-the-command-line)")
  })
})
