/** `cogito runs answer`: the answer to a question that a run waits for. */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type * as Schema from "effect/Schema"
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import { Memory } from "../../Memory.ts"
import { answer } from "../../Pipeline.ts"
import { nameOf } from "../../pipeline/durable/waits.ts"
import type { Ledger } from "../../Store.ts"
import { hasExactNumbers } from "../../synapse/answer/marred/scan/exact.ts"
import { quoted } from "../../text/legible.ts"
import { described } from "../console/described.ts"
import { CommandError, UsageError } from "../console/failure.ts"
import { counted, plain, print, printJson } from "../console/output.ts"
import { scopedFlags } from "../memory/place.ts"
import { commandOf } from "./command.ts"
import { loadRun, openMemory } from "./ledger.ts"
import { misfit } from "../../schema/misfit.ts"
import { answeredBy, formOf, isApproval, isBoolean } from "./questions.ts"

/** What the command line says: yes or no with a reason, or a value. */
type Given =
  | { readonly _tag: "Verdict"; readonly approved: boolean; readonly reason: string | undefined }
  | { readonly _tag: "Value"; readonly value: unknown }

const givenOf = (text: string, reason: Option.Option<string>): Effect.Effect<Given, UsageError> => {
  const verdict = text.trim().toLowerCase()
  if (verdict === "yes" || verdict === "no") {
    return Effect.succeed({ _tag: "Verdict", approved: verdict === "yes", reason: Option.getOrUndefined(reason) })
  }
  if (Option.isSome(reason)) return new UsageError({ message: "--reason goes with yes or no: a value has no reason." })
  const parsed = Effect.try({
    try: (): Given => ({ _tag: "Value", value: JSON.parse(text) }),
    catch: () =>
      new UsageError({
        message: `The answer ${quoted(text)} is not JSON. A text needs quotes that the shell keeps: '"like this"'. An approval takes yes or no.`
      })
  })
  return Effect.filterOrFail(
    parsed,
    () => hasExactNumbers(text),
    () => new UsageError({ message: `The answer ${quoted(text)} has a number with more digits than can be kept.` })
  )
}

/** The question that is meant: by its frame, or by its key. */
const find = Effect.fnUntraced(function* (
  { run, waits }: Ledger.StoredRun,
  key: string
): Effect.fn.Return<Ledger.WaitRow, CommandError> {
  const exact = waits.filter(({ frame }) => frame === key)
  const named = exact.length > 0 ? exact : waits.filter((wait) => wait.key === key)
  const open = named.filter(({ answer }) => answer === undefined)
  const [first = named[0], ...others] = open
  const name = `The run ${quoted(run.id)}`
  if (first === undefined) {
    const asks = waits.filter(({ answer }) => answer === undefined).map((wait) => quoted(nameOf(wait, waits)))
    const all = asks.length === 0 ? "it has no open question" : `it asks ${asks.join(", ")}`
    return yield* new CommandError({ message: `${name} does not ask ${quoted(key)}: ${all}.` })
  }
  if (others.length > 0) {
    const frames = open.map(({ frame }) => quoted(frame)).join(", ")
    return yield* new CommandError({
      message: `${name} asks ${quoted(key)} ${open.length} times: name one of ${frames} instead.`
    })
  }
  if (first.answer !== undefined) return yield* closed(first)
  if (run.status === "completed") {
    return yield* new CommandError({ message: `${name} is completed: it needs no answer any more.` })
  }
  return first
})

const unfit = (wait: Ledger.WaitRow, error: Schema.SchemaError): CommandError => {
  const form = isApproval(wait) || isBoolean(wait) ? `yes or no, or ${formOf(wait)}` : `JSON of ${formOf(wait)}`
  return new CommandError({
    message: `The answer does not fit the question ${quoted(wait.key)}: ${misfit(error)}. It must be ${form}.`
  })
}

const closed = (wait: Ledger.WaitRow): CommandError =>
  new CommandError({
    message: `The question ${quoted(wait.key)} of the run ${quoted(wait.runId)} is closed: ${answeredBy(wait)}. The first answer counts.`
  })

