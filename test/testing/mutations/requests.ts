/** Requests that are sent with one change. */
import { extend, type ProviderError, type Request, type Response, type StreamPart } from "cogito/Provider"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { type Mutation, onProvider, onRequest, type Way, ways } from "./mutation.ts"
import { type Change, changesOf } from "./values.ts"

const message = { text: "" }
const call = { id: "", name: "", params: "" }
const result = { id: "", text: "" }

const requests: ReadonlyArray<Change> = [
  ...changesOf({ messages: [message, message, message, message], task: { output: { instructions: "" } } }),
  ...changesOf({
    messages: [message, message, { calls: [call, call, call] }, { results: [result, result, result] }]
  }).filter(({ name }) => /calls|results/.test(name)),
  ...changesOf({ sampling: { temperature: 0 } }),
  ...changesOf({
    tools: [
      { name: "", description: "", parameters: { properties: { city: { description: "" } } } },
      { name: "", description: "", parameters: {} }
    ],
    toolChoice: { tool: "" }
  }),
  {
    name: "temperature added",
    change: (value: any) => ({ ...value, sampling: { temperature: 0.7, ...value.sampling } })
  }
].filter(({ name }) => !/^(?:messages empty|messages left out|task left out|sampling left out)$/.test(name))

/** From the second call of a provider on. */
const later = (way: Way, { change, name }: Change): Mutation =>
  onProvider(`${way}: later requests ${name}`, (provider) => {
    let made = 0
    return extend(provider, {
      [way]: (request: Request) => {
        const changed = provider[way](change(request))
        const same = provider[way](request)
        const chosen = Effect.sync(() => made++ > 0)
        return way === "complete"
          ? Effect.flatMap(chosen, (is) => (is ? changed : same) as Effect.Effect<Response, ProviderError>)
          : Stream.unwrap(Effect.map(chosen, (is) => (is ? changed : same) as Stream.Stream<StreamPart, ProviderError>))
      }
    })
  })

export const requestMutations: ReadonlyArray<Mutation> = [
  ...ways.flatMap((way) => requests.map(({ change, name }) => onRequest(way, name, change))),
  ...ways.flatMap((way) =>
    requests
      .filter(({ name }) => /temperature|messages from|messages\.1\.text longer/.test(name))
      .map((change) => later(way, change))
  )
]
