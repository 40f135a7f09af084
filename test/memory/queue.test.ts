import { assert, describe, it } from "@effect/vitest"
import { makeQueue, type Queue, type Queued } from "../../src/memory/embedding/queue.ts"
import { random } from "../../src/testing/contract/stage/random.ts"

const filler = (queue: Queue) => {
  let ticket = 0
  return (scope: string, content = "text"): Queued | undefined => {
    const note = { scope, id: `${++ticket}`, content, ticket }
    return queue.add(note) ? note : undefined
  }
}

describe("the queue of notes to be embedded", () => {
  it("has room for notes of other scopes, however many one scope has", () => {
    const queue = makeQueue()
    const add = filler(queue)
    for (let i = 0; i < 10_000; i++) add("big")
    for (const scope of ["second", "third", "fourth"]) assert.isDefined(add(scope))
    assert.isAtMost(queue.size(), 4096)
    assert.sameMembers([...new Set(queue.take(256).map(({ scope }) => scope))], ["big", "second", "third", "fourth"])
  })

  it("has room for as many characters of other scopes, and for none beyond 8 million", () => {
    const queue = makeQueue()
    const add = filler(queue)
    const taken = ["a", "b", "c", "a", "b", "d", "e", "a"].filter(
      (scope) => add(scope, "x".repeat(1_900_000)) !== undefined
    )
    assert.deepStrictEqual(taken, ["a", "b", "c", "d"])
    queue.take(4)
    assert.isDefined(add("a", "x".repeat(4_000_000)))
  })

  it("has room again for as much of a scope as was taken of it, while others of it wait", () => {
    const queue = makeQueue()
    const add = filler(queue)
    add("a", "x".repeat(3_000_000))
    add("a", "x".repeat(500_000))
    assert.strictEqual(queue.take(1).length, 1)
    assert.isUndefined(add("a", "x".repeat(7_000_001)))
    assert.isDefined(add("a", "x".repeat(7_000_000)))
  })

  it("takes notes back before the others of their scope, and lets other scopes go first", () => {
    const queue = makeQueue()
    const add = filler(queue)
    for (const scope of ["a", "a", "b"]) add(scope)
    const [first, ...others] = queue.take(1)
    assert.deepStrictEqual([first?.scope, others.length], ["a", 0])
    queue.giveBack([first!])
    assert.deepStrictEqual([queue.size(), queue.first("a")], [3, first!.ticket])
    assert.deepStrictEqual(
      queue.take(3).map(({ scope }) => scope),
      ["b", "a", "a"]
    )
    assert.strictEqual(queue.size(), 0)
    // of a scope that has no others, and its room is taken again
    queue.giveBack([{ ...first!, content: "x".repeat(7_000_000) }])
    assert.isUndefined(add("a", "x".repeat(1_000_000)))
    assert.isUndefined(add("b", "x".repeat(1_000_001)))
    assert.isDefined(add("b", "x".repeat(900_000)))
  })

  it("gives a scope that returns its notes the next turn after all other scopes", () => {
    const queue = makeQueue()
    const add = filler(queue)
    for (const scope of ["a", "a", "b", "b", "c", "c"]) add(scope)
    const [first, second, third] = [queue.take(1), queue.take(1), queue.take(1)]
    queue.giveBack(first)
    queue.giveBack(third)
    queue.giveBack(second)
    const order = Array.from({ length: 6 }, () => queue.take(1)[0])
    assert.deepStrictEqual(
      order.map((note) => note?.scope),
      ["a", "c", "b", "a", "c", "b"]
    )
    assert.deepStrictEqual(order.slice(0, 3), [...first, ...third, ...second])
  })

  it("gives each scope its turn, and each note once, in order", () => {
    for (let seed = 1; seed <= 50; seed++) {
      const { below, pick } = random(seed)
      const queue = makeQueue()
      const add = filler(queue)
      const added = new Map<string, Array<number>>()
      const taken = new Map<string, Array<number>>()
      const put = (notes: Map<string, Array<number>>, { scope, ticket }: Queued) =>
        notes.set(scope, [...(notes.get(scope) ?? []), ticket])
      for (let round = 0; round < 60 || queue.size() > 0; round++) {
        for (let i = round < 60 ? below(40) : 0; i > 0; i--) {
          const note = add(pick(["a", "b", "b", "b", "c"]))
          if (note !== undefined) put(added, note)
        }
        const waiting = new Set(queue.notes().map(({ scope }) => scope))
        for (const scope of waiting) {
          const first = queue.notes().find((note) => note.scope === scope)
          assert.strictEqual(queue.first(scope), first?.ticket)
        }
        const page = queue.take(3 + below(20))
        // three scopes, at least three places
        assert.sameMembers([...new Set(page.map(({ scope }) => scope))], [...waiting])
        for (const note of page) put(taken, note)
      }
      assert.deepStrictEqual(taken, added)
    }
  })
})
