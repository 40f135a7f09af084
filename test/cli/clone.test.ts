import { assert, describe, it } from "@effect/vitest"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { root, run } from "../../scripts/run.ts"

const program = join(root, "scripts", "command", "cogito.cjs")

describe("npx cogito in a clone", () => {
  it("runs the sources without a build, and ends as they do", { timeout: 60_000 }, () => {
    const refused = run(process.execPath, [program, "memory", "fly"])
    assert.strictEqual(refused.status, 2, refused.output)
    assert.match(refused.output, /^cogito: /)
  })

  it("is installed by npm ci", () => {
    const lock = JSON.parse(readFileSync(join(root, "package-lock.json"), "utf8"))
    assert.deepStrictEqual(lock.packages["scripts/command"].bin, { cogito: "cogito.cjs" })
    assert.strictEqual(lock.packages["node_modules/cogito-command"].resolved, "scripts/command")
  })
})
