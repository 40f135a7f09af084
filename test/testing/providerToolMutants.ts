/** Providers that call tools, with one fault each. */
import type { Request } from "cogito/Provider"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { type Mutant, onEnd, onRequest } from "./providerChanges.ts"

const onMessages = (change: (messages: Request["messages"]) => Request["messages"]) =>
  onRequest((request) => ({ ...request, messages: change(request.messages) }))

export const toolMutants: ReadonlyArray<Mutant> = [
  {
    name: "tools that are not sent",
    mutate: onRequest((request) => {
      const { tools: _, ...rest } = request
      return rest
    })
  },
  {
    name: "results that are not sent",
    mutate: onRequest((request) => ({
      ...request,
      messages: request.messages.map(({ results, ...message }) =>
        results === undefined ? message : { ...message, results: results.map((result) => ({ ...result, text: "" })) }
      )
    }))
  },
  {
    name: "calls in another order",
    mutate: onEnd({
      complete: Effect.map((response) =>
        response.calls === undefined ? response : { ...response, calls: response.calls.toReversed() }
      )
    })
  },
  {
    name: "parameters that are written anew",
    mutate: onEnd({
      complete: Effect.map((response) =>
        response.calls === undefined
          ? response
          : { ...response, calls: response.calls.map((call) => ({ ...call, params: `${call.params} ` })) }
      )
    })
  },
  {
    name: "a stream without the pieces of its calls",
    mutate: onEnd({ stream: Stream.filter((part) => part._tag !== "Call") })
  },
  {
    name: "a stream that loses its calls at the end",
    mutate: onEnd({
      stream: Stream.map((part) => {
        if (part._tag !== "Done") return part
        const { calls: _, ...response } = part.response
        return { ...part, response }
      })
    })
  },
  {
    name: "calls that broke off taken for whole ones",
    mutate: onEnd({
      complete: (call, { tools = [] }) =>
        tools.length === 0
          ? call
          : Effect.catchIf(
              call,
              (error) => error.reason._tag === "Truncated",
              () => Effect.succeed({ text: "", calls: [{ id: "call_1", name: "weather", params: "{}" }], usage: {} })
            )
    })
  },
  {
    name: "calls without results that are sent",
    mutate: onRequest((request) => ({
      ...request,
      messages: request.messages.map((message, i, { length }) => {
        const { calls: _, ...rest } = message
        return i === length - 1 ? rest : message
      })
    }))
  },
  {
    name: "calls without results before another message that are sent",
    mutate: onMessages((messages) =>
      messages.map((message, i) => {
        const { calls: _, ...rest } = message
        return messages[i + 1]?.role === "user" ? rest : message
      })
    )
  },
  {
    name: "results without calls that are left out",
    mutate: onMessages((messages) =>
      messages.filter(({ results }, i) => results === undefined || messages[i - 1]?.role !== "user")
    )
  },
  {
    name: "results twice that are sent once",
    mutate: onMessages((messages) =>
      messages.filter(({ results }, i) => results === undefined || messages[i - 1]?.results === undefined)
    )
  },
  {
    name: "tools of one name of which one is sent",
    mutate: onRequest(({ tools, ...request }) => ({
      ...request,
      ...(tools && { tools: tools.filter(({ name }, i) => tools.findIndex((one) => one.name === name) === i) })
    }))
  },
  {
    name: "a demand for no tool of the request that is not sent",
    mutate: onRequest(({ toolChoice, ...request }) => {
      const isKnown = (name: string) => request.tools?.some((tool) => tool.name === name) === true
      return toolChoice === undefined || (typeof toolChoice === "object" && !isKnown(toolChoice.tool))
        ? request
        : { ...request, toolChoice }
    })
  }
]
