import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { PostgresMemory } from "../../src/postgres/index.ts"

type Options = Parameters<typeof PostgresMemory.makeStore>[0]

describe("the options of a store on a server", () => {
  it.effect("are refused with what they may be, before a server is asked", () =>
    Effect.gen(function* () {
      // what comes from a file or the environment
      const wrong = [
        [{ waitTimeout: "soon" }, /waitTimeout must be a duration/],
        [{ waitTimeout: 0 }, /waitTimeout/],
        [{ waitTimeout: Number.NaN }, /waitTimeout/],
        [{ statementTimeout: "Infinity" }, /statementTimeout must be a duration from 1 millisecond to 24 days/],
        [{ statementTimeout: "30 days" }, /statementTimeout/],
        [{ statementTimeout: null }, /statementTimeout/],
        [{ connections: 0 }, /connections must be a whole number from 1/],
        [{ connections: 1.5 }, /connections/]
      ] as unknown as ReadonlyArray<readonly [Partial<Options>, RegExp]>
      for (const [options, message] of wrong) {
        const asked = PostgresMemory.makeStore({ url: "postgres://nobody@127.0.0.1:1/none", ...options })
        const { reason } = yield* Effect.flip(asked)
        assert.strictEqual(reason._tag, "Query")
        assert.match(reason.message, message)
      }
    }).pipe(Effect.scoped)
  )
})
