/** Prints what the offline provider makes of the tickets: `npm run bench:tickets`. */
import { Console, Effect } from "effect"
import {
  isCategoryRight,
  isCustomerRight,
  isEscalationRight,
  isSeen,
  layer,
  scoresOf,
  triageAll,
  type Triaged
} from "./score.ts"

const mark = (isRight: boolean) => (isRight ? "" : "✗")

const cells = (one: Triaged): ReadonlyArray<string> => {
  const { said, ticket, unread } = one
  if (said === undefined) return [ticket.id, ticket.language, `not read: ${unread}`]
  return [
    ticket.id,
    ticket.language,
    `${said.category}${mark(isCategoryRight(one))}`,
    `${said.customer}${mark(isCustomerRight(one))}`,
    `${said.signals.length}${ticket.urgent ? " urgent" : ""}`,
    said.mood,
    `${said.escalate ? "YES" : "no"}${mark(isEscalationRight(one))}`,
    said.reasons.join(" ")
  ]
}

const program = Effect.gen(function* () {
  const all = yield* triageAll
  const seen = all.filter(({ ticket }) => isSeen(ticket))
  const unseen = all.filter(({ ticket }) => !isSeen(ticket))
  yield* Effect.forEach(seen, (one) => Console.log(cells(one).join(" | ")))
  const [ofSeen, ofUnseen, ofAll] = [scoresOf(seen), scoresOf(unseen), scoresOf(all)]
  for (const name of Object.keys(ofAll)) {
    const told = [ofSeen, ofUnseen, ofAll].map((scores) => `${scores[name]?.right} of ${scores[name]?.of}`)
    yield* Console.log(`${name.padEnd(46)} seen ${told[0]?.padEnd(9)} unseen ${told[1]?.padEnd(9)} all ${told[2]}`)
  }
})

await Effect.runPromise(Effect.provide(program, layer))
