// @effect-diagnostics runEffectInsideEffect:off -- what is measured is what an application calls
/**
 * Durable runs: what a run of 200 steps costs with `durable` beside the same without, in memory and in a folder, and how soon a
 * run that ended at step 150 goes on. `npm run bench:durable`.
 */
import { Deferred, Effect, Fiber, Layer, ManagedRuntime } from "effect"
import { Memory, Pipeline, Primitive, Provider, type Step, Thought } from "cogito"
import { PgliteMemory } from "cogito/pglite"
import { Testing } from "cogito/testing"
import { mkdtempSync, rmSync } from "node:fs"
import { loadavg, tmpdir } from "node:os"
import { join } from "node:path"
import { cost, median, type Pair, pair, print, show } from "./memory/compare.ts"

const steps = 200
const stop = 150
const rounds = 12
const resumed = 5
const folder = mkdtempSync(join(tmpdir(), "cogito-durable-"))

/** A model that answers at once, until it has made so many calls: then it answers no more. */
class Model {
  calls = 0
  most = Infinity
  readonly silent = Deferred.makeUnsafe<void>()
  onCall = (): void => {}
  readonly provider = Provider.make({
    name: "stub",
    model: "stub",
    capabilities: { structuredOutput: "json-schema" },
    complete: () =>
      Effect.suspend(() => {
        this.onCall()
        if (this.calls >= this.most) return Effect.andThen(Deferred.succeed(this.silent, undefined), Effect.never)
        this.calls += 1
        const text = JSON.stringify({ decision: true, confidence: 0.9, reasoning: ["because"] })
        return Effect.succeed({ text, usage: { inputTokens: 10, outputTokens: 10 } })
      })
  })
}

/** Decisions that see the last five turns, so that requests are of one length however long the thought is. */
const decisions = Pipeline.sequence(
  "decisions",
  Array.from({ length: steps }, (_, i) => Primitive.decide(`d${i}`, { question: "Is it so?", view: { recent: 5 } }))
) as Step.Any as Step.Step<{}, {}>

const fresh = Thought.make("bench", { message: "text" })

const inFolder = (name: string) => PgliteMemory.layer({ dataDir: join(folder, name), embedder: "none" })

const runtimeOf = (model: Model, memory: ReturnType<typeof inFolder>) =>
  ManagedRuntime.make(Layer.merge(Layer.succeed(Provider.Provider, model.provider), memory))

const compareRuns = async (where: string, memory: ReturnType<typeof inFolder>): Promise<void> => {
  const runtime = runtimeOf(new Model(), memory)
  const run = (durable: boolean) => () =>
    runtime.runPromise(
      Effect.andThen(
        Effect.flatMap(fresh, (thought) =>
          durable ? Pipeline.run(decisions, thought, { durable }) : Pipeline.run(decisions, thought)
        ),
        Memory.flush
      )
    )
  const pairs: Array<Pair> = []
  for (let round = 0; round < rounds; round++) pairs.push(await pair(round, run(true), run(false)))
  show(`${steps} steps ${where}, durable : not durable`, pairs, ["wall", "cpu"])
  await runtime.dispose()
}

/** Ends a run at a step, opens its folder again, and measures the time to the first new call beside that of loading the thought. */
const compareResume = async (): Promise<void> => {
  const [resumes, loads]: [Array<number>, Array<number>] = [[], []]
  let repeated = 0
  for (let round = 0; round < resumed; round++) {
    const model = new Model()
    const before = runtimeOf(model, inFolder(`resumed ${round}`))
    const start = await before.runPromise(fresh)
    model.most = stop
    await before.runPromise(
      Effect.gen(function* () {
        const fiber = yield* Effect.forkChild(Pipeline.run(decisions, start, { durable: { id: "run" } }))
        yield* Deferred.await(model.silent)
        yield* Fiber.interrupt(fiber)
      })
    )
    await before.dispose()

    const after = runtimeOf(model, inFolder(`resumed ${round}`))
    // opens the folder
    await after.runPromise(Pipeline.runs())
    const load = await cost(() => after.runPromise(Memory.load(start.id)))
    model.most = Infinity
    let first: number | undefined
    const begun = performance.now()
    model.onCall = () => {
      first ??= performance.now() - begun
    }
    await after.runPromise(Pipeline.resume(decisions, "run"))
    repeated += model.calls - steps
    resumes.push(first ?? Infinity)
    loads.push(load.wall)
    await after.dispose()
  }
  const [resume, load] = [median(resumes), median(loads)]
  print(
    `ended at step ${stop} of ${steps}, in a folder: ${repeated} calls repeated; first new call after ${resume.toFixed(1)} ms, ` +
      `loading the thought takes ${load.toFixed(1)} ms (${(resume / load).toFixed(2)} x)`
  )
}

print(`node ${process.version}, load ${loadavg()[0]!.toFixed(2)}`)
await compareRuns("in memory", Testing.memory)
await compareRuns("in a folder", inFolder("runs"))
await compareResume()
rmSync(folder, { recursive: true })
