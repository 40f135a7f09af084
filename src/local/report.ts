/** Answers in words that quote the message and the results of tools. Nothing else is claimed. */
import * as Effect from "effect/Effect"
import type { Tool, ToolCall, ToolResult } from "../Provider.ts"
import { isObject } from "../schema/jsonSchema.ts"
import type { Turn } from "./language/conversation.ts"
import { wordsOf } from "./mind/field.ts"
import { type Mind, passageOf } from "./mind/meaning.ts"

/** A parameter that the message does not say. */
export interface Wanting {
  readonly tool: string
  readonly name: string
  readonly description: string | undefined
}

const mostSentences = 3
const longestQuotation = 200

/** JSON, or else the text itself. */
export const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

/** A value in words: "item: kite, eur: 12". */
export const spoken = (value: unknown): string => {
  if (typeof value === "string") return value
  if (Array.isArray(value)) return value.map(spoken).join("; ")
  if (!isObject(value)) return String(value)
  return Object.entries(value)
    .map(([name, inner]) => `${wordsOf(name)}: ${spoken(inner)}`)
    .join(", ")
}

/** A text, or of a long one the sentences that are nearest to the message, in their order. */
const shortened = Effect.fnUntraced(function* (mind: Mind, message: string, text: string) {
  const { sentences } = passageOf(mind.language, [text])
  if (sentences.length <= mostSentences) return text.trim()
  const near = (yield* mind.compare(sentences, [message])).map(([cosine = 0], i) => ({ cosine, i }))
  const best = new Set(
    near
      .toSorted((a, b) => b.cosine - a.cosine)
      .slice(0, mostSentences)
      .map(({ i }) => i)
  )
  return sentences.filter((_, i) => best.has(i)).join(" ")
})

const quotation = (message: string): string => {
  const text = message.replaceAll(/\s+/gu, " ").trim()
  return `“${text.length <= longestQuotation ? text : `${text.slice(0, longestQuotation)}…`}”`
}

const called = ({ name, params }: Pick<ToolCall, "name" | "params">): string => {
  const words = spoken(parsed(params))
  return words === "" ? wordsOf(name) : `${wordsOf(name)} (${words})`
}

const lacks = (wanting: ReadonlyArray<Wanting>): ReadonlyArray<string> =>
  wanting.map(
    ({ description, name, tool }) =>
      `For ${wordsOf(tool)} I need the ${name}${description === undefined ? "" : ` (${description})`}, which you have not said.`
  )

/** What the calls came to, in their order, and what was not called. */
export const report = Effect.fnUntraced(function* (
  mind: Mind,
  { calls, message, results }: Turn,
  wanting: ReadonlyArray<Wanting>,
  left: ReadonlyArray<string>
) {
  const lineOf = Effect.fnUntraced(function* ({ id, isFailure, name, text }: ToolResult) {
    const call = calls.find((one) => one.id === id) ?? { name, params: "{}" }
    const value = parsed(text)
    const words = typeof value === "string" ? yield* shortened(mind, message, value) : spoken(value)
    return `- ${called(call)}${isFailure ? " failed" : ""}: ${words === "" ? "nothing" : words}`
  })
  const lines = yield* Effect.forEach(results, lineOf)
  const uncalled = left.length === 0 ? [] : [`Not called, as something failed: ${left.map(wordsOf).join(", ")}.`]
  return [`Found for ${quotation(message)}:`, ...lines, ...lacks(wanting), ...uncalled].join("\n")
})

/** Why nothing can be done. */
export const apology = (
  message: string,
  tools: ReadonlyArray<Tool>,
  wanting: ReadonlyArray<Wanting>,
  fitting: ReadonlyArray<string>
): string => {
  const reasons =
    wanting.length > 0
      ? lacks(wanting)
      : fitting.length > 0
        ? [`${fitting.map(wordsOf).join(" and ")} would fit, but may not be called now.`]
        : tools.length === 0
          ? ["I have no tools."]
          : [`None of the tools fits: ${tools.map(({ name }) => wordsOf(name)).join(", ")}.`]
  return [`I cannot do that offline: ${quotation(message)}.`, ...reasons].join("\n")
}
