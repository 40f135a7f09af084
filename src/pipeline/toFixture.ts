import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as kinds from "../arguments/kinds.ts"
import { callable, maybe } from "../arguments/forms.ts"
import { needed } from "../arguments/needed.ts"
import { taking } from "../arguments/taking.ts"
import { Memory } from "../memory/Memory.ts"
import type { CallRow } from "../memory/model/Ledger.ts"
import type { MemoryError } from "../memory/model/error.ts"
import { make, Provider } from "../provider/Provider.ts"
import type { ProviderError } from "../provider/ProviderError.ts"
import type { DecideResponse, Request, Response } from "../provider/request.ts"
import { record } from "../recording/record.ts"
import { AnswersNotKept } from "./durable/errors.ts"
import { asReplayed, isFinished, isReplayed, loaded } from "./durable/earlier.ts"
import { answer, failure } from "./durable/models.ts"

/**
 * Writes the calls of a durable run to a file, for a test that runs the same pipeline without a network.
 *
 * **Details**
 *
 * The file is a recording, as `Provider.record` writes it, for `Provider.replay`. It has every request and answer of the run, in
 * their order, and no keys. `redact` changes every text before it is written; give the replay the same function. A pipeline with
 * several providers gives one file, for one replaying provider.
 *
 * Fails with `AnswersNotKept` unless the run was started with `durable: { keep: "answers" }`, with a `ProviderError` if the file
 * cannot be written, and with a `MemoryError` (`NotFound`) if there is no such run.
 *
 * **Example** (A test from a run)
 *
 * ```ts
 * import assert from "node:assert/strict"
 * import { mkdtemp } from "node:fs/promises"
 * import { tmpdir } from "node:os"
 * import { join } from "node:path"
 * import { Effect, Layer } from "effect"
 * import { Pipeline, Primitive, Provider, Thought } from "cogito"
 * import { Testing } from "cogito/testing"
 *
 * const urgent = Primitive.decide("urgent", { question: "Is this urgent?" })
 * const start = Thought.make("triage", { message: "The site is down" })
 * const path = join(await mkdtemp(join(tmpdir(), "fixture-")), "urgent.json")
 *
 * const production = Effect.gen(function*() {
 *   yield* Pipeline.run(urgent, yield* start, { durable: { id: "t-1", keep: "answers" } })
 *   yield* Pipeline.toFixture("t-1", path)
 * })
 * const model = Testing.scripted([{ decision: true, confidence: 0.9, reasoning: ["it is down"] }])
 * await Effect.runPromise(production.pipe(Effect.provide(Layer.merge(model.layer, Testing.memory))))
 *
 * // the test
 * const test = Effect.flatMap(start, (thought) => Pipeline.run(urgent, thought))
 * const done = await Effect.runPromise(test.pipe(Effect.provide(Layer.merge(Provider.replay(path), Testing.memory))))
 * assert.equal(done.get("urgent").decision, true)
 * ```
 *
 * @category durable runs
 */
export const toFixture = taking("Pipeline.toFixture", {
  args: [kinds.text, kinds.text],
  options: 2,
  optional: true,
  known: { redact: maybe("Changes every text before it is written.", callable) }
})(
  (
    runId: string,
    path: string,
    options: {
      /** Changes every text before it is written, as in `Provider.record`. */
      readonly redact?: (text: string) => string
    } = {}
  ): Effect.Effect<void, AnswersNotKept | MemoryError | ProviderError, Memory> =>
    Effect.gen(function* () {
      const { ledger } = yield* needed(Memory)
      const stored = yield* loaded(ledger, runId)
      const made = stored.calls.filter(
        ({ kind, state }) => (kind === "complete" || kind === "decide") && (state === "answered" || state === "failed")
      )
      const kept = made.filter((call) => isFinished(call) && call.request !== undefined).map(askedOf)
      if (stored.run.keep !== "answers" || kept.length < made.length) return yield* new AnswersNotKept({ runId })
      return yield* written(kept, path, options)
    })
)

/** Records the calls as a provider that gives these answers. */
const written = (
  kept: ReadonlyArray<Made>,
  path: string,
  options: Parameters<typeof record>[1]
): Effect.Effect<void, ProviderError> =>
  Effect.gen(function* () {
    const [first] = kept
    const about = { name: first?.asked.provider ?? "none", model: first?.asked.model ?? "none" }
    let row: CallRow | undefined
    const answering = make({
      ...about,
      capabilities: { tools: kept.some(({ asked }) => asked.request.tools !== undefined) },
      complete: () => outcomeOf<Response>(row),
      ...(kept.some(({ asked }) => asked.asked === "native") && { decide: () => outcomeOf<DecideResponse>(row) })
    })
    const recording = Layer.build(record(path, options)(Layer.succeed(Provider, answering)))
    const provider = Context.get(yield* recording, Provider)
    for (const { asked, call } of kept) {
      row = call
      const { request } = asked
      const recorded: Effect.Effect<unknown, ProviderError> =
        asked.asked === "native" ? (provider.decide?.(request) ?? Effect.void) : provider.complete(request)
      // the recording has the failures too; any other is one of the recording
      yield* Effect.catchIf(recorded, isReplayed, () => Effect.void)
    }
  }).pipe(Effect.scoped)

/** A call as the ledger keeps it. */
interface Kept {
  readonly asked: "text" | "native"
  readonly provider: string
  readonly model: string
  readonly request: Request
}

interface Made {
  readonly call: CallRow
  readonly asked: Kept
}

const askedOf = (call: CallRow): Made => {
  const asked = JSON.parse(call.request ?? "null") as Kept
  const { request } = asked
  // what goes beside the messages is not kept, and not recorded
  return { call, asked: { ...asked, request: { ...request, task: { ...request.task, context: [] } } } }
}

const outcomeOf = <A extends Response | DecideResponse>(row: CallRow | undefined): Effect.Effect<A, ProviderError> => {
  const json: unknown = JSON.parse(row?.response ?? "null")
  return row?.state === "failed"
    ? Effect.fail(asReplayed(failure.decode(json)))
    : Effect.succeed(answer.decode(json) as A)
}
