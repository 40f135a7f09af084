/** Runs the contract of providers on every changed provider. */
import { Testing } from "cogito/testing"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import { answerMutations } from "./answers.ts"
import { errorMutations } from "./errors.ts"
import { onProvider } from "./mutation.ts"
import { requestMutations } from "./requests.ts"
import { surroundingMutations } from "./surroundings.ts"
import { timeMutations } from "./times.ts"
import { subject } from "./subject.ts"
import { inTurns } from "./ticks.ts"
import { mutants } from "../providerMutants.ts"
import { slips } from "../providerSlips.ts"

const patience = "300 millis"

const tests = [
  ...Testing.providerContract({ decides: true, failures: ["RateLimited"], patience, tools: true }).map((test) => ({
    test,
    make: subject(true)
  })),
  ...Testing.providerContract({ failures: [], patience })
    .filter(({ path }) => path.includes("tools"))
    .map((test) => ({ test, make: subject(false) }))
]

const mutations = [
  ...answerMutations,
  ...requestMutations,
  ...errorMutations,
  ...timeMutations,
  ...surroundingMutations,
  ...[...mutants, ...slips].map(({ mutate, name }) => onProvider(`written out: ${name}`, mutate))
]

/** Whether a test makes calls of the kind that the name of a change begins with. */
const concerns = ({ path }: Testing.ProviderTest, name: string): boolean => {
  const title = path.join(" › ")
  if (name.startsWith("complete: ")) return !path.includes("decisions") && !title.endsWith(", as a stream")
  if (name.startsWith("stream: ")) return !path.includes("decisions") && !title.endsWith(", as a whole")
  return !name.startsWith("decide: ") || path.includes("decisions")
}

/** Whether a test fails, or does not end, for which a runner has its time limit. */
const fails = (effect: Effect.Effect<void, unknown>): Effect.Effect<boolean> =>
  Effect.gen(function* () {
    const fiber = yield* Effect.forkDetach(effect)
    return yield* Fiber.await(fiber).pipe(
      Effect.map(Exit.isFailure),
      Effect.timeoutOrElse({ duration: "3 seconds", orElse: () => Effect.succeed(true) })
    )
  }).pipe(inTurns)

const titleOf = ({ path }: Testing.ProviderTest): string => path.slice(1).join(" › ")

/** The tests that a provider without a change fails. */
export const failing = Effect.map(
  Effect.filter(tests, ({ make, test }) => fails(test.run(make))),
  (failed) => failed.map(({ test }) => titleOf(test))
)

/** Most of the time would go to the stacks of errors, which nobody reads. */
const withoutStacks = <A>(effect: Effect.Effect<A>) =>
  Effect.acquireUseRelease(
    Effect.sync(() => {
      const { stackTraceLimit } = Error
      Error.stackTraceLimit = 0
      return stackTraceLimit
    }),
    () => effect,
    (limit) => Effect.sync(() => (Error.stackTraceLimit = limit))
  )

/** How many changes each test notices, and which test notices which change. */
export const table = withoutStacks(
  Effect.gen(function* () {
    const counts = tests.map(() => 0)
    const lines: Array<string> = []
    for (const { make: change, name } of mutations) {
      const noticed = yield* Effect.forEach(
        tests,
        ({ make, test }) => (concerns(test, name) ? fails(test.run(change(make))) : Effect.succeed(false)),
        { concurrency: "unbounded" }
      )
      const numbers = noticed.flatMap((is, i) => (is ? [i] : []))
      for (const number of numbers) counts[number]!++
      lines.push(`${name}: ${numbers.length === 0 ? "nowhere" : numbers.map((number) => number + 1).join(" ")}`)
    }
    const titles = tests.map(({ test }, i) => `${i + 1}. ${titleOf(test)}: ${counts[i]}`)
    return [
      "How many changes of a provider each test of the contract notices:",
      "",
      ...titles,
      "",
      "Where each change is noticed:",
      "",
      ...lines,
      ""
    ].join("\n")
  })
)
