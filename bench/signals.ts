/**
 * What signals and spans cost: the CPU time of a step without listeners, with listeners, with a stream, and with tracers.
 *
 * All subjects take turns within each round, and each is compared with the base of the same round. What is printed is the
 * median of these ratios. Run it with `npm run bench:signals`.
 */
import { Effect, Layer, Schema, Stream, Tracer } from "effect"
import { Memory, Pipeline, Primitive, Provider, Signal, Step, Thought } from "cogito"
import { Testing } from "cogito/testing"
import { emit } from "../src/run/run.ts"

const steps = 50
/** Runs one after the other under the same listeners, so that adding these does not count. */
const runs = 4
const rounds = 40
const warmUp = 10

const median = (values: ReadonlyArray<number>): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN

const model = Provider.make({
  name: "stub",
  model: "stub",
  capabilities: { structuredOutput: "json-schema" },
  complete: () =>
    Effect.succeed({
      text: JSON.stringify({ decision: true, confidence: 0.9, reasoning: ["because"] }),
      usage: { inputTokens: 10, outputTokens: 10 }
    })
})

const computed = Pipeline.sequence(
  "computed",
  Array.from({ length: steps }, (_, i) => Step.make(`c${i}`, { schema: Schema.Finite, run: () => i }))
) as Step.Any as Step.Step<{}, {}>
const decisions = Pipeline.sequence(
  "decisions",
  Array.from({ length: steps }, (_, i) => Primitive.decide(`d${i}`, { question: "Is it so?", view: { recent: 5 } }))
) as Step.Any as Step.Step<{}, {}>

type Program = Effect.Effect<unknown, unknown, Memory.Memory | Provider.Provider>

const fresh = Thought.make("bench", { message: "text" })
const runOf = (step: Step.Step<{}, {}>): Program =>
  Effect.gen(function* () {
    for (let i = 0; i < runs; i++) yield* Pipeline.run(step, yield* fresh)
  })

let heard = 0
const hear = (): void => {
  heard++
}
const elsewhere = (program: Program): Program =>
  Array.from({ length: 100 }).reduce<Program>((self) => Signal.on("BudgetCrossed", hear)(self), program)

/** A tracer that keeps the spans of one run, as an exporter does until it sends them. */
const keeping = (program: Program): Program =>
  Effect.suspend(() => {
    const spans: Array<Tracer.Span> = []
    const tracer = Tracer.make({
      span: (options) => {
        const span = new Tracer.NativeSpan(options)
        spans.push(span)
        return span
      }
    })
    return Effect.withTracer(program, tracer)
  })

const subjects: ReadonlyArray<readonly [name: string, change: (program: Program) => Program]> = [
  ["no listener, no tracer", (program) => program],
  ["the same again", (program) => program],
  ["100 on of another tag", elsewhere],
  ["one on", Signal.on("StepCompleted", hear)],
  ["one listener", Signal.listen(hear)],
  ["one stream, dropOldest", (program) => Stream.runDrain(Signal.stream(program, { whenFull: "dropOldest" }))],
  ["one stream, wait", (program) => Stream.runDrain(Signal.stream(program))],
  ["tracing turned off", Effect.withTracerEnabled(false)],
  ["Effect's own tracer, set explicitly", Effect.withTracer(Tracer.nativeTracer)],
  ["a tracer that keeps spans", keeping]
]

const timed = (program: Program) =>
  Effect.gen(function* () {
    const before = process.cpuUsage()
    yield* program
    yield* Memory.flush
    const { system, user } = process.cpuUsage(before)
    return (system + user) / (runs * steps)
  })

const measure = (step: Step.Step<{}, {}>) =>
  Effect.gen(function* () {
    const times: ReadonlyArray<Array<number>> = subjects.map(() => [])
    for (let round = 0; round < rounds; round++) {
      // each round begins with another subject, so that none always pays for the garbage of the same neighbour
      for (let turn = 0; turn < subjects.length; turn++) {
        const index = (round + turn) % subjects.length
        const time = yield* timed(subjects[index]?.[1](runOf(step)) ?? Effect.void)
        if (round >= warmUp) times[index]?.push(time)
      }
    }
    return times
  })

/** Microseconds for an `emit` that has no listener. */
const silentEmit = Effect.gen(function* () {
  const count = 200_000
  const once = (effect: Effect.Effect<void>) =>
    Effect.gen(function* () {
      const before = process.cpuUsage()
      for (let i = 0; i < count; i++) yield* effect
      const { system, user } = process.cpuUsage(before)
      return (system + user) / count
    })
  const costs: Array<number> = []
  for (let round = 0; round < 11; round++) {
    const nothing = yield* once(Effect.suspend(() => Effect.void))
    costs.push((yield* once(emit(undefined, { _tag: "NotesPublished", published: 1, unpublished: 0 }))) - nothing)
  }
  return median(costs)
})

const program = Effect.gen(function* () {
  const each = yield* silentEmit
  process.stdout.write(`emit without a listener: ${(each * 1000).toFixed(0)} ns more than an empty effect\n`)
  for (const [name, step] of [
    ["Step.make, memory in process", computed],
    ["Primitive.decide, memory in process", decisions]
  ] as const) {
    heard = 0
    yield* Signal.listen(hear)(runOf(step))
    const perStep = heard / (runs * steps)
    const times = yield* measure(step)
    const base = times[0] ?? []
    const cost = median(base)
    const share = (100 * each * perStep) / cost
    process.stdout.write(
      `\n${name}: ${cost.toFixed(1)} us a step, ${perStep.toFixed(1)} signals a step\n` +
        `  ${"signals without a listener".padEnd(36)} ${share.toFixed(2).padStart(6)} % of a step\n`
    )
    for (const [index, [subject]] of subjects.entries()) {
      const ratio = median((times[index] ?? []).map((time, round) => time / (base[round] ?? Number.NaN)))
      process.stdout.write(`  ${subject.padEnd(36)} ${ratio.toFixed(3).padStart(6)} x the first\n`)
    }
  }
}).pipe(Effect.provide(Layer.merge(Layer.succeed(Provider.Provider, model), Testing.memory)))

await Effect.runPromise(program)
