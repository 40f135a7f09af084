/**
 * The program dies as when the system kills it, at moments that differ from run to run. More rounds:
 * `COGITO_KILL_ROUNDS=30 vitest run test/examples/kill.test.ts`.
 */
import { PGlite } from "@electric-sql/pglite"
import { vector } from "@electric-sql/pglite-pgvector"
import { assert, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import type { Store } from "cogito"
import { PgliteMemory } from "cogito/pglite"
import { existsSync } from "node:fs"
import { join } from "node:path"
import { folder, model, run, start } from "./triage.ts"

const rounds = Number(process.env["COGITO_KILL_ROUNDS"] ?? 3)

const wait = (millis: number) => Effect.promise(() => new Promise((resume) => setTimeout(resume, millis)))
const upTo = (most: number) => Math.floor(Math.random() * (most + 1))

/** Where the program is killed; gives when that was. */
const deaths = [
  Effect.fnUntraced(function* (cwd: string) {
    const millis = upTo(3000)
    const child = yield* start([], { cwd })
    yield* wait(millis)
    yield* child.kill
    return { when: `${millis} ms after its first start`, ended: yield* child.ended }
  }),
  Effect.fnUntraced(function* (cwd: string) {
    const millis = upTo(1500)
    const child = yield* start([], { cwd })
    yield* child.said("1: answered")
    yield* wait(millis)
    yield* child.kill
    return { when: `${millis} ms after its first ticket`, ended: yield* child.ended }
  }),
  Effect.fnUntraced(function* (cwd: string) {
    // it takes its time, as models do, so that a death may come at any question and between any two
    const calls = 1 + upTo(40)
    const millis = upTo(80)
    const server = yield* model(Number.POSITIVE_INFINITY, 40)
    const child = yield* start(["--provider", "openai", "--model", "m", "--base-url", server.baseUrl], { cwd })
    for (let call = 0; call < calls; call++) yield* server.arrived
    yield* wait(millis)
    yield* child.kill
    return { when: `${millis} ms after model call ${calls}`, ended: yield* child.ended }
  })
]

/** Trace ids of the thoughts of all tickets in a folder that nobody has open, past whatever the store would hide. */
const traceIds = (data: string) =>
  Effect.acquireUseRelease(
    Effect.promise(() => PGlite.create({ dataDir: join(data, "database"), extensions: { vector } })),
    (database) =>
      Effect.promise(async () => {
        const { rows } = await database.query<{ id: string }>(
          "select trace_id as id from cogito.thought where trace_id like 'ticket-%' order by 1"
        )
        return rows.map(({ id }) => id)
      }),
    (database) => Effect.promise(() => database.close())
  )

const storedIn = Effect.fnUntraced(function* (data: string) {
  // a first start that was cut off has stored nothing
  if (!existsSync(join(data, "ready"))) return []
  const ids = yield* traceIds(data)
  const store = yield* PgliteMemory.makeStore({ dataDir: data })
  return yield* Effect.forEach(ids, (traceId) =>
    Effect.map(store.load("local", { traceId }), (stored) => stored ?? assert.fail(`${traceId} cannot be loaded`))
  )
}, Effect.scoped)

const message = ["message"]
const steps = [["ticket"], ["history"], ["category"], ["mood"], ["escalate", "escalate_summary"]]

/** Each step stored whole or not at all, none before the one that it follows. */
const assertWhole = ({ entries, nextIndex, notes, thought }: Store.StoredThought, when: string) => {
  const what = `${thought.traceId}, killed ${when}`
  const keys = notes.map(({ key }) => key)
  const prefixes = [...steps.keys(), steps.length].map((count) => [message, ...steps.slice(0, count)].flat())
  assert.deepInclude([...prefixes, ["message", "empty"]], keys, what)
  assert.deepStrictEqual(
    notes.map(({ seq }) => seq),
    keys.map((_, index) => index + 1),
    what
  )
  // a question that shows notes and an answer that is one, for each answer that was had in conversation
  const conversed = notes.filter(
    ({ key, metadata }) => key === "escalate_summary" || (metadata["via"] ?? "native") !== "native"
  )
  assert.deepStrictEqual(
    entries.map(({ index, role }) => [index, role]),
    conversed.flatMap((_, index) => [
      [2 * index, "user"],
      [2 * index + 1, "assistant"]
    ]),
    what
  )
  assert.deepStrictEqual(
    entries.filter(({ role }) => role === "assistant").map(({ carries, text }) => [carries, text]),
    conversed.map(({ content, id }) => [[id], content]),
    what
  )
  assert.includeMembers(
    notes.map(({ id }) => id),
    entries.flatMap(({ carries }) => carries),
    what
  )
  assert.strictEqual(nextIndex, entries.length, what)
}

it.live(
  "npm run triage, killed at any moment, leaves whole steps, and the next run goes on",
  () =>
    Effect.gen(function* () {
      let cwd = ""
      for (let round = 0; round < rounds; round++) {
        const kind = round % deaths.length
        if (kind === 0) cwd = yield* folder
        const data = join(cwd, ".cogito", "triage")
        const { ended, when } = yield* Effect.scoped(deaths[kind]!(cwd))
        assert.isNull(ended.code, `it ended by itself, ${when}: ${ended.stderr}`)
        const stored = yield* storedIn(data)
        for (const thought of stored) assertWhole(thought, when)
        // what was reported is stored
        const lengths = new Map(stored.map(({ notes, thought }) => [thought.traceId, notes.length]))
        for (const [, traceId = ""] of ended.stdout.matchAll(/^Ticket \d+ {2}(\S+)$/gm)) {
          assert.include([2, 7], lengths.get(traceId), `${traceId}, killed ${when}`)
        }
        const next = yield* run(["--limit", "2"], { cwd })
        assert.strictEqual(next.code, 0, `killed ${when}: ${next.stderr}`)
        assert.match(next.stdout, /^2 tickets · 10 model calls · /m)
      }
    }).pipe(Effect.scoped),
  60_000 * (rounds + 1)
)
