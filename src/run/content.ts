/** Whether spans have the texts of prompts, answers and tools. They do only if a program asks for it. */
import * as Context from "effect/Context"
import type * as Fiber from "effect/Fiber"
import { isPromiseLike } from "effect/Predicate"

/** The attribute that a text is for. */
export type Where =
  | "gen_ai.system_instructions"
  | "gen_ai.input.messages"
  | "gen_ai.output.messages"
  | "gen_ai.tool.call.arguments"
  | "gen_ai.tool.call.result"

/** Changes a text before it is in a span. */
export type Redact = (text: string, where: Where) => string

/** How texts are redacted before they are in spans. Default: spans have no texts. */
export const Content = Context.Reference<Redact | undefined>("cogito/Content", { defaultValue: () => undefined })

/** Attributes with redacted texts. Empty unless the program asks for texts. A text that cannot be redacted is left out. */
export const contentOf = (
  fiber: Fiber.Fiber<unknown, unknown>,
  attributes: (redact: Redact) => Partial<Record<Where, string>>
): Partial<Record<Where, string>> => {
  const redact = fiber.getRef(Content)
  if (redact === undefined) return {}
  return attributes((text, where) => {
    try {
      // an async function is taken by mistake, as by a program without types
      const redacted: unknown = redact(text, where)
      if (typeof redacted === "string") return redacted
      if (isPromiseLike(redacted)) redacted.then(undefined, () => {})
    } catch {
      // left out, as below
    }
    return "(not redacted)"
  })
}
