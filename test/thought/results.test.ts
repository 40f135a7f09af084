import { assert, describe, it } from "@effect/vitest"
import { Session } from "cogito"

const user = { role: "user", text: "How is the weather?" } as const
const calls = { role: "assistant", text: "weather" } as const
const result = { role: "user", kind: "result", text: "rain" } as const
const answer = { role: "assistant", text: "It rains." } as const

describe("results of tools in a session", () => {
  const session = Session.append(Session.empty, user, calls, result, calls, result, answer, user, calls, result)

  it("belong to the turn of the message whose answer calls the tools", () => {
    assert.deepStrictEqual(
      Session.turns(session).map((turn) => turn.length),
      [6, 3]
    )
  })

  it("are never parted from their calls by a view", () => {
    for (const view of [{ recent: 1 }, { recent: 2 }, { summaryAndRecent: 1 }] as const) {
      const entries = Session.view(session, view)
      for (const [i, entry] of entries.entries()) {
        if (entry.kind === "result") assert.deepInclude(entries[i - 1], calls, JSON.stringify(view))
      }
      assert.include([3, 9], entries.length)
    }
  })
})
