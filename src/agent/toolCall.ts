/** One call of a tool: what the model wrote is checked, judged and carried out. Whatever fails becomes a result. */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import type * as Tool from "effect/ai/Tool"
import type * as Toolkit from "effect/ai/Toolkit"
import { foreign, recorded } from "../run/run.ts"
import { canonicalJson } from "../schema/canonicalJson.ts"
import { hash128 } from "../text/hash.ts"
import { quoted } from "../text/legible.ts"
import type { ToolCall } from "../Provider.ts"
import { isReadonly, isRepeatable } from "./verdict.ts"

/** What a call came to, as the model reads it. */
export interface Outcome {
  readonly text: string
  readonly isFailure: boolean
}

export const failed = (text: string): Outcome => ({ text, isFailure: true })

/** The longest result. A note can hold no more. */
const longest = 3_900_000

/** A call of a tool that exists, with the JSON of its parameters. */
export interface Readable {
  readonly call: ToolCall
  readonly tool: Tool.Any
  readonly json: unknown
}

/** Reads a call of one of these tools. Cut or malformed parameters are never carried out. */
export const readable = (tools: Readonly<Record<string, Tool.Any>>, call: ToolCall): Readable | Outcome => {
  const { name, params } = call
  const tool = Object.hasOwn(tools, name) ? tools[name] : undefined
  if (tool === undefined) {
    return failed(`There is no tool ${quoted(name)}. There are: ${Object.keys(tools).join(", ") || "none"}.`)
  }
  try {
    return { call, tool, json: JSON.parse(params) }
  } catch {
    return failed("The parameters are not valid JSON. Call the tool again with JSON of its form.")
  }
}

const textOf = (encoded: unknown): string => (typeof encoded === "string" ? encoded : (JSON.stringify(encoded) ?? ""))

const outcomeOf = ({
  encodedResult,
  isFailure
}: Pick<Tool.HandlerResult<any>, "encodedResult" | "isFailure">): Outcome => {
  const text = textOf(encodedResult)
  return text.length > longest
    ? failed(`The result has ${text.length} characters, of which no note can hold more than ${longest}.`)
    : { text, isFailure }
}

/** What the model is told of a failure. */
const reasonOf = (error: unknown): string => {
  if (typeof error !== "object" || error === null) return String(error)
  const { _tag, message, reason } = error as { _tag?: unknown; message?: unknown; reason?: { description?: unknown } }
  const text = typeof reason?.description === "string" ? reason.description : message
  if (typeof text === "string" && text !== "") return text
  return typeof _tag === "string" ? _tag : "It failed."
}

/** Runs the handler of a tool. */
const handled = <R extends Record<string, Tool.Any>>(
  toolkit: Toolkit.WithHandler<R>,
  { call, json }: Readable
): Effect.Effect<Outcome, never, any> =>
  Effect.gen(function* () {
    // the parameters are decoded by the toolkit
    const results = yield* toolkit.handle(call.name, json as Tool.ParametersEncoded<R[string]>, call.id)
    const last = yield* Stream.runLast(results)
    return Option.match(last, { onNone: () => failed("It gave no result."), onSome: outcomeOf })
  }).pipe(Effect.catch((error) => Effect.succeed(failed(reasonOf(error)))))

const unknown = (): Outcome =>
  failed(
    "It is not known whether this was carried out: the program ended during it. Find out before you call the tool again."
  )

/**
 * Carries out a call: in a durable run at most once, unless the tool may be repeated. `again` names what it is told apart by, if
 * its parameters are not all of it.
 */
export const carriedOut = <R extends Record<string, Tool.Any>>(
  toolkit: Toolkit.WithHandler<R>,
  readable: Readable
): Effect.Effect<Outcome, never, any> =>
  recorded<Outcome, never, any>(
    () => {
      const { json, tool } = readable
      const hash = hash128(canonicalJson([tool.name, json]))
      return {
        kind: "effect",
        acts: isReadonly(tool) ? "call" : "effect",
        asked: Effect.succeed({ hash, parts: { parameters: hash } }),
        ...(isRepeatable(tool) ? {} : { lost: unknown })
      }
    },
    foreign(handled(toolkit, readable))
  )
