/** Lets models call tools that have no such calls: in the text of their answers. */
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { taking } from "../../arguments/taking.ts"
import type { Transformation } from "../calls.ts"
import { problemOf } from "../ending.ts"
import { extend, transform } from "../Provider.ts"
import { ProviderError } from "../ProviderError.ts"
import type { DecideRequest, Message, Request, Response, StreamPart } from "../request.ts"
import type { Shape } from "../Shape.ts"
import { forgetting } from "../service.ts"
import { nextIds } from "../tools.ts"
import { problemOfTools } from "../turns.ts"
import { type Markers, markersFrom } from "./markers.ts"
import { Reading, type Taking } from "./reading.ts"
import { endingOf, rulesOf } from "./rules.ts"
import { carryOf, written } from "./written.ts"

const hasTools = ({
  messages,
  tools = []
}: {
  readonly messages: Request["messages"]
  readonly tools?: Request["tools"]
}) => tools.length > 0 || messages.some(({ calls = [], role }) => role === "tool" || calls.length > 0)

/** With the rules at the end of the first system message, and what holds for this answer at the end of the last message. */
const explained = (
  messages: ReadonlyArray<Message>,
  rules: string,
  ending: string | undefined
): ReadonlyArray<Message> => {
  const [first, ...others] = messages
  const begun: ReadonlyArray<Message> =
    first?.role === "system"
      ? [{ ...first, text: `${first.text}\n\n${rules}` }, ...others]
      : [{ role: "system", text: rules }, ...messages]
  const last = begun.at(-1)
  if (ending === undefined) return begun
  return last?.role === "user"
    ? [...begun.slice(0, -1), { ...last, text: `${last.text}\n\n${ending}` }]
    : [...begun, { role: "user", text: ending }]
}

/** The request as the model is sent it, without parts for tools. */
const inText = (request: Request, markers: Markers, whose: Parameters<typeof written>[2]): Request => {
  const { messages, parallelCalls: _, task, toolChoice: __, tools: ___, ...rest } = request
  const { output: ____, ...plain } = task
  const texts = written(messages, markers, whose)
  return { ...rest, messages: explained(texts, rulesOf(request, markers), endingOf(request, markers)), task: plain }
}

const takingOf = ({ messages, parallelCalls, toolChoice = "auto", tools = [] }: Request, markers: Markers): Taking => ({
  markers,
  nextId: nextIds(messages),
  allows: (name) =>
    toolChoice !== "none" && tools.length > 0 && (typeof toolChoice === "string" || toolChoice.tool === name),
  isSingle: parallelCalls === false
})

/** A provider whose answers are read for calls. */
const calling = (provider: Shape, markers: Markers): Shape => {
  const { decide } = provider
  const whose = { provider: provider.name, model: provider.model }
  const able = () => ({ ...provider.capabilities, tools: true })
  const refused = (request: Request | DecideRequest) => problemOfTools({ ...provider, capabilities: able() }, request)

  const ended = (response: Response, reading: Reading): Effect.Effect<Response, ProviderError> => {
    const { calls, text, thought } = reading
    const reason = problemOf("finished", text, calls)
    if (reason === undefined) {
      return Effect.succeed({ ...response, text, ...(calls.length > 0 && { calls, ...carryOf(whose, thought) }) })
    }
    const failed = Effect.fail(new ProviderError({ ...whose, reason, usage: response.usage }))
    // a cache below has kept it
    return Effect.andThen(forgetting.get(response.usage) ?? Effect.void, failed)
  }

  const complete = Effect.fnUntraced(function* (request: Request) {
    const reading = new Reading(takingOf(request, markers))
    const response = yield* provider.complete(inText(request, markers, whose))
    reading.push(response.text)
    reading.end()
    return yield* ended(response, reading)
  })

  const stream = (request: Request): Stream.Stream<StreamPart, ProviderError> =>
    Stream.suspend(() => {
      const reading = new Reading(takingOf(request, markers))
      return provider.stream(inText(request, markers, whose)).pipe(
        Stream.mapEffect((part): Effect.Effect<ReadonlyArray<StreamPart>, ProviderError> => {
          if (part._tag === "Text") return Effect.succeed(reading.push(part.delta))
          if (part._tag !== "Done") return Effect.succeed([part])
          const rest = reading.end()
          return Effect.map(ended(part.response, reading), (response) => [...rest, { _tag: "Done", response }])
        }),
        Stream.flatMap(Stream.fromIterable)
      )
    })

  const extended = extend(provider, {
    capabilities: able(),
    complete: (request) => {
      const problem = refused(request)
      if (problem !== undefined) return Effect.fail(problem)
      return hasTools(request) ? complete(request) : provider.complete(request)
    },
    stream: (request) => {
      const problem = refused(request)
      if (problem !== undefined) return Stream.fail(problem)
      return hasTools(request) ? stream(request) : provider.stream(request)
    },
    ...(decide !== undefined && {
      decide: (request) => {
        const problem = refused(request)
        if (problem !== undefined) return Effect.fail(problem)
        return decide(hasTools(request) ? { ...request, messages: written(request.messages, markers, whose) } : request)
      }
    })
  })
  // they may change as the provider learns
  return Object.defineProperty(extended, "capabilities", { enumerable: true, get: able })
}

