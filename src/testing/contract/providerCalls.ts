/** The calls that the tests of providers make, and the checks of their results. */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import { inspect } from "node:util"
import { ProviderError, type Request, type Response, type Shape, type Usage } from "../../Provider.ts"
import { assert } from "./stage/assert.ts"
import type { MakeProvider, ProviderSubject, ProviderTest } from "./providerSubject.ts"

/** A test, as the body of `Effect.gen`. */
type Body = (make: MakeProvider<unknown>) => Generator<Effect.Effect<unknown, unknown, Scope.Scope>, void, never>

/** Collects the tests that `define` names. Each test may use a scope. */
export const providerTests = (
  title: string,
  define: (test: (name: string, body: Body) => void) => void
): ReadonlyArray<ProviderTest> => {
  const tests: Array<ProviderTest> = []
  define((name, body) => {
    tests.push({
      path: ["a provider", title, name],
      timeout: 60_000,
      run: (make) => Effect.scoped(Effect.gen(() => body(make)))
    })
  })
  return tests
}

/** A text in the prompts of tests that no error may contain. */
const confidential = "confidential-4711"

const frozen = <A>(value: A): A => {
  if (typeof value === "object" && value !== null) for (const part of Object.values(value)) frozen(part)
  return Object.freeze(value)
}

/** An immutable request for free text. */
export const request = (text = "Hello", more: Partial<Request> = {}): Request =>
  frozen({
    messages: [
      { role: "system", text: "Answer in short." },
      { role: "user", text: `${text} (${confidential})` }
    ],
    task: { kind: "test", instruction: text, questions: [], context: [] },
    phase: "reason",
    sampling: {},
    ...more
  })

/** The result of a stream: its pieces, and its answer or error. */
interface Streamed {
  readonly texts: ReadonlyArray<string>
  /** The parameters of calls, as far as they came, by the ids of the calls. */
  readonly calls: ReadonlyMap<string, string>
  readonly result: Result.Result<Response, unknown>
}

/** Reads a stream to its end. Asserts that it either fails or ends with exactly one answer. */
export const streamed = (provider: Shape, asked: Request): Effect.Effect<Streamed> =>
  Effect.gen(function* () {
    const texts: Array<string> = []
    const calls = new Map<string, string>()
    const answers: Array<Response> = []
    const read = Stream.runForEach(provider.stream(asked), (part) =>
      Effect.sync(() => {
        assert.strictEqual(answers.length, 0, "something came after the answer of a stream")
        if (part._tag === "Text") texts.push(part.delta)
        if (part._tag === "Call") calls.set(part.id, (calls.get(part.id) ?? "") + part.delta)
        if (part._tag === "Done") answers.push(part.response)
      })
    )
    const result = yield* Effect.result(read)
    if (Result.isFailure(result)) {
      assert.strictEqual(answers.length, 0, "a stream that failed gave an answer")
      return { texts, calls, result: Result.fail(result.failure) }
    }
    const [answer] = answers
    if (answer === undefined) return assert.fail("a stream ended without its answer")
    return { texts, calls, result: Result.succeed(answer) }
  })

/** Waits until the condition holds. */
export const until = (holds: () => boolean, what: string, patience: number): Effect.Effect<void> =>
  Effect.gen(function* () {
    while (!holds()) yield* Effect.sleep(2)
  }).pipe(
    Effect.timeoutOrElse({
      duration: patience,
      orElse: () => Effect.sync(() => assert.fail(`${what}, and did not within ${patience} ms`))
    })
  )

/** Both ways to request a text answer. */
export const ways: ReadonlyArray<
  readonly [name: string, call: (provider: Shape, asked: Request) => Effect.Effect<Response, unknown>]
> = [
  ["as a whole", (provider, asked) => provider.complete(asked)],
  [
    "as a stream",
    (provider, asked) => Effect.flatMap(streamed(provider, asked), ({ result }) => Effect.fromResult(result))
  ]
]

/** Asserts that token counts are finite and not negative. */
export const assertUsage = (usage: Usage): void => {
  for (const [name, tokens] of Object.entries(usage)) {
    assert.isTrue(Number.isFinite(tokens) && tokens >= 0, `usage.${name} is not a number from 0`)
  }
}

/** Asserts that an error is one of this provider, for `model`, and contains neither the prompt nor the secret. */
export const assertError = (
  error: unknown,
  { provider, secret }: ProviderSubject,
  model = provider.model
): ProviderError => {
  assert.isTrue(error instanceof ProviderError, "a call failed with another error than a ProviderError")
  const failed = error as ProviderError
  assert.strictEqual(failed.provider, provider.name, "an error names another provider")
  assert.strictEqual(failed.model, model, "an error names another model")
  assert.isTrue(failed.reason.message.trim() !== "", "an error says nothing")
  if (failed.usage !== undefined) assertUsage(failed.usage)
  const forms = [
    failed.message,
    String(failed),
    failed.stack ?? "",
    JSON.stringify(failed),
    inspect(failed, { depth: 9, showHidden: true })
  ]
  for (const form of forms) {
    // not `notInclude`: its message would contain the text that must not appear
    assert.isFalse(form.includes(confidential), "an error holds the prompt")
    assert.isFalse(secret !== undefined && form.includes(secret), "an error holds the secret")
  }
  return failed
}
