import { it } from "@effect/vitest"
import { Data, type Duration, Effect, Layer, Schema } from "effect"
import { TestClock } from "effect/testing"
import { Memory, Pipeline, Primitive, Signal, Step, Thought } from "cogito"
import { Testing } from "cogito/testing"
import { start } from "../observed.ts"
import { transcribe } from "../transcript.ts"

class Broken extends Data.TaggedError("Broken")<{ readonly part: string }> {}

const yes = { decision: true, confidence: 0.91, reasoning: ["It says so."] }
const write = (key: string) => Step.make(key, { schema: Schema.String, run: () => `by ${key}` })
const late = (key: string, time: Duration.Input) =>
  Step.make(key, { schema: Schema.String, run: Effect.as(Effect.sleep(time), `late ${key}`) })
const fails = (key: string) => Step.make(key, { run: Effect.fail(new Broken({ part: key })) })
const later = (step: Step.Any) => Pipeline.scaffold("later", { step }) as Step.Any

const brief = (thought: Thought.Thought<any>) =>
  Thought.notes(thought).map(({ key, seq, step }) => `${seq} ${key} ${step}`)

/** What a run gives, what is told until the supervisor is released, and what the store has then. */
const observed = (
  step: Step.Any,
  { grace, wait = 0 }: { readonly grace?: Duration.Input; readonly wait?: Duration.Input } = {}
) =>
  Effect.gen(function* () {
    const signals: Array<object> = []
    const failed: Array<unknown> = []
    const model = Testing.scripted([yes, "All in all."])
    const given: Thought.Thought<any> = yield* start
    const supervisor = Pipeline.supervisor({
      onFailure: (error) => Effect.sync(() => failed.push({ path: error.path, cause: error.cause })),
      ...(grace === undefined ? {} : { grace })
    })
    const running = Effect.gen(function* () {
      const end = yield* Effect.exit(Pipeline.run(step, given))
      const told = signals.length
      yield* TestClock.adjust(wait)
      return { end: end._tag === "Success" ? brief(end.value) : end, told }
    }).pipe(
      Signal.listen((signal) => {
        const { _tag, millis, path, runId: _runId, ...rest } = signal
        if (/Step|Dispatched|Background|Stored/.test(_tag))
          signals.push({ _tag: `${_tag} at ${millis} in ${path.join("/")}`, ...rest })
      }),
      Effect.provide(Layer.mergeAll(model.layer, supervisor))
    )
    // the release of the supervisor may wait for what is in the background
    const fiber = yield* Effect.forkChild(running, { startImmediately: true })
    for (let i = 0; i < 40; i++) {
      for (let turn = 0; turn < 5; turn++) yield* Effect.promise(() => new Promise(setImmediate))
      yield* TestClock.adjust("1 second")
    }
    const ended = fiber.pollUnsafe()
    const children = yield* Effect.orElseSucceed(Memory.children(given.id), () => [])
    const stored = yield* Effect.forEach(children, ({ id }) => Effect.map(Memory.load(id), brief))
    return { ended: ended ?? "it still waits", signals, failed, stored, asked: model.requests.length }
  }).pipe(Effect.provide([Testing.memory, Layer.fresh(Testing.ids), TestClock.layer()]), Effect.orDie)

it.effect("what runs in the background, and its signals", () =>
  transcribe("background", {
    "A step that ends before and one that ends after the run": observed(
      Pipeline.sequence("all", [
        write("a"),
        later(Pipeline.sequence("in", [write("b"), late("c", "3 seconds")])),
        write("d")
      ])
    ),
    "A step that fails, one that has a defect, and one that is interrupted": Effect.forEach(
      [fails("b"), Step.make("b", { run: Effect.die("defect") }), Step.make("b", { run: Effect.interrupt })],
      (step) => observed(later(step))
    ),
    "A step that takes longer than the grace": observed(later(late("b", "20 seconds")), { grace: "5 seconds" }),
    "A step in an attempt that fails, and in one that does not": Effect.suspend(() => {
      let runs = 0
      const shaky = Step.make("shaky", {
        run: Effect.suspend(() => (runs++ < 1 ? Effect.fail(new Broken({ part: "shaky" })) : Effect.void))
      })
      return observed(Step.retry(Pipeline.sequence("in", [later(write("b")), shaky]), { name: "again" }))
    }),
    "A step under introspection of the pipeline around it": observed(
      Pipeline.introspect(later(Primitive.decide("spam", { question: "Is it spam?" })))
    )
  })
)
