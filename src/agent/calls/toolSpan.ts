/** The span of a tool that is carried out. */
import * as Effect from "effect/Effect"
import type { ToolCall } from "../../Provider.ts"
import { contentOf } from "../../run/content.ts"
import { isTraced, traced } from "../../run/run.ts"

/** Runs the handler of a tool in a span. It has no parameters and no result unless the program asks for texts in spans. */
export const inToolSpan = <A, E, R>(
  { id, name, params }: ToolCall,
  handling: Effect.Effect<A, E, R>,
  textOf: (outcome: A) => string
): Effect.Effect<A, E, R> =>
  Effect.withFiber((fiber) => {
    if (!isTraced(fiber)) return handling
    return traced(
      fiber,
      Effect.tap(handling, (outcome) =>
        Effect.annotateCurrentSpan(contentOf(fiber, (redact) => ({ [result]: redact(textOf(outcome), result) })))
      ),
      `execute_tool ${name}`,
      () => ({
        "gen_ai.operation.name": "execute_tool",
        "gen_ai.tool.name": name,
        "gen_ai.tool.type": "function",
        "gen_ai.tool.call.id": id,
        ...contentOf(fiber, (redact) => ({ [parameters]: redact(params, parameters) }))
      })
    )
  })

const parameters = "gen_ai.tool.call.arguments"
const result = "gen_ai.tool.call.result"
