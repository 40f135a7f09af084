/** Sessions: which run they continue, what happens to a run that has not ended, and what the model sees then. */
import { assert, describe, it } from "@effect/vitest"
import { Cause, Effect, Exit, Fiber, Layer, Schema } from "effect"
import { Tool, Toolkit } from "effect/ai"
import { TestClock } from "effect/testing"
import { Agent } from "../../../src/agent/index.ts"
import type { AnyAgent } from "../../../src/cli/agent/module.ts"
import { openSession, type Session } from "../../../src/cli/agent/session.ts"
import { pressed } from "../../../src/cli/console/interrupts.ts"
import { Memory, Provider, Thought } from "../../../src/index.ts"
import { Testing } from "../../../src/testing/index.ts"
import { askingWith } from "./asking.ts"

const refund = Tool.make("refund", { parameters: Schema.Struct({ number: Schema.Int }), success: Schema.String })
const jot = Tool.make("jot", { parameters: Schema.Struct({ text: Schema.String }), success: Schema.String })
const toolkit = Toolkit.make(refund.annotate(Tool.Destructive, true), jot)
const agent: AnyAgent = Agent.make("desk", { instructions: "You answer at a desk.", toolkit, triage: false }) as never
const tools = toolkit.toLayer({
  refund: ({ number }) => Effect.succeed(`Order ${number} was refunded.`),
  jot: ({ text }) => (text === "for ever" ? Effect.never : Effect.succeed(`Jotted ${text}.`))
})

const down = new Provider.ProviderError({
  provider: "house",
  model: "m-1",
  reason: { _tag: "Overloaded", message: "too busy" }
})

/** Refunds, fails, or repeats what was said; `seen` has the texts of each request, without the instructions. */
const modelOf = (seen: Array<ReadonlyArray<string>>) =>
  Testing.scripted(({ messages }) => {
    const texts = messages
      .filter(({ role }) => role !== "system")
      .map(({ results, text }) =>
        results === undefined
          ? (/<note (\d+) key="message"[^>]*>\n([\s\S]*?)\n<\/note \1>/.exec(text)?.[2] ?? text)
          : results.map((one) => one.text).join(" ")
      )
    seen.push(texts)
    const said = texts.at(-1) ?? ""
    if (messages.at(-1)?.results !== undefined) return `It says: ${said}`
    if (said === "refund") return Testing.calls([{ name: "refund", params: { number: 17 } }])
    if (said === "jot") {
      return Testing.calls(["this", "for ever"].map((text) => ({ name: "jot", params: { text } })))
    }
    return said === "fail" ? Effect.fail(down) : `You said ${said}.`
  })

interface Talked {
  readonly session: Session
  readonly seen: ReadonlyArray<ReadonlyArray<string>>
  /** The notices and reports. */
  readonly log: Array<unknown>
  /** The runs of all sessions, the newest first. */
  readonly runs: Effect.Effect<ReadonlyArray<readonly [status: string, error: string | undefined]>>
  /** Waits until a call is saved in a run. */
  readonly saved: Effect.Effect<void>
  /** Opens the same session again. */
  readonly reopen: Effect.Effect<Session>
}

/** A new session with its own model and memory, and nobody to answer questions. */
const talking = <A>(use: (talked: Talked) => Effect.Effect<A, unknown, any>): Effect.Effect<A, unknown> =>
  Effect.suspend(() => {
    const seen: Array<ReadonlyArray<string>> = []
    const log: Array<unknown> = []
    const asking = askingWith({
      next: () => Effect.succeed({ _tag: "End" }),
      notice: (text) => Effect.sync(() => void log.push(text)),
      report: ({ event }, text) => Effect.sync(() => void log.push([event, text.split("\n")[0]])),
      interactive: false
    })
    return Effect.gen(function* () {
      const memory = yield* Memory.Memory
      const open = (id: string | undefined) =>
        openSession(agent, () => asking, id).pipe(
          Effect.provideService(Memory.Memory, memory),
          Effect.orDie,
          // runs are ordered by time, so each message comes a moment later
          Effect.map((session) => ({
            ...session,
            say: (text: string) => Effect.andThen(TestClock.adjust(1), session.say(text))
          }))
        )
      const session = yield* open(undefined)
      const runs = memory.ledger.runs({ limit: 10 }).pipe(
        Effect.map((all) => all.map(({ error, status }) => [status, error] as const)),
        Effect.orDie
      )
      const saved = Effect.gen(function* () {
        while (true) {
          const [run] = yield* memory.ledger.runs({ limit: 1 })
          const calls = run === undefined ? [] : ((yield* memory.ledger.load(run.id))?.calls ?? [])
          if (calls.some(({ kind, state }) => kind === "effect" && state === "answered")) return
          yield* Effect.promise(() => new Promise((resolve) => setImmediate(resolve)))
        }
      }).pipe(Effect.orDie)
      return yield* use({ session, seen, log, runs, saved, reopen: Effect.suspend(() => open(session.thought().id)) })
    }).pipe(Effect.provide(Layer.mergeAll(modelOf(seen).layer, tools, Testing.memory))) as Effect.Effect<A, unknown>
  })

/** Says something that makes the run wait for a person. */
const waitAt = ({ say }: Session, text: string) =>
  Effect.map(Effect.exit(say(text)), (exit) => {
    const error = Exit.isFailure(exit) ? (Cause.squash(exit.cause) as Error) : undefined
    assert.strictEqual(error?.name, "WaitsForAnswer")
  })

