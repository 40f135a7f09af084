/** The questions of runs: as lines with how to answer them, and as JSON. */
import * as DateTime from "effect/DateTime"
import { nameOf } from "../../pipeline/durable/waits.ts"
import { isObject } from "../../schema/jsonSchema.ts"
import { typeOf } from "../../schema/notation.ts"
import type { Ledger } from "../../Store.ts"
import { block, fold, plain, toJson } from "../console/output.ts"
import type { ScopedPlace } from "../memory/place.ts"
import { commandOf } from "./command.ts"

/** A time in milliseconds as text. */
export const iso = (millis: number): string => DateTime.formatIso(DateTime.makeUnsafe(millis))

/** Whether the answer is a yes or no, as that of `Primitive.approve`. */
export const isApproval = ({ schema }: Pick<Ledger.WaitRow, "schema">): boolean =>
  isObject(schema) &&
  isObject(schema["properties"]) &&
  isObject(schema["properties"]["approved"]) &&
  schema["properties"]["approved"]["type"] === "boolean"

/** Whether the answer is true or false, which yes or no says as well. */
export const isBoolean = ({ schema }: Pick<Ledger.WaitRow, "schema">): boolean =>
  isObject(schema) && schema["type"] === "boolean"

/** What an answer must be, in a few words. */
export const formOf = ({ schema }: Pick<Ledger.WaitRow, "schema">): string =>
  plain(typeOf(schema) ?? `JSON of the schema ${JSON.stringify(schema)}`)

type Answer = { readonly value: unknown } | { readonly late: true }

/** What was answered: a value, or that nobody answered in time. Undefined while it is open. */
const answerOf = ({ answer }: Pick<Ledger.WaitRow, "answer">): Answer | undefined =>
  answer === undefined ? undefined : (JSON.parse(answer) as Answer)

/** Who answered what, and when. */
export const answeredBy = (wait: Ledger.WaitRow): string => {
  const { answeredBy, answeredMillis = 0 } = wait
  const given = answerOf(wait)
  const at = iso(answeredMillis)
  if (given === undefined || "late" in given)
    return `nobody answered in time; the run went on without an answer at ${at}`
  return `answered${answeredBy === undefined ? "" : ` by ${plain(answeredBy)}`} at ${at}: ${toJson(given.value)}`
}

export const questionJson = (wait: Ledger.WaitRow) => {
  const { answeredBy, answeredMillis, createdMillis, dueMillis, frame, key, prompt, schema } = wait
  return {
    key,
    frame,
    prompt,
    schema,
    created: iso(createdMillis),
    ...(dueMillis === undefined ? {} : { due: iso(dueMillis) }),
    ...answerOf(wait),
    ...(answeredBy === undefined ? {} : { by: answeredBy }),
    ...(answeredMillis === undefined ? {} : { answered: iso(answeredMillis) })
  }
}

/** Until when an answer is awaited. */
export const dueOf = ({ dueMillis }: Pick<Ledger.WaitRow, "dueMillis">): string =>
  dueMillis === undefined ? "" : `, until ${iso(dueMillis)}`

/** What a command that answers a question has as its value: an example, or a word that stands for JSON. */
export const exampleOf = (wait: Ledger.WaitRow): "yes" | "VALUE" =>
  isApproval(wait) || isBoolean(wait) ? "yes" : "VALUE"

/** An open question, and the command that answers it. */
export const openLines = (
  place: ScopedPlace,
  wait: Ledger.WaitRow,
  waits: ReadonlyArray<Ledger.WaitRow>
): ReadonlyArray<string> => {
  const how = commandOf(place, ["runs", "answer", wait.runId, nameOf(wait, waits), exampleOf(wait)])
  const other = isApproval(wait)
    ? "or no, with --reason TEXT"
    : isBoolean(wait)
      ? "or no"
      : `VALUE is JSON: ${formOf(wait)}`
  return [fold(`${plain(wait.key)}${dueOf(wait)}:`), block(wait.prompt), `  ${how}`, `  (${other})`]
}
