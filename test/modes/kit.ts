/** Conversations with a provider, as callers hold them. */
import { assert } from "@effect/vitest"
import { Effect, Stream } from "effect"
import type { Message, ProviderError, Request, Response, Shape } from "cogito/Provider"

export const asking = (messages: ReadonlyArray<Message>, rest: Partial<Request> = {}): Request => ({
  messages,
  task: { kind: "chat", instruction: "Answer", questions: [], context: [] },
  phase: "reason",
  sampling: {},
  ...rest
})

export const system: Message = { role: "system", text: "Be brief." }
export const user = (text: string): Message => ({ role: "user", text })

/** The message that an answer becomes in the next request. */
export const answered = ({ calls, carry, text }: Response): Message => ({
  role: "assistant",
  text: text.trim(),
  ...(calls !== undefined && { calls }),
  ...(carry !== undefined && { carry })
})

/** The results of the calls of an answer. */
export const results = ({ calls = [] }: Response, text: string): Message => ({
  role: "tool",
  text: "",
  results: calls.map(({ id, name }) => ({ id, name, text, isFailure: false }))
})

/** Makes a call as a stream. Returns its answer and all pieces of text before it. */
export const streaming = (provider: Shape, request: Request) =>
  Effect.gen(function* () {
    const deltas: Array<string> = []
    let response: Response | undefined
    yield* Stream.runForEach(provider.stream(request), (part) =>
      Effect.sync(() => {
        if (part._tag === "Text") deltas.push(part.delta)
        if (part._tag === "Done") response = part.response
      })
    )
    return { response: response ?? assert.fail("no answer"), deltas }
  })

/** A conversation that says one text after the other. */
export const talking = (
  provider: Shape,
  texts: ReadonlyArray<string>,
  before: ReadonlyArray<Message> = [system]
): Effect.Effect<
  { readonly messages: ReadonlyArray<Message>; readonly answers: ReadonlyArray<Response> },
  ProviderError
> =>
  Effect.gen(function* () {
    const messages = [...before]
    const answers: Array<Response> = []
    for (const text of texts) {
      messages.push(user(text))
      const response = yield* provider.complete(asking([...messages]))
      answers.push(response)
      messages.push(answered(response))
    }
    return { messages, answers }
  })
