import * as Effect from "effect/Effect"
import { fenceOf, message } from "../internal/render.ts"
import { Provider, type ProviderError, type Sampling } from "../Provider.ts"
import { ask, type Declaration } from "./ask.ts"
import type { ResponseError } from "./ResponseError.ts"

/**
 * One typed call: a text in, a validated value out. Usable without a thought, a pipeline or a memory.
 *
 * Fails with `ProviderError` when the call fails, and with `ResponseError` when no answer had the form, repairs included.
 *
 * @category models
 */
export interface Synapse<out A> {
  (input: string): Effect.Effect<A, ProviderError | ResponseError, Provider>
  readonly kind: string
}

/**
 * How a synapse asks.
 *
 * @category models
 */
export interface Options {
  /**
   * Whether a closed question is answered natively, with measured probabilities, or in text, with stated ones. Default
   * `"auto"`: natively when the provider can and `reasons` are not asked for.
   */
  readonly via?: "auto" | "native" | "text"
  /** Whether reasons are wanted in the model's own words. Default false. */
  readonly reasons?: boolean
  /** Sampling wishes; default the reasoning phase's: temperature 0 where the model takes one. */
  readonly sampling?: Sampling
  /** How often an answer of the wrong form may be sent back to be corrected, from 0. Default 1. */
  readonly repairs?: number
}

/** The options with their defaults. Throws when `repairs` is no whole number from 0. */
export const askOptions = (options: Options) => {
  const repairs = options.repairs ?? 1
  if (!Number.isInteger(repairs) || repairs < 0) throw new Error(`repairs must be a whole number from 0: ${repairs}`)
  return { via: options.via ?? "auto", reasons: options.reasons ?? false, sampling: options.sampling ?? {}, repairs }
}

/** A synapse that puts a declaration's question about whatever text it is given. */
export const make = <A>(declaration: Declaration<A>, text: string, options: Options): Synapse<A> => {
  const asking = askOptions(options)
  const put = declaration.put(text)
  const synapse = (input: string) =>
    Effect.gen(function* () {
      const provider = yield* Provider
      const note = { key: "input", source: "caller", trust: "untrusted" } as const
      const user = message({
        notes: [{ ...note, content: input }],
        fence: fenceOf(input, 0),
        sections: put.sections
      })
      const asked = yield* ask(
        provider,
        declaration,
        {
          instruction: put.instruction,
          questions: put.questions,
          input,
          context: [{ ...note, id: "input", text: input, step: "", fresh: true }],
          messages: [{ role: "user", text: user }]
        },
        asking
      )
      return asked.value
    })
  return Object.assign(synapse, { kind: declaration.kind })
}
