import { assert, describe, it } from "@effect/vitest"
import { Cause, Effect, Exit } from "effect"
import { attempt, isMet, loaded, unusableFiles } from "../../src/sql/database/failure.ts"

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
    assert.strictEqual(failure("EIO").message, "The directory cannot be read (EIO): check its rights.")
    const advices = [
      ["EACCES", "the right to read and write it"],
      ["EPERM", "the right to read and write it"],
      ["EROFS", "read-only"],
      ["EDQUOT", "free space"]
    ] as const
    for (const [code, advice] of advices) {
      assert.include(failure(code).message, advice)
      assert.isFalse(failure(code).isRetryable)
    }
    assert.include(failure("ENOSPC").message, "free space")
    assert.isFalse(failure("ENOSPC").isRetryable)
    assert.isTrue(failure("EMFILE").isRetryable)
  })

  it.effect("for lack of a package says what to install, and is in vain until then", () =>
    Effect.gen(function* () {
      const cause = new Error("Cannot find package")
      const load = () => Promise.reject<unknown>(cause)
      const failure = yield* Effect.flip(loaded(load, "The database", "a@1 b@2"))
      const message = "The database cannot be loaded: run npm install --save-exact a@1 b@2"
      assert.deepStrictEqual(failure.reason, { _tag: "Connection", retryable: false, message })
      assert.strictEqual(failure.cause, cause)
      assert.isFalse(failure.isRetryable)
    })
  )

  const failing = (code: string, message = "") =>
    Effect.flip(attempt(() => Promise.reject(Object.assign(new Error(message), { code }))))

  it.effect.each([
    ["40001", true],
    ["40P01", true],
    ["55P03", false],
    ["57014", false],
    ["57P01", false],
    ["08006", false],
    ["23505", false]
  ] as const)("with %s was rolled back because of another one: %s", ([code, met]) =>
    Effect.gen(function* () {
      const failure = yield* failing(code)
      assert.strictEqual(isMet(failure), met)
      if (met) assert.deepInclude(failure.reason, { _tag: "Connection", code })
      assert.strictEqual(failure.isRetryable, code !== "23505")
    })
  )

  it.effect(
    "because somebody changed the same row of the catalogue may be tried again, not so other internal errors",
    () =>
      Effect.gen(function* () {
        for (const message of ["tuple concurrently updated", "tuple concurrently deleted"]) {
          assert.isTrue(isMet(yield* failing("XX000", message)))
        }
        const other = yield* failing("XX000", "cache lookup failed")
        assert.deepStrictEqual([other.reason._tag, isMet(other), other.isRetryable], ["Query", false, false])
      })
  )

  it.effect("because of the pooler says which setting, and any other breach of the protocol may pass", () =>
    Effect.gen(function* () {
      const mode = yield* failing("08P01", "transaction blocks not allowed in statement pooling mode")
      assert.deepStrictEqual([mode.reason._tag, mode.isRetryable], ["Query", false])
      assert.include(mode.message, "pool_mode")
      const parameter = yield* failing("08P01", "unsupported startup parameter: statement_timeout")
      assert.include(parameter.message, "ignore_startup_parameters")
      assert.isTrue((yield* failing("08P01", "something else")).isRetryable)
    })
  )

  it.effect("because a library of the server is missing does not ask for a backup", () =>
    Effect.gen(function* () {
      const failure = yield* failing("58P01", 'could not access file "$libdir/vector": No such file or directory')
      assert.deepInclude(failure.reason, { _tag: "Query", code: "58P01" })
      assert.include(failure.message, "install pgvector")
    })
  )

  it.effect.each([
    ["28P01", "Query", "user or password", false],
    ["3D000", "Query", "no such database", false],
    ["57014", "Timeout", "in time", true],
    ["25P04", "Timeout", "in time", true],
    ["25006", "Connection", "is read-only", true],
    ["53300", "Connection", "does not accept statements", true],
    ["57P03", "Connection", "does not accept statements", true],
    ["58030", "Connection", "does not accept statements", true],
    ["58P01", "Corrupt", "from a backup", false],
    ["XX001", "Corrupt", "from a backup", false],
    ["XX002", "Corrupt", "from a backup", false],
    ["42501", "Query", "refused a statement", false]
  ] as const)("with %s is a %s that says: %s", ([code, tag, says, retryable]) =>
    Effect.gen(function* () {
      const failure = yield* failing(code, "a secret text")
      assert.deepStrictEqual([failure.reason._tag, failure.isRetryable], [tag, retryable])
      assert.include(failure.message, says)
      assert.include(failure.message, code)
      assert.notInclude(failure.message, "secret")
      assert.isUndefined(failure.cause)
    })
  )

  it.effect.each([
    ["timeout exceeded when trying to connect", "Timeout", "in time", true],
    ["Query read timeout", "Timeout", "in time", true],
    ["SASL: SCRAM-SERVER-FIRST-MESSAGE: client password must be a string", "Query", "add one to the url", false],
    ["The server does not support SSL connections", "Query", "sslmode=disable", false]
  ] as const)("without a code, of which the driver says `%s`, is a %s that says: %s", ([said, tag, says, retryable]) =>
    Effect.gen(function* () {
      const failure = yield* Effect.flip(attempt(() => Promise.reject(new Error(`${said} to secret host`))))
      assert.deepStrictEqual([failure.reason._tag, failure.isRetryable], [tag, retryable])
      assert.include(failure.message, says)
      assert.notInclude(failure.message, "secret")
    })
  )

  it.effect("by a system call whose code is as long as a database's is for lack of a connection", () =>
    Effect.gen(function* () {
      const failure = yield* failing("EPIPE")
      assert.deepStrictEqual([failure.reason._tag, failure.isRetryable], ["Connection", true])
      assert.include(failure.message, "cannot be reached, is closed or has stopped (EPIPE)")
    })
  )

  it.effect("names the constraint, and never the row", () =>
    Effect.gen(function* () {
      const error = Object.assign(new Error("duplicate key"), {
        code: "23505",
        constraint: "note_pkey",
        detail: "Key (id)=(secret) already exists."
      })
      const failure = yield* Effect.flip(attempt(() => Promise.reject(error)))
      assert.deepInclude(failure.reason, { _tag: "Query", code: "23505" })
      assert.strictEqual(
        failure.message,
        "The database refused a statement (SQLSTATE 23505, constraint note_pkey): the log of the server has its reason."
      )
    })
  )

  it.effect("inside another statement keeps the reason that it was given there", () =>
    Effect.gen(function* () {
      const inner = yield* failing("57014")
      assert.strictEqual(yield* Effect.flip(attempt(() => Promise.reject(inner))), inner)
    })
  )
})
