/** The loop of a chat: what it does with what a person says, and what it reports of how a message has ended. */
import { assert, describe, it } from "@effect/vitest"
import { Cause, Effect, Exit } from "effect"
import { talk } from "../../../src/cli/agent/chat.ts"
import type { Read } from "../../../src/cli/agent/lines.ts"
import type { Session } from "../../../src/cli/agent/session.ts"
import type { Turned } from "../../../src/cli/agent/turn.ts"
import { Thought } from "../../../src/index.ts"
import { askingWith } from "./asking.ts"

const ctrlC: Read = { _tag: "Interrupted" }
const line = (text: string): Read => ({ _tag: "Line", text })

interface Given {
  readonly typed: ReadonlyArray<Read>
  readonly interactive?: boolean
  /** How each message ends, in order; answered if there is nothing more. */
  readonly turns?: ReadonlyArray<Turned>
  readonly open?: { readonly id: string; readonly status: "failed" | "interrupted" | "waiting" }
  readonly calls?: ReadonlyArray<string>
  readonly messages?: ReadonlyArray<string>
}

/** Everything that happens in a chat, in order, and the error that ends it. */
const chatOf = ({ calls = [], interactive = true, messages = [], open, turns = [], typed }: Given) =>
  Effect.gen(function* () {
    const log: Array<unknown> = []
    const note = (what: unknown) => Effect.sync(() => void log.push(what))
    const thought = yield* Thought.make("test")
    const [lines, ends, said] = [[...typed], [...turns], [...messages]]
    const end = Effect.sync((): Turned => ends.shift() ?? { _tag: "Done", thought })
    const session: Session = {
      thought: () => thought,
      isStored: () => true,
      open: () => open,
      say: (text) => Effect.andThen(note(`say ${text}`), end),
      goOn: Effect.andThen(note("go on"), open === undefined ? Effect.undefined : end),
      undo: Effect.sync(() => {
        const message = said.pop()
        return message === undefined ? undefined : { message, calls: message === "one" ? calls : [] }
      })
    }
    const asking = askingWith({
      next: () => Effect.sync(() => lines.shift() ?? { _tag: "End" }),
      notice: note,
      report: (event, text) => note([event, text]),
      open: calls,
      interactive
    })
    const exit = yield* Effect.exit(talk(asking, session, () => note("after")))
    const error = Exit.isFailure(exit) ? (Cause.squash(exit.cause) as Error) : undefined
    return { log, error: error === undefined ? undefined : [error.name, error.message], thoughtId: thought.id }
  })

const warning = "cogito: Press Ctrl-C again to end, or type exit."
const ended = ["EndedByPerson", "Ended with Ctrl-C."]

