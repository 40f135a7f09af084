/**
 * Whether the tests find faults that are put into the sources one at a time. It takes minutes:
 * `COGITO_DURABLE_MUTANTS=all vitest run test/durable/mutants`.
 */
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { spawnSync } from "node:child_process"
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { root } from "../../../scripts/run.ts"
import { type Mutant, mutants } from "./mutants.ts"

const copied = ["src", "test", "scripts", "package.json", "tsconfig.json", "vitest.config.ts"]
const long = 1_200_000

/** The files that a test of these needs, and the tests of them that find a fault. */
const ranIn = (folder: string, { only, test }: Pick<Mutant, "only" | "test">) => {
  const { COGITO_DURABLE_MUTANTS: _, ...env } = process.env
  const words = [join(root, "node_modules", "vitest", "vitest.mjs"), "run", test, "-t", only]
  const { status, stdout } = spawnSync(process.execPath, words, { cwd: folder, encoding: "utf8", env })
  const report = JSON.parse(readFileSync(join(folder, "coverage", "tests.json"), "utf8")) as {
    readonly testResults: ReadonlyArray<{
      readonly assertionResults: ReadonlyArray<{ readonly status: string; readonly fullName: string }>
    }>
  }
  const tests = report.testResults.flatMap(({ assertionResults }) => assertionResults)
  const named = (state: string) => tests.flatMap(({ fullName, status: own }) => (own === state ? [fullName] : []))
  return { status, stdout, failed: named("failed"), passed: named("passed") }
}

describe("the tests of durable runs", () => {
  let folder: string
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), "cogito-mutants-"))
    for (const name of copied) cpSync(join(root, name), join(folder, name), { recursive: true })
    symlinkSync(join(root, "node_modules"), join(folder, "node_modules"))
  })
  afterAll(() => rmSync(folder, { recursive: true, force: true }))

  const known = new Set<string>()

  it.each(mutants)(
    "find: $name",
    (mutant) => {
      const { file, from, only, test, to } = mutant
      const path = join(folder, "src", file)
      const source = readFileSync(path, "utf8")
      assert.strictEqual(source.split(from).length, 2, `${file} has ${JSON.stringify(from)} once`)
      if (!known.has(`${test} ${only}`)) {
        const sound = ranIn(folder, mutant)
        assert.deepStrictEqual(sound.failed, [], sound.stdout)
        assert.isAbove(sound.passed.length, 0, `there are tests ${JSON.stringify(only)} in ${test}`)
        known.add(`${test} ${only}`)
      }
      writeFileSync(
        path,
        source.replace(from, () => to)
      )
      try {
        const { failed, status, stdout } = ranIn(folder, mutant)
        assert.notStrictEqual(status, 0)
        assert.isAbove(failed.length, 0, stdout)
        process.stdout.write(`${mutant.name}: found by ${test} › ${failed[0]}, and ${failed.length - 1} more\n`)
      } finally {
        writeFileSync(path, source)
      }
    },
    long
  )
})
