import { Effect, Schema } from "effect"
import { Note, Pipeline, Primitive, Session, Step, type Thought } from "cogito"
import { Spec } from "cogito/spec"
import { Testing } from "cogito/testing"

export const message = Note.handle("message", Schema.String)
export const list = Note.handle("list", Schema.Array(Schema.String))
const Ticket = Schema.Struct({ customer: Schema.String })

const scores = { positive: 0, negative: 0.9, neutral: 0.1 }

/** Answers whatever is asked: by the form of the answer, the same each time. */
export const answering = () =>
  Testing.scripted(({ task }) => {
    const [question] = task.questions
    if (task.kind === "assess") {
      return {
        overall: "negative",
        confidence: 0.8,
        scores,
        emotions: ["anger"],
        aspects: { price: "negative" },
        reasoning: ["It shouts."]
      }
    }
    if (task.kind === "prioritize") return { ranked: ["a", "b"], confidence: 0.9, reasoning: ["So it is."] }
    if (question?._tag === "Predicate") return { decision: true, confidence: 0.9, reasoning: ["So it is."] }
    if (question?._tag === "Choice") {
      return { primary: question.labels[0]?.label ?? "", confidence: 0.9, reasoning: ["So it is."] }
    }
    return task.output === undefined ? "A few words." : { customer: "Ada" }
  })

const provider = answering().provider

const ping = Step.make("ping", { schema: Schema.Finite, run: () => 1 })
const broken = Step.make("broken", { run: Effect.fail({ _tag: "Broken" as const }) })

const readers = {
  words: Note.from(message, (text) => text),
  items: Note.from(list, (items) => items),
  yes: Note.from(message, () => true),
  no: Note.from(message, () => false),
  label: Note.from(message, (): "a" | "b" => "a"),
  pass: Note.from(message, (): "pass" | "fail" => "pass"),
  thoughtId: Note.from(Note.handle("thoughtId", Schema.String), (id) => id)
}

const functions = {
  log: () => Effect.void,
  always: () => true,
  never: () => false,
  observe: () => Effect.void,
  redact: ({ customer }: { readonly customer: string }) => ({ customer: `${customer} (redacted)` })
}

export const registry = Spec.registry({
  steps: { ping, broken },
  readers,
  functions,
  schemas: { Ticket },
  handles: [message, list],
  providers: { other: provider },
  background: true
})

/** A step in both ways: as a document has it, and as code makes it. */
export interface Both {
  readonly spec: Spec.StepSpec
  readonly code: () => Step.Step<any, any, unknown, any>
}

const use = (name: string): Spec.StepSpec => ({ use: name })
const looked = { view: { recent: 2 }, introspect: { prompt: "Why?", summaryKey: "why", onFailure: "skip" } } as const
const asked = {
  via: "text",
  reasons: true,
  repairs: 2,
  parsing: "strict",
  sampling: { temperature: 0.5, maxTokens: 50 }
} as const
const attempt = { type: "decide", key: "spam", question: "Is this spam?" } as const
const spam = () => Primitive.decide("spam", { question: "Is this spam?" })
const angry = () => Primitive.decide("angry", { question: "Is this angry?" })
const angrySpec = { type: "decide", key: "angry", question: "Is this angry?" } as const
const ticket = () => Primitive.analyze("ticket", { schema: Ticket, prompt: "Extract" })
const ticketSpec = { type: "analyze", key: "ticket", schema: "Ticket", prompt: "Extract" } as const

