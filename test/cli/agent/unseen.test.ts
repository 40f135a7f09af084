import { assert, describe, it } from "@effect/vitest"
import { unseen } from "../../../src/cli/agent/unseen.ts"

type Event = Parameters<ReturnType<typeof unseen>>[0]

const called = (id: string) => ({ id, name: "look", params: {} })
const returned = (id: string) => ({ id, name: "look", result: "something" })
const ofRound = (round: number): ReadonlyArray<Event> => [
  { _tag: "Text", round, delta: "I " },
  { _tag: "Reasoning", round, delta: "Hm" },
  { _tag: "CallStarted", round, id: "call_1", name: "look" },
  { _tag: "CallDelta", round, id: "call_1", delta: "{}" },
  { _tag: "Discarded", round }
]
const round = (number: number): Event => ({ _tag: "Round", round: number, usage: {} })

/** Those that are shown of events that come one after the other. */
const shownOf = (events: ReadonlyArray<Event>, isNew = unseen()) => events.filter((event) => isNew(event))

describe("of a run that is resumed", () => {
  it("a round that had ended is not shown again, and one that had not is", () => {
    const isNew = unseen()
    const first = [...ofRound(1), round(1), ...ofRound(2)]
    assert.deepStrictEqual(shownOf(first, isNew), first)
    const again = [...ofRound(1), round(1), ...ofRound(2), round(2), ...ofRound(3)]
    assert.deepStrictEqual(shownOf(again, isNew), [...ofRound(2), round(2), ...ofRound(3)])
  })

  it("shows nothing again of a call that has ended, however it ended", () => {
    const ends: ReadonlyArray<Event> = [
      { _tag: "Returned", ...returned("call_1") },
      { _tag: "Failed", id: "call_1", name: "look", failure: "It is dark." },
      { _tag: "Denied", ...called("call_1"), reason: "no" }
    ]
    for (const end of ends) {
      const isNew = unseen()
      const call: ReadonlyArray<Event> = [
        { _tag: "Called", ...called("call_1") },
        { _tag: "Asked", ...called("call_1"), prompt: "May it?" },
        { _tag: "Progress", ...returned("call_1") },
        { _tag: "Progress", ...returned("call_1") },
        end
      ]
      assert.deepStrictEqual(shownOf(call, isNew), call)
      assert.deepStrictEqual(shownOf([...call, ...ends], isNew), [])
    }
  })

  it("the progress of a call that is repeated is shown, and what is new of the others", () => {
    const isNew = unseen()
    const begun: ReadonlyArray<Event> = [
      { _tag: "Triaged", safe: true, mode: "fast", tools: [] },
      { _tag: "Called", ...called("call_1") },
      { _tag: "Called", ...called("call_2") },
      { _tag: "Progress", ...returned("call_1") }
    ]
    const other: ReadonlyArray<Event> = [
      { _tag: "Progress", ...returned("call_2") },
      { _tag: "Returned", ...returned("call_2") }
    ]
    assert.deepStrictEqual(shownOf([...begun, ...other], isNew), [...begun, ...other])
    const rest: ReadonlyArray<Event> = [
      { _tag: "Asked", ...called("call_1"), prompt: "May it?" },
      { _tag: "Returned", ...returned("call_1") },
      { _tag: "Compacted" },
      { _tag: "Compacted" }
    ]
    assert.deepStrictEqual(shownOf([...begun, ...other, ...rest], isNew), [...begun.slice(-1), ...rest])
  })

  it("a call is shown once more with the parameters that a person has approved instead", () => {
    const isNew = unseen()
    const asked: ReadonlyArray<Event> = [
      { _tag: "Called", ...called("call_1") },
      { _tag: "Asked", ...called("call_1"), prompt: "May it?" }
    ]
    const approved: ReadonlyArray<Event> = [{ _tag: "Called", ...called("call_1"), params: { deep: true } }]
    assert.deepStrictEqual(shownOf(asked, isNew), asked)
    assert.deepStrictEqual(shownOf([...asked, ...approved], isNew), approved)
    assert.deepStrictEqual(shownOf([...asked, ...approved], isNew), [])
  })
})
