import { it } from "@effect/vitest"
import { Effect } from "effect"
import { Spec } from "cogito/spec"
import { transcribe } from "../transcript.ts"
import { registry } from "./types.ts"

const a = { type: "decide", key: "a", question: "Is it a?" }
const b = { type: "decide", key: "b", question: "Is it b?" }
const doc = (step: unknown, more: object = {}) => ({ cogito: 1, name: "n", step, ...more })
const sequence = (...steps: ReadonlyArray<unknown>) => ({ type: "sequence", name: "all", steps })

/** Problems of documents, or that there are none. */
const problems = (documents: ReadonlyArray<unknown>, known: Spec.Registry<any, any> = registry) =>
  Effect.forEach(documents, (document) =>
    Spec.decode(known, document).pipe(
      Effect.flip,
      Effect.map((error) => error.problems.map(({ message, path }) => `${path}: ${message}`)),
      Effect.orElseSucceed(() => "no problem")
    )
  )
const steps = (...all: ReadonlyArray<unknown>) => problems(all.map((step) => doc(step)))

it.effect("what is wrong with documents, where, and what to do", () =>
  transcribe("problems", {
    "Values that are no document": problems([null, undefined, 3, "", "text", [], {}, [a], () => 1, new Date(0)]),
    "As many steps as there may be, and one more": problems(
      [[], [a]].map((more) =>
        doc(sequence(...Array.from({ length: 99 }, () => ({ use: "many" })), ...more), {
          definitions: { many: sequence(...Array.from({ length: 100 }, (_, i) => ({ ...a, key: `a${i}` }))) }
        })
      )
    ),
    "The document's own fields": problems([
      { cogito: 2, name: "", step: a },
      { cogito: "1", name: 3, step: a, $schema: 4 },
      { cogito: 1, name: " ", step: a, definitons: {}, description: "x" },
      doc(undefined),
      doc(a, { definitions: [] }),
      doc(a, { definitions: null }),
      doc(a, { definitions: { ping: b, "a b": { type: "x" }, c: 3, empty: {} } })
    ]),
    "Values that JSON has not": problems([
      doc({ ...a, repairs: Number.NaN }),
      doc({ ...a, repairs: Infinity }),
      doc({ ...a, question: () => "x" }),
      doc({ ...a, question: Symbol("x"), when: new Map() }),
      doc({ ...a, sampling: undefined }),
      JSON.parse('{"cogito":1,"name":"n","step":{"__proto__":{}}}')
    ]),
    "Steps that are none": steps(
      3,
      null,
      [],
      "decide",
      {},
      { type: 3 },
      { type: "decid" },
      { type: "unlike anything" },
      { type: null },
      { kind: "decide" }
    ),
    "Steps that are used": steps(
      { use: "png" },
      { use: "" },
      { use: 3 },
      { use: "unlike" },
      { use: "ping", name: "x", uses: 1 },
      { use: null }
    ),
    "Options that there are not, and that are missing": steps(
      { type: "decide" },
      { ...a, qestion: "?", maxTokens: 3, unlike: 1 },
      { type: "sequence", name: "s", step: a },
      { type: "analyze", key: "", prompt: " ", schema: "Tiket" },
      { type: "race" },
      { type: "budget", name: "x" }
    ),
    "Texts, names and readers": steps(
      { ...a, key: 3 },
      { ...a, key: " " },
      { ...a, question: "" },
      { ...a, question: 7 },
      { ...a, question: { reader: "wrds" } },
      { ...a, question: { reader: "" } },
      { ...a, question: { readr: "words" } },
      { ...a, question: { reader: "words", more: 1 } },
      { ...a, question: ["x"] },
      { ...a, provider: "othr" },
      { ...a, provider: 3 },
      { type: "tap", name: "t", run: { function: "logg" } },
      { type: "tap", name: "t", run: "log" },
      { type: "once", name: "t", run: { reader: "words" } },
      { type: "filter", name: "f", when: true, step: a },
      { type: "switch", name: "s", on: "label", branches: {} },
      { type: "gate", name: "g", check: { reader: "nobody" } }
    ),
    "Numbers, flags and choices": steps(
      { ...a, repairs: -1 },
      { ...a, repairs: 1.5 },
      { ...a, repairs: "2" },
      { ...a, via: "nativ" },
      { ...a, parsing: 3 },
      { ...a, reasons: "yes" },
      { ...a, compact: 0 },
      { ...a, view: "all" },
      { ...a, view: { recent: -1 } },
      { ...a, view: { last: 1 } },
      { ...a, view: { recent: 1, summaryAndRecent: 2 } },
      { ...a, introspect: { promt: "x" } },
      { ...a, introspect: { onFailure: "ignore", summaryKey: "" } },
      { ...a, sampling: { temperature: -0.1, maxTokens: 0, seed: 1.5, stop: "END", effort: "" } },
      { ...a, sampling: 3 },
      { ...a, sampling: { temperature: 0.5, temprature: 0.5, topp: 1 } },
      { ...a, introspect: { summaryKey: "s", sumaryKey: "s" }, view: { recent: 1, recnt: 2 } },
      { type: "compact", step: a, turns: 4, turn: 4 },
      { type: "compress", key: "c", threshold: { turns: 2, token: 3 } },
      { type: "discern", key: "d", question: "q", routes: { a: { when: "w", stp: a }, b: { whn: "w" } } },
      { type: "retry", name: "r", step: a, times: -1 },
      { type: "backoff", name: "r", step: a, factor: 0.5, jitter: "no" },
      { type: "race", name: "r", branches: [], concurrency: 0 },
      { type: "race", name: "r", branches: [a], concurrency: "all" },
      { type: "concurrent", name: "c", branches: 3, conflicts: "first", minSuccesses: 0 },
      { type: "rateLimit", name: "r", step: a, limit: -1, per: "1 second", burst: 0.5, onExceeded: "drop" },
      { type: "rateLimit", name: "r", step: a, limit: 0, per: "0 seconds", burst: 0 },
      { type: "rateLimit", name: "r", step: a, limit: 0.001, per: "0.5 nanos", burst: 1 },
      { type: "timeout", name: "r", step: a, duration: "0.4 nanos" },
      { type: "circuitBreaker", name: "c", step: a, failures: 0, successes: 0 },
      { type: "workerLimit", name: "w", step: a, workers: 0 },
      { type: "budget", name: "b", step: a, calls: -1, tokens: 1.5, usd: -0.01, onShort: "x" },
      { type: "compact", step: a, turns: 1, tokens: 0, keep: -1 },
      { type: "amplify", key: "x", source: "message", refine: "r", criteria: "c", rounds: -1 },
      { type: "truncate", name: "t", first: -1, last: 0.5, threshold: -1, release: 1 },
      { type: "compress", key: "c", threshold: { turns: 0, tokens: 0 } },
      {
        type: "seek",
        key: "s",
        query: "q",
        limit: 0,
        minSimilarity: 1.01,
        trust: "some",
        metadata: { a: 1 },
        keys: [""],
        since: "2026-01-02"
      },
      {
        type: "discern",
        key: "d",
        question: "q",
        routes: { a: 3, b: { when: "" }, c: { step: a } },
        minConfidence: -0.1
      },
      { type: "categorize", key: "c", question: "q", categories: [] },
      { type: "categorize", key: "c", question: "q", categories: { a: 1 } },
      { type: "prioritize", key: "p", criteria: "c", items: [] },
      { type: "prioritize", key: "p", criteria: "c", items: { note: 3 } },
      { type: "recall", key: "r", thought: { trace: "x" } },
      { type: "restore", name: "r", from: {}, session: "new" },
      { ...a, question: {}, view: {}, introspect: {} },
      { type: "recall", key: "r", thought: {}, prompt: {} },
      { type: "prioritize", key: "p", criteria: {}, items: {} },
      { type: "tap", name: "t", run: {} },
      { type: "gate", name: "g", check: {}, reason: 3 },
      { type: "fallback", name: "f", alternatives: [] },
      { type: "sequence", name: "s", steps: a, overwrite: "yes" }
    ),
    "Durations and moments": steps(
      ...[
        "1 second",
        "0 seconds",
        "-1 second",
        "1second",
        "1 fortnight",
        "1.5 days",
        "1e3 millis",
        5,
        "0.000 hours",
        "Infinity"
      ].map((duration) => ({ type: "timeout", name: "t", step: a, duration })),
      ...["2026-01-02T03:04Z", "2026-13-02T03:04:05Z", "2026-01-02T03:04:05", "now", 4].map((since) => ({
        type: "seek",
        key: "s",
        query: "q",
        since
      }))
    ),
    "Problems deep inside, with names that are no words": steps(
      sequence(a, {
        type: "switch",
        name: "s",
        on: { reader: "label" },
        branches: {
          "to the left": sequence({ ...b, via: 1 }),
          'a"b': { use: "no" },
          plain: 3,
          "billing.eu": sequence({ ...b, via: 2 }),
          "left-hand": 4,
          "2nd": 5,
          größer: 6
        }
      }),
      {
        type: "discern",
        key: "d",
        question: "q",
        routes: { x: { when: "w", step: { type: "named", name: "y", step: {} } } },
        default: { typ: "x" }
      }
    ),
    Circles: problems([
      doc({ use: "x" }, { definitions: { x: { use: "y" }, y: sequence({ use: "z" }, { use: "x" }), z: { use: "z" } } }),
      doc({ use: "x" }, { definitions: { x: sequence({ use: "y" }, { use: "y" }), y: a } })
    ]),
    "A scaffold without a background": problems([doc({ type: "scaffold", name: "s", step: a })], Spec.registry()),
    "Nothing is registered": problems(
      [
        doc({ use: "ping" }),
        doc({ ...a, question: { reader: "words" }, provider: "p" }),
        doc({ type: "analyze", key: "k", prompt: "p", schema: "S" }),
        doc({ type: "once", name: "o", run: { function: "f" } })
      ],
      Spec.registry()
    )
  })
)