/**
 * Lets the model of a provider call tools that cannot do so by itself: it is told of the tools in the system message, and writes
 * its calls into the text of its answer.
 *
 * **Details**
 *
 * An answer has sections, each after a marker at the start of a line:
 *
 * - `§THINK`: reasoning, a part of the stream. Before calls it is carried to the next request
 * - `§CALLS`: a JSON array of `{"name": …, "args": {…}}`
 * - `§YIELD`: the model waits. What follows is not used, as it would invent the results
 * - `§RESPOND`: text. So is what stands before the first marker
 *
 * A marker counts at the start of a line only, outside of the strings of JSON. Everything is streamed as it comes. A call that is
 * malformed or incomplete has parameters that are not JSON, which say what is wrong, so that it is never carried out and the model
 * can correct it. Its name is `"unknown"` if it has none. Ids are made. Calls that `toolChoice` does not allow are left out; a model that
 * calls nothing although it must gives its text. An answer with neither text nor calls fails as `EmptyAnswer`.
 *
 * Requests without tools, calls and results stay unchanged. With tools, an output form is described in words. A recording inside of
 * this layer has what the model was really sent. Put `spotlight` outside of it, so that it marks results.
 *
 * Throws if markers are empty, equal, begin with each other, or could begin JSON.
 *
 * **Example** (A model without tools of its own)
 *
 * ```ts
 * import assert from "node:assert/strict"
 * import { Effect } from "effect"
 * import { Provider } from "cogito"
 * import { Testing } from "cogito/testing"
 *
 * const model = Testing.scripted([`§THINK
 * I look it up.
 * §CALLS
 * [{"name":"weather","args":{"city":"Ulm"}}]
 * §YIELD`], { capabilities: { tools: false } })
 *
 * const ask = Provider.Provider.use((provider) =>
 *   provider.complete({
 *     messages: [{ role: "user", text: "How is the weather in Ulm?" }],
 *     tools: [{ name: "weather", description: "The weather of a city", parameters: { type: "object" } }],
 *     task: { kind: "chat", instruction: "Answer", questions: [], context: [] },
 *     phase: "reason",
 *     sampling: {}
 *   })
 * )
 *
 * const { calls } = await Effect.runPromise(Effect.provide(ask, model.layer.pipe(Provider.toolsInText())))
 * assert.deepEqual(calls, [{ id: "call_1", name: "weather", params: `{"city":"Ulm"}` }])
 * assert.match(model.requests[0]?.messages[0]?.text ?? "", /The weather of a city/)
 * ```
 *
 * @category tools
 */
export const toolsInText = taking("Provider.toolsInText", { options: 0, optional: true, known: ["markers"] })(({
  markers
}: {
  /**
   * The words that begin the sections of an answer, each at the start of a line: `think` of reasoning, `calls` of a JSON array of
   * calls, `yield` of the end, where the model waits for results, and `respond` of text. Default: `§THINK`, `§CALLS`, `§YIELD` and
   * `§RESPOND`.
   */
  readonly markers?: { readonly [S in "think" | "calls" | "yield" | "respond"]?: string }
} = {}): Transformation => {
  const words = markersFrom("Provider.toolsInText", markers)
  return transform((provider) => Effect.sync(() => calling(provider, words)))
})
