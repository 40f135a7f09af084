import { assert, layer } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { isSeen, layer as triaging, scoresOf, triageAll } from "./tickets/score.ts"

// The scores that were reached, on tickets that the rules were made with and on others. A change may raise them.
const seen = {
  "other languages that it says it has not read": 4,
  "English tickets that it has read": 19,
  category: 21,
  customer: 25,
  "signs of urgency where it is urgent": 6,
  "no signs of urgency where nothing is asked": 7,
  "no signs of urgency where it is calm": 16,
  escalation: 25,
  "escalated where it must be": 8,
  "reason of the right escalations": 4
}
const unseen: typeof seen = {
  "other languages that it says it has not read": 4,
  "English tickets that it has read": 20,
  category: 16,
  customer: 23,
  "signs of urgency where it is urgent": 3,
  "no signs of urgency where nothing is asked": 4,
  "no signs of urgency where it is calm": 15,
  escalation: 19,
  "escalated where it must be": 3,
  "reason of the right escalations": 1
}

layer(triaging, { timeout: 180_000 })("the triage of tickets that somebody else wrote", (it) => {
  it.effect(
    "is no worse than it was",
    () =>
      Effect.gen(function* () {
        const all = yield* triageAll
        for (const [half, least] of [
          [true, seen],
          [false, unseen]
        ] as const) {
          const scores = scoresOf(all.filter(({ ticket }) => isSeen(ticket) === half))
          for (const [name, right] of Object.entries(least)) {
            assert.isAtLeast(scores[name]?.right ?? 0, right, `${half ? "seen" : "unseen"}: ${name}`)
          }
        }
      }),
    180_000
  )
})
