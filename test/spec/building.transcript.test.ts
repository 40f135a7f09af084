import { it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { Note, Primitive, Synapse } from "cogito"
import { Spec } from "cogito/spec"
import { transcribe } from "../transcript.ts"
import { list, message, registry } from "./types.ts"

const a = { type: "decide", key: "a", question: "Is it a?" }
const b = { type: "decide", key: "b", question: "Is it b?" }
const doc = (step: unknown, more: object = {}) => ({ cogito: 1, name: "n", step, ...more })
const sequence = (...steps: ReadonlyArray<unknown>) => ({ type: "sequence", name: "all", steps })

/** Problems of building, where the document itself is right. */
const building = (
  documents: ReadonlyArray<unknown>,
  options: Spec.BuildOptions = {},
  known: Spec.Registry<any, any> = registry
) =>
  Effect.forEach(documents, (document) =>
    Spec.decode(known, document).pipe(
      Effect.mapError(() => "not even read"),
      Effect.flatMap((read) =>
        Effect.match(Spec.build(known, read, options), {
          onFailure: ({ problems }) => problems.map(({ message, path }) => `${path}: ${message}`),
          onSuccess: () => "no problem"
        })
      ),
      Effect.catch(Effect.succeed)
    )
  )

const limited = { type: "workerLimit", name: "w", step: b, workers: 1 }
const number = Note.handle("number", Schema.Finite)
const writes = Primitive.analyze("size", { schema: Schema.Struct({ size: Schema.Int }), prompt: "How big?" })
const decided = [
  { ...b, key: "q" },
  { type: "named", name: "summary", step: { type: "reflect", key: "q" } }
]
const own = Spec.registry({
  steps: {
    sized: writes,
    reviewed: Primitive.analyze("seen", { schema: Schema.Int, prompt: "How big?", introspect: true })
  },
  schemas: { Text: Schema.String, Size: Schema.Int },
  handles: [number, message, list, Note.handle("a", Schema.String), Note.handle("seen_summary", Schema.String)]
})

it.effect("what is refused when a document is built", () =>
  transcribe("building", {
    "What parts refuse when they are made": building([
      doc(sequence(a, a)),
      doc(sequence(a, { ...b, key: "a\n" })),
      doc({ type: "concurrent", name: "c", branches: { x: a, y: a } }),
      doc({ type: "budget", name: "x", step: a }),
      doc({ type: "categorize", key: "c", question: "q", categories: ["x", "x"] }),
      doc({ type: "assess", key: "c", question: "q", aspects: ["x", "x"] }),
      doc({ type: "discern", key: "d", question: "q", routes: {} }),
      doc({ type: "discern", key: "d", question: "q", routes: { x: { when: "w" } } }),
      doc({ type: "discern", key: "d", question: "q", routes: { x: a }, minConfidence: 0.5 }),
      doc({ type: "switch", name: "s", on: { reader: "label" }, branches: {} }),
      doc({ type: "converge", key: "c", branches: {}, prompt: "p" }),
      doc({ type: "converge", key: "c", branches: { x: a }, prompt: "p", minSuccesses: 2 }),
      doc({ type: "race", name: "r", branches: {} }),
      doc({ type: "forget", name: "f", drop: ["x"], keep: ["y"] }),
      doc({ type: "forget", name: "f" }),
      doc({ type: "seek", key: "s", query: "q", since: "2026-01-02T00:00:00Z", until: "2026-01-02T00:00:00Z" }),
      doc({ type: "survey", key: "s", query: "q", since: "2026-01-03T00:00:00Z", until: "2026-01-02T00:00:00Z" }),
      doc({
        type: "rateLimit",
        name: "r",
        step: { type: "rateLimit", name: "x", step: a, limit: 0.5, per: "1 second" },
        limit: 1,
        per: "1 second"
      }),
      doc(
        sequence(
          { type: "workerLimit", name: "w", step: a, workers: 1 },
          { type: "workerLimit", name: "w", step: b, workers: 1 }
        )
      ),
      doc(
        sequence(
          { type: "rateLimit", name: "w", step: a, limit: 1, per: "1 second" },
          { type: "circuitBreaker", name: "w", step: b }
        )
      ),
      doc({ use: "x" }, { definitions: { x: sequence(b, b), unused: sequence(a, a) } }),
      doc({
        type: "concurrent",
        name: "c",
        branches: { x: { type: "workerLimit", name: "w", step: a, workers: 1 }, y: limited }
      }),
      doc({
        type: "discern",
        key: "d",
        question: "q",
        routes: { x: { when: "v", step: limited }, y: { when: "w", step: limited } },
        default: limited,
        minConfidence: 0.5
      }),
      doc({ type: "race", name: "r", branches: [limited, limited] }),
      doc({ type: "recover", name: "r", step: limited, with: limited })
    ]),
    "Notes that steps name": building(
      [
        doc({ type: "amplify", key: "x", source: "mesage", refine: "r", criteria: "c" }),
        doc({ type: "amplify", key: "x", source: "number", refine: "r", criteria: "c" }),
        doc({ type: "amplify", key: "x", source: "list", refine: "r", criteria: "c" }),
        doc({ type: "prioritize", key: "p", criteria: "c", items: { note: "message" } }),
        doc({ type: "prioritize", key: "p", criteria: "c", items: { note: "b\nb" } }),
        doc(sequence(b, { type: "reset", name: "r", note: "b" })),
        doc(sequence(b, { type: "amplify", key: "x", source: "b", refine: "r", criteria: "c" })),
        doc(sequence(a, { type: "reset", name: "r", note: "a" })),
        doc(sequence({ use: "sized" }, { type: "reset", name: "r", note: "size" })),
        doc(
          sequence(
            { type: "concurrent", name: "c", conflicts: "namespace", branches: { l: b, r: b } },
            { type: "reset", name: "r", note: "l.b" }
          )
        ),
        doc(
          sequence(
            { type: "concurrent", name: "c", conflicts: "namespace", branches: { l: b, r: b } },
            { type: "reset", name: "r", note: "b" }
          )
        ),
        doc(
          sequence(
            {
              type: "race",
              name: "c",
              branches: [
                { ...b, key: "q" },
                { type: "reflect", key: "q" }
              ]
            },
            { type: "reset", name: "r", note: "q" }
          )
        ),
        doc(sequence({ type: "enrich", name: "e", step: b, report: "why" }, { type: "reset", name: "r", note: "why" })),
        doc(sequence({ ...b, introspect: true }, { type: "reset", name: "r", note: "b_summary" })),
        doc(sequence({ use: "reviewed" }, { type: "reset", name: "r", note: "seen_summary" })),
        doc(sequence({ use: "reviewed" }, { type: "reset", name: "r", note: "seen" })),
        doc(
          sequence(
            { type: "waitFor", key: "given", schema: "Text", prompt: "p" },
            { type: "reset", name: "r", note: "given" },
            { type: "waitFor", key: "size", schema: "Size", prompt: "p" },
            { type: "reset", name: "s", note: "size" }
          )
        )
      ],
      { reads: [message, list, number] },
      own
    ),
    "What is declared as read and written": Effect.all([
      building([doc(a)], { writes: [Note.handle("a", Synapse.Decision)] }),
      building([doc(a)], { writes: [Note.handle("a", Schema.String)] }),
      building([doc(a)], { writes: [Note.handle("aa", Synapse.Decision)] }),
      building([doc({ type: "enrich", name: "e", step: a })], { writes: [Note.handle("a", Synapse.Decision)] }),
      building([doc(sequence(a, b))], { writes: [Note.handle("c", Schema.Int), Note.handle("b", Schema.Int)] }),
      building([doc({ ...a, question: { reader: "words" } })]),
      building([doc({ ...a, question: { reader: "words" } })], { reads: [message] }),
      building([doc({ ...a, question: { reader: "words" } })], { reads: [Note.handle("message", Schema.Int)] }),
      building([doc({ use: "ping" })], { writes: [Note.handle("ping", Schema.Finite)] }),
      building([doc({ use: "ping" })], { writes: [Note.handle("ping", Schema.String)] }),
      building(
        [decided, decided.toReversed()].map((branches) => doc({ type: "race", name: "r", branches })),
        {
          writes: [Note.handle("q", Synapse.Decision)]
        }
      ),
      ...[
        Schema.String,
        // @effect-diagnostics-next-line schemaNumber:off
        Schema.NumberFromString,
        Schema.NonEmptyString,
        Schema.Literal("a"),
        Schema.FiniteFromString
      ].map((schema) =>
        building([doc({ type: "reflect", key: "r" })], { writes: [Note.handle<string, unknown>("r", schema)] })
      ),
      ...[Schema.Literals(["x", "y"]), Schema.Literals(["y", "x"]), Schema.String].map((item) =>
        building(
          [["x", "y"], { note: "list" }].map((items) => doc({ type: "prioritize", key: "p", criteria: "c", items })),
          { reads: [list], writes: [Note.handle<string, unknown>("p", Synapse.Ranking(item))] }
        )
      ),
      ...["a", "b"].map((label) =>
        building([doc({ type: "categorize", key: "c", question: "q", categories: { a: "x", [label]: "y" } })], {
          writes: [Primitive.categorize("c", { question: "?", categories: { a: "", b: "" } })]
        })
      )
    ])
  })
)
