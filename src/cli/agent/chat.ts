/** The loop of a chat: it reads what a person says, and lets the agent answer. */
import * as Effect from "effect/Effect"
import type { MemoryError } from "../../Memory.ts"
import type * as Thought from "../../Thought.ts"
import { quoted } from "../../text/legible.ts"
import { CommandError, EndedByPerson, type WaitsForAnswer } from "../console/failure.ts"
import { plain } from "../console/output.ts"
import { commands, readInput } from "./message.ts"
import type { Asking } from "./questions.ts"
import type { Session, Undone } from "./session.ts"
import type { Turned } from "./turn.ts"

type Failing = CommandError | EndedByPerson | MemoryError | WaitsForAnswer

const help = commands.map(([name, meaning]) => `  ${name.padEnd(26)}${meaning}`).join("\n")

const ended = {
  paste: "The input ended within /paste, so the text was not sent: end it with a line /submit.",
  line: "The input ended after a line that goes on, so the message was not sent: leave out the \\ at its end."
} as const

const again = "/continue tries again."

/** Reports how a message has ended, if not with an answer. Without a person a failure ends the program. */
const reported = Effect.fnUntraced(function* (
  { interactive, screen }: Asking,
  session: Session,
  turned: Turned
): Effect.fn.Return<void, CommandError> {
  const runId = session.open()?.id
  if (turned._tag === "Cancelled") {
    const calls = turned.asking ? [] : screen.open()
    const unknown =
      calls.length === 0 ? "" : ` It is not known whether these calls were carried out: ${calls.map(plain).join(", ")}.`
    const next = runId === undefined ? "" : " /continue goes on with it; another message gives it up."
    yield* screen.report(
      { event: "Cancelled", ...(runId === undefined ? {} : { runId }), calls },
      `cogito: Cancelled. What was done is stored.${unknown}${next}`
    )
  }
  if (turned._tag === "Failed") {
    const { isRetryable, message } = turned
    const event = { event: "Stopped" as const, ...(runId === undefined ? {} : { runId }), message }
    const text = `cogito: ${message}${isRetryable && runId !== undefined ? ` ${again}` : ""}`
    yield* screen.report(event, interactive ? text : "")
    yield* interactive ? Effect.void : new CommandError({ message })
  }
})

/** Talks until the person or the input ends it. `after` is called when a message is done with. */
export const talk = Effect.fnUntraced(function* (
  asking: Asking,
  session: Session,
  after: (thought: Thought.Thought<any>) => Effect.Effect<void>
): Effect.fn.Return<void, Failing, any> {
  const { lines, screen } = asking
  const answered = Effect.fnUntraced(function* (turned: Turned | undefined) {
    if (turned === undefined) {
      yield* screen.notice("cogito: There is nothing to go on with.")
      return
    }
    yield* after(session.thought())
    yield* reported(asking, session, turned)
  })
  const status = session.open()?.status
  if (status !== undefined && status !== "failed") yield* answered(yield* session.goOn)
  if (status === "failed") yield* screen.notice(`cogito: The last message has failed. ${again}`)
  let isWarned = false
  while (true) {
    const input = yield* readInput(lines)
    const wasWarned = isWarned
    isWarned = input._tag === "Interrupted" && !input.dropped
    switch (input._tag) {
      case "End":
        return input.open === undefined ? undefined : yield* new CommandError({ message: ended[input.open] })
      case "Interrupted": {
        if (wasWarned && isWarned) return yield* new EndedByPerson({ message: "Ended with Ctrl-C." })
        yield* screen.notice(
          input.dropped ? "cogito: The message was dropped." : "cogito: Press Ctrl-C again to end, or type exit."
        )
        break
      }
      case "Message": {
        yield* answered(yield* session.say(input.text))
        break
      }
      case "Command":
        yield* input.name === "continue" ? Effect.flatMap(session.goOn, answered) : other(asking, session, input.name)
    }
  }
})

/** The commands that do not run the agent. */
const other = ({ screen }: Asking, session: Session, name: string) => {
  if (name === "help") return screen.notice(help)
  if (name === "undo") return undone(screen, session)
  return screen.notice(`cogito: There is no command ${quoted(`/${name}`)}. /help lists those that there are.`)
}

const undone = Effect.fnUntraced(function* (screen: Asking["screen"], session: Session) {
  const undone = yield* session.undo
  yield* undone === undefined
    ? screen.notice("cogito: There is no message to undo.")
    : reportUndone(screen, session.thought().id, undone)
})

const reportUndone = (screen: Asking["screen"], thoughtId: string, { calls, message }: Undone) => {
  const done = calls.length === 0 ? "" : `\ncogito: What these calls have done stays: ${calls.map(plain).join(", ")}.`
  return screen.report(
    { event: "Undone", thoughtId, message, calls },
    `cogito: Back before ${quoted(message)}. The session is now ${thoughtId}.${done}`
  )
}
