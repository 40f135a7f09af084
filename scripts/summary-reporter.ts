import type { Reporter, SerializedError, TestModule } from "vitest/node"

/**
 * Ends a test run with one plain line, `N passed, N failed`, for people and for scripts.
 *
 * A file that could not be loaded and an error outside any test count as one failure each. A run in which no test ran
 * fails, also when every test was skipped.
 */
export default class SummaryReporter implements Reporter {
  onTestRunEnd(modules: ReadonlyArray<TestModule>, unhandled: ReadonlyArray<SerializedError>): void {
    let passed = 0
    let failed = unhandled.length
    for (const module of modules) {
      let failures = 0
      for (const test of module.children.allTests()) {
        const { state } = test.result()
        if (state === "passed") passed++
        else if (state === "failed" || state === "pending") failures++
      }
      // Errors of a module or suite (an import that throws, a failing hook) belong to no test.
      if (failures === 0 && module.state() === "failed") failures = 1
      failed += failures
    }
    if (failed > 0 || passed === 0) process.exitCode = 1
    // After vitest's own summary, which another reporter prints in this same phase.
    process.once("exit", () => process.stdout.write(`${passed} passed, ${failed} failed\n`))
  }
}
