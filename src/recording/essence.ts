/** A request as a recording has it. */
import type { AnyRequest, Message, Request, Sampling } from "../provider/request.ts"
import type { Question } from "../provider/task.ts"
import type { Carry } from "../provider/tools.ts"
import { canonical } from "./canonical.ts"
import type { Prefixes } from "./prefixes.ts"
import { textsIn, toRecorded, withTexts } from "./messages.ts"
import type { Call } from "./Recording.ts"

/** The parts of a request that must be equal for its answer to fit. */
export interface Essence {
  readonly asked: "text" | "native"
  readonly kind: string
  readonly phase: Request["phase"] | undefined
  readonly wish: Sampling | undefined
  readonly messages: ReadonlyArray<Message>
  readonly output: { readonly name: string; readonly schema: unknown } | undefined
  readonly tools: ToolsOf | undefined
}

/** The tools of a request, and how they may be called. */
interface ToolsOf {
  readonly tools: unknown
  readonly choice?: Request["toolChoice"]
  readonly parallel?: boolean
}

/** The closed questions of a native call, as a message of their own. */
const questionsAsText = (questions: ReadonlyArray<Question>): string => JSON.stringify(questions, undefined, 2)

/** What a conversation keeps of a request, and what it does not, as two messages: so recordings have the former only once. */
const parts = ({ kept, text, ...message }: Message): ReadonlyArray<Message> =>
  kept === undefined || kept >= text.length
    ? [{ ...message, text }]
    : [
        { ...message, text: text.slice(0, kept) },
        { role: message.role, text: text.slice(kept).trimStart() }
      ]

const toolsOf = ({ parallelCalls, toolChoice, tools = [] }: Request): ToolsOf | undefined =>
  tools.length === 0
    ? undefined
    : {
        tools,
        ...(toolChoice !== undefined && { choice: toolChoice }),
        ...(parallelCalls !== undefined && { parallel: parallelCalls })
      }

/** Messages as they are compared: without what differs from run to run, and redacted. */
export const essenceOf = ({ asked, request }: AnyRequest, redact: ((text: string) => string) | undefined): Essence => {
  const { messages, task } = request
  const questions: ReadonlyArray<Message> =
    asked === "native" ? [{ role: "user", text: questionsAsText(task.questions) }] : []
  const all = [...messages.flatMap(parts), ...questions]
  const texts = canonical(all.flatMap(textsIn).map((text) => redact?.(text) ?? text)).values()
  const next = () => texts.next().value ?? ""
  const tools = asked === "text" ? toolsOf(request) : undefined
  const output = asked === "text" ? task.output : undefined
  return {
    asked,
    kind: task.kind,
    phase: asked === "text" ? request.phase : undefined,
    // which part of it is sent depends on what the provider has learned so far
    wish: asked === "text" ? (request.wish ?? request.sampling) : undefined,
    messages: all.map((message) => {
      const { carry, ...named } = withTexts(message, next)
      return carry === undefined ? named : { ...named, carry: redactedCarry(carry, redact) }
    }),
    output: output && { name: output.name, schema: redact ? redactedIn(output.jsonSchema, redact) : output.jsonSchema },
    tools: tools && { ...tools, tools: redact ? redactedIn(tools.tools, redact) : tools.tools }
  }
}

/** What an answer carries may contain its reasoning in words. */
export const redactedCarry = (carry: Carry, redact: ((text: string) => string) | undefined): Carry =>
  // its data is JSON, and stays so
  redact === undefined ? carry : { ...carry, data: redactedIn(carry.data, redact) as Carry["data"] }

/** A JSON value with its texts redacted, its keys too. */
const redactedIn = (value: unknown, redact: (text: string) => string): unknown => {
  if (typeof value === "string") return redact(value)
  if (Array.isArray(value)) return value.map((item) => redactedIn(item, redact))
  if (typeof value !== "object" || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [redact(key), redactedIn(inner, redact)]))
}

/** How a call ended. */
export type End = Pick<Call, "answer" | "failure" | "interrupted" | "pieces">

/**
 * Converts a call to its recorded form. Messages and output schemas that an earlier call already contains are replaced by a
 * reference to that call.
 */
export const asCall = (
  call: number,
  asked: AnyRequest,
  known: { readonly prefixes: Prefixes; readonly schemas: Map<string, number> },
  redact: ((text: string) => string) | undefined,
  end: End
): Call => {
  const { kind, messages, output, phase, tools, wish } = essenceOf(asked, redact)
  const begins = known.prefixes.add(call, messages)
  const rest = messages.slice(begins?.messages ?? 0).map(toRecorded)
  return {
    call,
    kind,
    asked: asked.asked,
    ...(phase !== undefined && { phase }),
    ...(wish !== undefined && { wish }),
    ...(begins !== undefined && { begins }),
    messages: rest,
    ...(output !== undefined && { output: outputOf(call, output, known.schemas) }),
    // tools are JSON
    ...(tools !== undefined && { tools: tools as NonNullable<Call["tools"]> }),
    ...end
  }
}

const outputOf = (
  call: number,
  { name, schema }: { readonly name: string; readonly schema: unknown },
  schemas: Map<string, number>
): NonNullable<Call["output"]> => {
  const text = JSON.stringify(schema)
  const like = schemas.get(text)
  if (like !== undefined) return { name, like }
  schemas.set(text, call)
  // a JSON Schema is JSON
  return { name, schema: JSON.parse(text) as NonNullable<NonNullable<Call["output"]>["schema"]> }
}
