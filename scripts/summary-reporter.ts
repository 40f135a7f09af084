import type { Reporter, SerializedError, TestModule, Vitest } from "vitest/node"

/** A test file as the end of a run tells of it. */
export interface File {
  readonly name: string
  readonly passed: number
  readonly failed: number
  readonly skipped: number
  /** The full names of the tests that failed, each with the first line of its error. */
  readonly failures: ReadonlyArray<string>
}

/** What is known of the run besides its files. */
export interface Circumstances {
  /** Errors outside any file. */
  readonly errors: number
  /** Programs that tests need and that are not here, each with the reason. */
  readonly missing: ReadonlyArray<string>
  /** Whether no test may be skipped. */
  readonly required: boolean
}

/** How a run ends: what to print, and whether it failed. */
export interface Ending {
  readonly lines: ReadonlyArray<string>
  readonly failed: boolean
}

const counted = (count: number, what: string) => `${count} ${what}${count === 1 ? "" : "s"}`

const skippedLines = (files: ReadonlyArray<File>, { missing, required }: Circumstances) => {
  const tests = files.reduce((sum, file) => sum + file.skipped, 0)
  const what = `Skipped: ${counted(tests, "test")} in ${counted(files.length, "file")}`
  const names = files.map(({ name, skipped }) => `  ${name} (${skipped})`)
  if (required) return [`${what}, which counts as a failure with COGITO_POSTGRES=required:`, ...names]
  if (missing.length === 0) return [`${what}:`, ...names]
  return [
    `${what} that need ${missing.join(" or ")}:`,
    ...names,
    "To run them, on Debian: apt install postgresql gcc make chromium"
  ]
}

const failureLines = (files: ReadonlyArray<File>) => {
  const names = files
    .filter(({ failed }) => failed > 0)
    .flatMap(({ failures, name }) => (failures.length === 0 ? [name] : failures.map((test) => `${name} > ${test}`)))
  return names.length === 0 ? [] : ["Failed:", ...names.map((name) => `  ${name}`)]
}

/** The last lines of a run, the very last one `N passed, N failed`. */
export const ending = (files: ReadonlyArray<File>, circumstances: Circumstances): Ending => {
  const skipping = files.filter(({ skipped }) => skipped > 0)
  const passed = files.reduce((sum, file) => sum + file.passed, 0)
  const failed =
    files.reduce((sum, file) => sum + file.failed, circumstances.errors) +
    // one that has failed already counts once
    (circumstances.required ? skipping.filter((file) => file.failed === 0).length : 0)
  return {
    lines: [
      ...(skipping.length === 0 ? [] : skippedLines(skipping, circumstances)),
      ...failureLines(files),
      `${passed} passed, ${failed} failed`
    ],
    failed: failed > 0 || passed === 0
  }
}

/** How many files are few enough to see which take long. */
const few = 20

/** Of a run of many files those that take longest, with their seconds. */
export const slowest = (files: ReadonlyArray<{ readonly name: string; readonly millis: number }>): Array<string> => {
  if (files.length <= few) return []
  const longest = files.toSorted((a, b) => b.millis - a.millis).slice(0, few)
  return ["Slowest files, in seconds:", ...longest.map((file) => `  ${(file.millis / 1000).toFixed(1)} ${file.name}`)]
}

const fileOf = (module: TestModule): File => {
  const tests = [...module.children.allTests()]
  const states = tests.map((test) => test.result().state)
  const count = (...wanted: ReadonlyArray<string>) => states.filter((state) => wanted.includes(state)).length
  const failures = count("failed", "pending")
  return {
    name: module.relativeModuleId,
    passed: count("passed"),
    // Errors of a module or suite (an import that throws, a failing hook) belong to no test.
    failed: failures === 0 && module.state() === "failed" ? 1 : failures,
    skipped: count("skipped"),
    failures: tests.flatMap((test) => {
      const { errors, state } = test.result()
      if (state !== "failed" && state !== "pending") return []
      const [reason = ""] = (errors?.[0]?.message ?? "").split("\n")
      return [reason === "" ? test.fullName : `${test.fullName}: ${reason.slice(0, 200)}`]
    })
  }
}

/**
 * Ends a test run with one plain line, `N passed, N failed`, for people and for scripts. Before it stand the files whose
 * tests were skipped, with how to run those, and the tests that failed. With COGITO_POSTGRES=required each file with
 * skipped tests is a failure.
 *
 * A file that could not be loaded and an error outside any test count as one failure each. A run in which no test ran
 * fails, also when every test was skipped.
 */
export default class SummaryReporter implements Reporter {
  #vitest: Vitest | undefined

  onInit(vitest: Vitest): void {
    this.#vitest = vitest
  }

  onTestRunEnd(modules: ReadonlyArray<TestModule>, unhandled: ReadonlyArray<SerializedError>): void {
    // Whoever names tests leaves out the others on purpose.
    const named = this.#vitest?.config.testNamePattern !== undefined
    const files = modules.map(fileOf).map((file) => (named ? { ...file, skipped: 0 } : file))
    const provided = this.#vitest?.getRootProject().getProvidedContext()
    const programs = {
      "a Postgres server with pgvector": provided?.postgresMissing,
      Chromium: provided?.chromiumMissing
    }
    const { failed, lines } = ending(files, {
      errors: unhandled.length,
      missing: Object.entries(programs).flatMap(([name, why]) => (why === undefined ? [] : [`${name} (${why})`])),
      required: process.env["COGITO_POSTGRES"] === "required"
    })
    if (failed) process.exitCode = 1
    const slow = slowest(modules.map((one) => ({ name: one.relativeModuleId, millis: one.diagnostic().duration })))
    // After vitest's own summary, which another reporter prints in this same phase.
    process.once("exit", () => process.stdout.write(`${[...slow, ...lines].join("\n")}\n`))
  }
}
