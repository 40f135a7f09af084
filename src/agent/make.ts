import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type * as Tool from "effect/ai/Tool"
import type * as Toolkit from "effect/ai/Toolkit"
import { checkSampling, time, whole } from "../arguments/checked.ts"
import type { Embedder } from "../Embedder.ts"
import type { Memory } from "../Memory.ts"
import type { Supervisor } from "../Pipeline.ts"
import {
  anyList,
  either,
  fields,
  flag,
  inCodeFunction,
  maybe,
  oneOf,
  others,
  provider as forProvider,
  sampling as forSampling,
  string,
  within
} from "../arguments/forms.ts"
import * as kinds from "../arguments/kinds.ts"
import { taking } from "../arguments/taking.ts"
import type { Provider, ProviderError, Sampling, Shape } from "../Provider.ts"
import { settingsOf } from "../primitive/reasoning/settings.ts"
import { writableSchemaOf } from "../schema/schemaOf.ts"
import { traced } from "../run/run.ts"
import { describe } from "../run/within.ts"
import { makeKeyed } from "../step/runtime/make.ts"
import type { Keyed, Node } from "../step/runtime/model.ts"
import { compile } from "../synapse/form.ts"
import { quoted } from "../text/legible.ts"
import type { Thought } from "../thought/model.ts"
import * as Note from "../thought/Note.ts"
import type { Simplify } from "../thought/types.ts"
import type { AgentStopped } from "./model/AgentStopped.ts"
import type { Called } from "./model/called.ts"
import type { AnyDocument } from "./model/Document.ts"
import type { Effort } from "./model/effort.ts"
import { run } from "./rounds/loop.ts"
import { nestedIn } from "./model/nested.ts"
import { keyOf, triageKey } from "./model/keys.ts"
import type { Limits, Prepared, Select, Settings } from "./model/settings.ts"
import { checkTools } from "./model/tools.ts"
import type { Triage } from "./model/Triage.ts"
import type { TriageFailed } from "./model/TriageFailed.ts"
import { mayAsk, type Verdict } from "./model/verdict.ts"
import { stating } from "../step/runtime/stated.ts"

/**
 * Options of an agent.
 *
 * **Details**
 *
 * - `instructions`: what the agent is for, in the system message. Text that comes from untrusted notes stands with the task
 *   instead
 * - `toolkit`: its tools. Their handlers are provided as a layer, with `toolkit.toLayer`
 * - `output`: the schema of the answer. Default: a text
 * - `key`: the key of the answer. Default `"answer"`
 * - `triage`: whether one call judges each message before anything else: whether it is safe to act on, how much thinking it takes,
 *   which tools it needs (with `select: "triage"`), and the answer itself if it is simple. Default true; `false` turns it off. An object
 *   sets its provider and further rules
 * - `select`: which tools are sent and callable. Default `"all"`
 * - `effort`: how much the model thinks. Default `"adapt"`
 * - `prepare`: sets each round before it begins. A resumed run calls it again: it must give the same for the same thought
 * - `policy`: judges each call before its handler runs. Default: tools that only read are allowed; destructive ones ask, and those
 *   that need approval; others ask once the thought has the result of a tool
 * - `approval`: `timeout` is how long an approval is waited for. Default: without end
 * - `limits`: how long it goes on
 * - `documents`: what it sees and learns of the user and the task, such as `[Agent.Profile, Agent.Workspace]`. They need a
 *   `Pipeline.supervisor`, in whose care the agent learns after it has answered. Default: none
 * - `sampling`, `provider`: as for every reasoning step
 *
 * @category models
 */
export interface Options<
  Tools extends Record<string, Tool.Any>,
  A,
  I extends Note.Text,
  K extends string,
  S extends Select,
  E,
  R,
  E2,
  R2,
  D extends ReadonlyArray<AnyDocument> = readonly []
