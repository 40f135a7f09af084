/**
 * Sends one typed question to a provider, validates the answer, and repairs it a limited number of times. All typed
 * calls use it.
 */
import * as Effect from "effect/Effect"
import { emit } from "../run/run.ts"
import type { Trust } from "../thought/Note.ts"
import { addUsage } from "../thought/tokens.ts"
import type { ContextNote, Question, Task } from "../provider/task.ts"
import type { Message } from "../provider/request.ts"
import type { ProviderError } from "../provider/ProviderError.ts"
import type { Shape as ProviderShape } from "../provider/Shape.ts"
import type { Thought } from "../thought/model.ts"
import { askNatively } from "./askNatively.ts"
import { askInText } from "./askInText.ts"
import type { Answered, AskOptions, Declaration } from "./Declaration.ts"
import type { ResponseError } from "./answer/ResponseError.ts"
import { systemMessage } from "./call.ts"

/**
 * The ways to ask, in the order in which they are tried. Native only if the provider can and the caller wants neither
 * written reasons nor text.
 */
const waysOf = <A>(
  provider: ProviderShape,
  declaration: Declaration<A>,
  questions: ReadonlyArray<Question>,
  { reasons, via }: AskOptions
): readonly ["native" | "text", ...ReadonlyArray<"native" | "text">] => {
  if (via !== "auto") return [via]
  const isClosed = provider.decide !== undefined && questions.length > 0 && declaration.fromAnswers !== undefined
  if (!isClosed || reasons) return ["text"]
  const [first = "native", ...others] = provider.order ?? []
  return [first, ...others]
}

/** Failures that another way of asking may avoid: the server has a problem, not the request. */
const downs: ReadonlySet<ProviderError["reason"]["_tag"]> = new Set([
  "RateLimited",
  "QuotaExhausted",
  "Overloaded",
  "Connection",
  "Timeout",
  "Authentication",
  "CircuitOpen",
  "Unsupported"
] as const)

const isDown = (error: ProviderError | ResponseError): error is ProviderError =>
  error._tag === "ProviderError" && downs.has(error.reason._tag)

/** Asks and returns a valid value, or fails. The messages are the conversation, with the new request at its end. */
export const ask = <A>(
  provider: ProviderShape,
  declaration: Declaration<A>,
  asked: {
    readonly instruction: string
    readonly trust?: Trust
    readonly questions: ReadonlyArray<Question>
    readonly input?: string
    readonly context: ReadonlyArray<ContextNote>
    readonly messages: ReadonlyArray<Message>
  },
  options: AskOptions,
  thought?: Thought<any>
): Effect.Effect<Answered<A>, ProviderError | ResponseError> => {
  const task: Task = {
    kind: declaration.kind,
    instruction: asked.instruction,
    questions: asked.questions,
    // computed when it is read
    get context() {
      return asked.context
    },
    output: declaration.form.output,
    ...(declaration.wants === undefined ? {} : { wants: declaration.wants }),
    ...(asked.input === undefined ? {} : { input: asked.input }),
    ...(asked.trust === undefined ? {} : { trust: asked.trust })
  }
  const request = { messages: [systemMessage, ...asked.messages], task }
  const inWay = (way: "native" | "text") =>
    way === "native"
      ? askNatively(provider, declaration, request, thought)
      : askInText(provider, declaration, request, options, thought)
  const [first, ...others] = waysOf(provider, declaration, asked.questions, options)
  return others.reduce<Effect.Effect<Answered<A>, ProviderError | ResponseError>>(
    (tried, next) =>
      Effect.catchIf(tried, isDown, (error) =>
        Effect.andThen(
          emit(thought, { _tag: "AttemptFailed", attempt: 1, error: error.reason._tag, waitMillis: 0 }),
          Effect.map(inWay(next), (answer) => ({ ...answer, usage: addUsage(error.usage ?? {}, answer.usage) }))
        )
      ),
    inWay(first)
  )
}
