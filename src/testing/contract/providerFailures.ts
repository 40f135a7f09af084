/** Tests of providers: calls that fail. */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type { Reason } from "../../Provider.ts"
import { assert } from "./stage/assert.ts"
import { assertError, providerTests, request, streamed, until, ways } from "./providerCalls.ts"
import type { ProviderTest } from "./providerSubject.ts"

export const failureTests = (reasons: ReadonlyArray<Reason["_tag"]>, patience: number): ReadonlyArray<ProviderTest> =>
  providerTests("failures", (test) => {
    for (const reason of reasons) {
      for (const [way, call] of ways) {
        test(`fails with ${reason} after one request, ${way}`, function* (make) {
          const subject = yield* make(() => ({ _tag: "Failure", reason }))
          const error = assertError(yield* Effect.flip(call(subject.provider, request())), subject)
          assert.strictEqual(error.reason._tag, reason)
          assert.strictEqual(subject.received().length, 1, "one call is one request")
          yield* until(() => subject.open() === 0, "a call that failed should be over", patience)
        })
      }
    }

    for (const [way, call] of ways) {
      test(`does not take a broken answer for a complete one, ${way}`, function* (make) {
        const text = "The customer wants the money back, and"
        const subject = yield* make(() => ({ _tag: "Broken", text }))
        assertError(yield* Effect.flip(call(subject.provider, request())), subject)
      })
    }

    test("emits only what it received of a stream that breaks off", function* (make) {
      const text = "The customer wants the money back, and"
      const { provider } = yield* make(() => ({ _tag: "Broken", text }))
      const { result, texts } = yield* streamed(provider, request())
      assert.isTrue(Result.isFailure(result), "a stream that broke off ended well")
      assert.isTrue(text.startsWith(texts.join("")), "a stream gave what never came")
    })

    test("answers normally after a failure", function* (make) {
      const { provider } = yield* make(({ prompt }) =>
        prompt.includes("broken") ? { _tag: "Broken", text: "half of " } : { _tag: "Text", text: "a whole one" }
      )
      for (const [, call] of ways) {
        yield* Effect.flip(call(provider, request("broken")))
        assert.strictEqual((yield* call(provider, request("good"))).text, "a whole one")
      }
    })
  })