> {
  readonly instructions: I
  readonly toolkit: Toolkit.Toolkit<Tools>
  readonly output?: Note.AnySchema<A>
  readonly key?: K
  readonly triage?: boolean | Triage
  readonly select?: S
  readonly effort?: Effort
  readonly prepare?: (
    round: number,
    thought: Thought
  ) => Prepared<keyof Tools & string> | Effect.Effect<Prepared<keyof Tools & string>, E2, R2>
  readonly policy?: (call: Called<Tools>, thought: Thought) => Verdict | Effect.Effect<Verdict, E, R>
  readonly approval?: { readonly timeout?: Duration.Input }
  readonly limits?: Partial<Limits>
  readonly documents?: D
  readonly sampling?: Sampling
  readonly provider?: Shape
}

/**
 * An agent: a step that reads `message` and what its instructions read, and writes its answer.
 *
 * @category models
 */
export interface Agent<
  in out K extends string,
  in out A,
  in In,
  out E = never,
  out R = never,
  in out Tools extends Record<string, Tool.Any> = Record<string, Tool.Any>
> extends Keyed<K, A, In, E, R> {
  readonly toolkit: Toolkit.Toolkit<Tools>
}

const defaults: Limits = { rounds: 20, repeats: 3, failures: 3, parallel: 8, resultTokens: 4000, tools: 8 }

/**
 * Makes an agent: a step that asks a model, carries out the calls of tools that it wants, shows it the results, and goes on until
 * the model answers.
 *
 * **Details**
 *
 * The tools are those of Effect: `Tool.make`, `Toolkit.make` and `toolkit.toLayer`. Calls of one reply run beside each other. Each call
 * and each result is a note with the key `<agent>.<tool>`; results are untrusted. A call that fails, is unknown, malformed or refused
 * is a result that the model sees.
 *
 * Before a handler runs, the call is judged by `policy`. A call that needs an approval makes a durable run wait: it ends with
 * `Suspended`, `Pipeline.answer(runId, "<agent>.approval", { approved })` answers, and `Pipeline.resume` goes on. A pipeline with an
 * agent that may ask must therefore run durably, and is refused inside `timeout`, `race` and `contest`. An agent with tools that change
 * something dies before its first call inside a connector that may discard what it did, such as `retry` or `concurrent`. An agent
 * whose tools are all `Tool.Readonly` may stand anywhere.
 *
 * In a durable run, a call whose outcome is unknown because its process ended is carried out again only if its tool is
 * `Tool.Readonly` or `Tool.Idempotent`. Otherwise its result says that the outcome is unknown.
 *
 * Fails with `AgentStopped` if it ends without an answer, and with `ProviderError` if a call of the model fails. Throws if a name of a
 * tool has other characters than letters, digits, `_` and `-`.
 *
 * **Example** (An agent with one tool)
 *
 * ```ts
 * import assert from "node:assert/strict"
 * import { Effect, Layer, Schema } from "effect"
 * import { Tool, Toolkit } from "effect/ai"
 * import { Pipeline, Thought } from "cogito"
 * import { Agent } from "cogito/agent"
 * import { Testing } from "cogito/testing"
 *
 * const weather = Tool.make("weather", {
 *   description: "The weather of a city",
 *   parameters: Schema.Struct({ city: Schema.String }),
 *   success: Schema.Struct({ celsius: Schema.Finite })
 * }).annotate(Tool.Readonly, true)
 * const toolkit = Toolkit.make(weather)
 *
 * const guide = Agent.make("guide", { instructions: "You plan trips.", toolkit })
 *
 * const model = Testing.scripted([
 *   { safe: true, mode: "fast" },
 *   Testing.calls([{ name: "weather", params: { city: "Porto" } }]), "Go: it has 24 degrees."])
 * const tools = toolkit.toLayer({ weather: () => Effect.succeed({ celsius: 24 }) })
 *
 * const program = Effect.gen(function*() {
 *   const done = yield* Pipeline.run(guide, yield* Thought.make("trip", { message: "Is Porto warm?" }))
 *   assert.equal(done.get("answer"), "Go: it has 24 degrees.")
 *   assert.deepEqual(Thought.history(done, "guide.weather").map(({ content }) => content), [
 *     `{"city":"Porto"}`,
 *     `{"celsius":24}`
 *   ])
 * })
 *
 * await Effect.runPromise(program.pipe(Effect.provide(Layer.mergeAll(model.layer, tools, Testing.memory))))
 * ```
 *
 * @category constructors
 */
