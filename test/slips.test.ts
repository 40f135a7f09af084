import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Schema } from "effect"
import { Toolkit } from "effect/ai"
import { Pipeline, Primitive, Provider, Step, Synapse, Thought } from "cogito"
import { Agent } from "cogito/agent"
import { Tools } from "cogito/tools"

// What somebody sees who has no compiler and mistypes the name of an option.

const [pipelines, primitives, providers, steps, synapses, thoughts, agents, tools]: ReadonlyArray<any> = [
  Pipeline,
  Primitive,
  Provider,
  Step,
  Synapse,
  Thought,
  Agent,
  Tools
]
const step = Step.make("s", { run: Effect.void })
const schema = Schema.Struct({ a: Schema.String })
const question = "Go on?"

const slips: Readonly<
  Record<string, readonly [construct: () => unknown, owner: string, given: string, meant: string]>
> = {
  "a letter left out": [
    () => primitives.analyze("k", { shema: schema, prompt: "p" }),
    "Primitive.analyze",
    "shema",
    "schema"
  ],
  "a letter too many": [() => steps.make("k", { runs: () => 1 }), "Step.make", "runs", "run"],
  "a plural": [() => steps.make("k", { run: () => 1, show: () => 1 }), "Step.make", "show", "shows"],
  "another case": [
    () => primitives.discern("k", { question, routes: { s: step }, minconfidence: 0.5, default: step }),
    "Primitive.discern",
    "minconfidence",
    "minConfidence"
  ],
  "two letters swapped": [
    () => primitives.decide("k", { question, intropsect: true }),
    "Primitive.decide",
    "intropsect",
    "introspect"
  ],
  "two slips in a long name": [
    () => primitives.converge("k", { branches: [step], prompt: "p", concurency_: 2 }),
    "Primitive.converge",
    "concurency_",
    "concurrency"
  ],
  "a letter too many, where the result begins a longer name, too": [
    () => steps.rateLimit(step, { limits: 3, per: "1 second" }),
    "Step.rateLimit",
    "limits",
    "limit"
  ],
  "a name of other libraries": [() => steps.retry(step, { retries: 3 }), "Step.retry", "retries", "times"],
  "a name of other libraries for repairs": [
    () => primitives.decide("k", { question, retries: 3 }),
    "Primitive.decide",
    "retries",
    "repairs"
  ],
  "a sampling wish in the wrong place": [
    () => synapses.binary({ question, temperature: 0 }),
    "Synapse.binary",
    "temperature",
    "sampling"
  ],
  "an option of a connector that is piped onto a step": [
    () => step.pipe(steps.retry({ time: 3 })),
    "Step.retry",
    "time",
    "times"
  ],
  "an option where all may be left out": [
    () => primitives.truncate("k", { frist: 3 }),
    "Primitive.truncate",
    "frist",
    "first"
  ],
  "an option within sampling": [
    () => primitives.decide("k", { question, sampling: { temprature: 0 } }),
    "Primitive.decide",
    "sampling.temprature",
    "sampling.temperature"
  ],
  "an option within the sampling of introspection": [
    () => primitives.decide("k", { question, introspect: { sampling: { maxToken: 9 } } }),
    "Primitive.decide",
    "introspect.sampling.maxToken",
    "introspect.sampling.maxTokens"
  ],
  "an option within introspection": [
    () => primitives.assess("k", { question, introspect: { onFail: "skip", promt: "p" } }),
    "Primitive.assess",
    "introspect.promt",
    "introspect.prompt"
  ],
  "an option within the summary of a search": [
    () => primitives.survey("k", { query: "q", summarize: { sumaryKey: "s" } }),
    "Primitive.survey",
    "summarize.sumaryKey",
    "summarize.summaryKey"
  ],
  "an option within the fusion of a search": [
    () => primitives.seek("k", { query: "q", fusion: { lexicalWieght: 2 } }),
    "Primitive.seek",
    "fusion.lexicalWieght",
    "fusion.lexicalWeight"
  ],
  "an option within the recency of a search": [
    () => primitives.seek("k", { query: "q", recency: { halflife: "1 day" } }),
    "Primitive.seek",
    "recency.halflife",
    "recency.halfLife"
  ],
  "an option within the dates of a search": [
    () => primitives.seek("k", { query: "q", dates: { timezone: "UTC" } }),
    "Primitive.seek",
    "dates.timezone",
    "dates.timeZone"
  ],
  "an option within a view": [
    () => primitives.analyze("k", { schema, prompt: "p", view: { recnt: 3 } }),
    "Primitive.analyze",
    "view.recnt",
    "view.recent"
  ],
  "an option within a threshold": [
    () => primitives.compress("k", { threshold: { turn: 3 } }),
    "Primitive.compress",
    "threshold.turn",
    "threshold.turns"
  ],
  "an option within the sampling of a single call": [
    () => synapses.transform({ prompt: "p", sampling: { sed: 1 } }),
    "Synapse.transform",
    "sampling.sed",
    "sampling.seed"
  ],
  "an option within what a step is compacted with": [
    () => pipelines.compact(step, { sampling: { stops: [] } }),
    "Pipeline.compact",
    "sampling.stops",
    "sampling.stop"
  ],
  "an option within the triage of an agent": [
    () => agents.make("a", { instructions: "i", toolkit: Toolkit.empty, triage: { rule: "r" } }),
    "Agent.make",
    "triage.rule",
    "triage.rules"
  ],
  "an option within the limits of an agent": [
    () => agents.make("a", { instructions: "i", toolkit: Toolkit.empty, limits: { round: 3 } }),
    "Agent.make",
    "limits.round",
    "limits.rounds"
  ],
  "an option within the approvals of an agent": [
    () => agents.make("a", { instructions: "i", toolkit: Toolkit.empty, approval: { timout: "1 day" } }),
    "Agent.make",
    "approval.timout",
    "approval.timeout"
  ],
  "an option within the filter of a tool": [
    () => tools.recall({ filter: { key: ["message"] } }),
    "Tools.recall",
    "filter.key",
    "filter.keys"
  ],
  "an option of a search": [() => primitives.seek("k", { query: "q", limits: 3 }), "Primitive.seek", "limits", "limit"]
}

