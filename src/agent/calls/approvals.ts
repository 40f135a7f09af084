/** Approvals of calls: somebody is asked whether a call may be carried out, and may change its parameters. */
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as Tool from "effect/ai/Tool"
import type { Ledger } from "../../Store.ts"
import { Approval } from "../../primitive/approve.ts"
import { isWaiting, suspended } from "../../run/failure.ts"
import { asking, decoded, formOf } from "../../step/runtime/awaiting.ts"
import { quoted } from "../../text/quotation.ts"
import type { Thought } from "../../thought/model.ts"
import { tell } from "../model/events.ts"
import { part } from "./part.ts"
import { approvalKey } from "../model/keys.ts"
import type { Settings, Working } from "../model/settings.ts"
import { misfitOf, type Readable } from "./toolCall.ts"

/** What a person answers. */
const Answer = Schema.Struct({
  approved: Schema.Boolean,
  reason: Schema.optionalKey(Schema.String),
  params: Schema.optionalKey(Schema.Json)
})

/** The decision of a person about a call. */
export const Approved = Schema.Struct({ ...Approval.fields, params: Schema.optionalKey(Schema.Json) })
export interface Approved extends Schema.Schema.Type<typeof Approved> {}

/** Why a call is not carried out that nobody has approved. */
export const refusalOf = ({ late, reason }: Pick<Approved, "late" | "reason">): string => {
  if (late === true) return "Nobody has approved it in time."
  return `Not approved${reason === undefined || reason.trim() === "" ? "." : `: ${reason}`}`
}

/** What stands before the result of a call with other parameters. */
export const changedTo = (params: unknown): string =>
  `A person has approved other parameters: ${quoted(JSON.stringify(params))}\n`

/** In the schema of an answer: the call that it is about, and its thought. */
const callIn = "x-call"

const About = Schema.Struct({
  [callIn]: Schema.Struct({ id: Schema.String, name: Schema.String, thoughtId: Schema.String })
})
const about = Schema.decodeUnknownOption(About)

/** The call that a question is about, if it is about one. */
export const calledIn = (schema: unknown): (typeof About.Type)[typeof callIn] | undefined =>
  Option.getOrUndefined(about(schema))?.[callIn]

/** An answer as the ledger has it: a decision, or that nobody has answered in time. */
const stored = Schema.decodeUnknownOption(
  Schema.fromJsonString(Schema.Union([Schema.Struct({ late: Schema.Literal(true) }), Schema.Struct({ value: Answer })]))
)

/** What was decided about a call. Undefined if the question is open, or if its answer is no decision. */
export const decisionIn = ({
  answer,
  answeredMillis = 0,
  dueMillis = Infinity
}: Pick<Ledger.WaitRow, "answer" | "answeredMillis" | "dueMillis">): Approved | undefined => {
  const given = Option.getOrUndefined(stored(answer))
  if (given === undefined) return undefined
  return "late" in given || answeredMillis >= dueMillis ? { approved: false, late: true } : given.value
}

const form = formOf(Answer) as { readonly properties: Readonly<Record<string, unknown>> }
const read = decoded(Answer)

/** The JSON Schema of an answer about this call. Parameters have the schema of the tool. */
const formFor = ({ call: { id, name }, tool }: Readable, thoughtId: string): unknown => {
  const { $defs, ...params } = { ...Tool.getJsonSchema(tool) } as Readonly<Record<string, unknown>>
  return {
    ...form,
    properties: { ...form.properties, params },
    ...($defs === undefined ? {} : { $defs }),
    [callIn]: { id, name, thoughtId }
  }
}

/** A call that somebody is asked about, and the name of its frame. */
export interface Question {
  readonly name: string
  readonly readable: Readable
}

/** Asks for the approvals, all of them at once. */
export const approvals = Effect.fnUntraced(function* (
  { approval: { timeout }, name: agent }: Settings,
  thought: Thought<any>,
  questions: ReadonlyArray<Question | undefined>
): Working<ReadonlyArray<Approved | undefined>> {
  const limitMillis = timeout === undefined ? undefined : Duration.toMillis(timeout)
  const given: Array<Approved | undefined> = []
  let waits = false
  for (const [i, question] of questions.entries()) {
    if (question === undefined) continue
    const { name, readable } = question
    const exit = yield* Effect.exit(
      part(`approval ${name}`, thought, approval(agent, readable, thought.id, limitMillis))
    )
    if (Exit.isSuccess(exit)) given[i] = exit.value
    else if (isWaiting(exit.cause)) waits = true
    else return yield* Effect.failCause(exit.cause)
  }
  return waits ? yield* suspended : given
})

const approval = (
  agent: string,
  readable: Readable,
  thoughtId: string,
  limitMillis: number | undefined
): Effect.Effect<Approved> =>
  Effect.gen(function* () {
    const { call, json, params, tool } = readable
    // as it is read, since a key that is written twice counts once
    const prompt = `May the agent ${quoted(agent)} call ${call.name} with ${quoted(JSON.stringify(json))}?`
    yield* tell({ _tag: "Asked", id: call.id, name: call.name, params, prompt })
    const valueOf = (answer: unknown, by: string | undefined): Result.Result<Approved, string> =>
      Result.flatMap(read(answer), (approved) => {
        const misfit =
          approved.approved && approved.params !== undefined ? misfitOf(call.name, tool, approved.params) : undefined
        return misfit === undefined
          ? Result.succeed({ ...approved, ...(by === undefined ? {} : { by }) })
          : Result.fail(misfit)
      })
    const answered = yield* asking(approvalKey(agent), prompt, {
      limitMillis,
      schema: formFor(readable, thoughtId),
      valueOf
    })
    return answered?.value ?? { approved: false, late: true }
  })
