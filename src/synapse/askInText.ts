/** Asks language models in text. */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { cut } from "../text/legible.ts"
import { showInvisible, showOnLine } from "../text/invisible.ts"
import { emit } from "../run/run.ts"
import { addUsage, type Usage } from "../thought/tokens.ts"
import type { Message, Phase, Response, Sampling } from "../provider/request.ts"
import { ProviderError } from "../provider/ProviderError.ts"
import { resolveSampling } from "../provider/capabilities.ts"
import type { Shape as ProviderShape } from "../provider/Shape.ts"
import type { Task } from "../provider/task.ts"
import type { Thought } from "../thought/model.ts"
import { call, systemMessage, unusable } from "./call.ts"
import { type Answered, answeredBy, type AskOptions, type Declaration } from "./Declaration.ts"
import { type Form, read } from "./form.ts"
import { describeIssue, type Issue, ResponseError } from "./answer/ResponseError.ts"

/** Asks in text and reads the answer. Sends an invalid answer back with its issues, a limited number of times. */
export const askInText = <A>(
  provider: ProviderShape,
  declaration: Declaration<A>,
  request: { readonly messages: ReadonlyArray<Message>; readonly task: Task },
  options: AskOptions,
  thought: Thought<any> | undefined
): Effect.Effect<Answered<A>, ProviderError | ResponseError> =>
  Effect.gen(function* () {
    const sampling = resolveSampling(provider.capabilities, "reason", options.sampling)
    const repairs: Array<Message> = []
    const responses: Array<Response> = []
    let usage: Usage = {}
    for (let attempt = 1; ; attempt++) {
      const { response, watched } = yield* call(
        provider,
        { ...request, messages: [...request.messages, ...repairs], phase: "reason", sampling, wish: options.sampling },
        { spent: usage, form: declaration.form, key: options.key, thought }
      )
      usage = addUsage(usage, response.usage)
      responses.push(response)
      const decoded = yield* Effect.result(read(declaration.form, response.text, options.parsing))
      if (Result.isSuccess(decoded)) {
        const { coercions, json, value } = decoded.success
        yield* watched.accepted(value)
        if (coercions.length > 0) yield* emit(thought, { _tag: "AnswerCoerced", coercions })
        return {
          value,
          written: { json },
          via: "text" as const,
          usage,
          model: response.model ?? provider.model,
          sampling: response.sampling ?? sampling,
          ...answeredBy(response),
          coercions
        }
      }
      yield* watched.discarded
      const { issues, redacted } = decoded.failure
      const repairsLeft = options.repairs + 1 - attempt
      yield* emit(thought, { _tag: "AnswerRejected", repairsLeft, issues: issues.length })
      if (repairsLeft <= 0) {
        yield* unusable(...responses)
        return yield* new ResponseError({
          kind: declaration.kind,
          provider: response.provider ?? provider.name,
          model: response.model ?? provider.model,
          attempts: attempt,
          issues: redacted,
          usage
        })
      }
      repairs.push(
        { role: "assistant", text: showInvisible(response.text) },
        { role: "user", text: repair(issues, declaration.form) }
      )
    }
  })

/** The longest issue in a repair message, in code points. */
const longestIssue = 300

/**
 * One line of a repair message. An issue contains keys of the answer, which may be text of a note, so it must not break
 * out of its line.
 */
const issueLine = (issue: Issue): string => `- ${cut(showOnLine(describeIssue(issue)), longestIssue)}`

/**
 * The repair message. If the answer had no JSON at all, it also describes the form as text: a server may have left the
 * form out silently.
 */
const repair = (issues: ReadonlyArray<Issue>, { output }: Form<unknown>): string =>
  `Your answer does not have the form asked for:\n${issues.map(issueLine).join("\n")}\n` +
  `Answer the same task again, corrected, with the JSON object and nothing else.` +
  (issues.some(isNothing) ? `\n\n${output.instructions}` : "")

const isNothing = ({ message, path }: Issue): boolean => path.length === 0 && message === "Expected JSON"

/** One call for free text, such as an introspection. Returns the text, trimmed and not empty. */
export const askText = (
  provider: ProviderShape,
  request: { readonly messages: ReadonlyArray<Message>; readonly task: Task },
  options: {
    readonly phase: Phase
    readonly sampling: Sampling
    /** Usage of earlier calls for the same step. A failure reports it too. */
    readonly spent: Usage
  },
  thought: Thought<any>
): Effect.Effect<Answered<string>, ProviderError> =>
  Effect.gen(function* () {
    const sampling = resolveSampling(provider.capabilities, options.phase, options.sampling)
    const messages = [systemMessage, ...request.messages]
    const { response, watched } = yield* call(
      provider,
      { ...request, messages, phase: options.phase, sampling, wish: options.sampling },
      { spent: options.spent, form: undefined, key: undefined, thought }
    )
    const value = response.text.trim()
    yield* value === "" ? watched.discarded : watched.accepted(value)
    if (value === "") {
      yield* unusable(response)
      return yield* new ProviderError({
        provider: provider.name,
        model: provider.model,
        reason: { _tag: "EmptyAnswer", message: `the answer to ${request.task.kind} has no text` },
        usage: addUsage(options.spent, response.usage)
      })
    }
    return {
      value,
      via: "text" as const,
      usage: response.usage,
      model: response.model ?? provider.model,
      sampling: response.sampling ?? sampling,
      ...answeredBy(response),
      coercions: []
    }
  })
