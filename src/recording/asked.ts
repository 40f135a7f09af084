/** A request as a recording has it. */
import type { Asked, Message, Request, Sampling } from "../provider/request.ts"
import type { Question } from "../provider/task.ts"
import { canonical } from "./canonical.ts"
import type { Prefixes } from "./prefixes.ts"
import { type Call, toLines } from "./Recording.ts"

/** The parts of a request that must be equal for its answer to fit. */
export interface Essence {
  readonly asked: "text" | "native"
  readonly kind: string
  readonly phase: Request["phase"] | undefined
  readonly wish: Sampling | undefined
  readonly messages: ReadonlyArray<Message>
  readonly output: { readonly name: string; readonly schema: unknown } | undefined
}

/** The closed questions of a native call, as a message of their own. */
const questionsAsText = (questions: ReadonlyArray<Question>): string => JSON.stringify(questions, undefined, 2)

/** What a conversation keeps of a request, and what it does not, as two messages: so recordings have the former only once. */
const parts = ({ kept, role, text }: Message): ReadonlyArray<Message> =>
  kept === undefined || kept >= text.length
    ? [{ role, text }]
    : [
        { role, text: text.slice(0, kept) },
        { role, text: text.slice(kept).trimStart() }
      ]

/** Messages as they are compared: without what differs from run to run, and redacted. */
export const essenceOf = ({ asked, request }: Asked, redact: ((text: string) => string) | undefined): Essence => {
  const { messages, task } = request
  const questions: ReadonlyArray<Message> =
    asked === "native" ? [{ role: "user", text: questionsAsText(task.questions) }] : []
  const all = [...messages.flatMap(parts), ...questions]
  const texts = canonical(all.map(({ text }) => redact?.(text) ?? text))
  const output = asked === "text" ? task.output : undefined
  return {
    asked,
    kind: task.kind,
    phase: asked === "text" ? request.phase : undefined,
    // which part of it is sent depends on what the provider has learned so far
    wish: asked === "text" ? (request.wish ?? request.sampling) : undefined,
    messages: all.map(({ role }, i) => ({ role, text: texts[i] ?? "" })),
    output: output && { name: output.name, schema: redact ? redactedIn(output.jsonSchema, redact) : output.jsonSchema }
  }
}

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
  asked: Asked,
  known: { readonly prefixes: Prefixes; readonly schemas: Map<string, number> },
  redact: ((text: string) => string) | undefined,
  end: End
): Call => {
  const { kind, messages, output, phase, wish } = essenceOf(asked, redact)
  const begins = known.prefixes.add(call, messages)
  const rest = messages.slice(begins?.messages ?? 0).map(({ role, text }) => ({ role, text: toLines(text) }))
  return {
    call,
    kind,
    asked: asked.asked,
    ...(phase !== undefined && { phase }),
    ...(wish !== undefined && { wish }),
    ...(begins !== undefined && { begins }),
    messages: rest,
    ...(output !== undefined && { output: outputOf(call, output, known.schemas) }),
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
