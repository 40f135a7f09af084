import { assert, describe, it } from "@effect/vitest"
import { execFileSync } from "node:child_process"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { root } from "../../scripts/run.ts"
import { extract } from "./fences.ts"

const readme = readFileSync(join(root, "README.md"), "utf8")

describe("the README", () => {
  const programs = extract("README.md", readme)
  const texts = Array.from(readme.matchAll(/^```text\n([^`]*)```$/gm), (found) => ({
    shown: found[1] ?? "",
    line: readme.slice(0, found.index).split("\n").length
  }))

  it.each(texts)("shows what the program above line $line prints", ({ line, shown }) => {
    const program = programs.findLast((fence) => fence.line < line)
    const printed = execFileSync(
      process.execPath,
      ["--conditions=cogito-source", "--input-type=module-typescript", "-e", program?.code ?? ""],
      { cwd: root, encoding: "utf8" }
    )
    assert.strictEqual(printed, shown)
  })

  it("shows what two programs print", () => {
    assert.lengthOf(texts, 2)
  })

  it("names the two commands in their words", () => {
    assert.include(readme, "npm ci && npm run triage")
    assert.include(readme, "npm ci && npm test")
  })
})
