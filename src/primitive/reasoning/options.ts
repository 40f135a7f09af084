import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import { count, either, fields, flag, maybe, oneOf, option, provider, sampling, words } from "../../arguments/forms.ts"
import { wholeFrom } from "../../arguments/wholeFrom.ts"
import type { ProviderError } from "../../provider/ProviderError.ts"
import type { Sampling } from "../../provider/request.ts"
import type { Shape as ProviderShape } from "../../provider/Shape.ts"
import { Run } from "../../run/run.ts"
import type { Thought } from "../../thought/model.ts"
import type { View } from "../../thought/Session.ts"
import { type Options as SynapseOptions, optionForms as askingForms } from "../../synapse/make.ts"
import { providerTold, samplingTold, type Told, viewTold } from "./settings.ts"

/**
 * How a reasoning step looks back on its answer, in a second call on the same conversation.
 *
 * @category models
 */
export interface Introspection {
  /** What to look back on. Default: what the answer means for the steps that follow. */
  readonly prompt?: string
  /** Key of the note that the reply becomes. Default: the step's key with `_summary`. */
  readonly summaryKey?: string
  /** Whether the step fails when looking back fails, or goes on without. Default `"fail"`. */
  readonly onFailure?: "fail" | "skip"
  /** Sampling wishes; default the introspection phase's: temperature 0.7 where the model takes one. */
  readonly sampling?: Sampling
}

/**
 * What every reasoning step can be told.
 *
 * @category models
 */
export interface Options extends SynapseOptions {
  /** Whether, and how, the step looks back on its answer. Default: as `Pipeline.introspect` says, else false. */
  readonly introspect?: boolean | Introspection
  /** The part of the conversation that the request shows. Default `"full"`. */
  readonly view?: View
  /** Whether a long conversation may be compacted before the request, as `Pipeline.compact` says. Default true. */
  readonly compact?: boolean
  /** A provider for this step alone. Default: the one in the context. */
  readonly provider?: ProviderShape
}

/** How a step looks back, and a pipeline makes its steps look back. */
export const introspectionForms = {
  prompt: maybe("What to look back on.", words),
  onFailure: maybe("Whether the step fails when looking back fails, or goes on without.", oneOf("fail", "skip")),
  sampling: maybe("Sampling wishes for looking back.", sampling)
}

/** What is called, and how. */
export const callingForms = {
  provider: maybe("Name of the registered provider for this step alone.", provider),
  sampling: askingForms.sampling
}

const { sampling: _sampling, ...asking } = askingForms

/** The options. */
export const optionForms = {
  ...asking,
  introspect: maybe(
    "Whether, and how, the step looks back on its answer.",
    either(
      "true, false, or an object that says how to look back",
      flag,
      fields("", { ...introspectionForms, summaryKey: maybe("Key of the note that the reply becomes.", words) })
    )
  ),
  view: maybe(
    "The part of the conversation that the request shows.",
    either(
      '"full", { recent: <count> } or { summaryAndRecent: <count> }',
      oneOf("full"),
      fields("", { recent: option("How many of the last turns are shown.", count(0)) }),
      fields("", { summaryAndRecent: option("How many turns are shown after the newest summary.", count(0)) })
    ),
    "full"
  ),
  compact: maybe("Whether a long conversation may be compacted before the request.", flag, true),
  ...callingForms
}

/** Whether, and how, steps look back that do not say so themselves. */
export const DefaultIntrospection = Context.Reference<boolean | Omit<Introspection, "summaryKey">>(
  "cogito/DefaultIntrospection",
  { defaultValue: () => false }
)

/** How steps compact the conversation before a request. */
export type AutomaticCompaction =
  | ((thought: Thought<any>, provider: ProviderShape) => Effect.Effect<Thought<any>, ProviderError>)
  | undefined

/** How steps compact the conversation that do not say so themselves: not at all, unless a pipeline says otherwise. */
export const AutomaticCompaction = Context.Reference<AutomaticCompaction>("cogito/AutomaticCompaction", {
  defaultValue: () => undefined
})

/** The thought with its conversation compacted, where a pipeline says so. In a branch beside others it would be thrown away. */
export const compactAsTold = (
  thought: Thought<any>,
  provider: ProviderShape
): Effect.Effect<Thought<any>, ProviderError> =>
  Effect.flatMap(Effect.all([AutomaticCompaction, Run]), ([compact, run]) =>
    compact === undefined || run.beside ? Effect.succeed(thought) : compact(thought, provider)
  )

/** What a reasoning step was told otherwise than by default. */
export const optionsTold = (options: Options): Told => ({
  via: options.via === "auto" ? undefined : options.via,
  reasons: options.reasons === true ? true : undefined,
  repairs: options.repairs === 1 ? undefined : options.repairs,
  parsing: options.parsing === "lenient" ? undefined : options.parsing,
  compact: options.compact === false ? false : undefined,
  ...introspectionTold(options.introspect),
  ...viewTold(options.view),
  ...providerTold(options.provider),
  ...samplingTold(options.sampling)
})

/** Whether, and how, a step looks back, when that is said. */
export const introspectionTold = (option: Options["introspect"]): Told =>
  typeof option === "object"
    ? {
        introspect: true,
        "introspect.prompt": option.prompt,
        "introspect.summaryKey": option.summaryKey,
        "introspect.onFailure": option.onFailure === "fail" ? undefined : option.onFailure,
        ...samplingTold(option.sampling, "introspect.sampling")
      }
    : { introspect: option }

/** Throws an error that names the step if a count of the view is invalid. */
export const checkView = (step: string, view: View | undefined): void => {
  if (view === undefined || view === "full") return
  if ("recent" in view) wholeFrom(0, step, "view.recent", view.recent)
  else wholeFrom(0, step, "view.summaryAndRecent", view.summaryAndRecent)
}
