/** The contract of providers, as a list of tests. */
import * as Duration from "effect/Duration"
import { taking } from "../../arguments/taking.ts"
import type { Reason } from "../../Provider.ts"
import { answerTests } from "./providerAnswers.ts"
import { decisionTests } from "./providerDecisions.ts"
import { failureTests } from "./providerFailures.ts"
import { interruptionTests } from "./providerInterruption.ts"
import type { ProviderTest } from "./providerSubject.ts"
import { toolTests } from "./providerTools.ts"

/**
 * What to test besides the common behaviour of all providers.
 *
 * **Details**
 *
 * - `failures`: the reasons for which the backend can refuse. Default: `RateLimited`, `Overloaded`, `Authentication`,
 *   `InvalidRequest`, `Refused`
 * - `decides`: whether closed questions are answered natively. Default: false
 * - `tools`: whether the model can call tools. Default: false, and then a request with tools must fail
 * - `patience`: the longest wait for what should happen at once, such as the end of an interrupted call. Default: 5
 *   seconds
 *
 * @category models
 */
export interface ProviderContractOptions {
  readonly failures?: ReadonlyArray<Reason["_tag"]>
  readonly decides?: boolean
  readonly tools?: boolean
  readonly patience?: Duration.Input
}

/**
 * The contract of every provider, as tests for any runner. Those of OpenAI and Anthropic and the scripted one pass them
 * all.
 *
 * **Details**
 *
 * Each test makes its own provider, in front of a backend that behaves as the test says: a server on this machine, or a
 * function. A test fails with the provider's error or dies with an `AssertionError`. The tests need a running clock:
 * use `it.live` with `@effect/vitest`.
 *
 * **Example** (Checking a provider of your own)
 *
 * ```ts
 * import { Effect, Stream } from "effect"
 * import { Provider } from "cogito"
 * import { Testing } from "cogito/testing"
 *
 * // Replace this with your provider, and a server that does as `backend` says.
 * const make: Testing.MakeProvider = (backend) =>
 *   Effect.sync(() => {
 *     const received: Array<Testing.ProviderAsked> = []
 *     let open = 0
 *     const fail = (reason: "RateLimited" | "Truncated") =>
 *       Effect.fail(new Provider.ProviderError({ provider: "house", model: "house-1", reason: { _tag: reason, message: "sorry" } }))
 *     const complete = ({ messages, sampling, task }: Provider.Request) =>
 *       Effect.suspend(() => {
 *         const prompt = [...messages.map(({ text }) => text), task.output?.instructions].join("\n")
 *         const asked = { prompt, temperature: sampling.temperature }
 *         received.push(asked)
 *         open++
 *         const reply = backend(asked)
 *         if (reply._tag === "Text") return Effect.succeed({ text: reply.text, usage: { outputTokens: 7 } })
 *         return reply._tag === "Never" ? Effect.never : fail(reply._tag === "Broken" ? "Truncated" : "RateLimited")
 *       }).pipe(Effect.ensuring(Effect.sync(() => open--)))
 *     const provider = Provider.make({ name: "house", model: "house-1", complete })
 *     return { provider, received: () => received, open: () => open }
 *   })
 *
 * for (const { path, run } of Testing.providerContract({ failures: ["RateLimited"] })) {
 *   // With a test runner: it(path.join(" › "), () => Effect.runPromise(run(make)), timeout)
 *   await Effect.runPromise(run(make).pipe(Effect.annotateLogs("test", path.join(" › "))))
 * }
 * ```
 *
 * @category constructors
 */
export const providerContract = taking("Testing.providerContract", {
  options: 0,
  optional: true,
  known: ["failures", "decides", "patience", "tools"]
})(({
  decides = false,
  failures = ["RateLimited", "Overloaded", "Authentication", "InvalidRequest", "Refused"],
  patience = "5 seconds",
  tools = false
}: ProviderContractOptions = {}): ReadonlyArray<ProviderTest> => {
  const millis = Duration.toMillis(Duration.fromInputUnsafe(patience))
  return [
    ...answerTests(millis),
    ...failureTests(failures, millis),
    ...interruptionTests(millis),
    ...toolTests(tools),
    ...(decides ? decisionTests() : [])
  ]
})
