import * as Effect from "effect/Effect"
import * as kinds from "../arguments/kinds.ts"
import * as forms from "../arguments/forms.ts"
import { taking } from "../arguments/taking.ts"
import { checkSampling, checkText, stepNamed, whole } from "../arguments/checked.ts"
import { counted, quoted } from "../text/legible.ts"
import { setting } from "../step/runtime/setting.ts"
import { checkSteps } from "../step/runtime/make.ts"
import { checkKey } from "../thought/Note.ts"
import { automatic, checkCounts, defaultPrompt } from "../primitive/reasoning/compaction.ts"
import { AutomaticCompaction, callingForms } from "../primitive/reasoning/options.ts"
import { samplingSettings, settingsOf } from "../primitive/reasoning/settings.ts"
import type { Sampling } from "../provider/request.ts"
import type { Shape as ProviderShape } from "../provider/Shape.ts"
import type * as Step from "../step/runtime/model.ts"

/**
 * Keeps the conversation of a pipeline short by summarising older turns.
 *
 * **Details**
 *
 * Before a request of a reasoning step inside, a conversation with that many turns or tokens gets a summary in place of
 * its older turns, as with `Primitive.compress`. All messages count, whatever the step's `view`, except the new
 * request. The summary is a note, stored before the step continues.
 *
 * `false` turns compaction off for a step inside, like the option `compact: false` of a reasoning step.
 * `Primitive.converge` compacts once, before its branches. The outline includes the summary's key and the options.
 *
 * Throws if a count is out of range or the step writes the summary's key itself. A note from another source under that
 * key is a defect at run time.
 *
 * **Example** (A summary after every second turn)
 *
 * ```ts
 * import assert from "node:assert/strict"
 * import { Effect, Layer } from "effect"
 * import { Pipeline, Primitive, Session, Thought } from "cogito"
 * import { Testing } from "cogito/testing"
 *
 * const spam = Primitive.decide("spam", { question: "Is this spam?" })
 * const angry = Primitive.decide("angry", { question: "Is this angry?" })
 * const urgent = Primitive.decide("urgent", { question: "Is this urgent?" })
 * const sort = Pipeline.compact(Pipeline.sequence("sort", [spam, angry, urgent]), { turns: 2 })
 *
 * const no = { decision: false, confidence: 0.9, reasoning: ["An ordinary question."] }
 * const model = Testing.scripted([no, no, "A customer asks when we open.", no])
 *
 * const program = Effect.gen(function*() {
 *   const done = yield* Pipeline.run(sort, yield* Thought.make("sort mail", { message: "When do you open?" }))
 *   assert.deepEqual(Session.entries(done.session).map((entry) => entry.kind), ["summary", "message", "message"])
 *   assert.equal(done.note("conversation_summary")?.content, "A customer asks when we open.")
 * })
 *
 * await Effect.runPromise(program.pipe(Effect.provide(Layer.merge(model.layer, Testing.memory))))
 * ```
 *
 * @category conversation
 */
export const compact = taking("Pipeline.compact", {
  args: [kinds.step],
  options: 1,
  optional: true,
  orBoolean: true,
  known: {
    turns: forms.maybe("At so many turns.", forms.count(2), 20),
    tokens: forms.maybe("At so many tokens.", forms.count(1), 20_000),
    keep: forms.maybe("How many of the last turns stay.", forms.count(0)),
    summaryKey: forms.maybe("Key of the note that each summary becomes.", forms.words, "conversation_summary"),
    prompt: forms.maybe("What to summarise.", forms.words),
    onFailure: forms.maybe(
      "Whether a step fails without the summary, or goes on.",
      forms.oneOf("fail", "skip"),
      "fail"
    ),
    ...callingForms
  }
})(<S extends Step.Any>(
  step: S,
  options:
    | {
        /** The number of turns that triggers it: a whole number from 2. Default 20. */
        readonly turns?: number
        /**
         * The number of tokens that triggers it, measured with `Session.Tokenizer`: a whole number from 1. Default 20,000.
         */
        readonly tokens?: number
        /**
         * How many of the last turns stay as they are: at most `turns - 2`. Fewer stay if they alone hold more than half of
         * `tokens`. Default 5, or the most that `turns` allows.
         */
        readonly keep?: number
        /** Key of the summary notes. Default `"conversation_summary"`. */
        readonly summaryKey?: string
        /** What to summarise. Default: everything that may matter later. */
        readonly prompt?: string
        /** Whether a step fails if the summary fails, or continues with the long conversation. Default `"fail"`. */
        readonly onFailure?: "fail" | "skip"
        /** The provider for the summaries. Default: that of the step. */
        readonly provider?: ProviderShape
        /** Sampling for the summaries. Default: that of the reasoning phase. */
        readonly sampling?: Sampling
      }
    | false = {}
): Step.Step<Step.In<S>, Step.Out<S>, Step.Err<S>, Step.Req<S>> => {
  checkSteps("compact", "step", [step])
  const compaction = options === false ? undefined : automatic(settled(step.node, options))
  return setting(step, nodeOf(step.node, options), Effect.provideService(AutomaticCompaction, compaction))
})

type Options = Exclude<Parameters<typeof compact>[1], false | undefined>

/** The outline of the step, with the options among its settings and the key of the summaries among its updates. */
const nodeOf = (node: Step.Node, given: Options | false): Step.Node => {
  if (given === false) return { ...node, settings: { ...node.settings, compact: false } }
  const { keep, key, onFailure, threshold } = settled(node, given)
  const { settings } = settingsOf(
    {
      "compact.turns": threshold.turns,
      "compact.tokens": threshold.tokens,
      "compact.keep": keep,
      "compact.summaryKey": key,
      "compact.prompt": given.prompt,
      "compact.onFailure": onFailure === "skip" ? onFailure : undefined,
      "compact.provider": given.provider?.name
    },
    samplingSettings(given.sampling, "compact.sampling")
  )
  return {
    ...node,
    writes: [...new Set([...node.writes, key])],
    updates: [...new Set([...(node.updates ?? []), key])],
    settings: { ...node.settings, ...settings }
  }
}

const settled = (node: Step.Node, options: Options) => {
  const { onFailure = "fail", prompt = defaultPrompt, provider, sampling = {}, tokens = 20_000, turns = 20 } = options
  const key = checkKey(options.summaryKey ?? "conversation_summary")
  const keep = options.keep ?? Math.max(0, Math.min(5, turns - 2))
  const refuse = (why: string): never => {
    throw new Error(`The conversation of ${quoted(node.name)} cannot be compacted: ${why}`)
  }
  checkText(stepNamed(node.name), "prompt", prompt)
  checkSampling(stepNamed(node.name), sampling)
  whole(stepNamed(node.name), "turns", 2, turns)
  checkCounts(node.name, { keep, threshold: { turns, tokens } })
  if (keep > turns - 2) {
    refuse(
      `a summary and ${counted(keep, "turn")} already reach the limit of ${turns} turns: set keep to at most ${turns - 2}, or raise turns.`
    )
  }
  // a compaction further in overrides this one, and may use the same key
  if (node.writes.includes(key) && node.updates?.includes(key) !== true) {
    refuse(`it writes ${quoted(key)} itself; name another summaryKey.`)
  }
  return {
    // like `Primitive.compress`, so that either one's summary replaces the other's
    source: "compress",
    key,
    prompt,
    keep,
    threshold: { turns, tokens },
    sampling,
    onFailure,
    ...(provider === undefined ? {} : { provider })
  }
}
