import { defineConfig } from "vitest/config"

// Tests read the sources: "cogito" and its subpaths resolve to src/, no build needed. The `ssr` half is what Node tests
// use; `test.execArgv` makes the same true for code that a test's own process loads without going through vitest.
const conditions = ["cogito-source", "node"]

export default defineConfig({
  resolve: { conditions },
  ssr: { resolve: { conditions, externalConditions: conditions } },
  test: {
    include: ["test/**/*.test.ts"],
    globalSetup: ["./test/postgres/availability.ts"],
    // Type tests are test/**/*.test-d.ts. `npm run typecheck` checks them with everything else (tsc -p .), so an
    // `expectTypeOf` or `@ts-expect-error` that no longer holds fails there; vitest does not run them.
    // The record of what ran is what `npm run acceptance` compares test/acceptance.md with.
    reporters: ["default", "./scripts/summary-reporter.ts", ["json", { outputFile: "coverage/tests.json" }]],
    // An embedded database needs 320 to 700 MB, so few files run at once, each in a process of its own.
    pool: "forks",
    maxWorkers: 2,
    execArgv: ["--conditions=cogito-source"],
    testTimeout: 60_000,
    hookTimeout: 120_000,
    // A test that passes only on a second try, or without an assertion reached, hides a defect.
    retry: 0,
    passWithNoTests: false,
    expect: { requireAssertions: false },
    allowOnly: false
  }
})
