import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import type { Store } from "cogito"
import { Memory } from "cogito"
import { Testing } from "cogito/testing"
import { Effect, Result, Stream } from "effect"
import { makeInMemory as makePlain } from "../../src/memory/inMemory/store.ts"
import { loadAll, plant } from "../../src/testing/contract/stage/forest.ts"
import { random } from "../../src/testing/contract/stage/random.ts"
import {
  awkwardTexts,
  commit,
  entry,
  note,
  notes,
  plain,
  thought,
  uuid
} from "../../src/testing/contract/stage/rows.ts"
import { makeStore as makePglite } from "../pglite/prefilled.ts"
import { available, makeStore as makePostgres, type Server, start } from "../postgres/server.ts"

/** A memory on a store, and the store. */
const over = <E, R>(makeStore: Effect.Effect<Store.Store, E, R>) =>
  Effect.gen(function* () {
    const store = yield* makeStore
    return { store, memory: yield* Memory.make({ store, scope: "a" }).pipe(Effect.provide(Testing.embedder)) }
  })

type Subject = Effect.Success<ReturnType<typeof over>>

const linesOf = ({ memory }: Subject, scope: string, options?: Parameters<typeof Memory.exportLines>[0]) =>
  Memory.withScope(scope)(Stream.runCollect(memory.exportLines(options)))

const put = ({ memory }: Subject, scope: string, lines: ReadonlyArray<string>) =>
  Memory.withScope(scope)(memory.importLines(Stream.fromIterable(lines)))

const reasonOf = <A, R>(effect: Effect.Effect<A, Memory.MemoryError, R>) =>
  Effect.map(Effect.flip(effect), ({ reason }) => reason)

const all = (subject: Subject, scope: string) =>
  Effect.map(loadAll(subject.store, scope), (stored) => stored.map(plain))

const planted = Effect.fnUntraced(function* (subject: Subject, scope: string, seed: number) {
  const rng = random(seed)
  const stored = yield* plant(subject.store, scope, rng, 8)
  const some = stored.flatMap((one) => one.notes)
  if (some.length > 0) yield* subject.store.redact(scope, rng.pick(some).id, 1_800_000_000_000 + seed)
  return yield* all(subject, scope)
})

