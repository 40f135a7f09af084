/**
 * Streamed answers of a Messages call: the pieces of their text, then the whole answer once the server says that it is.
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import { type Endpoint, fail, named } from "../http/Endpoint.ts"
import { requestIdOf, type ServerEvent } from "../http/transport.ts"
import { ProviderError, type Reason, type Response, type StreamPart } from "../Provider.ts"
import { limitsOf } from "./limits.ts"
import { type Billed, billedOf, Broken, decodeJson, fromBroken, laterOf, Stop, toProblem, toUsage } from "./response.ts"

const maybe = <S extends Schema.Top>(schema: S) => Schema.optionalKey(Schema.NullOr(schema))

const Started = Schema.Struct({
  type: Schema.Literal("message_start"),
  message: Schema.Struct({ id: maybe(Schema.String), model: maybe(Schema.String), usage: maybe(Schema.Unknown) })
})

const BlockStarted = Schema.Struct({
  type: Schema.Literal("content_block_start"),
  index: Schema.Int,
  content_block: Schema.Struct({
    type: Schema.String,
    text: maybe(Schema.String),
    // Where a model declines and another goes on after it.
    to: maybe(Schema.Struct({ model: maybe(Schema.String) }))
  })
})

const BlockGrew = Schema.Struct({
  type: Schema.Literal("content_block_delta"),
  index: Schema.Int,
  delta: Schema.Struct({ type: Schema.String, text: maybe(Schema.String) })
})

const BlockStopped = Schema.Struct({ type: Schema.Literal("content_block_stop"), index: Schema.Int })

const Changed = Schema.Struct({
  type: Schema.Literal("message_delta"),
  delta: Stop,
  usage: maybe(Schema.Unknown)
})

const Stopped = Schema.Struct({ type: Schema.Literal("message_stop") })

const Known = Schema.Union([BlockGrew, BlockStarted, BlockStopped, Changed, Started, Stopped, Broken])

const knownTypes = new Set<unknown>(Known.members.map(({ fields }) => fields.type.literal))

const decodeKnown = Schema.decodeUnknownOption(Known)
const decodeTyped = Schema.decodeUnknownOption(Schema.Struct({ type: Schema.String }))

/** What is known of an answer while its events come. */
class Answer {
  isDone = false
  requestId: string | null = null
  #started: (typeof Started.Type)["message"] | undefined
  #billed: Billed = {}
  #stop: Stop = {}
  #text = ""
  readonly #open = new Map<number, string>()
  /** Places between two models, which servers close or not. */
  readonly #between = new Set<number>()
  readonly #endpoint: Endpoint

  constructor(endpoint: Endpoint) {
    this.#endpoint = endpoint
  }

