/** `cogito replay`: what a recording of model calls holds, and where two of them differ. */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import { described } from "../console/described.ts"
import { FoundProblems, UsageError } from "../console/failure.ts"
import { showOnScreen } from "../../text/invisible.ts"
import { block, counted, plain, print, printJson, table, toJson } from "../console/output.ts"
import { firstDifference } from "./compare.ts"
import { answerOf, open, type Opened, outcomeOf, shownOf } from "./recording.ts"

const headOf = ({ calls, recording: { model, provider, source } }: Opened): string => {
  const what = source === "scripted" ? "Written by hand" : "Recorded"
  return `${what}: ${counted(calls.length, "call")} of ${plain(provider)} (${plain(model)})`
}

const list = (opened: Opened): string => {
  const rows = opened.calls.map((expanded, i) => {
    const { call } = expanded
    const { inputTokens, outputTokens } = call.answer?.usage ?? call.failure?.usage ?? {}
    const tokens =
      inputTokens === undefined && outputTokens === undefined
        ? ""
        : `${inputTokens ?? "?"} in, ${outputTokens ?? "?"} out`
    return [String(i + 1), plain(call.kind), call.asked, tokens, outcomeOf(expanded)]
  })
  return [headOf(opened), "", table([["CALL", "KIND", "ASKED", "TOKENS", "OUTCOME"], ...rows])].join("\n")
}

const one = (opened: Opened, number: number): Effect.Effect<string, UsageError> => {
  const found = opened.calls[number - 1]
  if (found === undefined) {
    const message = `--call must be a number from 1 to ${opened.calls.length}, the number of calls in ${opened.path}.`
    return Effect.fail(new UsageError({ message }))
  }
  const messages = (found.expected.messages ?? []).map((message) => `${message.role}:\n${block(shownOf(message))}\n`)
  const head = `Call ${number}: ${plain(found.call.kind)}, asked as ${found.call.asked}`
  const sent =
    found.call.answer !== undefined && "sampling" in found.call.answer ? found.call.answer.sampling : undefined
  const sampling = sent === undefined ? [] : [`Sampling ${toJson(sent)}`]
  return Effect.succeed([head, ...sampling, "", ...messages, "answer:", block(answerOf(found))].join("\n"))
}

const compare = Effect.fnUntraced(function* (opened: Opened, other: Opened, json: boolean) {
  const found = firstDifference(opened, other)
  const { path } = other
  if (json) {
    yield* printJson({ same: found === undefined, ...(found !== undefined && { difference: found }) })
  } else if (found === undefined) {
    yield* print(`Alike: ${counted(opened.calls.length, "call")}.`)
  } else {
    // what goes on in another line is no line of ours
    const lines = found.lines.map((line) => showOnScreen(line).replaceAll("\n", "\n  "))
    yield* print([`Call ${found.call} (${plain(found.kind)}) differs:`, ...lines].join("\n"))
  }
  yield* found === undefined
    ? Effect.void
    : new FoundProblems({ message: `Call ${found.call} of ${path} is the first that differs from ${opened.path}.` })
})

export const replayCommand = Command.make(
  "replay",
  {
    file: Argument.String("recording").pipe(Argument.withDescription("A file made with Provider.record")),
    call: Flag.Int("call").pipe(Flag.withDescription("Print this call in full"), Flag.optional),
    against: Flag.String("against").pipe(
      Flag.withDescription("Compare with another recording, and name the first call that differs"),
      Flag.optional
    ),
    json: Flag.Boolean("json").pipe(Flag.withDescription("Print JSON"), Flag.withDefault(false))
  },
  Effect.fnUntraced(function* ({ against, call, file, json }) {
    if (Option.isSome(call) && Option.isSome(against)) {
      return yield* new UsageError({ message: "--call prints a call of one recording: it does not go with --against." })
    }
    const opened = yield* open(file)
    if (Option.isSome(against)) return yield* compare(opened, yield* open(against.value), json)
    if (Option.isSome(call)) {
      const text = yield* one(opened, call.value)
      return yield* json ? printJson(opened.calls[call.value - 1]) : print(text)
    }
    return yield* json ? printJson(opened.recording) : print(list(opened))
  })
).pipe(
  Command.withShortDescription("Look into a recording of model calls, or compare two"),
  Command.withDescription(
    described(
      "Look into a recording of model calls, or compare two.",
      "Provider.record makes them, Provider.replay answers from them without a network or a key.",
      "A comparison takes the calls in their order and prints how the prompts of the first that differs differ."
    )
  ),
  Command.withExamples([
    { command: "npx cogito replay test/recordings/triage.json", description: "Every call in a line" },
    { command: "npx cogito replay test/recordings/triage.json --call 3", description: "One in full" },
    { command: "npx cogito replay before.json --against after.json", description: "What a change did" }
  ])
)