describe("a session", () => {
  it.effect("is stored with its first message, and has no open run once that is answered", () =>
    talking(({ reopen, runs, seen, session }) =>
      Effect.gen(function* () {
        assert.deepStrictEqual([session.isStored(), session.open()], [false, undefined])
        assert.isUndefined(yield* session.goOn)
        assert.isUndefined(yield* session.undo)
        const first = yield* session.say("hello")
        assert.strictEqual(first._tag, "Done")
        assert.deepStrictEqual([session.isStored(), session.open()], [true, undefined])
        const again = yield* reopen
        assert.deepStrictEqual(
          [again.thought().id, again.isStored(), again.open()],
          [session.thought().id, true, undefined]
        )
        yield* again.say("bye")
        assert.deepStrictEqual(seen, [["hello"], ["hello", "You said hello.", "bye"]])
        assert.deepStrictEqual(yield* runs, [
          ["completed", undefined],
          ["completed", undefined]
        ])
      })
    )
  )

  it.effect("knows what was carried out of a cancelled message that it takes back", () =>
    talking(({ saved, session }) =>
      Effect.gen(function* () {
        const cancelled = yield* Effect.forkChild(session.say("jot"))
        yield* saved
        assert.isTrue(pressed())
        assert.deepStrictEqual(yield* Fiber.join(cancelled), { _tag: "Cancelled", asking: false })
        assert.deepStrictEqual(yield* session.undo, { message: "jot", calls: ["jot"] })
      })
    )
  )

  it.effect("ends a waiting run before it takes back its message, so that another message can follow", () =>
    talking(({ log, reopen, runs, seen, session }) =>
      Effect.gen(function* () {
        yield* session.say("hello")
        yield* waitAt(session, "refund")
        assert.strictEqual(session.open()?.status, "waiting")
        const left = session.thought().id
        assert.deepStrictEqual(yield* session.undo, { message: "refund", calls: [] })
        assert.notStrictEqual(session.thought().id, left)
        assert.isUndefined(session.open())
        assert.deepStrictEqual(yield* runs, [
          ["failed", "Undone"],
          ["completed", undefined]
        ])
        assert.strictEqual((yield* session.say("bye"))._tag, "Done")
        assert.deepStrictEqual(seen.at(-1), ["hello", "You said hello.", "bye"])
        assert.isUndefined((yield* reopen).open())
        // there is nothing to give up
        assert.deepStrictEqual(
          log.map((one) => (one as ReadonlyArray<unknown>)[0]),
          ["Waiting"]
        )
      })
    )
  )

  it.effect("gives up a waiting run if the user says something else, and shows that to the model", () =>
    talking(({ log, runs, seen, session }) =>
      Effect.gen(function* () {
        yield* waitAt(session, "refund")
        const id = session.open()?.id
        assert.strictEqual((yield* session.say("hello"))._tag, "Done")
        assert.deepStrictEqual(log.at(-1), ["GivenUp", `cogito: The run ${id} was given up.`])
        assert.deepStrictEqual(yield* runs, [
          ["completed", undefined],
          ["failed", "Cancelled"]
        ])
        assert.deepStrictEqual(seen.at(-1), [
          "refund",
          "",
          "It was not carried out: nobody has approved it.",
          "(cancelled)",
          "hello"
        ])
      })
    )
  )

  it.effect("does not mention a failed run if the user says something else", () =>
    talking(({ log, runs, seen, session }) =>
      Effect.gen(function* () {
        const failed = yield* session.say("fail")
        assert.deepStrictEqual(failed, { _tag: "Failed", message: "house (m-1): too busy", isRetryable: true })
        assert.strictEqual(session.open()?.status, "failed")
        assert.strictEqual((yield* session.say("hello"))._tag, "Done")
        assert.deepStrictEqual(log, [])
        assert.deepStrictEqual(
          (yield* runs).map(([status]) => status),
          ["completed", "failed"]
        )
        assert.notInclude(seen.flat(), "(cancelled)")
      })
    )
  )

  it.effect("continues a waiting or failed run when it is opened again", () =>
    talking(({ reopen, seen, session }) =>
      Effect.gen(function* () {
        yield* session.say("fail")
        const afterFailure = yield* reopen
        assert.strictEqual(afterFailure.open()?.status, "failed")
        const again = yield* afterFailure.goOn
        assert.strictEqual(again?._tag, "Failed")
        assert.lengthOf(seen, 2)
        yield* waitAt(afterFailure, "refund")
        const waiting = yield* reopen
        assert.strictEqual(waiting.open()?.status, "waiting")
        assert.strictEqual(waiting.open()?.id, afterFailure.open()?.id)
        yield* Effect.exit(waiting.goOn)
        assert.strictEqual(waiting.open()?.status, "waiting")
      })
    )
  )

  it.effect("cannot be opened by an unknown id or by the id of a run", () =>
    talking(({ session }) =>
      Effect.gen(function* () {
        const asking = askingWith({
          next: () => Effect.succeed({ _tag: "End" }),
          notice: () => Effect.void,
          report: () => Effect.void
        })
        yield* session.say("hello")
        const memory = yield* Memory.Memory
        const [run] = yield* memory.ledger.runs({ limit: 1 })
        const of = (id: string) => Effect.flip(openSession(agent, () => asking, id))
        assert.deepInclude(yield* of("else"), {
          message:
            'There is no session "else" in this scope. The program prints the id at the end of each session, and npx cogito runs list shows the thoughts of all runs.'
        })
        const { id } = session.thought()
        assert.deepInclude(yield* of(run!.id), {
          message: `There is no session "${run!.id}" in this scope. This is a run of the session ${id}: go on with --resume ${id}.`
        })
        assert.strictEqual(Thought.note(session.thought(), "message")?.content, "hello")
      })
    )
  )
})
