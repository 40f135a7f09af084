import { join } from "node:path"
import { defineConfig } from "vitest/config"
import { BaseSequencer, type TestSpecification } from "vitest/node"
import { databaseFlags } from "./test/flags.ts"

// Tests read the sources: "cogito" and its subpaths resolve to src/, no build needed. The `ssr` half is what Node tests
// use; `execArgv` makes the same true for code that a test's own process loads without going through vitest.
const conditions = ["cogito-source", "node"]

/**
 * Those with a process of their own: they replace modules, or set the folder and the arguments of their process. The others
 * share a process, as most of the time of a small file goes to loading what the file before it has loaded too.
 */
const alone = [
  "test/cli/{peers,progress}.test.ts",
  "test/examples/{durable,kill,support-triage}.test.ts",
  "test/package/*.test.ts",
  "test/workflow/many.test.ts",
  "test/local/{extractive-builds,extractive-missing,pieces}.test.ts"
]

const execArgv = ["--conditions=cogito-source", ...databaseFlags]

/** What runs on PGlite, or its socket server, in the place of a server runs on the server where there must be one. */
const superfluous =
  process.env["COGITO_POSTGRES"] === "required" && process.env["COGITO_STORE_CONTRACTS"] !== "all"
    ? ["test/postgres/socket.test.ts", "test/sql/migrations.test.ts"]
    : []

/** What takes long and seldom finds anything runs where `npm run test:long` says how much of it. */
const seldom = [
  ...(process.env["COGITO_KILL_ROUNDS"] === undefined
    ? [
        // processes are killed in test/agent too, and the triage is stopped in test/examples/support-triage
        "test/{pglite,postgres,examples}/kill.test.ts",
        "test/examples/durable.test.ts",
        "test/pglite/{embedderKill,power,vacuum}.test.ts",
        "test/cli/{peers,progress}.test.ts"
      ]
    : []),
  // a crash at every boundary is simulated in test/durable, and processes of agents are killed in test/agent
  ...(process.env["COGITO_DURABLE_KILLS"] === undefined ? ["test/durable/kill/*.test.ts"] : []),
  ...(process.env["COGITO_DURABLE_CRASHES"] === undefined ? ["test/durable/{everywhere,pairs.*}.test.ts"] : []),
  // the contracts of stores and providers are themselves tested by stores and providers that are wrong
  ...(process.env["COGITO_CONTRACT_LIES"] === undefined
    ? ["test/contract-mutants/lies.test.ts", "test/testing/providerMutations.test.ts"]
    : []),
  ...(process.env["COGITO_DURABLE_MUTANTS"] === undefined ? ["test/durable/mutants/mutants.test.ts"] : []),
  ...(process.env["COGITO_INDEX_ROUNDS"] === undefined ? ["test/{pglite,postgres}/optimize.test.ts"] : []),
  ...(process.env["COGITO_WORKFLOW_RUNS"] === undefined ? ["test/workflow/many.test.ts"] : []),
  // links are checked in test/docs/sections as well
  ...(process.env["COGITO_SITE"] === undefined ? ["test/docs/site.test.ts"] : []),
  ...(process.env["COGITO_RUNTIMES"] === undefined ? ["test/package/runtimes.test.ts"] : []),
  ...(process.env["COGITO_FUSION_EMBEDDERS"] === undefined ? ["test/bench/fusion.test.ts"] : [])
]

/** Those that take the most processor time, the longest first: they are started first, so that none is left alone at the end. */
const longest = [
  "durable/kill/pglite",
  "durable/kill/postgres",
  "bench/fusion",
  "pglite/store",
  "examples/support-triage",
  "postgres/socket",
  "postgres/store",
  // waits for the package, which .ci/run builds beside the first tests
  "package/package",
  "docs/pages",
  // checked against the package
  "docs/fences",
  "cli/agent",
  "cli/stop",
  "workflow/cluster",
  "postgres/failures",
  "pglite/directory",
  "pglite/thread",
  "docs/examples",
  "postgres/cut",
  "cli/memory",
  "postgres/migrations",
  "sql/migrations"
].map((name) => join(import.meta.dirname, "test", `${name}.test.ts`))

const isLong = ({ moduleId }: TestSpecification): boolean => longest.includes(moduleId)
const placeOf = ({ moduleId }: TestSpecification): number => longest.indexOf(moduleId)

class LongestFirst extends BaseSequencer {
  override async sort(files: Array<TestSpecification>): Promise<Array<TestSpecification>> {
    const long = files.filter(isLong).toSorted((a, b) => placeOf(a) - placeOf(b))
    const others = files.filter((file) => !isLong(file))
    // oxlint-disable-next-line unicorn/no-array-sort -- vitest's own order, by size
    return [...long, ...(await super.sort(others))]
  }
}

export default defineConfig({
  resolve: { conditions },
  ssr: { resolve: { conditions, externalConditions: conditions } },
  test: {
    projects: [
      { extends: true, test: { name: "alone", include: alone, exclude: seldom, execArgv } },
      {
        extends: true,
        test: {
          name: "together",
          isolate: false,
          include: ["test/**/*.test.ts"],
          exclude: [...alone, ...superfluous, ...seldom],
          execArgv
        }
      }
    ],
    globalSetup: [
      "./test/postgres/availability.ts",
      "./test/browser/availability.ts",
      "./test/programs/bundle.ts",
      "./test/temporary.ts"
    ],
    // Type tests are test/**/*.test-d.ts. `npm run typecheck` checks them with everything else (tsc -p .), so an
    // `expectTypeOf` or `@ts-expect-error` that no longer holds fails there; vitest does not run them.
    // The record of what ran is what `npm run acceptance` compares test/acceptance.md with.
    reporters: ["default", "./scripts/summary-reporter.ts", ["json", { outputFile: "coverage/tests.json" }]],
    // An embedded database needs 320 to 700 MB, so few files run at once; with three of them two cores take longer than with two.
    pool: "forks",
    maxWorkers: 2,
    // What the programs that tests start have compiled, they share.
    env: { NODE_COMPILE_CACHE: join(import.meta.dirname, "node_modules", ".cache", "cogito", "compiled") },
    sequence: { sequencer: LongestFirst },
    testTimeout: 60_000,
    hookTimeout: 120_000,
    // A test that passes only on a second try, or without an assertion reached, hides a defect.
    retry: 0,
    passWithNoTests: false,
    expect: { requireAssertions: false },
    allowOnly: false
  }
})
