import { it } from "@effect/vitest"
import { Effect } from "effect"
import { OpenAi } from "cogito/openai"
import type { Request } from "cogito/Provider"
import { beyond, listen, told, wire } from "../http/wire.ts"
import { transcribe } from "../transcript.ts"
import { type Answer, completion, reply } from "./server.ts"
import { forms, request, withForm } from "./requests.ts"

const house = { model: "house-1", name: "house", apiKey: "sk-house-key", baseUrl: "https://model.test/v1" }
const fine = reply(200, completion("{}"))
const refusing = (message: string, param?: string, code = "unsupported_parameter"): Answer =>
  reply(400, { error: { message, param, code } })
const brief = request({ messages: [{ role: "user", text: "Hello" }] })
const capabilities = { efforts: ["low", "high"], temperature: "free", seed: true } as const

/** Requests, one after the other, of one provider whose server gives these answers; what is sent otherwise than at first. */
const learning = (
  answers: ReadonlyArray<Answer>,
  requests: ReadonlyArray<Request>,
  options: Partial<OpenAi.Options> = {}
) =>
  Effect.gen(function* () {
    const outcomes: Array<unknown> = []
    let known: unknown
    const { sent } = yield* wire(answers, (fetch) =>
      Effect.gen(function* () {
        const provider = yield* OpenAi.make({ ...house, capabilities, fetch, ...options })
        for (const [i, one] of requests.entries()) {
          const streamed = i % 2 === 1 && options.api === "responses"
          const call: Effect.Effect<unknown, unknown> = streamed ? listen(provider, one) : provider.complete(one)
          const result = yield* Effect.result(call)
          outcomes.push(result._tag === "Success" ? result.success : told(result.failure))
        }
        const { efforts, seed, structuredOutput, temperature } = provider.capabilities
        known = { efforts, seed, structuredOutput, temperature }
      })
    )
    const [first, ...others] = sent.map(({ body }) => body)
    return { first, "then, otherwise": first && others.map((body) => beyond(body, first)), outcomes, known }
  })

const all = { temperature: 0.3, effort: "high", seed: 17, stop: ["END"], maxTokens: 40 }
const wished = { ...brief, sampling: all }
const form = withForm("small", forms.small, { sampling: { temperature: 0 } })
const other = withForm("reference", forms.reference, { sampling: { temperature: 0 } })

it.effect("what is learned of refusals", () =>
  transcribe("learning", {
    "A temperature, in three calls": learning([refusing("no", "temperature"), fine], [wished, wished, brief]),
    "A temperature of a model that has no efforts": learning([refusing("no", "temperature"), fine], [wished, wished], {
      capabilities: { efforts: [], temperature: "free" }
    }),
    "An effort, and another one": learning(
      [refusing("no", "reasoning_effort"), fine],
      [wished, { ...wished, sampling: { effort: "low" } }, wished]
    ),
    "Both efforts": learning(
      [refusing("no", "reasoning_effort"), fine, refusing("no", "reasoning_effort"), fine],
      [wished, { ...wished, sampling: { effort: "low" } }, wished]
    ),
    "A seed": learning([refusing("no", "seed"), fine], [wished, wished]),
    "Words to stop at": learning([refusing("no", "stop"), fine], [wished, { ...wished, sampling: {} }, wished]),
    "A seed that is out of range": learning([refusing("must be at most 5", "seed")], [wished, wished]),
    "An effort that is out of range": learning([refusing("too large", "reasoning_effort"), fine], [wished]),
    "What was not sent": learning([refusing("no", "temperature")], [{ ...brief, sampling: {} }]),
    "What is never left out": learning([refusing("no", "max_tokens")], [wished]),
    "Two parameters, one after the other": learning(
      [refusing("no", "temperature"), refusing("no", "seed"), fine],
      [wished, wished, wished]
    ),
    "Another failure": learning([reply(500, { error: { param: "temperature" } }), fine], [wished, wished]),
    "A form, another form, and the first again": learning(
      [refusing("no", "response_format"), fine],
      [form, other, form]
    ),
    "Three forms in a row": learning(
      [1, 2, 3].flatMap(() => [refusing("no", "response_format"), fine]),
      [form, other, withForm("optional", forms.optional), withForm("every", forms.every)]
    ),
    "Strict forms, of which more than three are refused": learning(
      [1, 2, 3, 4].flatMap(() => [refusing("strict: no", "strict"), fine]),
      [form, other, withForm("optional", forms.optional), withForm("every", forms.every), form]
    ),
    "A system role, before a user's message": learning(
      [refusing("System role not supported"), fine],
      [
        request(),
        {
          ...brief,
          messages: [
            { role: "system", text: "Be brief." },
            { role: "user", text: "Hi" }
          ]
        }
      ]
    ),
    "A system role in a request without a message of the user": learning(
      [refusing("System role not supported"), fine],
      [
        { ...brief, messages: [{ role: "system", text: "Be brief." }] },
        {
          ...brief,
          messages: [
            { role: "assistant", text: "I began." },
            { role: "system", text: "Go on." }
          ]
        },
        brief
      ]
    ),
    "A system role that a request does not have": learning([refusing("System role not supported")], [brief]),
    "By a call of the Responses API, and a stream after it": learning(
      [
        refusing("no", "text.format.schema"),
        reply(200, {
          id: "r-1",
          model: "house-2",
          status: "completed",
          output: [{ type: "message", content: [{ type: "output_text", text: "{}" }] }]
        })
      ],
      [form, form],
      { api: "responses" }
    )
  })
)