/** Every type of node, with most of its options. */
export const every: Readonly<Record<string, Both>> = {
  decide: {
    spec: { type: "decide", key: "spam", question: { reader: "words" }, ...asked, ...looked, compact: false },
    code: () => Primitive.decide("spam", { question: readers.words, ...asked, ...looked, compact: false })
  },
  analyze: {
    spec: {
      ...ticketSpec,
      prompt: { reader: "words" },
      repairs: 0,
      parsing: "lossy",
      introspect: true,
      provider: "other"
    },
    code: () =>
      Primitive.analyze("ticket", {
        schema: Ticket,
        prompt: readers.words,
        repairs: 0,
        parsing: "lossy",
        introspect: true,
        provider
      })
  },
  categorize: {
    spec: { type: "categorize", key: "kind", question: "Which?", categories: { a: "the first", b: "the other" } },
    code: () => Primitive.categorize("kind", { question: "Which?", categories: { a: "the first", b: "the other" } })
  },
  assess: {
    spec: { type: "assess", key: "mood", question: "How?", aspects: ["price"] },
    code: () => Primitive.assess("mood", { question: "How?", aspects: ["price"] })
  },
  prioritize: {
    spec: { type: "prioritize", key: "order", criteria: "haste", items: { note: "list" } },
    code: () => Primitive.prioritize("order", { criteria: "haste", items: list })
  },
  sift: {
    spec: { type: "sift", key: "refund", question: "Refund?", step: use("ping") },
    code: () => Primitive.sift("refund", { question: "Refund?", step: ping })
  },
  discern: {
    spec: {
      type: "discern",
      key: "route",
      question: "Where?",
      routes: { billing: { when: "money", step: use("ping") }, technical: angrySpec, other: { when: "else" } },
      default: attempt,
      minConfidence: 0.5
    },
    code: () =>
      Primitive.discern("route", {
        question: "Where?",
        routes: { billing: { when: "money", step: ping }, technical: angry(), other: { when: "else" } },
        default: spam(),
        minConfidence: 0.5
      })
  },
  converge: {
    spec: {
      type: "converge",
      key: "views",
      prompt: "Sum up",
      branches: { pro: attempt, con: angrySpec },
      minSuccesses: 2,
      concurrency: 1
    },
    code: () =>
      Primitive.converge("views", {
        prompt: "Sum up",
        branches: { pro: spam(), con: angry() },
        minSuccesses: 2,
        concurrency: 1
      })
  },
  seek: {
    spec: {
      type: "seek",
      key: "found",
      query: { reader: "words" },
      limit: 3,
      trust: "untrusted",
      metadata: { a: "b" },
      minSimilarity: 0.1,
      summarize: { prompt: "Sum up", summaryKey: "sum" }
    },
    code: () =>
      Primitive.seek("found", {
        query: readers.words,
        limit: 3,
        trust: "untrusted",
        metadata: { a: "b" },
        minSimilarity: 0.1,
        summarize: { prompt: "Sum up", summaryKey: "sum" }
      })
  },
  survey: {
    spec: { type: "survey", key: "tasks", query: "hello", taskId: "t", keys: ["message"] },
    code: () => Primitive.survey("tasks", { query: "hello", taskId: "t", keys: ["message"] })
  },
  recall: {
    spec: { type: "recall", key: "last", thought: { reader: "thoughtId" }, prompt: "Who?" },
    code: () => Primitive.recall("last", { thought: readers.thoughtId, prompt: "Who?" })
  },
  reflect: {
    spec: { type: "reflect", key: "stock", unpublishedOnly: true },
    code: () => Primitive.reflect("stock", { unpublishedOnly: true })
  },
  amplify: {
    spec: { type: "amplify", key: "better", source: "message", refine: "Shorter", criteria: "It is short.", rounds: 1 },
    code: () => Primitive.amplify("better", { source: message, refine: "Shorter", criteria: "It is short.", rounds: 1 })
  },
  checkpoint: { spec: { type: "checkpoint", name: "here" }, code: () => Primitive.checkpoint("here") },
  restore: {
    spec: {
      type: "sequence",
      name: "back",
      steps: [
        { type: "checkpoint", name: "here" },
        { type: "restore", name: "go back", from: { checkpoint: "here" }, session: "fresh" }
      ]
    },
    code: () =>
      Pipeline.sequence("back", [
        Primitive.checkpoint("here"),
        Primitive.restore("go back", { from: { checkpoint: "here" }, session: "fresh" })
      ])
  },
  forget: {
    spec: { type: "forget", name: "drop", drop: ["list"] },
    code: () => Primitive.forget("drop", { drop: ["list"] })
  },
  compress: {
    spec: {
      type: "sequence",
      name: "long",
      steps: [attempt, angrySpec, { type: "compress", key: "short", threshold: { turns: 2 }, keep: 1, prompt: "Short" }]
    },
    code: () =>
      Pipeline.sequence("long", [
        spam(),
        angry(),
        Primitive.compress("short", { threshold: { turns: 2 }, keep: 1, prompt: "Short" })
      ])
  },
  truncate: {
    spec: {
      type: "sequence",
      name: "long",
      steps: [attempt, angrySpec, { type: "truncate", name: "cut", first: 0, last: 1, release: false }]
    },
    code: () =>
      Pipeline.sequence("long", [spam(), angry(), Primitive.truncate("cut", { first: 0, last: 1, release: false })])
  },
  reset: {
    spec: {
      type: "sequence",
      name: "anew",
      steps: [attempt, { type: "reset", name: "anew again", note: "message", system: "Be brief." }, angrySpec]
    },
    code: () =>
      Pipeline.sequence("anew", [
        spam(),
        Primitive.reset("anew again", { note: message, system: "Be brief." }),
        angry()
      ])
  },
  sequence: {
    spec: { type: "sequence", name: "all", steps: [attempt, attempt], overwrite: true },
    code: () => Pipeline.sequence("all", [spam(), spam()], { overwrite: true })
  },
  named: { spec: { type: "named", name: "other", step: attempt }, code: () => Step.named(spam(), "other") },
  filter: {
    spec: { type: "filter", name: "some", when: { reader: "no" }, step: attempt, otherwise: angrySpec },
    code: () => Pipeline.filter("some", { when: readers.no, step: spam(), otherwise: angry() })
  },
  switch: {
    spec: {
      type: "switch",
      name: "by",
      on: { reader: "label" },
      branches: { a: attempt, b: angrySpec },
      default: "pass"
    },
    code: () => Pipeline.switch("by", { on: readers.label, branches: { a: spam(), b: angry() }, default: "pass" })
  },
  gate: {
    spec: { type: "gate", name: "door", check: { reader: "pass" }, step: attempt, reason: "It is late." },
    code: () => Pipeline.gate("door", { check: readers.pass, step: spam(), reason: "It is late." })
  },
  fallback: {
    spec: {
      type: "fallback",
      name: "cascade",
      alternatives: [use("broken"), attempt, angrySpec],
      accept: { reader: "no" },
      while: { function: "always" }
    },
    code: () => Pipeline.fallback("cascade", [broken, spam(), angry()], { accept: readers.no, while: functions.always })
  },
  concurrent: {
    spec: {
      type: "concurrent",
      name: "fan",
      branches: { a: attempt, b: angrySpec, c: use("broken") },
      conflicts: "namespace",
      minSuccesses: 2,
      report: "ended",
      concurrency: 1
    },
    code: () =>
      Pipeline.concurrent(
        "fan",
        { a: spam(), b: angry(), c: broken },
        { conflicts: "namespace", minSuccesses: 2, report: "ended", concurrency: 1 }
      )
  },
  race: {
    spec: { type: "race", name: "first", branches: [use("broken"), attempt], concurrency: 1 },
    code: () => Pipeline.race("first", [broken, spam()], { concurrency: 1 })
  },
  contest: {
    spec: { type: "contest", name: "best", branches: { a: attempt, b: angrySpec }, accept: { reader: "yes" } },
    code: () =>
      Pipeline.contest("best", { a: spam(), b: angry() }, { accept: readers.yes as Note.Reader<any, boolean> })
  },
  retry: {
    spec: { type: "retry", name: "again", step: attempt, times: 1, while: { function: "never" } },
    code: () => Step.retry(spam(), { times: 1, while: functions.never, name: "again" })
  },
  backoff: {
    spec: {
      type: "backoff",
      name: "later",
      step: attempt,
      times: 1,
      base: "1 second",
      factor: 3,
      cap: "1 minute",
      jitter: false
    },
    code: () =>
      Step.backoff(spam(), { times: 1, base: "1 second", factor: 3, cap: "1 minute", jitter: false, name: "later" })
  },
  timeout: {
    spec: { type: "timeout", name: "soon", step: attempt, duration: "90 seconds" },
    code: () => Step.timeout(spam(), "90 seconds", { name: "soon" })
  },
  handle: {
    spec: { type: "handle", name: "tell", step: attempt, handler: { function: "observe" } },
    code: () => Step.handle(spam(), functions.observe, { name: "tell" })
  },
  recover: {
    spec: { type: "recover", name: "mend", step: use("broken"), with: attempt, when: { function: "always" } },
    code: () => Step.recover(broken, spam(), { when: functions.always, name: "mend" })
  },
  enrich: {
    spec: { type: "enrich", name: "perhaps", step: use("broken"), report: "why" },
    code: () => Step.enrich(broken, { report: "why", name: "perhaps" })
  },
  tap: {
    spec: { type: "tap", name: "look", run: { reader: "words" } },
    code: () => Pipeline.tap("look", readers.words)
  },
  once: {
    spec: { type: "once", name: "mail", run: { function: "log" } },
    code: () => Step.once("mail", functions.log)
  },
  approve: {
    spec: { type: "approve", key: "ok", prompt: { reader: "words" }, timeout: "2 days" },
    code: () => Primitive.approve("ok", { prompt: readers.words, timeout: "2 days" })
  },
  waitFor: {
    spec: { type: "waitFor", key: "who", schema: "Ticket", prompt: "Who is it?", timeout: "1 hour", trust: "trusted" },
    code: () => Pipeline.waitFor("who", { schema: Ticket, prompt: "Who is it?", timeout: "1 hour", trust: "trusted" })
  },
  mutate: {
    spec: {
      type: "sequence",
      name: "change",
      steps: [
        ticketSpec,
        { type: "mutate", name: "redact", note: "ticket", update: { function: "redact" }, when: { reader: "yes" } }
      ]
    },
    code: () => {
      const note = ticket()
      return Pipeline.sequence("change", [
        note,
        Pipeline.mutate("redact", { note, update: functions.redact, when: readers.yes })
      ])
    }
  },
  scaffold: {
    spec: { type: "scaffold", name: "behind", step: attempt },
    code: () => Pipeline.scaffold("behind", { step: spam() })
  },
  rateLimit: {
    spec: { type: "rateLimit", name: "slow", step: attempt, limit: 5, per: "1 second", burst: 2, onExceeded: "fail" },
    code: () => Step.rateLimit(spam(), { limit: 5, per: "1 second", burst: 2, onExceeded: "fail", name: "slow" })
  },
  circuitBreaker: {
    spec: {
      type: "circuitBreaker",
      name: "fuse",
      step: attempt,
      failures: 2,
      reset: "10 seconds",
      successes: 2,
      counts: { function: "always" }
    },
    code: () =>
      Step.circuitBreaker(spam(), {
        failures: 2,
        reset: "10 seconds",
        successes: 2,
        counts: functions.always,
        name: "fuse"
      })
  },
  workerLimit: {
    spec: { type: "workerLimit", name: "few", step: attempt, workers: 2 },
    code: () => Step.workerLimit(spam(), { workers: 2, name: "few" })
  },
  budget: {
    spec: {
      type: "budget",
      name: "cheap",
      step: attempt,
      calls: 3,
      tokens: 50_000,
      time: "1 minute",
      onShort: "fail"
    },
    code: () => Step.budget(spam(), { calls: 3, tokens: 50_000, time: "1 minute", onShort: "fail", name: "cheap" })
  },
  introspect: {
    spec: { type: "introspect", prompt: "Why?", onFailure: "skip", step: attempt },
    code: () => Pipeline.introspect(spam(), { prompt: "Why?", onFailure: "skip" })
  },
  compact: {
    spec: {
      type: "compact",
      turns: 2,
      keep: 0,
      summaryKey: "so far",
      step: { type: "sequence", name: "two", steps: [attempt, ticketSpec, angrySpec] }
    },
    code: () =>
      Pipeline.compact(Pipeline.sequence("two", [spam(), ticket(), angry()]), {
        turns: 2,
        keep: 0,
        summaryKey: "so far"
      })
  }
}

/** What a run has left, without ids and times. */
export const traceOf = (thought: Thought.Thought<any>, notes: ReadonlyArray<Note.Note>) => ({
  notes: notes.map(({ content, key, source, step, trust }) => ({
    key,
    content: content.replaceAll(/[0-9a-f]{8}-[0-9a-f-]{27}/g, "id"),
    source,
    step,
    trust
  })),
  session: Session.entries(thought.session).map(({ kind, role }) => ({ kind, role }))
})
