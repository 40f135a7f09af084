import { it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { Note, Pipeline, type Step } from "cogito"
import { Spec } from "cogito/spec"
import { transcribe } from "../transcript.ts"
import { full } from "./full.ts"
import { every, list, message, registry } from "./types.ts"

const b = { type: "decide", key: "b", question: "Is it b?" }
const thoughtId = Note.handle("thoughtId", Schema.String)

/** What a step says of itself. */
const nodeOf = ({ node: { children, ...node } }: Step.Any): object => ({
  ...node,
  children: children?.map((child) => child.name)
})

const built = (step: unknown) =>
  Effect.gen(function* () {
    const document = yield* Spec.decode(registry, { cogito: 1, name: "pipeline", step })
    const pipeline = yield* Spec.build(registry, document, { reads: [message, list, thoughtId] })
    const again = yield* Spec.decode(registry, JSON.stringify(document))
    return {
      document: JSON.stringify(document.step),
      encoded: JSON.stringify(Spec.encode(pipeline)) === JSON.stringify(document),
      again: JSON.stringify(again) === JSON.stringify(document),
      outline: Pipeline.outline(pipeline),
      fingerprint: yield* Pipeline.fingerprint(pipeline),
      node: nodeOf(pipeline)
    }
  }).pipe(Effect.catch((error) => Effect.succeed(error.problems)))

it.effect("documents of every type and option, and what is built of them", () =>
  transcribe("documents", {
    ...Object.fromEntries(Object.entries(every).map(([type, { spec }]) => [`The type ${type}`, built(spec)])),
    ...Object.fromEntries(Object.entries(full).map(([heading, step]) => [`The type ${heading}`, built(step)])),
    "Definitions in the order of their names, used several times and by each other": Effect.gen(function* () {
      const document = yield* Spec.decode(registry, {
        step: { type: "fallback", name: "f", alternatives: [{ use: "one" }, { use: "two" }, { use: "one" }] },
        definitions: { two: { ...b, repairs: 1 }, one: { type: "retry", name: "again", step: { use: "two" } } },
        name: "parts",
        $schema: "./schema.json",
        cogito: 1
      })
      const pipeline = yield* Spec.build(registry, document)
      return {
        document,
        outline: Pipeline.outline(pipeline),
        encoded: Spec.encode(pipeline),
        other: Spec.encode({ ...pipeline })
      }
    }),
    "Options with their defaults, which are left out": Effect.forEach(
      [
        { type: "assess", key: "a", question: "q", aspects: [] },
        { type: "assess", key: "a", question: "q", aspects: ["price"] },
        { type: "compact", step: b, enabled: true, turns: 20 },
        { type: "introspect", step: b, enabled: false },
        { ...b, reasons: false, via: "auto", compact: false, introspect: false },
        { type: "backoff", name: "n", step: b, jitter: true, factor: 2, base: "0.25 seconds" },
        { type: "seek", key: "s", query: "q", since: "2026-01-02T03:04:05+02:00", limit: 10, trust: "trusted" }
      ],
      (step) =>
        Effect.map(Spec.decode(registry, { cogito: 1, name: "n", step }), (document) => JSON.stringify(document.step))
    ),
    "A document of one registered step": Effect.gen(function* () {
      const document = yield* Spec.decode(registry, { cogito: 1, name: "only", step: { use: "ping" } })
      const pipeline = yield* Spec.build(registry, document)
      return {
        document,
        encoded: Spec.encode(pipeline),
        registered: Spec.encode(registry.steps.get("ping") as Step.Any) ?? "none"
      }
    }),
    "The JSON Schema of documents without a registry": Effect.sync(() =>
      JSON.stringify(Spec.jsonSchema(), undefined, 1)
    ),
    "The parts of the JSON Schema that a registry changes": Effect.sync(() => {
      const bare = JSON.stringify(Spec.jsonSchema(Spec.registry()), undefined, 1).split("\n")
      const own = JSON.stringify(Spec.jsonSchema(registry), undefined, 1).split("\n")
      return { lines: [bare.length, own.length], only: own.filter((line) => !bare.includes(line)) }
    }),
    "A registry": Effect.sync(() => ({
      ...registry,
      schemas: [...registry.schemas.keys()],
      steps: [...registry.steps.keys()],
      providers: [...registry.providers.keys()],
      handles: [...registry.handles.keys()],
      empty: Spec.registry(),
      background: [
        Spec.registry({ background: false }).background,
        Spec.registry({ handles: [Note.handle("x", Schema.Int)] }).handles.size
      ]
    }))
  })
)
