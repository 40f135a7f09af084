import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import { taking } from "../arguments/taking.ts"
import {
  type Answer,
  type Capabilities,
  type DecideRequest,
  make,
  Provider,
  type ProviderError,
  type Request,
  type Response,
  type Shape,
  type Usage
} from "../Provider.ts"
import { inPieces, ScriptedCalls } from "./calls.ts"

/** A script costs nothing, so a budget in money accepts it. */
const free = { input: 0, output: 0, asOf: "2026-11-22" }

/**
 * A reply of the scripted provider: a text, a value sent as JSON, calls of tools, a failure, or an effect of one of them.
 *
 * @category models
 */
export type Reply = string | object | Effect.Effect<string | object, ProviderError>

/**
 * Further settings of a scripted provider.
 *
 * @category models
 */
export interface ScriptOptions {
  readonly name?: string
  readonly model?: string
  /** Default: structured output, a seed, tools, and prices of 0, so that a budget in money treats it as free. */
  readonly capabilities?: Partial<Capabilities>
  /** Tokens that every call reports. Default: none. */
  readonly usage?: Usage
  /** The most UTF-16 units in a piece of a streamed text or call. Default: each is one piece. */
  readonly pieceLength?: number
  /** Answers closed questions natively. Default: the provider has no native decisions. */
  readonly decide?: (
    request: DecideRequest
  ) => ReadonlyArray<Answer> | Effect.Effect<ReadonlyArray<Answer>, ProviderError>
}

/**
 * A provider that plays a script, and the requests it received.
 *
 * @category models
 */
export interface Scripted {
  readonly layer: Layer.Layer<Provider>
  readonly provider: Shape
  /** Every completion requested so far, in order. */
  readonly requests: ReadonlyArray<Request>
  /** Every native decision requested so far, in order. */
  readonly decisions: ReadonlyArray<DecideRequest>
  /** How many queued replies are left. */
  readonly remaining: () => number
}

/**
 * A provider that answers from a queue or a function, and records every request.
 *
 * **Details**
 *
 * It is strict: a call after the last reply, or one for which the function returns `undefined`, is a defect that names
 * the kind of task. A queued `ProviderError` fails its call.
 *
 * **Example** (What was sent and what came back)
 *
 * ```ts
 * import assert from "node:assert/strict"
 * import { Effect } from "effect"
 * import { Synapse } from "cogito"
 * import { Testing } from "cogito/testing"
 *
 * const model = Testing.scripted([{ decision: false, confidence: 0.6, reasoning: ["It is a question."] }])
 * const isComplaint = Synapse.binary({ question: "Is this a complaint?" })
 *
 * const answer = await Effect.runPromise(isComplaint("When do you open?").pipe(Effect.provide(model.layer)))
 * assert.equal(answer.decision, false)
 * assert.equal(model.requests[0]?.task.kind, "binary")
 * ```
 *
 * @category constructors
 */
export const scripted = taking("Testing.scripted", {
  options: 1,
  optional: true,
  known: ["capabilities", "decide", "model", "name", "pieceLength", "usage"]
})((
  script: ReadonlyArray<Reply> | ((request: Request) => Reply | undefined),
  options: ScriptOptions = {}
): Scripted => {
  const requests: Array<Request> = []
  const decisions: Array<DecideRequest> = []
  const usage = options.usage ?? {}
  let position = 0
  let called = 0
  const nextId = () => `call_${++called}`
  const next = (request: Request): Reply | undefined =>
    typeof script === "function" ? script(request) : script[position++]
  const complete = (request: Request): Effect.Effect<Response, ProviderError> =>
    Effect.suspend(() => {
      requests.push(request)
      const reply = next(request)
      if (reply === undefined) {
        return Effect.die(
          new Error(`The scripted provider has no reply to call ${requests.length}, of the kind ${request.task.kind}.`)
        )
      }
      return Effect.map(settle(reply), (value) =>
        value instanceof ScriptedCalls
          ? { ...value.answer(nextId), usage }
          : { text: typeof value === "string" ? value : JSON.stringify(value), usage }
      )
    })
  const { decide, pieceLength } = options
  const provider = make({
    name: options.name ?? "scripted",
    model: options.model ?? "script",
    capabilities: { structuredOutput: "json-schema", seed: true, tools: true, prices: free, ...options.capabilities },
    complete,
    ...(pieceLength === undefined
      ? {}
      : {
          stream: (request: Request) =>
            Stream.unwrap(
              Effect.map(complete(request), (response) => Stream.fromIterable(inPieces(pieceLength, response)))
            )
        }),
    ...(decide === undefined
      ? {}
      : {
          decide: (request: DecideRequest) =>
            Effect.suspend(() => {
              decisions.push(request)
              const answers = decide(request)
              return Effect.map(Effect.isEffect(answers) ? answers : Effect.succeed(answers), (all) => ({
                answers: all,
                usage
              }))
            })
        })
  })
  return {
    layer: Layer.succeed(Provider, provider),
    provider,
    requests,
    decisions,
    remaining: () => (typeof script === "function" ? 0 : Math.max(0, script.length - position))
  }
})

/** A `ProviderError` is an effect that fails with itself. */
const settle = (reply: Reply): Effect.Effect<string | object, ProviderError> =>
  Effect.isEffect(reply) ? (reply as Effect.Effect<string | object, ProviderError>) : Effect.succeed(reply)
