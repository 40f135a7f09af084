/** The errors of a run that cannot begin or go on, and of a run that nobody waits for. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit, Schema } from "effect"
import { Note, Pipeline, Primitive, Step, Thought } from "cogito"
import { enlist } from "../../src/pipeline/durable/start.ts"
import { changed, shapeOf } from "../../src/pipeline/durable/shape.ts"
import { unattended } from "../../src/pipeline/durable/unattended.ts"
import { type Going, machine, runOf } from "./machine.ts"
import { asks } from "./scenarios/parts.ts"

const all = (...steps: ReadonlyArray<Step.Any>): Step.Any => Pipeline.sequence("all", steps)
const asking = (key: string, question: Note.Text = `Is it ${key}?`) =>
  Primitive.decide(key, { question: question as string }) as Step.Any

describe("a run that is busy", () => {
  const until = Date.UTC(2026, 0, 2)
  const cases: ReadonlyArray<
    readonly [given: ConstructorParameters<typeof Pipeline.RunBusy>[0], isRetryable: boolean, message: string]
  > = [
    [
      { runId: "r" },
      true,
      'The run "r" is in progress elsewhere. Wait for it, or resume it when its process has ended.'
    ],
    [
      { runId: "r", leaseUntilMillis: until },
      true,
      'The run "r" is in progress elsewhere until 2026-01-02T00:00:00.000Z at least. Wait for it, or resume it when its process has ended.'
    ],
    [
      { runId: "r", leaseUntilMillis: until, isOpen: false },
      true,
      'The run "r" is in progress elsewhere until 2026-01-02T00:00:00.000Z at least. Wait for it, or resume it when its process has ended.'
    ],
    [
      { runId: "r", isOpen: true },
      false,
      'The run "r" is not over: resume it, after answering what Pipeline.waiting lists of it, or give it up with Agent.cancel.'
    ],
    [
      { runId: "r", leaseUntilMillis: until, isOpen: true },
      false,
      'The run "r" is not over: resume it, after answering what Pipeline.waiting lists of it, or give it up with Agent.cancel.'
    ]
  ]
  it("says whether waiting helps, and what to wait for", () => {
    for (const [given, isRetryable, message] of cases) {
      const error = new Pipeline.RunBusy(given)
      assert.deepStrictEqual([error.isRetryable, error.message], [isRetryable, message])
    }
  })
})

describe("a pipeline that has changed", () => {
  const fixed = asking("it")
  const read = asking(
    "it",
    Note.from({}, () => "Is it?")
  )
  const cases: Readonly<
    Record<string, readonly [before: Step.Any, now: Step.Any, frame: string, was: string, is: string]>
  > = {
    "a field that only the earlier one has": [all(fixed), all(read), "all/it", 'asks "Is it it?"', "asks none"],
    "a field that only the later one has": [all(read), all(fixed), "all/it", "asks none", 'asks "Is it it?"'],
    "another question": [
      all(asking("a"), asking("it", "Is it so?")),
      all(asking("a"), fixed),
      "all/it",
      'asks "Is it so?"',
      'asks "Is it it?"'
    ],
    "the first of two steps whose names begin alike": [
      all(asking("a", "Is it so?"), asking("ab", "Is it so?")),
      all(asking("a"), asking("ab")),
      "all/a",
      'asks "Is it so?"',
      'asks "Is it a?"'
    ],
    "the step inside, and not the one around it": [
      all(Step.named(asking("a", "Is it so?"), "outer")),
      all(Step.named(asking("a"), "outer")),
      "all/outer/a",
      'asks "Is it so?"',
      'asks "Is it a?"'
    ],
    "a step that is gone": [
      all(asking("a"), asking("b")),
      all(asking("a")),
      "all/b",
      "b: decide; writes b",
      "no such step"
    ]
  }
  it.effect.each(Object.entries(cases))("names the first step that differs, and how: %s", ([, one]) =>
    Effect.gen(function* () {
      const [before, now, frame, was, is] = one
      const change = yield* changed("run", yield* shapeOf(before), now)
      assert.deepStrictEqual([change?.frame, change?.before, change?.now], [frame, was, is])
      assert.isUndefined(yield* changed("run", yield* shapeOf(before), before))
    })
  )
})

describe("the id of a run that has begun", () => {
  const step = asks("a") as Step.Any
  const begun = { content: "Hello", metadata: { lang: "en" }, source: "mail", trust: "untrusted" } as const
  const make = (message: object = {}, intent = "work", taskId = "task") =>
    Thought.make(intent, { message: { ...begun, ...message } }, { taskId }) as Going
  const others: Readonly<Record<string, Going>> = {
    intent: make({}, "rest"),
    task: make({}, "work", "other"),
    content: make({ content: "Goodbye" }),
    source: make({ source: "chat" }),
    trust: make({ trust: "trusted" }),
    metadata: make({ metadata: { lang: "de" } }),
    "no metadata": make({ metadata: {} }),
    "one more note": Effect.flatMap(make(), (thought) => Thought.append(thought, "more", "Hello")) as Going
  }

  it.effect("is accepted again only for the same start, whether the run is started or only enlisted", () =>
    Effect.gen(function* () {
      const { within, world } = yield* machine
      yield* within()(runOf(step, {}, make()))
      const given = (from: Going, own = step) =>
        Effect.flatMap(from, (thought) =>
          enlist(own, thought, { id: "run", keep: "outcomes", onInterrupted: undefined } as never)
        )
      for (const [name, from] of Object.entries(others)) {
        for (const going of [runOf(step, {}, from), given(from)]) {
          const error = yield* Effect.flip(within()(going as Effect.Effect<unknown, any>))
          assert.deepInclude(error, { _tag: "ReplayMismatch", runId: "run", differs: ["start"] }, name)
        }
      }
      yield* within()(runOf(step, {}, make()))
      yield* within()(given(make()))
      const other = yield* Effect.flip(within()(given(make(), asks("b") as Step.Any)))
      assert.deepInclude(other, { _tag: "PipelineChanged", runId: "run" })
      assert.strictEqual(world.requests.length, 1)
    })
  )
})

describe("a run that nobody waits for", () => {
  const step = Step.make("step", { run: Effect.void })

  it.effect("fails only if it neither waits for an answer nor belongs to another process", () =>
    Effect.gen(function* () {
      const waits = new Pipeline.Suspended({ runId: "r", thoughtId: "t", waits: [] })
      assert.isUndefined(yield* unattended(step, Effect.fail(waits)))
      assert.isUndefined(yield* unattended(step, Effect.fail(new Pipeline.RunBusy({ runId: "r" }))))
      for (const error of [
        new Pipeline.OutcomeUnknown({ runId: "r", frame: "/step" }),
        new Pipeline.PipelineChanged({ runId: "r", frame: "step", before: "a", now: "b" })
      ]) {
        const failure = yield* Effect.flip(unattended(step, Effect.fail(error)))
        assert.deepStrictEqual([failure.path, failure.cause], [["step"], error])
      }
    })
  )
})

describe("resuming everything", () => {
  it.effect("resumes four runs at a time by default, or as many as its options allow", () =>
    Effect.gen(function* () {
      for (const [concurrency, most] of [
        [undefined, 4],
        [1, 1],
        [2, 2],
        ["unbounded", 6]
      ] as const) {
        const { within } = yield* machine
        let [now, highest] = [0, 0]
        const busy = Step.make("busy", {
          run: Effect.gen(function* () {
            highest = Math.max(highest, ++now)
            for (let i = 0; i < 50; i++) yield* Effect.yieldNow
            now--
          })
        })
        const step = all(Pipeline.waitFor("it", { schema: Schema.Finite, prompt: "How many?" }), busy)
        yield* within()(
          Effect.gen(function* () {
            for (let i = 0; i < 6; i++) {
              yield* Effect.flip(runOf(step, { id: `run ${i}` }))
              yield* Pipeline.answer(`run ${i}`, "it", i)
            }
            const resumed = yield* Pipeline.resumeAll([step], concurrency === undefined ? {} : { concurrency })
            assert.strictEqual(resumed.filter(({ exit }) => Exit.isSuccess(exit)).length, 6)
          })
        )
        assert.strictEqual(highest, most)
      }
    })
  )

  it.effect("uses the lease of its options", () =>
    Effect.gen(function* () {
      const { store, within } = yield* machine
      const leases: Array<unknown> = []
      const look = Step.make("look", {
        run: Effect.map(store.ledger.load("local", "run"), (stored) => void leases.push(stored?.run.leaseUntilMillis))
      })
      const step = all(Pipeline.waitFor("it", { schema: Schema.Finite, prompt: "How many?" }), look)
      yield* within()(Effect.flip(runOf(step)))
      yield* within()(Pipeline.answer("run", "it", 1))
      yield* within()(Pipeline.resumeAll([step], { lease: "90 seconds" }))
      assert.deepStrictEqual(leases, [90_000])
    })
  )
})
