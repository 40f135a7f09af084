/** The span of a tool that is carried out. */
import * as Effect from "effect/Effect"
import * as Tracer from "effect/Tracer"
import type { ToolCall } from "../../Provider.ts"
import { contentOf } from "../../run/content.ts"
import { traced } from "../../run/run.ts"

/** Runs the handler of a tool in a span. It has no parameters and no result unless the program asks for texts in spans. */
export const inToolSpan = <A, E, R>(
  { id, name, params }: ToolCall,
  handling: Effect.Effect<A, E, R>,
  textOf: (outcome: A) => string
): Effect.Effect<A, E, R> =>
  Effect.withFiber((fiber) =>
    traced(
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
  )

const parameters = "gen_ai.tool.call.arguments"
const result = "gen_ai.tool.call.result"

/** Runs what a toolkit does with parameters, so that it does not write them, which are the model's own text, into the span. */
export const withoutParameters = <A, E, R>(given: unknown, handling: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.withFiber(({ cache: { span } }) =>
    span?._tag === "Span" ? Effect.provideService(handling, Tracer.ParentSpan, veiled(span, given)) : handling
  )

/** The same span, which leaves out the attribute with this value. */
const veiled = (span: Tracer.Span, given: unknown): Tracer.Span =>
  new Proxy(span, {
    get: (target, key) => {
      if (key === "attribute") {
        return (name: string, value: unknown): void => {
          if (name !== "parameters" || value !== given) target.attribute(name, value)
        }
      }
      const value: unknown = Reflect.get(target, key, target)
      return typeof value === "function" ? (value.bind(target) as unknown) : value
    }
  })
