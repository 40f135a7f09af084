/**
 * What cogito costs besides the model: the time to import it, and the time a step adds to a model call.
 *
 * Everything is measured in one run and printed as a ratio to a base measured beside it, since a machine's own speed
 * varies more than the code's. Run it with `npm run bench`.
 */
import { execFileSync } from "node:child_process"
import { Effect, Layer, Schema } from "effect"
import { Memory, Pipeline, Primitive, Provider, Step, Thought } from "cogito"
import { Testing } from "cogito/testing"

const rounds = 15

const median = (values: ReadonlyArray<number>): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]!

const line = (what: string, value: number, unit: string, base: number, baseName: string): void => {
  process.stdout.write(
    `${what.padEnd(44)} ${value.toFixed(2).padStart(8)} ${unit}   ${(value / base).toFixed(2)} x ${baseName}\n`
  )
}

// ---------------------------------------------------------------------------------------------------- cold import

/** Milliseconds that a new process takes to import a module, its own start not counted. */
const importTime = (specifier: string): number => {
  const program =
    `const t = performance.now(); await import(${JSON.stringify(specifier)}); ` +
    `process.stdout.write(String(performance.now() - t))`
  const args = ["--conditions=cogito-source", "--input-type=module", "-e", program]
  return Number(execFileSync(process.execPath, args, { encoding: "utf8" }))
}

const imports = { cogito: [] as Array<number>, effect: [] as Array<number>, schema: [] as Array<number> }
for (let round = 0; round < 7; round++) {
  imports.effect.push(importTime("effect"))
  imports.schema.push(importTime("effect/Schema"))
  imports.cogito.push(importTime("cogito"))
}
const effectImport = median(imports.effect)
line("import effect", effectImport, "ms", effectImport, "itself")
line("import effect/Schema", median(imports.schema), "ms", effectImport, "effect")
line("import cogito (from source)", median(imports.cogito), "ms", effectImport, "effect")

// ---------------------------------------------------------------------------------------------------------- steps

const steps = 50
const reply = { decision: true, confidence: 0.9, reasoning: ["because"] }
const model = Testing.scripted(() => reply)
const Reply = Schema.Struct({
  decision: Schema.Boolean,
  confidence: Schema.Finite,
  reasoning: Schema.Array(Schema.String)
})
const decode = Schema.decodeUnknownEffect(Schema.fromJsonString(Reply))

/** The same calls by hand: ask the provider, parse and decode what it says. */
const byHand = Effect.gen(function* () {
  const provider = yield* Provider.Provider
  for (let i = 0; i < steps; i++) {
    const response = yield* provider.complete({
      messages: [{ role: "user", text: "Is it so?" }],
      task: { kind: "hand", instruction: "Is it so?", questions: [], context: [] },
      phase: "reason",
      sampling: { temperature: 0 }
    })
    yield* decode(response.text)
  }
})

const decisions = Pipeline.sequence(
  "decisions",
  Array.from({ length: steps }, (_, i) => Primitive.decide(`d${i}`, { question: "Is it so?" }))
)
const computed = Pipeline.sequence(
  "computed",
  Array.from({ length: steps }, (_, i) => Step.make(`c${i}`, { schema: Schema.Finite, run: () => i }))
)
const runOf = (step: Step.Any) =>
  Effect.flatMap(Thought.make("bench", { message: "text" }), (thought) =>
    Pipeline.run(step as Step.Step<{}, {}>, thought)
  )

/** A memory that keeps nothing, to see the steps alone. */
const forgetful = Layer.effect(
  Memory.Memory,
  Effect.map(Memory.Memory, (memory) => ({
    ...memory,
    commit: <N>(thought: Thought.Thought<N>) => Effect.succeed(thought)
  }))
).pipe(Layer.provide(Testing.memory))

/** Microseconds a step, the median of several rounds. */
const microseconds = <A, E>(
  effect: Effect.Effect<A, E, Provider.Provider | Memory.Memory>,
  memory: Layer.Layer<Memory.Memory, Memory.MemoryError>
) =>
  Effect.gen(function* () {
    const times: Array<number> = []
    for (let round = 0; round < rounds; round++) {
      const start = performance.now()
      yield* effect
      times.push(((performance.now() - start) * 1000) / steps)
    }
    return median(times.slice(3))
  }).pipe(Effect.provide(Layer.merge(model.layer, memory)))

const hand = await Effect.runPromise(microseconds(byHand, Testing.memory))
line("a call by hand (provider, parse, decode)", hand, "us", hand, "itself")
line(
  "Step.make, nothing stored",
  await Effect.runPromise(microseconds(runOf(computed), forgetful)),
  "us",
  hand,
  "by hand"
)
line(
  "Primitive.decide, nothing stored",
  await Effect.runPromise(microseconds(runOf(decisions), forgetful)),
  "us",
  hand,
  "by hand"
)
line(
  "Primitive.decide, memory in process",
  await Effect.runPromise(microseconds(runOf(decisions), Testing.memory)),
  "us",
  hand,
  "by hand"
)
