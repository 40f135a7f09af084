import { assert, describe, it } from "@effect/vitest"
import { spawn } from "node:child_process"
import { text } from "node:stream/consumers"
import { join } from "node:path"
import { type Circumstances, ending, type File, slowest } from "../scripts/summary-reporter.ts"

const root = join(import.meta.dirname, "..")

const file = (more: Partial<File>): File => ({
  name: "a.test.ts",
  passed: 0,
  failed: 0,
  skipped: 0,
  failures: [],
  ...more
})

const usual: Circumstances = { errors: 0, missing: [], required: false }
const withoutServer: Circumstances = {
  ...usual,
  missing: ["a Postgres server with pgvector (no Postgres server is installed)"]
}

describe("the end of a test run", () => {
  it("is one line where every test ran", () => {
    assert.deepStrictEqual(ending([file({ passed: 2 }), file({ passed: 3 })], withoutServer), {
      lines: ["5 passed, 0 failed"],
      failed: false
    })
  })

  it("names the files that were skipped, why, and how to run them", () => {
    const files = [
      file({ passed: 2 }),
      file({ name: "b.test.ts", skipped: 4 }),
      file({ name: "c.test.ts", skipped: 1 })
    ]
    assert.deepStrictEqual(ending(files, withoutServer), {
      lines: [
        "Skipped: 5 tests in 2 files that need a Postgres server with pgvector (no Postgres server is installed):",
        "  b.test.ts (4)",
        "  c.test.ts (1)",
        "To run them, on Debian: apt install postgresql gcc make chromium",
        "2 passed, 0 failed"
      ],
      failed: false
    })
    // a test that was skipped for another reason is not put down to the server
    assert.deepStrictEqual(ending([file({ passed: 1, skipped: 1 })], usual).lines, [
      "Skipped: 1 test in 1 file:",
      "  a.test.ts (1)",
      "1 passed, 0 failed"
    ])
  })

  it("counts each skipped file as a failure where a server is required", () => {
    // of the last one a hook failed, so its tests were skipped: one failure
    const files = [
      file({ passed: 2 }),
      file({ name: "b.test.ts", skipped: 4 }),
      file({ name: "c.test.ts", failed: 1, skipped: 2 })
    ]
    assert.deepStrictEqual(ending(files, { ...usual, required: true }), {
      lines: [
        "Skipped: 6 tests in 2 files, which counts as a failure with COGITO_POSTGRES=required:",
        "  b.test.ts (4)",
        "  c.test.ts (2)",
        "Failed:",
        "  c.test.ts",
        "2 passed, 2 failed"
      ],
      failed: true
    })
  })

  it("fails on failures, on errors outside any test, and where no test ran", () => {
    const failing = file({ passed: 1, failed: 2, failures: ["a > b", "c"] })
    assert.deepStrictEqual(ending([failing], { ...usual, errors: 1 }), {
      lines: ["Failed:", "  a.test.ts > a > b", "  a.test.ts > c", "1 passed, 3 failed"],
      failed: true
    })
    assert.isTrue(ending([file({ skipped: 3 })], withoutServer).failed)
    assert.isTrue(ending([], usual).failed)
  })

  it("names the files of a long run that take longest", () => {
    const files = Array.from({ length: 21 }, (_, index) => ({ name: `${index}.test.ts`, millis: index * 500 }))
    const lines = slowest(files)
    assert.deepStrictEqual(lines.slice(0, 2), ["Slowest files, in seconds:", "  10.0 20.test.ts"])
    assert.lengthOf(lines, 21)
    assert.deepStrictEqual(slowest(files.slice(1)), [])
  })

  it("comes last also in a real run without a server, which passes", async () => {
    const vitest = join(root, "node_modules", "vitest", "vitest.mjs")
    const only = ["test/postgres/start.test.ts", "test/Note.test.ts"]
    const child = spawn(process.execPath, [vitest, "run", "--reporter=./scripts/summary-reporter.ts", ...only], {
      cwd: root,
      env: { ...process.env, COGITO_POSTGRES: "none" },
      stdio: ["ignore", "pipe", "inherit"]
    })
    const ended = new Promise((resolve) => child.once("close", resolve))
    const lines = (await text(child.stdout)).trimEnd().split("\n")
    assert.strictEqual(await ended, 0)
    assert.match(lines.at(0) ?? "", /^Skipped: \d+ tests in 1 file that need a Postgres server/)
    assert.match(lines.at(1) ?? "", /^ {2}test\/postgres\/start\.test\.ts \(\d+\)$/)
    assert.include(lines.at(2), "apt install postgresql gcc make chromium")
    assert.match(lines.at(3) ?? "", /^[1-9]\d* passed, 0 failed$/)
    assert.strictEqual(lines.length, 4)
  })
})
