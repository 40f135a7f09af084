/** Runs the handler of a tool. Whatever fails becomes a result that the model reads. */
import * as Cause from "effect/Cause"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import type * as Tool from "effect/ai/Tool"
import type { ToolCall } from "../../Provider.ts"
import { CommitFailed, Halt } from "../../run/failure.ts"
import { describe } from "../../run/within.ts"
import { quoted } from "../../text/legible.ts"
import { gatherInto } from "../../thought/gathered.ts"
import type { Source } from "../../thought/origin.ts"
import { Listening } from "../model/events.ts"
import { reasonOf } from "../model/reason.ts"
import { failed, type Outcome, type Readable } from "./toolCall.ts"
import { decodedBy, jsonOf, textOf } from "./toolJson.ts"
import { inToolSpan } from "./toolSpan.ts"

/** The longest result. A note can hold no more. */
const longest = 3_900_000

/** Runs the handler of a tool. A defect is logged and becomes a failed result, which `defective` may record. */
export const handled = (
  { call, json, tool }: Readable,
  defective: (outcome: Outcome) => Effect.Effect<Outcome, never, any> = Effect.succeed
): Effect.Effect<Outcome, never, any> => {
  const got: Array<Source> = []
  return Effect.flatMap(decodedBy(tool, json), (params) => called(tool, params, call)).pipe(
    Effect.flatMap((result) => outcomeOf(tool, result)),
    Effect.catchCause((cause: Cause.Cause<unknown>): Effect.Effect<Outcome, never, any> => {
      const annotated = Effect.annotateCurrentSpan("error.type", describe(cause))
      if (isDefect(cause)) {
        const logged = Effect.logError(`The handler of the tool ${quoted(call.name)} has a defect.`, cause)
        const outcome = failed("The tool has failed unexpectedly. It may have done something before.")
        return Effect.andThen(annotated, Effect.andThen(logged, defective(outcome)))
      }
      const error = Cause.findError(cause)
      return Effect.andThen(
        annotated,
        Result.isSuccess(error) ? Effect.map(failureText(tool, error.success), failed) : Effect.failCause(error.failure)
      )
    }),
    (handling) => inToolSpan(call, gatherInto(got, handling), ({ text }) => text),
    Effect.map((outcome) =>
      got.length === 0 ? outcome : { ...outcome, from: got.map(({ id, trust }) => ({ id, trust })) }
    )
  )
}

/**
 * Calls the handler with the services that it was made with. A toolkit's own `handle` returns a stream from a fiber of
 * its own, which costs more than the rest of a call.
 */
const called = ({ id: key }: Tool.Any, params: unknown, { id, name }: ToolCall): Effect.Effect<unknown, unknown> =>
  Effect.withFiber((fiber) => {
    // an agent checks before its first round that each tool has a handler
    const { context, handler } = Context.getUnsafe(fiber.context, { key } as Context.Key<never, Tool.Handler<string>>)
    const listener = fiber.getRef(Listening)
    let isOver = false
    const preliminary = (result: unknown): Effect.Effect<void> =>
      Effect.suspend(() =>
        isOver || listener === undefined ? Effect.void : listener.tell({ _tag: "Progress", id, name, result })
      )
    const handled: unknown = handler(params, { toolCallId: id, preliminary })
    if (!Effect.isEffect(handled)) return Effect.die(new Error(`The handler of ${quoted(name)} returned no effect.`))
    const handling = Effect.updateContext(
      handled as Effect.Effect<unknown, unknown>,
      (around: Context.Context<never>) =>
        // an agent within a tool has events of its own
        Context.add(withMissing(around, context), Listening, undefined)
    )
    const end = Effect.sync(() => {
      isOver = true
    })
    return listener === undefined ? handling : Effect.ensuring(handling, end)
  })

/** A context with what it lacks of another. A merge of the two would copy both for each call. */
const withMissing = (context: Context.Context<never>, other: Context.Context<never>): Context.Context<never> => {
  let all = context
  for (const [key, value] of other.mapUnsafe) {
    // all services are the same to this
    const service = { key } as Context.Key<never, unknown>
    if (Option.isNone(Context.getOption(context, service))) all = Context.add(all, service, value)
  }
  return all
}

/** What a tool gave, as text: JSON of its schema, or the text itself. */
const outcomeOf = ({ successSchema }: Tool.Any, result: unknown): Effect.Effect<Outcome, Schema.SchemaError, any> => {
  const encoded = jsonOf(successSchema).encode(result)
  // a schema without effects has ended
  if (Exit.isExit(encoded) && Exit.isSuccess(encoded)) return Effect.succeed(outcomeOfJson(encoded.value))
  return encoded.pipe(
    // a schema of values that JSON does not hold may still encode them
    Effect.catch(() => Schema.encodeUnknownEffect(successSchema as Schema.Codec<unknown, unknown, any, any>)(result)),
    Effect.map(outcomeOfJson)
  )
}

const outcomeOfJson = (encoded: unknown): Outcome => {
  const text = textOf(encoded)
  if (text === undefined) return failed("It was carried out, but its result cannot be written as JSON.")
  return text.length > longest
    ? failed(`It was carried out. Its result has ${text.length} characters, and no note can hold more than ${longest}.`)
    : { text, isFailure: false }
}

/** What the model reads of a failure: its message, or JSON of the schema of the tool's failures. */
const failureText = (tool: Tool.Any, error: unknown): Effect.Effect<string, never, any> => {
  if (Schema.isSchemaError(error)) {
    return Effect.succeed(`It was carried out, but its result does not fit: ${error.message}`)
  }
  const isMessage = typeof error !== "object" || error === null || (tool.failureMode === "error" && hasMessage(error))
  if (isMessage) return Effect.succeed(reasonOf(error))
  return jsonOf(tool.failureSchema)
    .encode(error)
    .pipe(
      Effect.map((encoded) => textOf(encoded) ?? reasonOf(error)),
      Effect.orElseSucceed(() => reasonOf(error))
    )
}

const hasMessage = (error: object): boolean =>
  ("message" in error && typeof error.message === "string" && error.message !== "") || "reason" in error

/** Whether a handler has a defect of its own, as opposed to being interrupted or to one that ends the run. */
const isDefect = (cause: Cause.Cause<unknown>): boolean =>
  Cause.hasDies(cause) &&
  !Cause.hasInterrupts(cause) &&
  !cause.reasons.some(
    (reason) => Cause.isDieReason(reason) && (reason.defect instanceof Halt || reason.defect instanceof CommitFailed)
  )