export const make: <
  Tools extends Record<string, Tool.Any>,
  const I extends Note.Text,
  A = string,
  const K extends string = "answer",
  S extends Select = "all",
  E = never,
  R = never,
  E2 = never,
  R2 = never,
  const D extends ReadonlyArray<AnyDocument> = readonly []
>(
  name: string,
  options: Options<Tools, A, I, K, S, E, R, E2, R2, D>
) => Agent<
  K,
  A,
  Simplify<{ readonly message: string } & Note.Text.In<I>>,
  AgentStopped | TriageFailed | ProviderError | Note.Text.Err<I> | E | E2,
  | Provider
  | Tool.HandlersFor<Tools>
  | Tool.HandlerServices<Tools[keyof Tools]>
  | ([S] extends ["similar"] ? Embedder : never)
  | ([D] extends [readonly []] ? never : Memory | Supervisor)
  | Note.Text.Req<I>
  | R
  | R2,
  Tools
> = taking("Agent.make", {
  args: [kinds.text],
  options: 1,
  needs: ["toolkit", "instructions"],
  known: {
    ...others("instructions", "toolkit", "output"),
    sampling: maybe("", forSampling),
    key: maybe("", string),
    prepare: inCodeFunction,
    policy: inCodeFunction,
    documents: anyList,
    provider: maybe("", forProvider),
    triage: maybe("", either("", fields("", others("provider", "rules")), flag)),
    limits: within("rounds", "repeats", "failures", "parallel", "resultTokens", "tools"),
    approval: within("timeout"),
    select: maybe("Which tools are sent and callable.", oneOf("all", "triage", "similar"), "all"),
    effort: maybe("How much the model thinks.", oneOf("fast", "adapt", "deep"), "adapt")
  }
  // typed above, where the types of the tools, the answer and the policy are known
})((
  name: string,
  options: Options<any, any, Note.Text, string, Select, any, any, any, any, ReadonlyArray<AnyDocument>>
): any => {
  const { approval = {}, instructions, key = "answer", policy, prepare, provider, sampling = {} } = options
  const { effort = "adapt", select = "all" } = options
  if (!kinds.words.is(instructions)) {
    throw new Error(
      `The agent ${quoted(name)} needs ${kinds.words.named} as instructions, but got ${kinds.kindOf(instructions)}.`
    )
  }
  const triage = triageOf(name, options.triage, select)
  if (approval.timeout !== undefined) time(`The agent ${quoted(name)}`, "approval.timeout", approval.timeout)
  // the types of the tools matter to callers only
  const toolkit = options.toolkit as Toolkit.Toolkit<Record<string, Tool.Any>>
  const limits = checkedLimits(name, options.limits)
  const documents = checkedDocuments(name, options.documents, ["message", key])
  checkSampling(`The agent ${quoted(name)}`, sampling)
  checkTools(name, toolkit.tools, options.output !== undefined)
  if (key === "message" || key.startsWith(`${name}.`)) {
    throw new Error(`The agent ${quoted(name)} has notes of its own under ${quoted(key)}: give its answer another key.`)
  }
  const schema =
    options.output === undefined ? undefined : writableSchemaOf(`The agent ${quoted(name)}`, options.output)
  const handle = Note.handle(key, schema ?? Schema.String)
  const settings: Settings = {
    name,
    instructions,
    toolkit,
    handle,
    form: schema === undefined ? undefined : compile(name, schema, (value: unknown) => value),
    limits,
    sampling,
    provider,
    policy,
    approval,
    triage,
    select,
    effort,
    prepare,
    documents
  }
  const names = Object.keys(toolkit.tools)
  const asks = policy !== undefined || Object.values(toolkit.tools).some(mayAsk)
  const notes = [...names, ""].map((tool) => keyOf(settings, { name: tool }))
  const node: Node = {
    name,
    kind: "agent",
    reads: ["message", ...(Note.isReader(instructions) ? instructions.keys : [])],
    writes: [key, ...notes, ...(triage === undefined ? [] : [triageKey(name)]), ...documents.map((one) => one.key)],
    surely: [key],
    children: Object.entries(toolkit.tools).flatMap(([tool, value]) => {
      const inner = nestedIn(value)
      return inner === undefined ? [] : [nodeOf(tool, inner)]
    }),
    ...(asks ? { waits: true } : {}),
    ...(typeof instructions === "string" ? { asks: instructions } : {}),
    ...settingsOf({
      tools: names.join(", "),
      triage: triage === undefined ? false : undefined,
      "triage.rules": triage?.rules,
      select: select === "all" ? undefined : select,
      effort: effort === "adapt" ? undefined : effort,
      documents: documents.length === 0 ? undefined : documents.map((one) => one.key).join(", "),
      ...limitSettings(limits)
    })
  }
  if (schema !== undefined) stating(node, schema)
  return Object.assign(
    makeKeyed(handle, node, (thought) => invoked(name, run(settings)(thought))),
    { toolkit }
  )
})

