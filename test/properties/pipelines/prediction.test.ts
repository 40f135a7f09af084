/** Laws that say what a run leaves behind: what the interpreter of the same program says. */
import { assert, describe, layer } from "@effect/vitest"
import { Context, Effect, Exit, Layer } from "effect"
import { type Store, Thought } from "cogito"
import { makeStore } from "../../pglite/prefilled.ts"
import { readRequest } from "../request.ts"
import { programs } from "./generate.ts"
import { callsOf, commitsOf } from "./compare.ts"
import type { Outcome } from "./outcome.ts"
import { callName, type Program, reachesOut } from "./program.ts"
import { assertCalls, assertEnd, assertStored, bytesOf, checking, law, momentsOf, predicted, seen } from "./law.ts"
import type { Commit, Observation } from "./run.ts"
import { replied } from "./thought.ts"

const plain = (thought: Thought.Thought<any>): unknown =>
  JSON.parse(JSON.stringify([thought, [...thought.checkpoints], Thought.unpublished(thought)]))

/** What is in memory at the end is what the store gives back. */
const assertReloads = (_: Outcome, { exit, stored }: Observation): void => {
  const inMemory = Exit.isSuccess(exit)
    ? exit.value
    : exit.cause.reasons.flatMap((reason) => (reason._tag === "Fail" ? [reason.error.thought] : []))[0]
  if (inMemory === undefined) return
  const reloaded = stored.find(({ id }) => id === inMemory.id)
  assert.isDefined(reloaded)
  // the run takes over what is appended with its next commit
  const later = Thought.notes(reloaded).slice(inMemory.length)
  assert.isTrue(later.every(({ step }) => step === ""))
  if (later.length === 0) assert.deepStrictEqual(plain(reloaded), plain(inMemory))
}

/** Versions increase by one, notes and entries follow those before them. */
const assertDense = (prediction: Outcome, { commits, stored }: Observation): void => {
  const appended = prediction.events.some(({ _tag }) => _tag === "Appended")
  const versions = new Map<string, number>()
  const lengths = new Map<string, number>()
  const write = ({ before: first = [], notes, parent, thought, version }: Omit<Commit, "at">): void => {
    first.forEach(write)
    if (parent !== undefined && (versions.get(parent.thought.id) ?? 0) === parent.version) write(parent)
    assert.strictEqual(version, versions.get(thought.id) ?? 0)
    versions.set(thought.id, version + 1)
    const before = lengths.get(thought.id) ?? thought.parent?.seq ?? 0
    assert.deepStrictEqual(
      notes.map(({ seq }) => seq),
      notes.map((_, i) => before + i + 1)
    )
    lengths.set(thought.id, before + notes.length)
  }
  // what is appended has a version and numbers too
  if (!appended) commits.forEach(write)
  assert.deepStrictEqual(
    commits.map(({ at }) => at),
    commitsOf(prediction.events).map(({ at }) => at)
  )
  for (const thought of stored) {
    assert.deepStrictEqual(
      Thought.notes(thought).map(({ seq }) => seq),
      Thought.notes(thought).map((_, i) => i + 1)
    )
  }
}

/** Calls of the same kind that see the same are sent the same bytes: attempts, and alternatives that ask the same. */
const assertSameBytes = (prediction: Outcome, { calls }: Observation): void => {
  const sent = new Map<string, string>()
  for (const { call, leaf, request } of callsOf(prediction.events)) {
    const seenCall = calls.find((one) => one.leaf === leaf.id && one.call === call)
    if (request === undefined || request.repairs > 0) continue
    const key = JSON.stringify([leaf.does, request.phase, request.thought, request.conversation, request.shows])
    const bytes = bytesOf(seenCall!.messages!)
    assert.strictEqual(bytes, sent.get(key) ?? bytes, callName(leaf, call))
    sent.set(key, bytes)
  }
}

/** Every request shows or stands for each current note once. */
const assertPublished = (prediction: Outcome, { calls }: Observation): void => {
  for (const { call, leaf, request } of callsOf(prediction.events)) {
    const messages = calls.find((one) => one.leaf === leaf.id && one.call === call)?.messages
    if (request === undefined || messages === undefined) continue
    const shown = messages
      .slice(1)
      .flatMap(({ role, text }) =>
        role === "user" && !text.startsWith("[Earlier messages") ? readRequest(text).notes : []
      )
    const said = messages.flatMap(({ role, text }) => (role === "assistant" ? [text] : []))
    const covered = request.conversation.flatMap(({ covers }) => covers)
    for (const { content, id, key } of request.current) {
      const times =
        shown.filter((note) => note.key === key && note.content === content).length +
        said.filter((text) => text === replied(content)).length +
        covered.filter((one) => one === id).length
      assert.strictEqual(times, 1, `${key} in the request of ${callName(leaf, call)}`)
    }
  }
}

/** No effect after the commit runs before the commit, for what is lost, or twice, unless a run apart is repeated. */
const assertLater = (program: Program, prediction: Outcome, { calls, commits }: Observation): void => {
  const later = calls.filter(({ does }) => does === "once")
  const expected = callsOf(prediction.events).filter(({ leaf }) => leaf.does === "once")
  assert.sameMembers(
    later.map(({ at, leaf }) => `${leaf} at ${at}`),
    expected.map(({ at, leaf }) => `${leaf.id} at ${at}`)
  )
  if (!reachesOut(program.root)) assert.strictEqual(new Set(later.map(({ leaf }) => leaf)).size, later.length)
  for (const { at } of later) assert.isTrue(commits.some((commit) => commit.at <= at))
}

describe("a random pipeline", () => {
  law("ends as the interpreter says, and when it says so", (program) => seen(program, assertEnd))

  law("calls what the interpreter says, and sends what it says", (program) => seen(program, assertCalls))

  law(
    "leaves no note, message or thought of what failed, timed out, lost or was interrupted [C783] [C786]",
    (program) => seen(program, assertStored)
  )

  law("is reloaded as it is in memory [C784]", (program) => seen(program, assertReloads))

  law("commits in order and without gaps, and at the moments when it is settled what survives", (program) =>
    seen(program, assertDense)
  )

  law("sends the same bytes to every attempt and alternative that sees the same [C786]", (program) =>
    seen(program, assertSameBytes)
  )

  law("shows each current note once in every request", (program) => seen(program, assertPublished))

  law("runs what waits for the commit once, and only what survives, after the commit", (program) =>
    seen(program, (prediction, observation) => assertLater(program, prediction, observation))
  )

  law("names the step that failed, and what failed before and beside it [C794]", (program) =>
    seen(program, (prediction, observation) => {
      if (prediction.end._tag === "Failed") assertEnd(prediction, observation)
    })
  )
})

class Shared extends Context.Service<Shared, Store.Store>()("test/Shared") {}

describe("a random pipeline on PGlite", () => {
  layer(Layer.effect(Shared, makeStore()), { timeout: "60 seconds" })((it) => {
    it.effect.prop(
      "leaves behind what the interpreter says, and is reloaded as it is in memory [C783] [C784]",
      { sample: programs },
      ({ sample }) => {
        const prediction = predicted(sample.program)
        return Effect.flatMap(Shared, (store) =>
          seen(
            sample.program,
            (_, observation) => {
              assertEnd(prediction, observation)
              assertStored(prediction, observation)
              assertReloads(prediction, observation)
            },
            { store: Effect.succeed(store), moments: momentsOf(prediction.events, prediction) }
          )
        )
      },
      checking(0.1)
    )
  })
})
