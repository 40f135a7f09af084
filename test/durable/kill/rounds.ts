/** Kills processes at moments that the model chooses, until as many have died as are asked for. */
import { assert } from "@effect/vitest"
import * as Effect from "effect/Effect"
import type { Death } from "./model.ts"
import { effectsOf, type Model, ran } from "./processes.ts"

/** How many processes are killed on each store: 5, or as many as `COGITO_DURABLE_KILLS` says. */
export const kills = Number(process.env["COGITO_DURABLE_KILLS"] ?? 5)

/** Most processes of one run that are killed. */
const mostOfOneRun = 5

/** Most calls of a run that are under way at once. */
const mostAtOnce = 2

const upTo = (most: number) => Math.floor(Math.random() * (most + 1))

const death = (): Death => ({
  call: 1 + upTo(3),
  when: (["before", "while", "after"] as const)[upTo(2)]!,
  millis: upTo(40)
})

/** The notes without their ids, which each run has its own of. */
export const withoutIds = (notes: ReadonlyArray<ReadonlyArray<unknown>>) => notes.map((note) => note.slice(0, -1))

/** The rounds on a store. Gives how many processes died, and what that cost. */
export const rounds = (store: string, model: Model, folder: string) =>
  Effect.gen(function* () {
    const program = (run: string) => ({ task: "run", store, model, run, folder }) as const
    const unbroken = yield* ran(program("unbroken"))
    const { calls } = yield* model.seen("unbroken")
    assert.strictEqual(calls, 5)
    const figures = { killed: 0, runs: 0, repeated: 0, lost: 0 }
    for (let number = 1; figures.killed < kills; number++) {
      const run = `run ${number}`.replace(" ", "-")
      let ended = unbroken
      const deaths: Array<string> = []
      for (;;) {
        const isLast = deaths.length === mostOfOneRun || figures.killed === kills
        const planned = isLast ? undefined : death()
        yield* model.plan(run, planned)
        ended = yield* ran(program(run))
        if (ended.signal === null) break
        assert.strictEqual(ended.signal, "SIGKILL")
        deaths.push(JSON.stringify(planned))
        figures.killed++
      }
      const where = `${run}, killed at ${deaths.join(", ")}`
      assert.deepStrictEqual(withoutIds(ended.json), withoutIds(unbroken.json), where)
      const seen = yield* model.seen(run)
      assert.isAtMost(seen.calls, calls + mostAtOnce * deaths.length, where)
      const effects = effectsOf(folder, run)
      assert.isAtMost(effects.filter((what) => what === "once").length, 1, where)
      const paid = effects.filter((what) => what === "make").length
      assert.isTrue(paid >= 1 && paid <= 1 + deaths.length, where)
      figures.runs++
      figures.repeated += seen.calls - calls
      figures.lost += seen.lost
      if (kills > 10) yield* Effect.log(store, figures)
    }
    return figures
  })
