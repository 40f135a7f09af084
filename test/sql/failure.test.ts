import { assert, describe, it } from "@effect/vitest"
import { Cause, Effect, Exit } from "effect"
import { attempt, unusableFiles } from "../../src/sql/failure.ts"

describe("a statement that fails", () => {
  it.effect.each([new TypeError("no text"), new RangeError("too deep"), new ReferenceError("no name")])(
    "by a fault in the code is a defect: %s",
    (fault) =>
      Effect.gen(function* () {
        const exit = yield* Effect.exit(attempt(() => Promise.reject(fault)))
        assert.isTrue(Exit.isFailure(exit) && Cause.hasDies(exit.cause))
        assert.strictEqual(Exit.isFailure(exit) ? Cause.squash(exit.cause) : undefined, fault)
      })
  )

  it.effect.each([
    new Error("Connection terminated unexpectedly"),
    Object.assign(new Error("connect"), { code: "ECONNREFUSED" }),
    Object.assign(new TypeError("a system call"), { code: "ERR_SOCKET_CLOSED" })
  ])("for lack of a connection may be tried again: %s", (error) =>
    Effect.gen(function* () {
      const failure = yield* Effect.flip(attempt(() => Promise.reject(error)))
      assert.strictEqual(failure.reason._tag, "Connection")
      assert.isTrue(failure.isRetryable)
    })
  )

  it.effect("for want of space says so, and is in vain until there is some", () =>
    Effect.gen(function* () {
      const failure = yield* Effect.flip(attempt(() => Promise.reject(Object.assign(new Error(), { code: "53100" }))))
      assert.strictEqual(failure.reason._tag, "Connection")
      assert.isFalse(failure.isRetryable)
      assert.include(failure.message, "free space")
    })
  )

  it("on files is tried again only where that may help by itself", () => {
    const failure = (code: string) => unusableFiles("The directory cannot be read", "check its rights", code)
    assert.strictEqual(failure("EACCES").message, "The directory cannot be read (EACCES): check its rights.")
    assert.isFalse(failure("EACCES").isRetryable)
    assert.include(failure("ENOSPC").message, "free space")
    assert.isFalse(failure("ENOSPC").isRetryable)
    assert.isTrue(failure("EMFILE").isRetryable)
  })
})
