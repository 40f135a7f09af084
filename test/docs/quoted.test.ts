import { assert, describe, it } from "@effect/vitest"
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { bin, root, run } from "../../scripts/run.ts"
import { collectQuoted, idOf } from "./fences.ts"

// What the guides show of other libraries. It is checked with these libraries where they are installed:
// `npm ci` in bench/peers, `npm install` in bench/peers/mastra. Elsewhere these two are no tests, so that none is skipped.
const fences = collectQuoted()
const peers = join(root, "bench", "peers")
const isInstalled = (folder: string, name: string) =>
  existsSync(join(peers, folder, "node_modules", name, "package.json"))

const succeed = ({ output, status }: { readonly output: string; readonly status: number }): void =>
  assert.strictEqual(status, 0, output)

describe("quoted programs", () => {
  it.each(fences.map((fence) => [idOf(fence), fence] as const))("%s is its file", (_, { code, quoted = "" }) => {
    assert.strictEqual(`${code}\n`, readFileSync(join(root, quoted), "utf8"))
  })

  const files = [...new Set(fences.flatMap(({ quoted }) => quoted ?? []))]

  it("are all of a folder that is checked", () => {
    assert.isNotEmpty(files)
    for (const file of files) assert.match(file, /^bench\/peers\/(guide|programs|mastra)\//)
  })

  it.each(isInstalled("", "ai") && isInstalled("", "@langchain/langgraph") ? ["AI SDK and LangGraph"] : [])(
    "type-check with %s, and return what they should",
    { timeout: 240_000 },
    () => {
      const folder = mkdtempSync(join(peers, ".guide-"))
      try {
        const own = files.filter((file) => !file.startsWith("bench/peers/mastra/")).map((file) => join(root, file))
        writeFileSync(join(folder, ".gitignore"), "*\n")
        writeFileSync(
          join(folder, "tsconfig.json"),
          JSON.stringify({ extends: "../tsconfig.json", include: [], files: own })
        )
        succeed(run(process.execPath, [bin("typescript", "tsc"), "-p", folder]))
      } finally {
        rmSync(folder, { recursive: true, force: true })
      }
      succeed(run(process.execPath, [join(peers, "guide", "main.ts")]))
    }
  )

  it.each(isInstalled("mastra", "@mastra/core") ? ["Mastra"] : [])(
    "type-check with %s, and return what they should",
    { timeout: 240_000 },
    () => {
      succeed(run(process.execPath, [bin("typescript", "tsc"), "-p", join(peers, "mastra")]))
      succeed(run(process.execPath, [join(peers, "mastra", "main.ts")]))
    }
  )
})
