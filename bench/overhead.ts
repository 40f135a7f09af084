/**
 * What cogito costs besides the model: the time to import it, and the CPU time that a step adds to a model call.
 *
 * Everything is measured in one run and printed as a ratio to a base measured beside it, since a machine's own speed
 * varies more than the code's. Run it with `npm run bench`. With `-- --guard` only steps are measured, and the run fails
 * if one costs more than its limit.
 */
import { execFileSync } from "node:child_process"
import { Effect, Layer, Schema } from "effect"
import { Memory, Pipeline, Primitive, Provider, Step, Thought } from "cogito"
import { Testing } from "cogito/testing"

const guarding = process.argv.includes("--guard")

/** The value below which this part of all values is. */
const quantile = (values: ReadonlyArray<number>, part: number): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length * part)]!

const median = (values: ReadonlyArray<number>): number => quantile(values, 0.5)

const line = (what: string, value: number, unit: string, base: number, baseName: string, limit = ""): void => {
  process.stdout.write(
    `${what.padEnd(44)} ${value.toFixed(2).padStart(8)} ${unit}   ${(value / base).toFixed(2)} x ${baseName}${limit}\n`
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

const measureImports = (): void => {
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
}

// ---------------------------------------------------------------------------------------------------------- steps

const steps = 50
const rounds = 30
const warmUp = 10
const long = 1000

const reply = { decision: true, confidence: 0.9, reasoning: ["because"] }
const text = JSON.stringify(reply)
const model = Provider.make({
  name: "stub",
  model: "stub",
  capabilities: { structuredOutput: "json-schema" },
  complete: () => Effect.succeed({ text, usage: { inputTokens: 10, outputTokens: 10 } })
})
const Reply = Schema.Struct({
  decision: Schema.Boolean,
  confidence: Schema.Finite,
  reasoning: Schema.Array(Schema.String)
})
const decode = Schema.decodeUnknownEffect(Schema.fromJsonString(Reply))

/** The same calls by hand: ask the provider, parse and decode what it says. */
const byHand = Effect.gen(function* () {
  for (let i = 0; i < steps; i++) {
    const response = yield* model.complete({
      messages: [{ role: "user", text: "Is it so?" }],
      task: { kind: "hand", instruction: "Is it so?", questions: [], context: [] },
      phase: "reason",
      sampling: { temperature: 0 }
    })
    yield* decode(response.text)
  }
})

/** Decisions that see the last five turns, so that requests are of one length however long the thought is. */
const decisionsOf = (name: string, count: number) =>
  Pipeline.sequence(
    name,
    Array.from({ length: count }, (_, i) =>
      Primitive.decide(`${name}${i}`, { question: "Is it so?", view: { recent: 5 } })
    )
  ) as Step.Any as Step.Step<{}, {}>
const decisions = decisionsOf("d", steps)
const computed = Pipeline.sequence(
  "computed",
  Array.from({ length: steps }, (_, i) => Step.make(`c${i}`, { schema: Schema.Finite, run: () => i }))
) as Step.Any as Step.Step<{}, {}>

/** A memory that keeps nothing, to see the steps alone. */
const forgetful = Layer.effect(
  Memory.Memory,
  Effect.map(Memory.Memory, (memory) => ({
    ...memory,
    commit: <N>(thought: Thought.Thought<N>) => Effect.succeed(thought)
  }))
).pipe(Layer.provide(Testing.memory))

const fresh = Thought.make("bench", { message: "text" })
const runFresh = (step: Step.Step<{}, {}>) => Effect.flatMap(fresh, (thought) => Pipeline.run(step, thought))

/** Runs a round, with what it leaves to the background, and returns the microseconds of CPU a step. */
const timed = <A, E>(round: Effect.Effect<A, E, Provider.Provider | Memory.Memory>) =>
  Effect.gen(function* () {
    const before = process.cpuUsage()
    yield* round
    yield* Memory.flush
    const { system, user } = process.cpuUsage(before)
    return (system + user) / steps
  })

const bare = "a call by hand (provider, parse, decode)"

/** How many times a call by hand a step may cost with --guard: about twice of what it does. */
const limits: Readonly<Record<string, number>> = {
  [bare]: 1,
  "Step.make, nothing stored": 26,
  "Primitive.decide, nothing stored": 70,
  "Primitive.decide, memory in process": 120,
  [`the same after ${long} steps`]: 120
}

const measureSteps = Effect.gen(function* () {
  const provider = Layer.succeed(Provider.Provider, model)
  const keeping = yield* Layer.build(Layer.merge(provider, Testing.memory))
  const forgetting = yield* Layer.build(Layer.merge(provider, forgetful))

  const first = yield* Effect.provide(runFresh(decisionsOf("first", long)), keeping)
  let thought: Thought.Thought = first
  let next = decisions
  const subjects = [
    Effect.provide(timed(byHand), forgetting),
    Effect.provide(timed(runFresh(computed)), forgetting),
    Effect.provide(timed(runFresh(decisions)), forgetting),
    Effect.provide(timed(runFresh(decisions)), keeping),
    Effect.provide(
      timed(
        Effect.map(
          Effect.suspend(() => Pipeline.run(next, thought)),
          (done) => (thought = done)
        )
      ),
      keeping
    )
  ]
  const times: ReadonlyArray<Array<number>> = subjects.map(() => [])
  for (let round = 0; round < rounds; round++) {
    // steps are built before the clock runs
    next = decisionsOf(`r${round}_`, steps)
    for (const [i, subject] of subjects.entries()) {
      const time = yield* subject
      if (round >= warmUp) times[i]?.push(time)
    }
  }
  // every second round of the same subject may pay for a collection of everything that is kept, so the median would be either
  return Object.entries(limits).map(([name, limit], i) => ({ name, limit, time: quantile(times[i] ?? [], 0.25) }))
})

if (!guarding) measureImports()
const measured = await Effect.runPromise(Effect.scoped(Effect.withTracerEnabled(measureSteps, false)))
const base = measured[0]?.time ?? 1
for (const { limit, name, time } of measured) {
  const isBase = name === bare
  line(name, time, "us", base, isBase ? "itself" : "by hand", guarding && !isBase ? `, at most ${limit} x` : "")
}
if (guarding && measured.some(({ limit, time }) => time > limit * base)) {
  process.stderr.write("A step costs more than its limit: profile it, or say in the limits why it has to.\n")
  process.exitCode = 1
}
