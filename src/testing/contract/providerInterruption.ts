/** Tests of providers: calls that nobody waits for any more. */
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Cause from "effect/Cause"
import * as Stream from "effect/Stream"
import { assert } from "./stage/assert.ts"
import { providerTests, request, until, ways } from "./providerCalls.ts"
import type { ProviderTest } from "./providerSubject.ts"

export const interruptionTests = (patience: number): ReadonlyArray<ProviderTest> =>
  providerTests("interruption", (test) => {
    for (const [way, call] of ways) {
      test(`ends at once and disconnects from the backend, ${way}`, function* (make) {
        const { open, provider, received } = yield* make(() => ({ _tag: "Never", text: "" }))
        // detached, so that an uninterruptible call does not block the test
        const fiber = yield* Effect.forkDetach(call(provider, request()))
        yield* until(() => received().length === 1, "the request should reach the backend", patience)
        assert.strictEqual(open(), 1)
        yield* Effect.forkDetach(Fiber.interrupt(fiber))
        const exit = yield* Fiber.await(fiber).pipe(
          Effect.timeoutOrElse({
            duration: patience,
            orElse: () => Effect.sync(() => assert.fail("an interrupted call goes on"))
          })
        )
        assert.isTrue(Exit.isFailure(exit) && Cause.hasInterruptsOnly(exit.cause), "an interrupted call ends otherwise")
        yield* until(() => open() === 0, "the backend should hear of the interruption", patience)
        assert.strictEqual(received().length, 1, "an interrupted call was made again")
      })
    }

    test("disconnects from the backend when nobody reads a stream any more", function* (make) {
      const { open, provider } = yield* make(({ prompt }) =>
        prompt.includes("whole") ? { _tag: "Text", text: "a whole one" } : { _tag: "Never", text: "It goes on and on" }
      )
      const reading = Stream.runHead(provider.stream(request("endless")))
      const fiber = yield* Effect.forkDetach(reading)
      // a provider that answers in one piece has no piece yet
      yield* Fiber.await(fiber).pipe(Effect.timeoutOrElse({ duration: 50, orElse: () => Fiber.interrupt(fiber) }))
      yield* until(() => open() === 0, "the backend should hear that nobody reads", patience)
      assert.strictEqual((yield* provider.complete(request("whole"))).text, "a whole one")
    })
  })
