/** Decides closed questions over OpenAI's decisions API. */
import type * as Decisions from "openai/resources/decisions"
import * as Effect from "effect/Effect"
import type { DecideRequest, Label, Message, Question } from "../../Provider.ts"
import { readWhole } from "../../http/answers.ts"
import { takesBreakpoints } from "../api/capabilities.ts"
import type { Client, Target } from "../api/client.ts"
import { toOutput } from "../api/tools.ts"
import { readingOf } from "./response.ts"
import type { Way } from "../../provider/decisions.ts"

type Body = Decisions.DecisionCreateParams

/** Models that are known to support it. */
export const decidesNatively = (model: string): boolean => /^gpt-6-luna(-\d|$)/.test(model)

const described = ({ description }: Label) => ({ ...(description && { description }) })

const toQuestion = (asked: Question): Body["questions"][number] => {
  const { name, question: instructions } = asked
  if (asked._tag === "Predicate") return { type: "predicate", name, instructions }
  if (asked._tag === "Score") {
    const levels = asked.levels.map((level) => ({ label: level.label, ...described(level) }))
    return { type: "score", name, instructions, levels }
  }
  const choices = asked.labels.map((label) => ({ value: label.label, ...described(label) }))
  return { type: "choice", name, instructions, choices }
}

const marked = ({
  role,
  text
}: Message & { readonly role: "user" | "system" }): Exclude<Body["input"], string>[number] => ({
  role,
  content: [{ type: "input_text", text, prompt_cache_breakpoint: { mode: "explicit" } }]
})

// A message of the assistant cannot be marked, nor can results.
const isMarkable = ({ role }: Message): boolean => role !== "assistant" && role !== "tool"

/** The conversation. The end of its stable part, before the last message, is marked if the model accepts that. */
const toInput = (messages: ReadonlyArray<Message>, model: string): Body["input"] => {
  const stable = takesBreakpoints(model) ? messages.slice(0, -1).findLastIndex(isMarkable) : -1
  return messages.flatMap((message, i): Exclude<Body["input"], string> => {
    const { calls = [], results = [], role, text } = message
    if (role === "tool") {
      return results.map((result) => ({ type: "function_call_output", call_id: result.id, output: toOutput(result) }))
    }
    if (i === stable && role !== "assistant") return [marked({ role, text })]
    const called = calls.map(({ id, name, params }) => ({
      type: "function_call" as const,
      call_id: id,
      name,
      arguments: params
    }))
    return called.length > 0 && text.trim() === "" ? called : [{ role, content: text }, ...called]
  })
}

const toBody = ({ messages, task }: DecideRequest, { cacheKey, model }: Target): Body => ({
  model,
  input: toInput(messages, model),
  questions: task.questions.map(toQuestion),
  ...(cacheKey !== undefined && { prompt_cache_key: cacheKey })
})

export const native = ({ ask, endpoint }: Client, target: Target): Way => ({
  mostQuestions: 400,
  mostLabels: 255,
  ask: (request) =>
    ask((client, signal) => client.decisions.create(toBody(request, target), { signal })).pipe(
      Effect.flatMap((answer) => readWhole(readingOf(request.task.questions), answer, endpoint)),
      Effect.map((response) => ({ model: target.model, ...response }))
    )
})
