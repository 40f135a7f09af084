import { assert, describe, it } from "@effect/vitest"
import { execFileSync } from "node:child_process"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { root } from "../../scripts/run.ts"
import { extract } from "./fences.ts"

const readme = readFileSync(join(root, "README.md"), "utf8")

describe("the README", () => {
  it("shows what its program prints", () => {
    const [program] = extract("README.md", readme)
    const shown = /```text\n([\s\S]*?)```/.exec(readme)?.[1]
    const printed = execFileSync(
      process.execPath,
      ["--conditions=cogito-source", "--input-type=module-typescript", "-e", program?.code ?? ""],
      { cwd: root, encoding: "utf8" }
    )
    assert.strictEqual(printed, shown)
  })

  it("names the two commands in their words", () => {
    assert.include(readme, "npm ci && npm run triage")
    assert.include(readme, "npm ci && npm test")
  })
})
