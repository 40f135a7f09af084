/** A provider that keeps the contract, in front of a function as its backend, with tools or without. */
import { type DecideRequest, make, ProviderError, type Request, type Response, type StreamPart } from "cogito/Provider"
import type { Testing } from "cogito/testing"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { promptOf } from "../providerSubjects.ts"

export const secret = "secret-4710"

const usage = { inputTokens: 12, outputTokens: 7 }

const failure = (reason: ProviderError["reason"]["_tag"]) =>
  new ProviderError({ provider: "house", model: "house-1", reason: { _tag: reason as "Overloaded", message: "sorry" } })

const pieces = (text: string): ReadonlyArray<string> =>
  [0, 1, 2, 3].map((i) => text.slice((i * text.length) / 4, ((i + 1) * text.length) / 4))

const texts = (text: string) => pieces(text).map((delta): StreamPart => ({ _tag: "Text", delta }))

const called = ({ calls = [] }: Pick<Response, "calls">) =>
  calls.flatMap(({ id, name, params }) =>
    pieces(params).map((delta): StreamPart => ({ _tag: "Call", id, name, delta }))
  )

/** What a stream has of a reply, and how it ends. */
const partsOf = (reply: Testing.ProviderReply): Stream.Stream<StreamPart, ProviderError> => {
  if (reply._tag === "Answers") return Stream.die(new Error("answers are not for a text"))
  if (reply._tag === "Failure") return Stream.fail(failure(reply.reason))
  const { text = "" } = reply
  const parts = [...texts(text), ...(reply._tag === "Calls" ? called(reply) : [])]
  const half = Stream.fromIterable(parts.slice(0, -1))
  if (reply._tag === "Never") return Stream.concat(half, Stream.never)
  if (reply._tag === "Broken" || (reply._tag === "Calls" && reply.isBroken === true)) {
    return Stream.concat(half, Stream.fail(failure("Truncated")))
  }
  const response = { text, usage, ...(reply._tag === "Calls" && { calls: reply.calls }) }
  return Stream.fromIterable<StreamPart>([...parts, { _tag: "Done", response }])
}

export const subject =
  (tools: boolean): Testing.MakeProvider =>
  (backend) =>
    Effect.sync(() => {
      const received: Array<Testing.ProviderAsked> = []
      let open = 0
      const ask = (request: Request | DecideRequest) =>
        Effect.acquireRelease(
          Effect.sync(() => {
            const temperature = "sampling" in request ? request.sampling.temperature : undefined
            const asked = { prompt: promptOf(request), temperature }
            received.push(asked)
            open++
            return backend(asked)
          }),
          () => Effect.sync(() => open--)
        )
      const stream = (request: Request) => Stream.unwrap(Effect.map(ask(request), partsOf))
      const provider = make({
        name: "house",
        model: "house-1",
        capabilities: {
          tools,
          efforts: ["low", "high"],
          contextTokens: 100_000,
          outputTokens: 1000,
          prices: { input: 1, output: 2, asOf: "2026-11-01" }
        },
        stream,
        complete: (request) =>
          Effect.flatMap(Stream.runLast(stream(request)), (last) =>
            last._tag === "Some" && last.value._tag === "Done"
              ? Effect.succeed(last.value.response)
              : Effect.die(new Error("the last part is the answer"))
          ),
        decide: (request) =>
          Effect.scoped(
            Effect.flatMap(ask(request), (reply) => {
              if (reply._tag === "Answers") return Effect.succeed({ answers: reply.answers, usage })
              return failure(reply._tag === "Failure" ? reply.reason : "Truncated")
            })
          )
      })
      return { provider, received: () => received, open: () => open, secret }
    })