describe("an option whose name is mistyped", () => {
  for (const [slip, [construct, owner, given, meant]] of Object.entries(slips)) {
    it(`is refused with the name that was meant: ${slip}`, () => {
      assert.throws(construct, `${owner} has no option "${given}". Did you mean "${meant}"?`)
    })
  }

  it("that is undefined counts as left out", () => {
    const wait = pipelines.waitFor("w", {
      schema: Schema.String,
      prompt: "p",
      timeout: undefined,
      otherwise: undefined
    })
    assert.strictEqual(wait.name, "w")
    const limits = { rounds: undefined, parallel: 2 }
    const clerk = agents.make("clerk", { instructions: "i", toolkit: Toolkit.empty, limits })
    assert.deepInclude(clerk.node.settings, { "limits.parallel": 2 })
    assert.notProperty(clerk.node.settings, "limits.rounds")
  })

  it("is not confused with what a larger object has besides", () => {
    // a program with types may spread such an object, too
    const settings = { question, name: "triage", id: 7, tenant: "t", type: "decide", model: "m", steps: [] }
    assert.strictEqual(Primitive.decide("k", { ...settings }).key, "k")
    assert.strictEqual(Pipeline.filter("f", { ...settings, when: () => true, step }).name, "f")
    const limits = { time: 5 }
    const far = { introXXXct: 1 }
    const unset = { introspects: undefined }
    // both are there: the one is no slip of the other
    assert.strictEqual(Step.retry(step, { times: 1, ...limits, name: "r" }).name, "r")
    // no name is suggested for three slips
    assert.strictEqual(Primitive.decide("k", { question, ...far }).key, "k")
    // what is undefined says nothing
    assert.strictEqual(Primitive.decide("k", { question, ...unset }).key, "k")
  })
})

describe("options that are a thought or a session", () => {
  it("are read for their fields with the names of options", () => {
    const task = Effect.runSync(Thought.make("task", { a: "x" }, { taskId: "task-1", traceId: "trace-1" }))
    const part: Thought.Thought = Effect.runSync(thoughts.make("part", {}, task))
    assert.deepStrictEqual([part.taskId, part.traceId], ["task-1", "trace-1"])
    const other: Thought.Thought = Effect.runSync(thoughts.make("part", {}, task.session))
    assert.isUndefined(other.taskId)
    assert.throws(
      () => thoughts.make("part", {}, step),
      "needs an object of options as its third argument, but got a step"
    )
  })
})