describe("a chat", () => {
  it.effect("ends when Ctrl-C is pressed twice in a row at the prompt, and only then", () =>
    Effect.gen(function* () {
      assert.deepInclude(yield* chatOf({ typed: [ctrlC, ctrlC, line("never")] }), { log: [warning], error: ended })
      assert.deepInclude(yield* chatOf({ typed: [ctrlC, line("hello"), ctrlC, ctrlC] }), {
        log: [warning, "say hello", "after", warning],
        error: ended
      })
      assert.deepInclude(yield* chatOf({ typed: [ctrlC, line("/undo"), ctrlC] }), {
        log: [warning, "cogito: There is no message to undo.", warning],
        error: undefined
      })
      // what drops a message is not the first of the two
      const dropped = "cogito: The message was dropped."
      assert.deepInclude(yield* chatOf({ typed: [line("/paste"), ctrlC, ctrlC, ctrlC] }), {
        log: [dropped, warning],
        error: ended
      })
      assert.deepInclude(yield* chatOf({ typed: [ctrlC, line("one\\"), ctrlC, line("exit")] }), {
        log: [warning, dropped],
        error: undefined
      })
    })
  )

  it.effect("goes on at once with a run that was left, but not with one that has failed", () =>
    Effect.gen(function* () {
      for (const status of ["interrupted", "waiting"] as const) {
        const { log } = yield* chatOf({ typed: [line("hello")], open: { id: "r-1", status } })
        assert.deepStrictEqual(log, ["go on", "after", "say hello", "after"])
      }
      const failed = yield* chatOf({ typed: [line("/continue")], open: { id: "r-1", status: "failed" } })
      assert.deepStrictEqual(failed.log, [
        "cogito: The last message has failed. /continue tries again.",
        "go on",
        "after"
      ])
      const none = yield* chatOf({ typed: [line("/continue"), line("hello")] })
      assert.deepStrictEqual(none.log, ["go on", "cogito: There is nothing to go on with.", "say hello", "after"])
    })
  )

  it.effect("reports a failure, and how to try again if that may help", () =>
    Effect.gen(function* () {
      const open = { id: "r-1", status: "failed" } as const
      const failure = (isRetryable: boolean): Turned => ({ _tag: "Failed", message: "It is down.", isRetryable })
      const typed = [line("hello"), line("again")]
      const begin = "cogito: The last message has failed. /continue tries again."
      const event = { event: "Stopped", runId: "r-1", message: "It is down." }
      const retried = yield* chatOf({ typed, open, turns: [failure(true)] })
      assert.deepStrictEqual(retried.log, [
        begin,
        "say hello",
        "after",
        [event, "cogito: It is down. /continue tries again."],
        "say again",
        "after"
      ])
      const final = yield* chatOf({ typed: [line("hello")], open, turns: [failure(false)] })
      assert.deepStrictEqual(final.log.at(-1), [event, "cogito: It is down."])
      const unstored = yield* chatOf({ typed: [line("hello")], turns: [failure(true)] })
      assert.deepStrictEqual(unstored.log.at(-1), [{ event: "Stopped", message: "It is down." }, "cogito: It is down."])
      // the program says it at its end
      const alone = yield* chatOf({ typed, open, turns: [failure(true)], interactive: false })
      assert.deepStrictEqual(alone.log, [begin, "say hello", "after", [event, ""]])
      assert.deepStrictEqual(alone.error, ["CommandError", "It is down."])
    })
  )

  it.effect("reports what was cancelled, with the calls whose outcome nobody knows", () =>
    Effect.gen(function* () {
      const open = { id: "r-1", status: "interrupted" } as const
      const cancelled = (asking: boolean): Turned => ({ _tag: "Cancelled", asking })
      const next = " /continue goes on with it; another message gives it up."
      const during = yield* chatOf({ typed: [], open, turns: [cancelled(false)], calls: ["pay", "a\nb"] })
      assert.deepStrictEqual(during.log.at(-1), [
        { event: "Cancelled", runId: "r-1", calls: ["pay", "a\nb"] },
        `cogito: Cancelled. What was done is stored. It is not known whether these calls were carried out: pay, a[U+000A]b.${next}`
      ])
      const without = yield* chatOf({ typed: [], open, turns: [cancelled(false)] })
      assert.deepStrictEqual(without.log.at(-1), [
        { event: "Cancelled", runId: "r-1", calls: [] },
        `cogito: Cancelled. What was done is stored.${next}`
      ])
      // a call that a person was asked about has not begun
      const asking = yield* chatOf({ typed: [], open, turns: [cancelled(true)], calls: ["pay"] })
      assert.deepStrictEqual(asking.log.at(-1), without.log.at(-1))
      const unstored = yield* chatOf({ typed: [line("hello")], turns: [cancelled(false)] })
      assert.deepStrictEqual(unstored.log.at(-1), [
        { event: "Cancelled", calls: [] },
        "cogito: Cancelled. What was done is stored."
      ])
    })
  )

  it.effect("takes messages back one by one", () =>
    Effect.gen(function* () {
      const typed = [line("/undo"), line("/undo"), line("/undo")]
      const calls = ["pay", "re\nfund"]
      const { log, thoughtId } = yield* chatOf({ typed, messages: ["one", 'two "2"'], calls })
      const undone = (message: string, calls: ReadonlyArray<string>, more: string) => [
        { event: "Undone", thoughtId, message, calls },
        `cogito: Back before ${JSON.stringify(message)}. The session is now ${thoughtId}.${more}`
      ]
      assert.deepStrictEqual(log, [
        undone('two "2"', [], ""),
        undone("one", calls, "\ncogito: What these calls have done stays: pay, re[U+000A]fund."),
        "cogito: There is no message to undo."
      ])
    })
  )

  it.effect("lists its commands, and says which it does not know", () =>
    Effect.gen(function* () {
      const { log } = yield* chatOf({ typed: [line("/help"), line("/undone"), line(" /help ")] })
      assert.match(String(log[0]), /^ {2}\S[^\n]* {2,}\S(?:[^\n]*\n {2}\S[^\n]* {2,}\S)+[^\n]*$/)
      assert.deepStrictEqual(log.slice(1), [
        'cogito: There is no command "/undone". /help lists those that there are.',
        log[0]
      ])
    })
  )
})