/** The value to store. */
const valueOf = (wait: Ledger.WaitRow, given: Given): Effect.Effect<unknown, CommandError> => {
  if (given._tag === "Value") return Effect.succeed(given.value)
  const { approved, reason } = given
  if (isApproval(wait)) return Effect.succeed({ approved, ...(reason === undefined ? {} : { reason }) })
  if (!isBoolean(wait)) {
    return new CommandError({
      message: `The question ${quoted(wait.key)} is not one of yes or no: answer it with JSON that fits ${formOf(wait)}.`
    })
  }
  return reason === undefined
    ? Effect.succeed(approved)
    : new CommandError({ message: `The question ${quoted(wait.key)} takes no reason: leave out --reason.` })
}

export const answerCommand = Command.make(
  "answer",
  {
    ...scopedFlags,
    run: Argument.String("run").pipe(Argument.withDescription("Its id")),
    key: Argument.String("key").pipe(
      Argument.withDescription("The key of the question, or its frame if several have this key")
    ),
    value: Argument.String("value").pipe(
      Argument.withDescription("The answer as JSON; yes or no for an approval or a boolean")
    ),
    by: Flag.String("by").pipe(
      Flag.withMetavar("name"),
      Flag.withDescription("Who answers; the notes of the run say it"),
      Flag.filter(
        (name) => name.trim() !== "",
        () => "--by is empty: name who answers, or leave it out."
      ),
      Flag.optional
    ),
    reason: Flag.String("reason").pipe(
      Flag.withMetavar("text"),
      Flag.withDescription("Why it is approved or not, beside yes or no"),
      Flag.optional
    )
  },
  Effect.fnUntraced(function* ({ by, key, reason, run, value: text, ...place }) {
    const given = yield* givenOf(text, reason)
    const memory = yield* openMemory(place, "changed")
    const stored = yield* loadRun(memory, run)
    const wait = yield* find(stored, key)
    const value = yield* valueOf(wait, given)
    yield* answer(run, wait.frame, value, Option.isSome(by) ? { by: by.value } : {}).pipe(
      Effect.provideService(Memory, memory),
      Effect.catchTags({
        SchemaError: (error) => unfit(wait, error),
        AnswerTooLate: ({ message }) => new CommandError({ message }),
        // somebody was quicker
        AlreadyAnswered: () =>
          Effect.flatMap(loadRun(memory, run), ({ waits }) =>
            Effect.fail(closed(waits.find(({ frame }) => frame === wait.frame) ?? wait))
          )
      })
    )
    const open = stored.waits.filter((one) => one.answer === undefined && one.frame !== wait.frame)
    if (place.json) {
      yield* printJson({
        run,
        key: wait.key,
        frame: wait.frame,
        value,
        ...(Option.isSome(by) ? { by: by.value } : {}),
        openQuestions: open.length
      })
      return
    }
    yield* print(`Answered ${quoted(wait.key)} of the run ${plain(run)}.`)
    yield* print(
      open.length > 0
        ? `It has ${counted(open.length, "open question")} left: ${open.map((one) => plain(nameOf(one, stored.waits))).join(", ")}.`
        : `It goes on when its program resumes it, or with: ${commandOf(place, ["runs", "resume", run], ["--steps", "MODULE"])}`
    )
  }, Effect.scoped)
).pipe(
  Command.withShortDescription("Answer a question that a run waits for"),
  Command.withDescription(
    described(
      "Answer a question that a run waits for.",
      "The answer must fit the schema of the question, which show prints. The first answer counts; a second one is refused.",
      "The run itself goes on when its program resumes it, or with resume."
    )
  ),
  Command.withExamples([
    {
      command: "npx cogito runs answer refund-17 ok yes --by jane --data-dir .cogito/memory",
      description: "An approval"
    },
    {
      command: 'npx cogito runs answer refund-17 ok no --reason "too late" --data-dir .cogito/memory',
      description: "A refusal"
    },
    { command: "npx cogito runs answer refund-17 amount 49.90 --scope acme", description: "A value" }
  ])
)
