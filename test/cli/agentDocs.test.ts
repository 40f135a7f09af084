import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import { root } from "../../scripts/run.ts"
import { commands } from "../../src/cli/agent/message.ts"
import { prefill } from "../pglite/prefilled.ts"
import { spawned } from "./cogito.ts"

const text = readFileSync(join(root, "docs", "agents.md"), "utf8")
const section = /^## In a terminal\n([\s\S]*?)^## /m.exec(text)?.[1] ?? ""

const folder = mkdtempSync(join(tmpdir(), "cogito-agent-docs-"))
const at = (name: string) => join(folder, name)
afterAll(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }))

const sources: Readonly<Record<string, string>> = {
  effect: "node_modules/effect/dist/index.js",
  "effect/ai": "node_modules/effect/dist/ai/index.js",
  "cogito/agent": "src/agent/index.ts",
  "cogito/testing": "src/testing/index.ts"
}

/** The module of the section, which finds what it imports from any folder. */
const module = (): string => {
  const code = /^```ts\n([\s\S]*?)^```/m.exec(section)?.[1] ?? ""
  return code.replaceAll(/ from "([^"]+)"/g, (_, name: string) => {
    return ` from "${pathToFileURL(join(root, sources[name] ?? assert.fail(name))).href}"`
  })
}

const prompt = /^(?:> |Approve\? \(.*\) )/

const timeless = (text: string): string =>
  text.replaceAll(folder + "/", "").replaceAll(/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, "ID")

describe("what docs/agents.md says of the terminal", { timeout: 180_000 }, () => {
  beforeAll(async () => {
    await prefill(at("memory"))
    writeFileSync(at("shop.ts"), module())
  }, 120_000)

  it("is what the program shows for what is typed there", async () => {
    const session = /^```console\n([\s\S]*?)^```/m.exec(section)?.[1] ?? ""
    const [command = "", ...lines] = session.trimEnd().split("\n")
    assert.strictEqual(command, "$ npx cogito agent shop.ts --data-dir memory")
    const typed = lines.filter((line) => prompt.test(line)).map((line) => `${line.replace(prompt, "")}\n`)
    const ended = await spawned([at("shop.ts"), "--data-dir", at("memory"), "--interactive"], {
      command: "agent",
      input: typed.join("")
    })
    assert.strictEqual(ended.code, 0, ended.stderr)
    const shown = timeless(ended.stdout + ended.stderr).split("\n")
    const due = timeless(session).split("\n").slice(1)
    assert.sameMembers(shown, due.filter((line) => !prompt.test(line) && line !== "").concat(""))
  })

  it("names what can be typed", () => {
    for (const [name] of commands) {
      for (const word of name.match(/\/[a-z]+|exit|quit|Ctrl-[CD]/g) ?? []) assert.include(section, word)
    }
  })

  it("is where the list of features leads to", () => {
    assert.include(readFileSync(join(root, "docs", "features.md"), "utf8"), "(agents.md#in-a-terminal)")
  })
})
