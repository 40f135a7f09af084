const sampling = { temperature: 0.5, effort: "high", maxTokens: 50, seed: -3, stop: ["END", "STOP"] }
const looking = {
  introspect: { prompt: "Why so?", onFailure: "skip", sampling: { temperature: 0.9 }, summaryKey: "why" },
  view: { summaryAndRecent: 4 }
}
const calling = { provider: "other", sampling }
const asking = { via: "native", reasons: true, repairs: 3, parsing: "lossy", compact: false, ...looking, ...calling }
const said = { via: "auto", reasons: false, repairs: 1, parsing: "lenient", view: "full", compact: true }
const a = { type: "decide", key: "a", question: "Is it a?" }
const b = { type: "decide", key: "b", question: "Is it b?" }
const search = {
  limit: 7,
  keys: ["key b", "key a"],
  sources: ["user"],
  excludeSources: ["seek"],
  taskId: "task 1",
  excludeThoughts: ["thought 2"],
  since: "2026-01-02T03:04:05+01:00",
  until: "2026-02-03T04:05Z",
  trust: "trusted",
  metadata: { colour: "red" },
  minSimilarity: 0.25,
  summarize: { prompt: "Sum up", summaryKey: "sum", ...calling }
}

/** Steps with every option at another value than the default, and with defaults that are said. */
export const full: Readonly<Record<string, unknown>> = {
  "decide with every option": { ...asking, question: { reader: "words" }, key: "a", type: "decide" },
  "decide with every default said": { type: "decide", key: "a", question: "Is it a?", ...said },
  "decide with other forms of looking": {
    ...a,
    introspect: true,
    view: { recent: 0 },
    repairs: 0,
    parsing: "strict",
    via: "text"
  },
  "analyze with every option": {
    type: "analyze",
    key: "t",
    schema: "Ticket",
    prompt: { reader: "words" },
    repairs: 2,
    parsing: "strict",
    compact: false,
    ...looking,
    ...calling
  },
  "categorize with every option": {
    type: "categorize",
    key: "c",
    question: "Which?",
    categories: ["z", "y"],
    ...asking
  },
  "assess with every option": { type: "assess", key: "m", question: "How?", aspects: ["taste", "price"], ...asking },
  "assess with every default said": { type: "assess", key: "m", question: "How?", aspects: [], ...said },
  "prioritize a list": { type: "prioritize", key: "o", criteria: "size", items: ["two", "one"], ...asking },
  "prioritize what a reader gives": {
    type: "prioritize",
    key: "o",
    criteria: { reader: "words" },
    items: { reader: "items" }
  },
  "sift with every option": { type: "sift", key: "s", question: "Go on?", step: b, ...asking },
  "discern with every option": {
    type: "discern",
    key: "d",
    question: "Where?",
    routes: { left: { when: "to the left", step: b }, right: { use: "ping" }, nowhere: { when: "else" } },
    default: a,
    minConfidence: 0.75,
    ...asking
  },
  "converge with a list of branches": {
    type: "converge",
    key: "v",
    prompt: { reader: "words" },
    branches: [a, b],
    ...calling
  },
  "converge with every default said": {
    type: "converge",
    key: "v",
    prompt: "Sum",
    branches: { a, b },
    minSuccesses: 1,
    concurrency: "unbounded"
  },
  "seek with every option": { type: "seek", key: "f", query: "words", ...search },
  "seek with every default said": { type: "seek", key: "f", query: "words", limit: 10, summarize: false },
  "survey with every option": { type: "survey", key: "f", query: { reader: "words" }, ...search, summarize: true },
  "survey with every default said": { type: "survey", key: "f", query: "words", limit: 5, summarize: false },
  "recall an id": { type: "recall", key: "r", thought: "thought 3", prompt: { reader: "words" }, ...calling },
  "recall a trace": { type: "recall", key: "r", thought: { traceId: "trace 4" } },
  "reflect with every option": { type: "reflect", key: "r", prompt: "What?", unpublishedOnly: true, ...calling },
  "amplify with every option": {
    type: "amplify",
    key: "x",
    source: "message",
    refine: { reader: "words" },
    criteria: { reader: "words" },
    rounds: 0,
    checkSampling: { seed: 4 },
    via: "text",
    reasons: true,
    repairs: 0,
    parsing: "strict",
    compact: false,
    ...calling
  },
  "compress with every option": {
    type: "compress",
    key: "z",
    threshold: { turns: 3, tokens: 400 },
    keep: 2,
    prompt: "Short",
    ...calling
  },
  "truncate with every option": { type: "truncate", name: "cut", first: 3, last: 4, threshold: 5, release: false },
  "truncate with every default said": {
    type: "truncate",
    name: "cut",
    first: 1,
    last: 10,
    threshold: 0,
    release: true
  },
  "reset with every option": { type: "reset", name: "new", system: "Be brief.", note: "message", release: false },
  "restore an id, a reader": {
    type: "sequence",
    name: "all",
    steps: [
      { type: "restore", name: "one", from: "thought 5", session: "keep" },
      { type: "restore", name: "two", from: { reader: "thoughtId" }, session: "fresh" }
    ]
  },
  "forget all but some": { type: "forget", name: "drop", keep: ["message", "list"] },
  "switch with a step by default": {
    type: "switch",
    name: "by",
    on: { reader: "label" },
    branches: { b, a },
    default: { use: "ping" }
  },
  "gate without a step": { type: "gate", name: "door", check: { reader: "pass" } },
  "concurrent with a list": { type: "concurrent", name: "fan", branches: [b, a], conflicts: "last", concurrency: 2 },
  "concurrent with every default said": {
    type: "concurrent",
    name: "fan",
    branches: { b, a },
    conflicts: "error",
    concurrency: "unbounded"
  },
  "contest with every option": {
    type: "contest",
    name: "best",
    branches: [a, b],
    accept: { reader: "no" },
    concurrency: 3
  },
  "retry with every default said": { type: "retry", name: "again", step: a, times: 2 },
  "backoff with every default said": {
    type: "backoff",
    name: "later",
    step: a,
    times: 4,
    base: "0.25 seconds",
    factor: 2,
    cap: "0.5 minutes",
    jitter: true
  },
  "backoff with a condition": {
    type: "backoff",
    name: "later",
    step: a,
    while: { function: "always" },
    base: "1500 millis"
  },
  "rateLimit with every default said": {
    type: "rateLimit",
    name: "slow",
    step: a,
    limit: 2.5,
    per: "7 days",
    onExceeded: "wait"
  },
  "circuitBreaker with every default said": {
    type: "circuitBreaker",
    name: "fuse",
    step: a,
    failures: 5,
    reset: "60 seconds",
    successes: 1
  },
  "budget with every option": {
    type: "budget",
    name: "cheap",
    step: a,
    calls: 0,
    tokens: 1,
    usd: 0.5,
    time: "90 minutes",
    onShort: "fail"
  },
  "budget with the default said": { type: "budget", name: "cheap", step: a, usd: 0, onShort: "wait" },
  "introspect switched off": { type: "introspect", step: a, enabled: false },
  "introspect with every option": {
    type: "introspect",
    step: a,
    enabled: true,
    prompt: "Why?",
    onFailure: "fail",
    sampling
  },
  "compact with every option": {
    type: "compact",
    step: a,
    turns: 3,
    tokens: 4000,
    keep: 2,
    summaryKey: "so far",
    prompt: "Sum",
    onFailure: "skip",
    ...calling
  },
  "compact with every default said, and switched off": {
    type: "compact",
    step: {
      type: "compact",
      step: a,
      enabled: true,
      turns: 20,
      tokens: 20_000,
      summaryKey: "conversation_summary",
      onFailure: "fail"
    },
    enabled: false
  },
  "tap with a function": { type: "tap", name: "look", run: { function: "observe" } },
  "enrich without a report": { type: "enrich", name: "perhaps", step: a },
  "durations in every unit": {
    type: "sequence",
    name: "units",
    steps: [
      "1 nano",
      "1000 nanos",
      "3 micros",
      "4 millis",
      "120 seconds",
      "60 minutes",
      "48 hours",
      "14 days",
      "1.5 weeks",
      "0.001 seconds"
    ].map((duration, i) => ({ type: "timeout", name: `unit ${i}`, duration, step: { ...a, key: `k${i}` } }))
  }
}
