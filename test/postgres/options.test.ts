import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Redacted } from "effect"
import { PostgresMemory } from "../../src/postgres/index.ts"
import { shared } from "../sql/memoryOptions.ts"

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
        [{ connections: 1.5 }, /connections/],
        [{ url: "" }, /^The url is empty: set the variable that it comes from to a url such as postgres:/],
        [{ url: Redacted.make(" ") }, /^The url is empty/],
        [{ url: "mysql://me:secret@127.0.0.1:1/none" }, /^The url does not begin with postgres:\/\/ : write a url/],
        [{ url: "me:secret@127.0.0.1:1/none" }, /^The url does not begin with postgres:/],
        [
          { url: "postgres://me@127.0.0.1:1/none?sslmode=secret" },
          /^The url has no valid sslmode: write one of disable, /
        ],
        [{ url: "postgres://me:sec#ret@@@:x/" }, /^The url cannot be read: .* as %XX\.$/],
        [
          { url: "postgres://me:secret@127.0.0.1:1/none?sslmode=verify-full&sslrootcert=/no/such" },
          /^A file that the url names cannot be read \(ENOENT\): check sslcert, sslkey and sslrootcert\.$/
        ]
      ] as unknown as ReadonlyArray<readonly [Partial<Options>, RegExp]>
      for (const [options, message] of wrong) {
        const asked = PostgresMemory.makeStore({ url: "postgres://nobody@127.0.0.1:1/none", ...options })
        const { reason } = yield* Effect.flip(asked)
        assert.strictEqual(reason._tag, "Query")
        assert.match(reason.message, message)
        assert.notMatch(reason.message, /secret|sec#ret/)
      }
    }).pipe(Effect.scoped)
  )

  it.effect("reach the store of the layer too", () =>
    Effect.gen(function* () {
      const url = "postgres://nobody@127.0.0.1:1/none"
      const shared = { url, scope: "acme", embedder: "none" } as const
      const wrong = {
        connections: PostgresMemory.layer({ ...shared, connections: 1.5 }),
        waitTimeout: PostgresMemory.layer({ ...shared, waitTimeout: 0 }),
        statementTimeout: PostgresMemory.layer({ ...shared, statementTimeout: "30 days" })
      }
      for (const [name, layer] of Object.entries(wrong)) {
        const { reason } = yield* Effect.flip(Effect.scoped(Layer.build(layer)))
        assert.match(reason.message, new RegExp(name))
      }
    })
  )

  it.effect("of a layer include all that are documented, and no misspelled ones", () =>
    Effect.gen(function* () {
      const url = "postgres://nobody@127.0.0.1:1/none"
      const all: PostgresMemory.Options & { readonly embedder: "none" } = {
        url,
        connections: 2,
        waitTimeout: "1 second",
        statementTimeout: "2 seconds",
        ...shared
      }
      const { reason } = yield* Effect.flip(Effect.scoped(Layer.build(PostgresMemory.layer(all))))
      assert.strictEqual(reason._tag, "Connection")
      assert.include(reason.message, "ECONNREFUSED")
      for (const name of Object.keys(all).filter((one) => one !== "url")) {
        const typo = { url, scope: "acme", [`${name}s`]: 1 }
        assert.throws(() => PostgresMemory.layer(name === "scope" ? ({ url, scopes: "acme" } as never) : typo), name)
      }
    })
  )

  it("need a url", () => {
    assert.throws(() => PostgresMemory.makeStore({} as never), /^PostgresMemory\.makeStore needs .*url/)
    assert.throws(() => PostgresMemory.makeStore({ connections: 2 } as never), /url/)
  })
})
