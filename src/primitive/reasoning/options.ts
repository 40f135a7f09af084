import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import { count, either, fields, flag, maybe, oneOf, option, provider, sampling, words } from "../../arguments/forms.ts"
import { stepNamed, whole } from "../../arguments/checked.ts"
import type { ProviderError } from "../../provider/ProviderError.ts"
import type { Sampling } from "../../provider/request.ts"
import type { Shape as ProviderShape } from "../../provider/Shape.ts"
import { Run } from "../../run/run.ts"
import type { Thought } from "../../thought/model.ts"
import type { View } from "../../thought/Session.ts"
import { type Options as SynapseOptions, optionForms as askingForms } from "../../synapse/make.ts"
import { providerSettings, samplingSettings, type NodeSettings, viewSettings } from "./settings.ts"

/**
 * How a reasoning step reviews its answer, in a second call on the same conversation.
 *
 * @category models
 */
export interface Introspection {
  /** What to review. Default: what the answer means for the following steps. */
  readonly prompt?: string
  /** Key of the note for the reply. Default: the step's key with `_summary`. */
  readonly summaryKey?: string
  /** Whether the step fails or continues if the introspection fails. Default `"fail"`. */
  readonly onFailure?: "fail" | "skip"
  /** Sampling wishes. Default: those of the introspection phase, with temperature 0.7 if the model accepts one. */
  readonly sampling?: Sampling
}

/**
 * Options of every reasoning step.
 *
 * @category models
 */
export interface Options extends SynapseOptions {
  /** Whether and how the step reviews its answer. Default: as `Pipeline.introspect` sets it, otherwise false. */
  readonly introspect?: boolean | Introspection
  /** The part of the conversation that the request shows. Default `"full"`. */
  readonly view?: View
  /** Whether `Pipeline.compact` may compact the conversation before the request. Default true. */
  readonly compact?: boolean
  /** Provider for this step only. Default: the one in the context. */
  readonly provider?: ProviderShape
}

/** The forms of introspection, for steps and pipelines. */
export const introspectionForms = {
  prompt: maybe("What to review.", words),
  onFailure: maybe(
    "Whether the step fails when the introspection fails, or continues without it.",
    oneOf("fail", "skip")
  ),
  sampling: maybe("The sampling of the introspection.", sampling)
}

/** The forms of `provider` and `sampling`. */
export const callingForms = {
  provider: maybe("Name of the registered provider for this step alone.", provider),
  sampling: askingForms.sampling
}

const { sampling: _sampling, ...asking } = askingForms

/** The forms of the options. */
export const optionForms = {
  ...asking,
  introspect: maybe(
    "Whether, and how, the step reviews its answer in a second call.",
    either(
      "true, false, or an object with options of the introspection",
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

/** The introspection of steps that do not set it themselves. */
export const DefaultIntrospection = Context.Reference<boolean | Omit<Introspection, "summaryKey">>(
  "cogito/DefaultIntrospection",
  { defaultValue: () => false }
)

/** The compaction that steps run before a request. */
export type AutomaticCompaction =
  | ((thought: Thought<any>, provider: ProviderShape) => Effect.Effect<Thought<any>, ProviderError>)
  | undefined

/** The compaction of steps that do not set it themselves. Undefined unless a pipeline sets it. */
export const AutomaticCompaction = Context.Reference<AutomaticCompaction>("cogito/AutomaticCompaction", {
  defaultValue: () => undefined
})

/** Compacts the conversation if a pipeline says so. Not in a concurrent branch, whose conversation is discarded. */
export const compactIfSet = (
  thought: Thought<any>,
  provider: ProviderShape
): Effect.Effect<Thought<any>, ProviderError> =>
  Effect.withFiber((fiber) => {
    const compact = fiber.getRef(AutomaticCompaction)
    return compact === undefined || fiber.getRef(Run).beside ? Effect.succeed(thought) : compact(thought, provider)
  })

/** The settings of a reasoning step that differ from the defaults. */
export const optionSettings = (options: Options): NodeSettings => ({
  via: options.via === "auto" ? undefined : options.via,
  reasons: options.reasons === true ? true : undefined,
  repairs: options.repairs === 1 ? undefined : options.repairs,
  parsing: options.parsing === "lenient" ? undefined : options.parsing,
  compact: options.compact === false ? false : undefined,
  ...introspectionSettings(options.introspect),
  ...viewSettings(options.view),
  ...providerSettings(options.provider),
  ...samplingSettings(options.sampling)
})

/** The settings of introspection, if it is set. */
export const introspectionSettings = (option: Options["introspect"]): NodeSettings =>
  typeof option === "object"
    ? {
        introspect: true,
        "introspect.prompt": option.prompt,
        "introspect.summaryKey": option.summaryKey,
        "introspect.onFailure": option.onFailure === "fail" ? undefined : option.onFailure,
        ...samplingSettings(option.sampling, "introspect.sampling")
      }
    : { introspect: option }

/** Throws an error that names the step if a count of the view is invalid. */
export const checkView = (step: string, view: View | undefined): void => {
  if (view === undefined || view === "full") return
  if ("recent" in view) whole(stepNamed(step), "view.recent", 0, view.recent)
  else whole(stepNamed(step), "view.summaryAndRecent", 0, view.summaryAndRecent)
}
