/** The limits of what is written at once, exactly at each limit. Long texts are the same ones, so they take no room. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Result } from "effect"
import { checkRows } from "../../src/memory/model/ledgerLimits.ts"
import { checkCommit } from "../../src/memory/model/limits.ts"
import { answered, newRun, step, wait } from "../../src/testing/contract/ledger/rows.ts"
import { commit, entry, note, thought } from "../../src/testing/contract/stage/rows.ts"

const long = "x".repeat(4_000_000)
const fields = (check: Effect.Effect<void, unknown>) => {
  const found = Effect.runSync(Effect.result(check))
  return Result.isSuccess(found)
    ? "fits"
    : Reflect.get(Reflect.get(found.failure as object, "reason") as object, "field")
}

describe("a commit", () => {
  const row = thought({ intent: "" })
  const sixteen = Array.from({ length: 16 }, (_, i) => note(row.id, i + 1, { content: long }))
  const full = commit(row, { notes: sixteen })
  const said = (given: Parameters<typeof checkCommit>[0]) => fields(checkCommit(given))

  it("has at most 64 million characters in its notes, their metadata, its intent and its messages together", () => {
    assert.strictEqual(said(full), "fits")
    assert.strictEqual(said({ ...full, thought: { ...row, intent: "x" } }), "notes")
    assert.strictEqual(said({ ...full, entries: [entry(0, { text: "" })] }), "fits")
    assert.strictEqual(said({ ...full, entries: [entry(0, { text: "x" })] }), "notes")
    assert.strictEqual(said({ ...full, notes: [...sixteen, note(row.id, 17, { content: "x" })] }), "notes")
    const labelled = note(row.id, 17, { content: "", metadata: { a: "" } })
    assert.strictEqual(said({ ...full, notes: [...sixteen, labelled] }), "notes")
  })

  it("counts what it brings along, however deep", () => {
    const one = commit(thought({ intent: "x" }))
    const above = commit(thought({ intent: "" }), { parent: one })
    const before = commit(thought({ intent: "" }), { before: [above] })
    assert.strictEqual(said({ ...full, parent: commit(thought({ intent: "" })) }), "fits")
    for (const parts of [
      { parent: one },
      { parent: above },
      { before: [one] },
      { before: [above] },
      { before: [before] }
    ]) {
      assert.strictEqual(said({ ...full, ...parts }), "notes", Object.keys(parts).join())
    }
    const tooLong = commit(row, { notes: [note(row.id, 1, { key: "k".repeat(201) })] })
    const behind = commit(thought(), { before: [commit(thought(), { parent: tooLong })] })
    assert.strictEqual(said(behind), "key")
  })
})

describe("rows of a run", () => {
  const run = newRun("thought", { outline: "" })
  const rows = { runId: run.id, epoch: 1 }
  const said = (given: Partial<Parameters<typeof checkRows>[0]>) => fields(checkRows({ ...rows, ...given }))
  const asking = (length: number) =>
    Array.from({ length }, (_, i) => wait(run.id, "thought", `/${i}`, { prompt: long }))

  it("have at most 64 million characters in outlines, prompts, requests and responses together", () => {
    const waits = asking(16)
    assert.strictEqual(said({ waits }), "fits")
    assert.strictEqual(said({ waits, begins: [run] }), "fits")
    assert.strictEqual(said({ waits, begins: [{ ...run, outline: "x" }] }), "rows")
    assert.strictEqual(said({ waits: [...waits, wait(run.id, "thought", "/x", { prompt: "x" })] }), "rows")
    for (const kept of [{ request: "x" }, { response: "x" }]) {
      const call = answered("/a", 0, { request: "", response: "", ...kept })
      assert.strictEqual(said({ waits, calls: [call] }), "rows")
      assert.strictEqual(said({ waits: asking(15), calls: [call] }), "fits")
    }
  })

  it("are not of a run without an id, nor begin one", () => {
    const noId = "The id of a run must have 1 to 200 characters, and must not be blank: pass another one."
    for (const given of [
      { ...rows, runId: "" },
      { ...rows, begins: [run, { ...run, id: "" }] }
    ]) {
      assert.strictEqual(Effect.runSync(Effect.flip(checkRows(given))).message, noId)
    }
    assert.strictEqual(said({ begins: [{ ...run, id: "x".repeat(200) }] }), "fits")
    assert.strictEqual(said({ begins: [run, { ...run, id: "x".repeat(201) }] }), "runId")
  })

  it("are at most 10,000 of a kind", () => {
    const steps = Array.from({ length: 10_000 }, (_, i) => step(`/${i}`))
    const drops = steps.map(({ frame }) => ({ frame, n: 0 }))
    assert.strictEqual(said({ steps, drops }), "fits")
    assert.strictEqual(said({ steps: [...steps, step("/more")] }), "rows")
    assert.strictEqual(said({ drops: [...drops, { frame: "/more", n: 0 }] }), "rows")
  })
})