  get usage() {
    return toUsage(this.#billed)
  }

  /** The parts that an event adds, or why the answer fails. */
  take({ data, headers }: ServerEvent, now: number): ReadonlyArray<StreamPart> | ProviderError {
    this.requestId = requestIdOf(headers)
    const problem = (reason: Reason) => this.#failed(reason)
    const json = Option.getOrUndefined(decodeJson(data))
    const type = Option.getOrUndefined(decodeTyped(json))?.type
    // Kinds of events come and go: what is not known, a ping too, says nothing of the text.
    if (type !== undefined && !knownTypes.has(type)) return []
    const event = Option.getOrUndefined(decodeKnown(json))
    if (event === undefined) return problem(malformed(this.#endpoint))
    if (event.type === "error") return fromBroken(event, headers, this.#endpoint, now, this.usage)
    if (event.type !== "message_start" && this.#started === undefined) return problem(outOfOrder(this.#endpoint))
    return this.#takeKnown(event, headers, now) ?? problem(outOfOrder(this.#endpoint))
  }

  /** Nothing for an event that cannot come now. */
  #takeKnown(
    event: Exclude<typeof Known.Type, typeof Broken.Type>,
    headers: Headers,
    now: number
  ): ReadonlyArray<StreamPart> | ProviderError | undefined {
    switch (event.type) {
      case "message_start":
        return this.#start(event.message)
      case "content_block_start": {
        if (this.#open.has(event.index)) return undefined
        const { text, to, type } = event.content_block
        if (type === "fallback") {
          this.#started = { ...this.#started, ...(to?.model && { model: to.model }) }
          this.#between.add(event.index)
          return []
        }
        this.#open.set(event.index, type)
        return this.#grow(type, text)
      }
      case "content_block_delta": {
        const type = this.#open.get(event.index)
        if (type === undefined) return undefined
        return event.delta.type === "text_delta" ? this.#grow(type, event.delta.text) : []
      }
      case "content_block_stop":
        return this.#open.delete(event.index) || this.#between.delete(event.index) ? [] : undefined
      case "message_delta":
        if (event.delta.stop_reason) this.#stop = event.delta
        this.#billed = laterOf(this.#billed, billedOf(event.usage))
        return []
      case "message_stop":
        return this.#finish(headers, now)
      default:
        return event satisfies never
    }
  }

  /** Some servers announce a message twice; another message would be another answer. */
  #start(message: (typeof Started.Type)["message"]): ReadonlyArray<StreamPart> | undefined {
    const before = this.#started
    if (before !== undefined && (before.id ?? message.id) !== (message.id ?? before.id)) return undefined
    this.#started = { ...message, ...before }
    this.#billed = laterOf(billedOf(message.usage), this.#billed)
    return []
  }

  #failed(reason: Reason): ProviderError {
    return fail(this.#endpoint, reason, this)
  }

  #grow(kind: string, text: string | null | undefined): ReadonlyArray<StreamPart> {
    if (kind !== "text" || !text) return []
    this.#text += text
    return [{ _tag: "Text", delta: text }]
  }

  #finish(headers: Headers, now: number): ReadonlyArray<StreamPart> | ProviderError | undefined {
    const wrong = toProblem(this.#stop, this.#text, this.#endpoint)
    if (wrong !== undefined) return this.#failed(wrong)
    // what has not ended may be a part of the text
    if (this.#open.size > 0) return undefined
    this.isDone = true
    const response: Response = {
      text: this.#text,
      usage: this.usage,
      ...named(this.#started ?? {}, this.#endpoint),
      ...limitsOf(headers, now)
    }
    return [{ _tag: "Done", response }]
  }
}

const malformed = ({ host }: Endpoint): Reason => ({
  _tag: "InvalidResponse",
  message: `${host} sent an event that is none of a message: check that baseUrl is that of an Anthropic-style API`
})

const outOfOrder = ({ host }: Endpoint): Reason => ({
  _tag: "InvalidResponse",
  message: `${host} sent the events of a message out of their order: try again`
})

/**
 * The parts of an answer from its events. The last one is `Done`, and comes only after `message_stop`.
 *
 * A stream that ends before fails with `Truncated`. Every failure holds what was billed until then.
 */
export const toParts = (
  events: Stream.Stream<ServerEvent, ProviderError>,
  endpoint: Endpoint
): Stream.Stream<StreamPart, ProviderError> =>
  Stream.suspend(() => {
    const answer = new Answer(endpoint)
    const cut = Stream.suspend(() => {
      if (answer.isDone) return Stream.empty
      const message = `the stream from ${endpoint.host} ended before the answer was complete: try again`
      return Stream.fail(fail(endpoint, { _tag: "Truncated", message }, answer))
    })
    return events.pipe(
      Stream.mapEffect((event) =>
        Effect.flatMap(Clock.currentTimeMillis, (now) => {
          const taken = answer.take(event, now)
          return taken instanceof ProviderError ? Effect.fail(taken) : Effect.succeed(taken)
        })
      ),
      Stream.flattenIterable,
      Stream.takeUntil((part) => part._tag === "Done"),
      Stream.concat(cut),
      Stream.mapError((error) => withUsage(error, answer, endpoint))
    )
  })

/** What the transport fails with does not know what was billed. */
const withUsage = (error: ProviderError, { usage }: Answer, endpoint: Endpoint): ProviderError =>
  error.usage === undefined ? fail(endpoint, error.reason, { requestId: error.requestId, usage }) : error