/** An agent at work, in a span of its own. */
const invoked = <A, E, R>(name: string, running: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.withFiber((fiber) =>
    traced(
      fiber,
      Effect.tapCause(running, (cause) => Effect.annotateCurrentSpan("error.type", describe(cause))),
      `invoke_agent ${name}`,
      () => ({ "gen_ai.operation.name": "invoke_agent", "gen_ai.agent.name": name })
    )
  )

/** What a tool that runs a step is, in the place of the step. */
const nodeOf = (name: string, inner: Node): Node => ({
  name,
  kind: "tool",
  reads: [],
  writes: [],
  surely: [],
  children: [inner]
})

const triageOf = (name: string, triage: boolean | Triage = true, select: Select): Triage | undefined => {
  if (triage === false && select === "triage") {
    throw new Error(
      `The agent ${quoted(name)} selects its tools by triage, which is turned off: leave out \`triage: false\`.`
    )
  }
  if (typeof triage === "object") return triage
  return triage ? {} : undefined
}

const checkedDocuments = (
  name: string,
  documents: ReadonlyArray<AnyDocument> = [],
  taken: ReadonlyArray<string>
): ReadonlyArray<AnyDocument> => {
  const keys = new Set(taken)
  const odd = kinds.oddOneOf(documents, kinds.handle)
  if (odd !== undefined) throw new Error(`The agent ${quoted(name)} needs an array of documents, but got ${odd}.`)
  for (const { key } of documents) {
    if (keys.has(key)) {
      throw new Error(`The agent ${quoted(name)} has two notes ${quoted(key)}: give its document another key.`)
    }
    keys.add(key)
  }
  return documents
}

const checkedLimits = (name: string, given: Partial<Limits> = {}): Limits => {
  const entries = Object.entries(given).filter(([, value]) => value !== undefined)
  for (const [option, value] of entries) whole(`The agent ${quoted(name)}`, `limits.${option}`, 1, value)
  return { ...defaults, ...Object.fromEntries(entries) }
}

const limitSettings = (limits: Limits): Readonly<Record<string, number | undefined>> =>
  Object.fromEntries(
    Object.entries(limits).map(([option, value]) => [
      `limits.${option}`,
      value === defaults[option as keyof Limits] ? undefined : value
    ])
  )
