/** Whether a reply of the model is the answer of an agent. */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type { ToolCall } from "../../Provider.ts"
import { describeIssue } from "../../synapse/answer/ResponseError.ts"
import { type Form, read } from "../../synapse/form.ts"
import { answerTool } from "../model/tools.ts"

/**
 * - `Answered`: the value, and the text that the conversation shows of it
 * - `Open`: the calls are to be carried out. `refusal` says what is wrong with a call of the tool for the answer
 */
type Read =
  | {
      readonly _tag: "Answered"
      readonly value: unknown
      readonly text: string
      /** The JSON of a value with a form. */
      readonly written?: { readonly json: unknown }
    }
  | { readonly _tag: "Open"; readonly refusal: string }

const open = (refusal = ""): Read => ({ _tag: "Open", refusal })

export const readAnswer = (
  form: Form<unknown> | undefined,
  text: string,
  calls: ReadonlyArray<ToolCall>
): Effect.Effect<Read> => {
  if (form === undefined) {
    return Effect.succeed(calls.length === 0 && text !== "" ? { _tag: "Answered", value: text, text } : open())
  }
  const [first] = calls
  if (!calls.some(({ name }) => name === answerTool)) return Effect.succeed(open())
  if (first === undefined || calls.length > 1) {
    return Effect.succeed(open("Call answer alone, once the results of all other calls are there."))
  }
  return Effect.map(Effect.result(read(form, first.params, "lenient")), (decoded) =>
    Result.isSuccess(decoded)
      ? {
          _tag: "Answered",
          value: decoded.success.value,
          text: first.params,
          written: { json: decoded.success.json }
        }
      : open(
          `The answer does not have its form:\n${decoded.failure.issues.map((one) => `- ${describeIssue(one)}`).join("\n")}`
        )
  )
}
