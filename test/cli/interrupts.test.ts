/** Who handles Ctrl-C. */
import { assert, it } from "@effect/vitest"
import { Deferred, Effect, Fiber } from "effect"
import { handlingInterrupts, pressed } from "../../src/cli/console/interrupts.ts"

it.effect("Ctrl-C is handled by the innermost work, also if that ends by it, and by nobody afterwards", () =>
  Effect.gen(function* () {
    assert.isFalse(pressed())
    const presses: Array<string> = []
    const [inner, outer] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
    // a press that ends the work at once, as the second one at a prompt does
    const ending = (name: string, work: Deferred.Deferred<void>) => () => {
      presses.push(name)
      Deferred.doneUnsafe(work, Effect.void)
    }
    const work = Deferred.await(inner).pipe(
      handlingInterrupts(ending("inner", inner)),
      Effect.andThen(Deferred.await(outer)),
      handlingInterrupts(ending("outer", outer))
    )
    const running = yield* Effect.forkChild(work, { startImmediately: true })
    assert.isTrue(pressed())
    assert.isTrue(pressed())
    yield* Fiber.join(running)
    assert.deepStrictEqual(presses, ["inner", "outer"])
    assert.isFalse(pressed())
  })
)
