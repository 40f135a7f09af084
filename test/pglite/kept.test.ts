/** Statements whose plans are kept, on a database that only records what it receives. */
import { assert, describe, it } from "@effect/vitest"
import type { PGlite } from "@electric-sql/pglite"
import { Kept } from "../../src/pglite/engine/kept.ts"

/** The names of plans in messages of the protocol. */
const namesIn = (messages: Uint8Array) => [
  ...new Set(
    Buffer.from(messages)
      .toString("latin1")
      .match(/kept_\d+/g)
  )
]

const opened = () => {
  const sent: Array<string> = []
  const pglite = {
    serializers: {},
    parsers: {},
    query: async (statement: string) => {
      sent.push(statement)
      return { rows: [{ planned: true }] }
    },
    runExclusive: <A>(run: () => Promise<A>) => run(),
    execProtocolStream: async (messages: Uint8Array) => {
      sent.push(namesIn(messages).join())
      return []
    }
  }
  return { sent, kept: new Kept(pglite as unknown as PGlite) }
}

const numbers = (count: number) => Array.from({ length: count }, (_, i) => i)

describe("kept plans", () => {
  it("are made once for each statement", async () => {
    const { kept, sent } = opened()
    for (const statement of ["select 1", "select 2", "select 1", "select 1"]) await kept.query(statement, [])
    // the first query makes the plan, then uses it
    assert.deepStrictEqual(sent, ["kept_0", "kept_0", "kept_1", "kept_1", "kept_0", "kept_0"])
  })

  it("are at most 64: further statements are planned each time", async () => {
    const { kept, sent } = opened()
    for (const i of numbers(66)) await kept.query(`select ${i}`, [])
    const names = numbers(64).flatMap((i) => [`kept_${i}`, `kept_${i}`])
    assert.deepStrictEqual(sent, [...names, "select 64", "select 65"])
    sent.length = 0
    assert.deepStrictEqual(await kept.query("select 65", []), { rows: [{ planned: true }] })
    assert.deepStrictEqual((await kept.query("select 63", [])).rows, [])
    assert.deepStrictEqual(sent, ["select 65", "kept_63"])
  })
})