const strange: Readonly<Record<string, readonly [construct: () => unknown, message: string]>> = {
  "a way of failing": [
    () => pipelines.introspect(step, { onFailure: "ignore" }),
    'Pipeline.introspect needs "fail" or "skip" as the option onFailure, but got "ignore".'
  ],
  "an option that would turn introspection off": [
    () => pipelines.introspect(step, { enabled: false }),
    'Pipeline.introspect has no option "enabled": to turn it off, write false in the place of the options.'
  ],
  "a misspelled option that would turn compaction off": [
    () => pipelines.compact(step, { turns: 9, enabeld: false }),
    'Pipeline.compact has no option "enabeld": to turn it off, write false in the place of the options.'
  ],
  "an option that would turn the introspection of a step off": [
    () => primitives.decide("k", { question, introspect: { disabled: true } }),
    'Primitive.decide has no option "introspect.disabled": to turn it off, write introspect: false.'
  ],
  "an option that would turn durability off": [
    () => pipelines.run(step, Effect.runSync(thoughts.make("t")), { durable: { enabled: false } }),
    'Pipeline.run has no option "durable.enabled": to turn it off, write durable: false.'
  ],
  "a key of one summary for all steps": [
    () => pipelines.introspect(step, { summaryKey: "k" }),
    'Pipeline.introspect has no option "summaryKey", as each step has its own: set introspect: { summaryKey } on a step.'
  ],
  "a long text, of which the beginning is told": [
    () => pipelines.introspect(step, { onFailure: "x".repeat(41) }),
    `Pipeline.introspect needs "fail" or "skip" as the option onFailure, but got "${"x".repeat(40)}".`
  ],
  "a way of failing, further in": [
    () => primitives.decide("k", { question, introspect: { onFailure: true } }),
    'Primitive.decide needs "fail" or "skip" as the option introspect.onFailure, but got a boolean.'
  ],
  "what becomes of a run that is too early": [
    () => steps.rateLimit(step, { limit: 1, per: 1, onExceeded: "drop" }),
    'Step.rateLimit needs "wait" or "fail" as the option onExceeded, but got "drop".'
  ],
  "what becomes of keys": [
    () => pipelines.concurrent("k", [step], { conflicts: "first" }),
    'Pipeline.concurrent needs "error", "last" or "namespace" as the option conflicts, but got "first".'
  ],
  "a way of answering": [
    () => synapses.binary({ question, via: "xml" }),
    'Synapse.binary needs "auto", "native" or "text" as the option via, but got "xml".'
  ],
  "a way of reading": [
    () => synapses.extract(schema, { prompt: "p", parsing: "lax" }),
    'Synapse.extract needs "strict", "lenient" or "lossy" as the option parsing, but got "lax".'
  ],
  "a trust": [
    () => steps.make("k", { schema: Schema.String, run: () => "", trust: "yes" }),
    'Step.make needs "trusted" or "untrusted" as the option trust, but got "yes".'
  ],
  "a trust of a note": [
    () => Effect.runSync(thoughts.make("t", { a: { content: "c", trust: "yes" } })),
    'The note "a" needs "trusted" or "untrusted" as the option trust, but got "yes".'
  ],
  "a session": [
    () => primitives.restore("k", { from: "t", session: "new" }),
    'Primitive.restore needs "keep" or "fresh" as the option session, but got "new".'
  ],
  "a direction": [
    () => pipelines.toMermaid(step, { direction: "up" }),
    'Pipeline.toMermaid needs "TD" or "LR" as the option direction, but got "up".'
  ],
  "a view": [
    () => primitives.decide("k", { question, view: "all" }),
    'Primitive.decide needs "full" or an object as the option view, but got "all".'
  ],
  "a flag": [
    () => primitives.decide("k", { question, reasons: "yes" }),
    "Primitive.decide needs true or false as the option reasons, but got a string."
  ],
  "a flag or an object": [
    () => primitives.decide("k", { question, introspect: 3 }),
    "Primitive.decide needs true, false or an object as the option introspect, but got a number."
  ],
  "an object": [
    () => primitives.decide("k", { question, sampling: 3 }),
    "Primitive.decide needs an object as the option sampling, but got a number."
  ],
  "a temperature that is a text": [
    () => synapses.binary({ question, sampling: { temperature: "0.2" } }),
    "Synapse.binary needs a number as the option sampling.temperature, but got a string."
  ],
  "a text as the temperature of a check": [
    () => primitives.amplify("k", { checkSampling: { temperature: "0.2" } }),
    "Primitive.amplify needs a number as the option checkSampling.temperature, but got a string."
  ],
  "an effort that is no text": [
    () => primitives.decide("k", { question, introspect: { sampling: { effort: 3 } } }),
    "Primitive.decide needs a string as the option introspect.sampling.effort, but got a number."
  ],
  "stop words that are one text": [
    () => synapses.binary({ question, sampling: { stop: "END" } }),
    "Synapse.binary needs an array in which every element is a string, as the option sampling.stop, but got a string."
  ],
  "no tokens": [
    () => synapses.binary({ question, sampling: { maxTokens: 0 } }),
    "A synapse needs a whole number from 1 as sampling.maxTokens, not 0."
  ],
  "a part of a token": [
    () => synapses.binary({ question, sampling: { maxTokens: 1.5 } }),
    "A synapse needs a whole number from 1 as sampling.maxTokens, not 1.5."
  ],
  "a temperature below zero": [
    () => synapses.binary({ question, sampling: { temperature: -1 } }),
    "A synapse needs a finite number from 0 as sampling.temperature, not -1."
  ],
  "metadata that is a text": [
    () => Effect.runSync(thoughts.make("i", { a: { content: "x", metadata: "y" } })),
    'The note "a" needs an object of texts as its metadata.'
  ],
  "metadata that is null": [
    () => Effect.runSync(thoughts.make("i", { a: { content: "x", metadata: null } })),
    'The note "a" needs an object of texts as its metadata.'
  ],
  "metadata that is an empty text": [
    () => Effect.runSync(thoughts.make("i", { a: { content: "x", metadata: "" } })),
    'The note "a" needs an object of texts as its metadata.'
  ],
  "metadata with a number": [
    () => Effect.runSync(thoughts.make("i", { a: { content: "x", metadata: { page: 3 } } })),
    'The note "a" needs a text as "page" in its metadata.'
  ],
  "a condition that is no function": [
    () => providers.retry({ while: 3 }),
    "Provider.retry needs a function as the option while, but got a number."
  ],
  "a count of failures that is no function": [
    () => providers.circuitBreaker({ counts: {} }),
    "Provider.circuitBreaker needs a function as the option counts, but got an object."
  ],
  "texts where a list of them is needed": [
    () => primitives.seek("k", { query: "q", keys: "message" }),
    "Primitive.seek needs an array in which every element is a string, as the option keys, but got a string."
  ],
  "a name where a list of names is needed": [
    () => primitives.forget("k", { drop: "secret" }),
    "Primitive.forget needs an array in which every element is a string, as the option drop, but got a string."
  ],
  "a list with a hole": [
    () => primitives.categorize("k", { question, categories: ["a", undefined] }),
    "Primitive.categorize needs an array in which every element is a string, or an object in which every value is a string, as the option categories, but got an array."
  ],
  "items with a hole": [
    () => primitives.prioritize("k", { criteria: "c", items: ["a", undefined] }),
    'The step "k" needs its items as an array of texts, or as a reader or note of one.'
  ],
  "items that are an object": [
    () => primitives.prioritize("k", { criteria: "c", items: {} }),
    'The step "k" needs its items as an array of texts, or as a reader or note of one.'
  ],
  "a JavaScript date": [
    () => primitives.seek("k", { query: "q", since: new Date() }),
    "Primitive.seek needs a DateTime as the option since, but got an object."
  ],
  "a number where a text is needed": [
    () => primitives.seek("k", { query: "q", taskId: 5 }),
    "Primitive.seek needs a string as the option taskId, but got a number."
  ],
  "a branch that is missing": [
    () => pipelines.switch("k", { on: step, branches: { a: undefined } }),
    'Pipeline.switch needs an object in which every value is a step, as the option branches, but its "a" is undefined.'
  ],
  "a route that is missing": [
    () => primitives.discern("k", { question, routes: { a: step, b: undefined } }),
    'Primitive.discern needs an object in which every value is an object or a step, as the option routes, but its "b" is undefined.'
  ],
  "a step where a record of them is needed": [
    () => pipelines.switch("k", { on: step, branches: step }),
    "Pipeline.switch needs an object in which every value is a step, as the option branches, but got a step."
  ],
  "a text that is neither a step nor the allowed word": [
    () => pipelines.switch("k", { on: step, branches: { a: step }, default: "x" }),
    'Pipeline.switch needs "pass" or a step as the option default, but got "x".'
  ],
  "a route that is not a step": [
    () => primitives.discern("k", { question, routes: { a: "x" } }),
    "Primitive.discern needs an object in which every value is an object or a step, as the option routes, but got an object."
  ],
  "an object that is not a limiter": [
    () => steps.rateLimit(step, { limiter: {} }),
    "Step.rateLimit needs a limiter, made by RateLimiter.make, as the option limiter, but got an object."
  ],
  "an object that is not a breaker": [
    () => steps.circuitBreaker(step, { breaker: {} }),
    "Step.circuitBreaker needs a breaker, made by CircuitBreaker.make, as the option breaker, but got an object."
  ],
  "an object that is not a pool": [
    () => steps.workerLimit(step, { pool: {} }),
    "Step.workerLimit needs a pool, made by WorkerPool.make, as the option pool, but got an object."
  ],
  "a number that is not a schedule": [
    () => steps.backoff(step, { schedule: 5 }),
    "Step.backoff needs a schedule as the option schedule, but got a number."
  ],
  "a kind that is not a text": [
    () => primitives.make("k", { kind: 5, schema, question }),
    "Primitive.make needs a string as the option kind, but got a number."
  ],
  "a prompt that is not a text": [
    () => primitives.approve("k", { prompt: 5 }),
    'The step "k" needs a string or a reader of notes, but got a number.'
  ],
  "a prompt of a wait that is not a text": [
    () => pipelines.waitFor("k", { schema, prompt: 5 }),
    'The step "k" needs a string or a reader of notes, but got a number.'
  ],
  "a blank prompt": [() => primitives.approve("k", { prompt: " " }), 'The prompt of the step "k" is empty.'],
  "a blank prompt of a wait": [
    () => pipelines.waitFor("k", { schema, prompt: "" }),
    'The prompt of the step "k" is empty.'
  ],
  "a blank question of a single call": [
    () => synapses.binary({ question: " \n" }),
    "Synapse.binary needs a non-empty string as the option question."
  ],
  "a reason that is not a text": [
    () => pipelines.gate("k", { check: () => "fail", reason: 5 }),
    "Pipeline.gate needs a string as the option reason, but got a number."
  ],
  "a key where a handle is needed": [
    () => pipelines.mutate("k", { note: "text", update: (x: unknown) => x }),
    "Pipeline.mutate needs a handle of a note as the option note, but got a string."
  ],
  "a key where a handle is optional": [
    () => primitives.reset("k", { note: "message" }),
    "Primitive.reset needs a handle of a note as the option note, but got a string."
  ],
  "a layer where a provider is needed": [
    () => primitives.decide("k", { question, provider: Layer.empty }),
    "Primitive.decide needs a provider as the option provider, but got a layer."
  ],
  "an array where a word is needed": [
    () => primitives.decide("k", { question, via: ["native"] }),
    'Primitive.decide needs "auto", "native" or "text" as the option via, but got an array.'
  ],
  "an object where a word is needed": [
    () => primitives.decide("k", { question, parsing: {} }),
    'Primitive.decide needs "strict", "lenient" or "lossy" as the option parsing, but got an object.'
  ],
  "a seed that is not a number": [
    () => primitives.decide("k", { question, sampling: { seed: NaN } }),
    "Primitive.decide needs a whole number as the option sampling.seed, but got a number."
  ],
  "a step without a name": [
    () => steps.make(undefined, { run: () => 1 }),
    "A step needs a name that is a string, but got nothing."
  ],
  "a sequence without a name": [
    () => pipelines.sequence(null, [step]),
    "A step needs a name that is a string, but got nothing."
  ],
  "a branch with an empty name": [() => pipelines.race("k", { "": step }), 'The step "k" has a branch without a name.']
}

describe("an option with a value that it does not have", () => {
  for (const [value, [construct, message]] of Object.entries(strange)) {
    it(`is refused with those: ${value}`, () => {
      assert.throws(construct, message)
    })
  }
})
