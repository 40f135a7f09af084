/** What the screen of a conversation shows of the events of a run. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { screenOf } from "../../../src/cli/agent/screen.ts"
import { Thought } from "../../../src/index.ts"
import { writtenBy } from "./written.ts"

type Screen = ReturnType<typeof screenOf>
type Event = Parameters<Screen["event"]>[0]

const text = (delta: string, round = 1): Event => ({ _tag: "Text", round, delta })
const discarded = (round = 1): Event => ({ _tag: "Discarded", round })
const called: Event = { _tag: "Called", id: "call_1", name: "look", params: { at: "it" } }
const done = (answer: unknown) =>
  Effect.map(Thought.make("test"), (thought): Event => ({ _tag: "Done", thought, answer }))

const shown = (screen: Screen, events: ReadonlyArray<Event>) =>
  Effect.map(writtenBy(Effect.forEach(events, screen.event, { discard: true })), ({ stdout }) => stdout)

describe("the screen of a conversation", () => {
  it.effect("shows an answer once, which was shown as it was written", () =>
    Effect.gen(function* () {
      const end = yield* done("It is here. \n")
      assert.strictEqual(yield* shown(screenOf(false), [text("It is "), text("here."), end]), "It is here.\n")
      assert.strictEqual(yield* shown(screenOf(false), [end]), "It is here. \n")
      const other = yield* done({ at: "\u202e" })
      assert.strictEqual(
        yield* shown(screenOf(false), [text("It is"), other]),
        String.raw`It is${"\n"}{"at":"\u202e"}${"\n"}`
      )
    })
  )

  it.effect(
    "shows an answer again of which the first text was dropped, and not what only was begun before a call",
    () =>
      Effect.gen(function* () {
        const end = yield* done("Yes.")
        const dropped = "[dropped] The text above does not count.\n"
        assert.strictEqual(
          yield* shown(screenOf(false), [text("No."), discarded(), text("Yes."), end]),
          `No.\n${dropped}Yes.\n`
        )
        assert.strictEqual(yield* shown(screenOf(false), [text("Yes."), discarded(), end]), `Yes.\n${dropped}Yes.\n`)
        // there is no text above
        assert.strictEqual(yield* shown(screenOf(false), [discarded(), text("Yes."), end]), "Yes.\n")
        assert.strictEqual(
          yield* shown(screenOf(false), [text("Yes."), called, end]),
          `Yes.\n[call] look {"at":"it"}\nYes.\n`
        )
      })
  )

  it.effect("counts a call as open until it ends, however it ends", () =>
    Effect.gen(function* () {
      const call = { id: "call_1", name: "look" }
      const ends: ReadonlyArray<readonly [event: Event, line: string]> = [
        [{ _tag: "Returned", ...call, result: "it" }, `[result] look "it"\n`],
        [{ _tag: "Failed", ...call, failure: "It is dark." }, "[failed] look It is dark.\n"],
        [{ _tag: "Denied", ...call, params: {}, reason: "not now" }, "[denied] look not now\n"]
      ]
      for (const [end, line] of ends) {
        const screen = screenOf(false)
        yield* shown(screen, [called, { ...called, id: "call_2", name: "hear" }])
        const progress: Event = { _tag: "Progress", ...call, result: 1 }
        assert.strictEqual(yield* shown(screen, [progress]), "[so far] look 1\n")
        assert.deepStrictEqual(screen.open(), ["look", "hear"])
        assert.strictEqual(yield* shown(screen, [end]), line)
        assert.deepStrictEqual(screen.open(), ["hear"])
      }
    })
  )

  it.effect("begins anew with another run", () =>
    Effect.gen(function* () {
      const screen = screenOf(false)
      const [half, other] = ["\ud83d", "\ude00"]
      assert.strictEqual(yield* shown(screen, [called, text(`Yes.${half}`)]), `[call] look {"at":"it"}\nYes.`)
      assert.deepStrictEqual(screen.open(), ["look"])
      yield* screen.begin
      assert.deepStrictEqual(screen.open(), [])
      assert.strictEqual(yield* shown(screen, [called, text(half), text(other)]), `\n[call] look {"at":"it"}\n😀`)
      assert.strictEqual(yield* shown(screen, [yield* done("😀")]), "\n")
      yield* screen.begin
      assert.strictEqual(yield* shown(screen, [text("1"), yield* done("1")]), "1\n")
    })
  )

  it.effect("shows the first 160 characters of parameters, results and failures", () =>
    Effect.gen(function* () {
      const call = { id: "call_1", name: "look" }
      for (const [length, shownLength, more] of [
        [160, 160, ""],
        [161, 160, " …"]
      ] as const) {
        // the quotes of JSON count as well
        const [json, plain] = ["x".repeat(length - 2), "y".repeat(length)]
        assert.strictEqual(
          yield* shown(screenOf(false), [
            { ...called, params: json },
            { _tag: "Progress", ...call, result: json },
            { _tag: "Returned", ...call, result: json },
            { _tag: "Failed", id: "call_2", name: "hear", failure: plain },
            { _tag: "Denied", id: "call_3", name: "hear", params: {}, reason: plain }
          ]),
          [
            ...["call", "so far", "result"].map(
              (what) => `[${what}] look ${JSON.stringify(json).slice(0, shownLength)}${more}\n`
            ),
            ...["failed", "denied"].map((what) => `[${what}] hear ${plain.slice(0, shownLength)}${more}\n`)
          ].join("")
        )
      }
      assert.strictEqual(
        yield* shown(screenOf(false), [{ _tag: "Returned", ...call, result: undefined }]),
        "[result] look \n"
      )
    })
  )

  it.effect("ends a line that is being written before it writes another one", () =>
    Effect.gen(function* () {
      const report = (json: boolean, before: string) => {
        const screen = screenOf(json)
        return writtenBy(
          Effect.andThen(
            screen.event(text(before)),
            Effect.andThen(screen.notice("A notice."), screen.report({ event: "Undone", thoughtId: "t" }, "Undone."))
          )
        )
      }
      assert.deepStrictEqual(yield* report(false, "It is"), { stdout: "It is\n", stderr: "A notice.\nUndone.\n" })
      assert.deepStrictEqual(yield* report(false, "It is\n"), { stdout: "It is\n", stderr: "A notice.\nUndone.\n" })
      assert.deepStrictEqual(yield* report(true, "It is"), {
        stdout: `{"event":"Text","round":1,"delta":"It is"}\n{"event":"Undone","thoughtId":"t"}\n`,
        stderr: "A notice.\n"
      })
      const nothing = writtenBy(screenOf(false).report({ event: "Answered" }, ""))
      assert.deepStrictEqual(yield* nothing, { stdout: "", stderr: "" })
    })
  )

  it.effect("says that the conversation was shortened", () =>
    Effect.gen(function* () {
      const shortened: Event = { _tag: "Compacted" }
      assert.strictEqual(
        yield* shown(screenOf(false), [shortened, text("It")]),
        "[shortened] The conversation was shortened.\nIt"
      )
    })
  )
})
