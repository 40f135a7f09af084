/** The models of random sessions. Their servers answer within the process, by what a session plays. */
import { Context, Effect, Layer } from "effect"
import { Provider } from "cogito"
import { Anthropic } from "cogito/anthropic"
import { OpenAi } from "cogito/openai"
import { chat } from "../../faults/chat.ts"
import { key } from "../../faults/clean.ts"
import type { Called as Body, Dialect } from "../../faults/dialect.ts"
import { messages } from "../../faults/messages.ts"
import { responses } from "../../faults/responses.ts"
import type { Wire } from "./lines.ts"
import type { Act, Model, Play } from "./play.ts"

/** What models write into their texts in the place of calls. */
const inText = ({ calls, text = "", thought }: Body): string => {
  const list = calls.map(({ name, params }) => `{"name":"${name}","args":${params}}`).join(",")
  const thinks = thought === undefined ? "" : `§THINK\n${thought}\n`
  return `${thinks}${text === "" ? "" : `§RESPOND\n${text}\n`}§CALLS\n[${list}]\n§YIELD\nIt is done.`
}

const json = (status: number, body: unknown): Response =>
  new Response(JSON.stringify(body), { status, headers: { "content-type": "application/json" } })

const responseOf = (act: Act, { dialect, name, wire }: Omit<Model, "provider">): Response => {
  if (act._tag === "Refuses") return json(400, dialect.error("invalid_request_error", act.reason))
  if (act._tag === "Fails") return json(500, dialect.error("server_error", "It failed."))
  if (act._tag === "Text") return json(200, dialect.body("good", act.text))
  const { calls, text, thought } = act.said
  const said: Body = { calls, ...(text === undefined ? {} : { text }), ...(thought === undefined ? {} : { thought }) }
  return json(200, wire === "text" ? dialect.body("good", inText(said)) : dialect.called(said, name).body)
}

const dialects: Readonly<Record<Wire, Dialect>> = { chat, responses, messages, text: messages }

const names: Readonly<Record<Wire, ReadonlyArray<string>>> = {
  chat: ["gpt-5-mini", "gpt-5"],
  responses: ["gpt-5-mini", "gpt-5"],
  messages: ["claude-opus-5", "claude-sonnet-4-6"],
  text: ["claude-opus-5", "claude-sonnet-4-6"]
}

/** All models with these APIs. `play` is the session that goes on. */
export const modelsOver = (wires: ReadonlyArray<Wire>, play: () => Play) =>
  Effect.forEach(
    wires.flatMap((wire) => names[wire].map((name) => ({ wire, name, dialect: dialects[wire] }))),
    Effect.fnUntraced(function* (one) {
      const { name: model, wire } = one
      const fetch = async (_: unknown, init?: RequestInit): Promise<Response> =>
        responseOf(play().answer({ ...one, provider }, JSON.parse(init?.body as string)), one)
      const options = { model, apiKey: key, baseUrl: "http://localhost/v1", fetch }
      const made: Provider.Shape = yield* wire === "chat" || wire === "responses"
        ? OpenAi.make({ ...options, api: wire })
        : Anthropic.make(options)
      const layer = Layer.succeed(Provider.Provider, made).pipe(
        wire === "text" ? Provider.toolsInText() : (self) => self
      )
      const provider: Provider.Shape = Context.get(yield* Layer.build(layer), Provider.Provider)
      return { ...one, provider } satisfies Model
    })
  )
