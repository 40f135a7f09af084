/** How calls are made: over HTTP, over sockets, or over either. */
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Scope from "effect/Scope"
import { fail } from "../http/Endpoint.ts"
import { checkMode, wantsSockets } from "../http/mode.ts"
import { hasSockets } from "../http/webSocket.ts"
import { conversing } from "../provider/resumable/conversing.ts"
import type { Exchange } from "../provider/resumable/Protocol.ts"
import { limitsOf } from "../provider/resumable/resumable.ts"
import type { Capabilities, ProviderError, Request } from "../Provider.ts"
import { overHttp, type Planned, reporting } from "./api/api.ts"
import type { Client, Target } from "./api/client.ts"
import { chat } from "./chat/chat.ts"
import type { Options } from "./options.ts"
import { overSessions, sent } from "./realtime/realtime.ts"
import { responses } from "./responses/responses.ts"
import { overSockets } from "./responses/socket.ts"

/** The sockets close with the scope of the layer. A provider that is made outside of any scope closes them when they are idle. */
const inScope = <A>(effect: Effect.Effect<A, never, Scope.Scope>): Effect.Effect<A> =>
  Effect.flatMap(Effect.serviceOption(Scope.Scope), (scope) =>
    Option.isSome(scope)
      ? Scope.provide(effect, scope.value)
      : Effect.flatMap(Scope.make(), (own) => Scope.provide(effect, own))
  )

type Settings = Parameters<typeof conversing<never, Planned>>[2]

const settingsOf = ({ connections }: Options, { deadlines: { total }, endpoint }: Client): Settings => {
  const message = `no complete answer within ${Duration.format(total)}: raise timeout or ask for less`
  return {
    limits: limitsOf("OpenAi", connections),
    deadline: { millis: Duration.toMillis(total), late: () => fail(endpoint, { _tag: "Timeout", message }) }
  }
}

/** The calls of the Realtime API, which there are over sockets only. */
const realtime = Effect.fnUntraced(function* (
  options: Options,
  client: Client
): Effect.fn.Return<Exchange<Planned>, ProviderError> {
  const { endpoint } = client
  const { model, provider: name } = endpoint
  yield* checkMode(options.mode, endpoint)
  const unsupported = (message: string) => fail(endpoint, { _tag: "Unsupported", message })
  if (options.mode === "replay") {
    return yield* unsupported(`the Realtime API of ${name} has sockets only: use mode "resume", or another api`)
  }
  if (!hasSockets()) return yield* unsupported(`this runtime has no WebSocket that can carry the key to ${name}`)
  return yield* inScope(conversing({ name, model }, overSessions(client), settingsOf(options, client)))
})

/** How the calls of an API are made, and what part of the sampling it can send. */
export const exchangeOf = Effect.fnUntraced(function* (
  api: NonNullable<Options["api"]>,
  options: Options,
  client: Client,
  target: Target,
  capabilities: Capabilities
) {
  if (api === "realtime") return { wire: { sent }, exchange: yield* realtime(options, client) }
  const { mode } = options
  const { endpoint } = client
  const { model, provider: name } = endpoint
  const isResponses = api === "responses"
  const impossible = isResponses
    ? hasSockets()
      ? undefined
      : `this runtime has no WebSocket that can carry the key to ${name}`
    : `${name} is called by chat completions, which have no sockets (the Responses API has: api: "responses")`
  const asSockets = yield* wantsSockets(mode, endpoint, impossible)
  const wire = isResponses ? responses(target) : chat(target)
  const http = isResponses ? overHttp(client, responses(target)) : overHttp(client, chat(target))
  if (!asSockets) return { wire, exchange: mode === undefined ? http : reporting(http) }
  const replay = {
    ...http,
    capabilities,
    requestOf: ({ request }: Planned) => request,
    withRequest: (planned: Planned, request: Request) => ({ ...planned, request })
  }
  const settings = settingsOf(options, client)
  const exchange = yield* inScope(
    conversing({ name, model }, overSockets(client, target), { ...settings, ...(mode === "auto" && { replay }) })
  )
  return { wire, exchange }
})
