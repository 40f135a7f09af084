/** Makes summaries of notes in side sessions, for all steps that summarise. */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { Source } from "../../thought/origin.ts"
import { needed } from "../../arguments/needed.ts"
import type { Section } from "../../thought/render.ts"
import { finish } from "../../run/run.ts"
import { makeKeyed } from "../../step/runtime/make.ts"
import { type Wording, wording } from "./wording.ts"
import { write } from "../../run/write.ts"
import * as Note from "../../thought/Note.ts"
import { Provider } from "../../provider/Provider.ts"
import type { ProviderError } from "../../provider/ProviderError.ts"
import type { Sampling } from "../../provider/request.ts"
import type { Shape as ProviderShape } from "../../provider/Shape.ts"
import type { Keyed } from "../../step/runtime/model.ts"
import type { Thought } from "../../thought/model.ts"
import { checkSampling, checkWords, stepNamed } from "../../arguments/checked.ts"
import { provenance } from "./reason.ts"
import { promptOf, providerSettings, samplingSettings, type NodeSettings, settingsOf } from "./settings.ts"
import { askAside } from "./side.ts"

/**
 * How to summarise notes, in a call outside the thought's conversation.
 *
 * @category models
 */
export interface SummaryOptions {
  /** Provider for this call only. Default: the one in the context. */
  readonly provider?: ProviderShape
  /** Sampling wishes. Default: those of the reasoning phase, with temperature 0 if the model accepts one. */
  readonly sampling?: Sampling
}

/** The material of a summary. */
export interface Material {
  readonly notes: ReadonlyArray<Note.Note>
  /** Sections to show after the task. */
  readonly sections?: ReadonlyArray<Section>
  /** Further sources, such as those of the sections. */
  readonly sources?: ReadonlyArray<Source>
  readonly metadata?: Readonly<Record<string, string>>
}

/** Shows the material in a side session and writes the reply. Does not commit. */
export const summarise = Effect.fnUntraced(function* (
  thought: Thought<any>,
  kind: string,
  key: string,
  prompt: Wording,
  material: Material,
  options: SummaryOptions
): Effect.fn.Return<Thought<any>, ProviderError, Provider> {
  const { metadata, notes, sections = [], sources = [] } = material
  const provider = options.provider ?? (yield* needed(Provider))
  const { text: instruction, trust } = prompt
  const aside = { kind, wants: "summary", instruction, trust, sources, notes, sections } as const
  const reply = yield* askAside(provider, thought, aside, options.sampling)
  const noted = yield* write(thought, kind, Note.handle(key, Schema.String), reply.value, {
    metadata: { ...provenance(provider, reply), ...metadata },
    from: [...sources, ...notes]
  })
  return noted.thought
})

/** The settings of a summary call. */
export const summarySettings = ({ provider, sampling }: SummaryOptions, of = ""): NodeSettings =>
  Object.fromEntries(
    Object.entries({ ...providerSettings(provider), ...samplingSettings(sampling) }).map(([name, value]) => [
      of + name,
      value
    ])
  )

/** Makes a step that writes a summary of what it gathers. */
export const makeSummary = <const K extends string, const P extends Note.Text, In, E, R>(
  key: K,
  kind: string,
  defaultPrompt: string,
  options: SummaryOptions & { readonly prompt?: P },
  gather: {
    readonly reads: ReadonlyArray<string>
    readonly settings?: NodeSettings
    readonly from: (thought: Thought<any>) => Effect.Effect<Material, E, R>
  }
): Keyed<K, string, In & Note.Text.In<P>, ProviderError | E | Note.Text.Err<P>, Provider | R | Note.Text.Req<P>> => {
  const { prompt = defaultPrompt } = options
  checkWords(stepNamed(key), "prompt", prompt)
  checkSampling(stepNamed(key), options.sampling)
  const reads = [...new Set([...(Note.isReader(prompt) ? prompt.keys : []), ...gather.reads])]
  const settings = settingsOf(gather.settings ?? {}, summarySettings(options))
  const node = { name: key, kind, reads, writes: [key], surely: [key], children: [], ...settings, ...promptOf(prompt) }
  return makeKeyed(Note.handle(key, Schema.String), node, (thought) =>
    Effect.gen(function* () {
      const words = yield* wording(prompt, thought)
      const gathered = yield* gather.from(thought)
      const material = { ...gathered, sources: [...words.sources, ...(gathered.sources ?? [])] }
      return yield* finish(yield* summarise(thought, kind, key, words, material, options))
    })
  )
}
