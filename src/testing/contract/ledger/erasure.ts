/** Tests of stores: what is left of runs when notes are redacted, and thoughts or runs removed. */
import * as Effect from "effect/Effect"
import { assert } from "../stage/assert.ts"
import { commit, note, thought } from "../stage/rows.ts"
import { freshScope, refusal, unbounded } from "../stage/scene.ts"
import type { Define } from "../stage/suite.ts"
import { type Desk, idsOf } from "./desk.ts"
import { answered, call, newRun, noon, open, pendingRun, position, step, wait } from "./rows.ts"

const millis = 1_800_000_000_000
const canary = "canary 4711"

export const erasureTests = ({ describe, test }: Define<Desk>): void => {
  /** A thought with a note that tells a secret, and another one. */
  const stage = Effect.fnUntraced(function* (my: Desk) {
    const { one: secret, row } = yield* my.addOne({ content: canary })
    const other = thought()
    yield* my.write(other)
    return { secret, row, other }
  })
  /** Begins a run that has asked, and been told, about the secret. */
  const asking = Effect.fnUntraced(function* (my: Desk, thoughtId: string) {
    const run = newRun(thoughtId)
    const told = (frame: string, n: number) => answered(frame, n, { response: `{"text":"${canary}"}` })
    // the hash of what a call asked says something of it, too
    const place = answered("/f@0", 0, { kind: "decision", response: "1" })
    const calls = [told("/a@0", 0), told("/a@0", 1), call("/b@0", 0, { request: canary }), call("/e@0", 0), place]
    const waits = [wait(run.id, thoughtId, "/c@0", { prompt: canary }), wait(run.id, thoughtId, "/d@0")]
    yield* my.record(run.id, { begins: [run], calls, waits })
    yield* my.answer(run.id, "/d@0", JSON.stringify(canary), "ann", noon)
    return { runId: run.id, calls, waits }
  })
  const withoutTexts = (one: ReturnType<typeof call>) => ({
    ...one,
    hash: "",
    parts: {},
    request: undefined,
    // a place among the words of the pipeline repeats no note
    response: one.response === "1" ? one.response : undefined
  })
  const forgotten = (calls: ReadonlyArray<ReturnType<typeof call>>) => calls.map(withoutTexts)

  describe("redact", () => {
    test("empties the responses and questions of runs that have come to a thought which sees the note", function* (my) {
      const { other, row, secret } = yield* stage(my)
      const fork = thought({ parent: { id: row.id, seq: 1 } })
      yield* my.write(fork)
      const runs = {
        began: yield* asking(my, row.id),
        onFork: yield* asking(my, fork.id),
        ended: yield* asking(my, other.id),
        stored: yield* asking(my, other.id),
        apart: yield* asking(my, other.id)
      }
      const end = position(fork.id)
      yield* my.record(runs.ended.runId, { ends: { status: "failed", end, error: undefined, endedMillis: noon } })
      yield* my.record(runs.stored.runId, { steps: [step("/a@0", { position: position(row.id) })] })
      const apart = yield* my.stored(runs.apart.runId)
      yield* my.redact(secret.id, millis)
      for (const { calls, runId, waits } of [runs.began, runs.onFork, runs.ended, runs.stored]) {
        const stored = yield* my.stored(runId)
        assert.notInclude(JSON.stringify(stored), canary)
        assert.deepStrictEqual(stored?.calls, forgotten(calls))
        assert.deepStrictEqual(
          stored?.waits,
          waits.map((one) => ({ ...open(one), prompt: "" }))
        )
      }
      assert.deepStrictEqual(yield* my.stored(runs.apart.runId), apart)
      // the question can be asked again, and answered
      const [asked] = runs.ended.waits
      yield* my.claim(runs.ended.runId, "b", { seize: true })
      const anew = {
        ...asked!,
        key: "other",
        thoughtId: row.id,
        prompt: "May I?",
        schema: { const: 1 },
        bound: "other"
      }
      yield* my.record(runs.ended.runId, {
        epoch: 2,
        waits: [{ ...anew, createdMillis: noon + 9, dueMillis: noon + 99 }]
      })
      // the question is another one, and its time goes on
      assert.deepStrictEqual((yield* my.stored(runs.ended.runId))?.waits[0], open(anew))
      assert.isTrue((yield* my.answer(runs.began.runId, "/d@0", "1", "ann", noon))?.first)
    })

    test("empties responses that name the note, or one derived from it, and the questions of their runs", function* (my) {
      const { other, row, secret } = yield* stage(my)
      const derived = note(row.id, 2, { derivedFrom: [secret.id] })
      yield* my.write(row, { version: 1, notes: [derived] })
      const found = (n: number, id: string) =>
        answered("/find@0", n, {
          kind: "search",
          response: JSON.stringify({ matches: [{ noteId: id, content: canary }] })
        })
      const shown = call("/ask@0", 0, { request: `${canary} ${secret.id}` })
      const calls = [shown, found(0, secret.id), found(1, derived.id), found(2, other.id)]
      const asked = wait("run", other.id, "/asked@0", { prompt: `Is it ${canary}?` })
      const elsewhere = freshScope()
      yield* my.store.commit(elsewhere, commit(other))
      for (const scope of [my.scope, elsewhere]) {
        const begins = [newRun(other.id, { id: "run" })]
        yield* my.ledger.record(scope, { runId: "run", epoch: 1, begins, calls, waits: [asked] })
      }
      const unnamed = newRun(other.id)
      const others = { calls: [found(0, other.id)], waits: [wait(unnamed.id, other.id, "/asked@0")] }
      yield* my.record(unnamed.id, { begins: [unnamed], ...others })
      const apart = yield* my.stored(unnamed.id)
      yield* my.redact(secret.id, millis)
      const stored = yield* my.stored("run")
      assert.deepStrictEqual(stored?.calls, [...forgotten(calls.slice(0, 3)), calls[3]!])
      assert.deepStrictEqual(stored?.waits, [{ ...open(asked), prompt: "" }])
      const kept = yield* my.ledger.load(elsewhere, "run")
      assert.deepStrictEqual([kept?.calls, kept?.waits], [calls, [open(asked)]])
      assert.deepStrictEqual(yield* my.stored(unnamed.id), apart)
    })

    test("keeps out what a run still writes that has seen the note, until it is taken again", function* (my) {
      const { row, secret } = yield* stage(my)
      const { runId } = yield* asking(my, row.id)
      yield* my.redact(secret.id, millis)
      const late = answered("/late@0", 0, { response: canary })
      const asked = wait(runId, row.id, "/asked@0", { prompt: canary })
      yield* my.record(runId, { calls: [call("/late@0", 0, { request: canary })] })
      assert.notInclude(JSON.stringify(yield* my.stored(runId)), canary)
      const place = answered("/late@0", 1, { kind: "decision", response: "1" })
      yield* my.record(runId, { calls: [late, place], waits: [asked] })
      const stored = yield* my.stored(runId)
      assert.notInclude(JSON.stringify(stored), canary)
      assert.deepStrictEqual(stored?.calls.slice(-2), [withoutTexts(late), withoutTexts(place)])
      yield* my.claim(runId, "b", { seize: true })
      const known = answered("/late@0", 0, { epoch: 2 })
      yield* my.record(runId, { epoch: 2, calls: [known] })
      assert.deepStrictEqual((yield* my.stored(runId))?.calls.at(-2), known)
    })

    test("keeps out responses that name a redacted note", function* (my) {
      const { other, secret } = yield* stage(my)
      const { runId } = yield* asking(my, other.id)
      yield* my.redact(secret.id, millis)
      const named = answered("/late@0", 0, { response: `["${canary}","${secret.id}"]`, kind: "search" })
      const rest = answered("/late@0", 1, { response: `["${other.id}"]`, kind: "search" })
      // a call that has begun, but has no answer yet
      const due = call("/late@0", 2)
      for (const calls of [
        [named, rest],
        [named, rest, due],
        [due, named]
      ]) {
        yield* my.record(runId, { calls })
        const stored = yield* my.stored(runId)
        const known = calls.toSorted((a, b) => a.n - b.n)
        assert.deepStrictEqual(
          known.map(({ n }) => stored?.calls.find((one) => one.frame === "/late@0" && one.n === n)),
          known.map((one) => (one === named ? withoutTexts(named) : one))
        )
      }
      const change = commit(other, { version: 1, ledger: { runId, epoch: 1, calls: [{ ...named, n: 3 }] } })
      yield* my.store.commit(my.scope, change)
      assert.isUndefined((yield* my.stored(runId))?.calls.at(-1)?.response)
    })

    test("leaves no text of it in a run that writes at the same time", function* (my) {
      for (let round = 0; round < 10; round++) {
        const { other, row, secret } = yield* stage(my)
        const [own, apart] = [yield* asking(my, row.id), yield* asking(my, other.id)]
        const record = (runId: string, n: number, response: string) =>
          my.record(runId, { calls: [answered("/late@0", n, { response })] })
        yield* Effect.all(
          [
            record(own.runId, 0, canary),
            record(apart.runId, 0, `${canary} ${secret.id}`),
            my.redact(secret.id, millis),
            record(own.runId, 1, canary),
            record(apart.runId, 1, `${canary} ${secret.id}`)
          ],
          unbounded
        )
        assert.notInclude(JSON.stringify(yield* my.stored(own.runId)), canary)
        const late = (yield* my.stored(apart.runId))?.calls.filter(({ frame }) => frame === "/late@0")
        assert.notInclude(JSON.stringify(late), canary)
      }
    })
  })

  describe("remove", () => {
    test("of a thought deletes the runs that began on it, and no others", function* (my) {
      const { other, row } = yield* stage(my)
      const fork = thought({ parent: { id: row.id, seq: 1 } })
      yield* my.write(fork)
      const gone = yield* asking(my, row.id)
      const [onFork, apart] = [yield* asking(my, fork.id), yield* asking(my, other.id)]
      yield* my.record(apart.runId, { steps: [step("/a@0", { position: position(row.id) })] })
      const before = yield* Effect.forEach([onFork, apart], ({ runId }) => my.stored(runId))
      assert.isTrue(yield* my.remove({ id: row.id }, { materialize: true }))
      assert.isUndefined(yield* my.stored(gone.runId))
      assert.deepStrictEqual(yield* Effect.forEach([onFork, apart], ({ runId }) => my.stored(runId)), before)
      assert.strictEqual(yield* refusal(my.record(gone.runId, { steps: [step("/a@0")] })), "LeaseLost")
      assert.isUndefined(yield* my.answer(gone.runId, "/c@0", "1", "ann", noon))
    })

    test("of a run deletes it with its rows, unless it runs or is to begin", function* (my) {
      for (const status of ["waiting", "interrupted", "failed", "completed"] as const) {
        const { row, runId } = yield* my.begin({ id: `run\u0000 ${status} \ud800` })
        const pending = pendingRun(row.id)
        yield* my.record(runId, {
          begins: [pending],
          steps: [step("/a@0")],
          calls: [call("/a@0", 0)],
          waits: [wait(runId, row.id, "/b@0")]
        })
        for (const id of [runId, pending.id]) {
          assert.isFalse(yield* my.ledger.remove(my.scope, id))
          assert.isDefined(yield* my.stored(id))
        }
        yield* my.record(runId, { ends: { status, end: position(row.id), error: undefined, endedMillis: noon } })
        assert.isTrue(yield* my.ledger.remove(my.scope, runId), status)
        assert.isUndefined(yield* my.stored(runId))
        assert.deepStrictEqual(idsOf(yield* my.runs({ thoughtId: row.id })), [pending.id])
        assert.deepStrictEqual(yield* my.waits({ runId }), [])
        assert.isFalse(yield* my.ledger.remove(my.scope, runId))
        // the id is free again
        yield* my.record(runId, { begins: [newRun(row.id, { id: runId })] })
        assert.deepStrictEqual((yield* my.stored(runId))?.steps, [])
      }
    })
  })

  describe("purge", () => {
    test("deletes the runs of the scope, and counts thoughts", function* (my) {
      const { row } = yield* stage(my)
      const { runId } = yield* asking(my, row.id)
      const elsewhere = freshScope()
      yield* my.store.commit(elsewhere, commit(row))
      yield* my.ledger.record(elsewhere, { runId, epoch: 1, begins: [newRun(row.id, { id: runId })] })
      assert.strictEqual(yield* my.purge(), 2)
      assert.isUndefined(yield* my.stored(runId))
      assert.deepStrictEqual([yield* my.runs(), yield* my.waits()], [[], []])
      assert.isDefined(yield* my.ledger.load(elsewhere, runId))
    })
  })
}