describe("export and import", () => {
  let server: Server | undefined
  beforeAll(() => {
    if (available) server = start()
  })
  afterAll(() => server?.stop())

  const roundTrip = () =>
    Effect.gen(function* () {
      const plainMemory = yield* over(makePlain)
      const pglite = yield* over(makePglite())
      const postgres = available
        ? [yield* over(makePostgres(() => server ?? assert.fail("the server has stopped")))]
        : []
      const last = yield* over(makePlain)
      const way = [plainMemory, pglite, ...postgres, last]
      for (let seed = 1; seed <= 3; seed++) {
        const scope = `scope ${seed}`
        const expected = yield* planted(way[seed % (way.length - 1)] ?? plainMemory, `from ${seed}`, seed * 31)
        let lines = yield* linesOf(way[seed % (way.length - 1)] ?? plainMemory, `from ${seed}`)
        assert.strictEqual(lines.length, 1 + expected.length)
        for (const subject of way) {
          assert.deepStrictEqual(yield* put(subject, scope, lines), { imported: expected.length, present: 0 })
          assert.deepStrictEqual(yield* all(subject, scope), expected)
          assert.deepStrictEqual(yield* put(subject, scope, lines), { imported: 0, present: expected.length })
          assert.deepStrictEqual(yield* all(subject, scope), expected)
          const again = yield* linesOf(subject, scope)
          assert.deepStrictEqual(again, lines)
          lines = again
        }
      }
    }).pipe(Effect.scoped)

  it.live(
    `give back every thought as it was, from any store to any other${available ? ", a server too" : ""}`,
    roundTrip,
    180_000
  )

  it.effect("keep awkward texts, in lines without line breaks", () =>
    Effect.gen(function* () {
      const subject = yield* over(makePlain)
      const row = thought({ traceId: "\ud800", intent: "\u2028\n", hidden: new Map([["__proto__", 1]]) })
      const own = notes(
        row.id,
        1,
        awkwardTexts.map((content) => ({ content, metadata: JSON.parse('{"__proto__":"\\ud800","2":"","1":""}') }))
      )
      const written = commit(row, {
        notes: own,
        entries: awkwardTexts.map((text, i) => entry(i, { text })),
        nextIndex: 99
      })
      yield* subject.store.commit("a", written)
      const lines = yield* linesOf(subject, "a")
      for (const line of lines) assert.notMatch(line, /[\n\r\ud800-\udbff](?![\udc00-\udfff])/)
      yield* put(subject, "b", lines)
      assert.deepStrictEqual(yield* all(subject, "b"), yield* all(subject, "a"))
    }).pipe(Effect.scoped)
  )

  it.effect("keep every count of tokens of a conversation", () =>
    Effect.gen(function* () {
      const [from, to] = [yield* over(makePlain), yield* over(makePlain)]
      const usage = { inputTokens: 31, outputTokens: 17, cachedInputTokens: 9, cacheWriteTokens: 5, reasoningTokens: 3 }
      const row = thought({})
      yield* from.store.commit("a", commit(row, { usage }))
      yield* put(to, "b", yield* linesOf(from, "a"))
      const { session } = yield* Memory.withScope("b")(to.memory.load(row.id))
      assert.deepStrictEqual(session.usage, usage)
    }).pipe(Effect.scoped)
  )

  it.effect("take only the thoughts asked for, with those they descend from, parents first", () =>
    Effect.gen(function* () {
      const subject = yield* over(makePlain)
      // a fork whose clock was behind its parent's
      const root = thought({ createdMillis: 5 })
      const fork = thought({ createdMillis: 1, parent: { id: root.id, seq: 1 }, traceId: "fork" })
      const other = thought({ createdMillis: 3 })
      yield* subject.store.commit("a", commit(root, { notes: notes(root.id, 1, [{}, {}]) }))
      yield* subject.store.commit("a", commit(fork))
      yield* subject.store.commit("a", commit(other))
      const ids = (lines: ReadonlyArray<string>) =>
        lines.slice(1).map((line) => (JSON.parse(line) as { readonly thought: { readonly id: string } }).thought.id)
      assert.deepStrictEqual(ids(yield* linesOf(subject, "a")), [root.id, fork.id, other.id])
      const some = yield* linesOf(subject, "a", { thoughts: [{ traceId: "fork" }, root.id] })
      assert.deepStrictEqual(ids(some), [root.id, fork.id])
      const { reason } = yield* Effect.flip(linesOf(subject, "a", { thoughts: [uuid()] }))
      assert.strictEqual(reason._tag, "NotFound")
      assert.strictEqual((yield* linesOf(subject, "empty")).length, 1)
      for (let i = 0; i < 230; i++) yield* subject.store.commit("many", commit(thought({ createdMillis: i % 7 })))
      assert.strictEqual(new Set(yield* linesOf(subject, "many")).size, 231)
    }).pipe(Effect.scoped)
  )

  it.effect("name the line that cannot be read, and keep what came before it", () =>
    Effect.gen(function* () {
      const subject = yield* over(makePlain)
      const row = thought()
      yield* subject.store.commit(
        "a",
        commit(row, { notes: notes(row.id, 1, [{ content: "telling" }, {}]), entries: [entry(0)], nextIndex: 1 })
      )
      const [header = "", line = ""] = yield* linesOf(subject, "a")
      const wrong = (change: (line: any) => void) => {
        const parsed = JSON.parse(line)
        change(parsed)
        return JSON.stringify(parsed)
      }
      const [none, version, numbers, order] = [
        "it is not an exported thought",
        "its version is not a whole number from 1",
        "its notes are not numbered consecutively",
        "the entries of its conversation are not in order"
      ]
      const bad: ReadonlyArray<readonly [line: string, why: string]> = [
        ["{", none],
        ["null", none],
        [header, none],
        [line.slice(0, -1), none],
        [wrong((one) => delete one.thought.intent), none],
        [wrong((one) => (one.thought.id = "no id")), none],
        [wrong((one) => (one.version = 0)), version],
        [wrong((one) => (one.notes[1].seq = 3)), numbers],
        [wrong((one) => (one.notes[0].seq = 0)), numbers],
        [wrong((one) => (one.notes[0].seq = 2 ** 40)), none],
        [wrong((one) => (one.nextIndex = 0)), order],
        [wrong((one) => one.entries.push(one.entries[0])), order],
        [wrong((one) => (one.entries[0].kind = "other")), none],
        [wrong((one) => (one.usage = { inputTokens: "1" })), none]
      ]
      for (const [i, [one, why]] of bad.entries()) {
        const reason = yield* reasonOf(put(subject, `bad ${i}`, [header, "", line, one]))
        const message = `Line 4 of the archive cannot be read: ${why}.`
        assert.deepStrictEqual(reason, { _tag: "InvalidArchive", line: 4, message }, one)
        assert.strictEqual((yield* all(subject, `bad ${i}`)).length, 1)
      }
      const newer = yield* reasonOf(put(subject, "none", [header.replace("1", "2")]))
      assert.include(newer.message, "it was written by a newer version of cogito: use that version")
      for (const lines of [[], [line], [""], [header.replace("1", "2"), line], [header.replace("cogito", "other")]]) {
        assert.deepInclude(yield* reasonOf(put(subject, "none", lines)), { _tag: "InvalidArchive", line: 1 })
        assert.deepStrictEqual(yield* all(subject, "none"), [])
      }
    }).pipe(Effect.scoped)
  )

  it.effect("bring no text of a redacted note, also if the archive has it", () =>
    Effect.gen(function* () {
      const subject = yield* over(makePlain)
      const row = thought()
      const own = notes(row.id, 1, [{ content: "telling", metadata: { name: "Ann" } }, { content: "plain" }])
      yield* subject.store.commit("a", commit(row, { notes: own }))
      const [header = "", line = ""] = yield* linesOf(subject, "a")
      const parsed = JSON.parse(line)
      parsed.notes[0].redacted = 1_800_000_000_000
      yield* put(subject, "b", [header, JSON.stringify(parsed)])
      const [loaded] = yield* loadAll(subject.store, "b")
      assert.deepStrictEqual(
        loaded?.notes.map(({ content, metadata, redacted }) => [content, metadata, redacted?.epochMilliseconds]),
        [
          ["", {}, 1_800_000_000_000],
          ["plain", {}, undefined]
        ]
      )
      assert.notInclude((yield* linesOf(subject, "b")).join(), "telling")
    }).pipe(Effect.scoped)
  )

  it.effect("pass over lines of spaces, and refuse a text that no store may keep", () =>
    Effect.gen(function* () {
      const subject = yield* over(makePlain)
      const row = thought()
      yield* subject.store.commit("a", commit(row, { notes: notes(row.id, 1, [{}]) }))
      const [header = "", line = ""] = yield* linesOf(subject, "a")
      assert.deepStrictEqual(yield* put(subject, "b", [header, " \t", line, ""]), { imported: 1, present: 0 })
      const long = JSON.parse(line)
      long.thought.traceId = "x".repeat(257)
      const reason = yield* reasonOf(put(subject, "c", [header, JSON.stringify(long)]))
      assert.deepInclude(reason, { _tag: "TooLarge", field: "traceId", limit: 256 })
      assert.deepStrictEqual(yield* all(subject, "c"), [])
    }).pipe(Effect.scoped)
  )

  it.effect("leave out what is removed meanwhile, and forks of notes that the archive does not have", () =>
    Effect.gen(function* () {
      const store = yield* makePlain
      const changes: Array<Effect.Effect<unknown, Memory.MemoryError>> = []
      const change = Effect.suspend(() => changes.pop() ?? Effect.void)
      const changing: Store.Store = {
        ...store,
        thoughts: (...given) => Effect.tap(store.thoughts(...given), () => change),
        load: (...given) => Effect.tap(store.load(...given), () => change)
      }
      const subject = yield* over(Effect.succeed(changing))
      const [row, gone] = [thought({ createdMillis: 1 }), thought({ createdMillis: 2 })]
      yield* store.commit("a", commit(row, { notes: notes(row.id, 1, [{}]) }))
      yield* store.commit("a", commit(gone))
      const ids = (lines: ReadonlyArray<string>) =>
        lines.slice(1).map((line) => (JSON.parse(line) as { readonly thought: { readonly id: string } }).thought.id)
      // once they are listed
      changes.push(store.remove("a", { id: gone.id }, { materialize: false }))
      assert.deepStrictEqual(ids(yield* linesOf(subject, "a")), [row.id])
      // once its parent is read
      const fork = thought({ parent: { id: row.id, seq: 2 } })
      const { seq: _seq, thoughtId: _id, ...late } = note(row.id, 2)
      changes.push(Effect.andThen(store.append("a", { id: row.id }, [late]), () => store.commit("a", commit(fork))))
      const lines = yield* linesOf(subject, "a", { thoughts: [row.id, fork.id] })
      assert.deepStrictEqual(ids(lines), [row.id])
      assert.deepStrictEqual(yield* put(subject, "b", lines), { imported: 1, present: 0 })
    }).pipe(Effect.scoped)
  )

  it.effect("of an earlier version, know a summary of what was found by its step, its source and another key", () =>
    Effect.gen(function* () {
      const subject = yield* over(makePlain)
      const found = { key: "found", source: "seek", step: "look", content: "[]" }
      for (const [before, after, known] of [
        [found, { ...found, key: "summary" }, true],
        [found, found, false],
        [found, { ...found, key: "summary", step: "look again" }, false],
        [{ ...found, source: "survey" }, { ...found, key: "summary" }, false],
        [found, { ...found, key: "summary", source: "decide" }, false]
      ] as const) {
        const row = thought()
        const own = notes(row.id, 1, [before, after])
        yield* subject.store.commit("a", commit(row, { notes: own }))
        const [header = "", line = ""] = yield* linesOf(subject, "a", { thoughts: [row.id] })
        const old = JSON.parse(line)
        for (const one of old.notes) delete one.derivedFrom
        yield* put(subject, "b", [header, JSON.stringify(old)])
        const stored = yield* subject.store.load("b", { id: row.id })
        assert.deepStrictEqual(
          stored?.notes.map(({ derivedFrom }) => derivedFrom),
          [[], known ? own.slice(0, 1).map(({ id }) => id) : []]
        )
      }
    }).pipe(Effect.scoped)
  )

  it.effect("refuse what cannot be beside the scope's own, and change nothing of it", () =>
    Effect.gen(function* () {
      const subject = yield* over(makePlain)
      const row = thought({ traceId: "same" })
      const own = notes(row.id, 1, [{}, {}])
      yield* subject.store.commit("a", commit(row, { notes: own }))
      const fork = thought({ parent: { id: row.id, seq: 2 } })
      yield* subject.store.commit("a", commit(fork))
      const lines = yield* linesOf(subject, "a")
      const conflicts = Effect.fnUntraced(function* (scope: string, line: number, thoughtId: string) {
        const before = yield* all(subject, scope)
        assert.deepInclude(yield* reasonOf(put(subject, scope, lines)), { _tag: "ArchiveConflict", line, thoughtId })
        assert.deepStrictEqual(yield* all(subject, scope), before)
      })
      yield* subject.store.commit("other text", commit(row, { notes: [{ ...own[0]!, content: "else" }, own[1]!] }))
      yield* conflicts("other text", 2, row.id)
      yield* subject.store.commit("fewer", commit(row, { notes: own.slice(0, 1) }))
      yield* conflicts("fewer", 2, row.id)
      // a later version, but of another text
      const [first, second] = own
      yield* subject.store.commit("later", commit(row, { notes: [{ ...first!, content: "else" }, second!] }))
      yield* subject.store.commit("later", commit(row, { version: 1, notes: notes(row.id, 3, [{}]) }))
      yield* conflicts("later", 2, row.id)
      // what came later in the archive is only in the conversation
      yield* subject.store.commit("older", commit(row, { notes: own }))
      yield* subject.store.commit("a", commit(row, { version: 1, entries: [entry(0)], nextIndex: 1 }))
      const newer = yield* linesOf(subject, "a")
      assert.deepInclude(yield* reasonOf(put(subject, "older", newer)), { _tag: "ArchiveConflict", line: 2 })
      assert.deepStrictEqual(yield* put(subject, "a", lines), { imported: 0, present: 2 })
      yield* subject.store.commit("same trace", commit(thought({ traceId: "same" })))
      yield* conflicts("same trace", 2, row.id)
      const thief = thought()
      yield* subject.store.commit("same note", commit(thief, { notes: [{ ...own[1]!, thoughtId: thief.id, seq: 1 }] }))
      yield* conflicts("same note", 2, row.id)
      const orphaned = [lines[0] ?? "", lines[2] ?? ""]
      assert.deepInclude(yield* reasonOf(put(subject, "no parent", orphaned)), {
        _tag: "ArchiveConflict",
        line: 2,
        thoughtId: fork.id
      })
    }).pipe(Effect.scoped)
  )

  it.effect("know a note again whose source was removed since, though it names other sources now", () =>
    Effect.gen(function* () {
      const subject = yield* over(makePlain)
      const [first, second, third] = [thought(), thought(), thought()]
      const source = note(first.id, 1)
      const between = note(second.id, 1, { derivedFrom: [source.id] })
      const last = note(third.id, 1, { derivedFrom: [between.id] })
      yield* subject.store.commit("a", commit(first, { notes: [source] }))
      yield* subject.store.commit("a", commit(second, { notes: [between] }))
      yield* subject.store.commit("a", commit(third, { notes: [last] }))
      const lines = yield* linesOf(subject, "a")
      yield* subject.store.remove("a", { id: second.id }, { materialize: false })
      const before = yield* subject.store.load("a", { id: third.id })
      assert.deepStrictEqual(before?.notes[0]?.derivedFrom, [between.id, source.id])
      assert.deepStrictEqual(yield* put(subject, "a", lines), { imported: 1, present: 2 })
      assert.deepStrictEqual(yield* subject.store.load("a", { id: third.id }), before)
    }).pipe(Effect.scoped)
  )

  it.effect("keep entries of every kind and role", () =>
    Effect.gen(function* () {
      const subject = yield* over(makePlain)
      const row = thought()
      const kinds = ["message", "summary", "omission", "result"] as const
      const roles = ["system", "user", "assistant"] as const
      const entries = kinds.flatMap((kind) => roles.map((role) => ({ kind, role }))).map((one, i) => entry(i, one))
      yield* subject.store.commit("a", commit(row, { entries, nextIndex: entries.length }))
      yield* put(subject, "b", yield* linesOf(subject, "a"))
      assert.deepStrictEqual((yield* subject.store.load("b", { id: row.id }))?.entries, entries)
    }).pipe(Effect.scoped)
  )

  it.effect("go on where an import broke off, and leave what came later as it is", () =>
    Effect.gen(function* () {
      const subject = yield* over(makePlain)
      yield* planted(subject, "a", 77)
      const lines = yield* linesOf(subject, "a")
      const broken = Stream.concat(Stream.fromIterable(lines.slice(0, 4)), Stream.fail("broken" as const))
      const failed = yield* Effect.result(Memory.withScope("b")(subject.memory.importLines(broken)))
      assert.isTrue(Result.isFailure(failed) && failed.failure === "broken")
      assert.deepStrictEqual(yield* put(subject, "b", lines), { imported: lines.length - 4, present: 3 })
      const [first] = yield* loadAll(subject.store, "b")
      const id = first?.thought.id ?? ""
      const { seq: _seq, thoughtId: _id, ...late } = note(id, 1)
      yield* subject.store.append("b", { id }, [late])
      for (const one of (yield* loadAll(subject.store, "b")).flatMap(({ notes: own }) => own).slice(0, 3)) {
        yield* subject.store.redact("b", one.id, 1_900_000_000_000)
      }
      const before = yield* all(subject, "b")
      assert.deepInclude(yield* put(subject, "b", lines), { imported: 0 })
      assert.deepStrictEqual(yield* all(subject, "b"), before)
    }).pipe(Effect.scoped)
  )
})
