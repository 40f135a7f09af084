/** How long callers wait for notes to be embedded. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit, Fiber } from "effect"
import { makeTickets } from "../../src/memory/embedding/tickets.ts"

/** Tickets, and the notes of each scope that have not been tried. */
const made = () => {
  const untried = new Map<string, Array<number>>()
  const tickets = makeTickets((scope) => untried.get(scope)?.[0] ?? Infinity)
  return {
    tickets,
    commit: (scope: string, notes: number) => {
      const from = tickets.take(scope, notes)
      const numbers = Array.from({ length: notes }, (_, i) => from + i)
      untried.set(scope, [...(untried.get(scope) ?? []), ...numbers])
      return numbers
    },
    /** Marks the first notes of a scope as tried. */
    tried: (scope: string, notes = 1) => {
      untried.set(scope, untried.get(scope)?.slice(notes) ?? [])
      tickets.release()
    }
  }
}

const isOver = Effect.fnUntraced(function* (wait: Effect.Effect<void>) {
  const fiber = yield* Effect.forkChild(wait, { startImmediately: true })
  return () => {
    const exit = fiber.pollUnsafe()
    return exit !== undefined && Exit.isSuccess(exit)
  }
})

describe("the notes that wait to be embedded", () => {
  it("are numbered in the order of their commits, across all scopes", () => {
    const { commit } = made()
    assert.deepStrictEqual([commit("a", 2), commit("b", 1), commit("a", 1)], [[1, 2], [3], [4]])
  })

  it.effect("are waited for until the last of them is tried, but later notes are not", () =>
    Effect.gen(function* () {
      const { commit, tickets, tried } = made()
      commit("a", 1)
      commit("b", 2)
      const ended = [
        yield* isOver(tickets.all),
        yield* isOver(tickets.of("a", 16) ?? Effect.die("nothing to wait for"))
      ]
      commit("a", 1)
      const seen = () => ended.map((one) => one())
      assert.deepStrictEqual(seen(), [false, false])
      tried("b")
      tried("a")
      yield* Effect.yieldNow
      assert.deepStrictEqual(seen(), [false, true])
      tried("b")
      yield* Effect.yieldNow
      assert.deepStrictEqual(seen(), [true, true])
    })
  )

  it.effect("of a scope are waited for while one is left, whatever happens to those of other scopes", () =>
    Effect.gen(function* () {
      const { commit, tickets, tried } = made()
      for (const scope of ["a", "b", "c"]) commit(scope, 1)
      commit("c", 2)
      tried("b")
      assert.isUndefined(tickets.of("b", 16))
      const waits = [tickets.of("a", 16), tickets.of("c", 16), tickets.all]
      const ended = yield* Effect.forEach(waits, (wait) => isOver(wait ?? Effect.void))
      assert.deepStrictEqual(
        ended.map((one) => one()),
        [false, false, false]
      )
      tried("c", 3)
      tried("a")
      yield* Effect.yieldNow
      assert.deepStrictEqual(
        ended.map((one) => one()),
        [true, true, true]
      )
      assert.deepStrictEqual([tickets.of("a", 16), tickets.of("c", 16)], [undefined, undefined])
    })
  )

  it.effect("are not waited for if they belong to more commits than a search waits for", () =>
    Effect.gen(function* () {
      const { commit, tickets, tried } = made()
      for (let i = 0; i < 4; i++) commit("a", 2)
      const waits = () => [3, 4].map((most) => tickets.of("a", most) !== undefined)
      assert.deepStrictEqual(waits(), [false, true])
      // a commit that is half done still counts
      tried("a")
      assert.deepStrictEqual(waits(), [false, true])
      tried("a")
      assert.deepStrictEqual(waits(), [true, true])
      const fiber = yield* Effect.forkChild(tickets.of("a", 3) ?? Effect.void, { startImmediately: true })
      yield* Fiber.interrupt(fiber)
      tried("a", 6)
      assert.isUndefined(tickets.of("a", 3))
    })
  )
})
