import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { Memory, Note, Pipeline, Primitive, Step, Thought } from "cogito"
import { type Going, machine, resumeOf, runOf } from "./machine.ts"
import { at, type Boundary } from "./process.ts"
import { stored } from "./seen.ts"

const message = Note.handle("message", Schema.String)
const asks = (key: string, question = `Is it ${key}?`) => Primitive.decide(key, { question, via: "text" })
/** A question that only the code knows. */
const asksOf = (key: string, words: string) =>
  Primitive.decide(key, { question: Note.from(message, (text) => `${words} ${text}?`), via: "text" })
const length = (key: string) =>
  Step.make(key, { schema: Schema.Finite, run: Note.from(message, (text) => text.length) })

const all = (...steps: ReadonlyArray<Step.Any>): Step.Any => Pipeline.sequence("all", steps)
const three = () => all(asks("first"), asks("second"), asks("third"))

/** A generator says nothing of its steps. */
const generated = (...steps: ReadonlyArray<Step.Any>): Step.Any =>
  all(
    asks("first"),
    Pipeline.gen("generated", function* () {
      for (const step of steps) yield* Pipeline.ask(step as any)
    }),
    asks("last")
  )

interface Drift {
  readonly before: () => Step.Any
  readonly now: () => Step.Any
  readonly tag: "PipelineChanged" | "ReplayMismatch"
  /** The step that differs. */
  readonly frame: string
  /** What the message says of it. */
  readonly says: ReadonlyArray<string>
  /** Where the process ends. By default after the second answer is recorded, before its step is stored. */
  readonly crashAt?: (boundaries: ReadonlyArray<Boundary>) => boolean
}

/** Before the third commit: the thought and one step are stored, and the second call has begun. */
const secondCall = at("before", "commit", 3)

const drifts: Readonly<Record<string, Drift>> = {
  "a step that was renamed": {
    before: three,
    now: () => all(asks("first"), asks("renamed"), asks("third")),
    tag: "PipelineChanged",
    frame: "all/renamed",
    says: ["second", "renamed"]
  },
  "steps in another order": {
    before: three,
    now: () => all(asks("second"), asks("first"), asks("third")),
    tag: "PipelineChanged",
    frame: "all/second",
    says: ["first", "second"]
  },
  "a step that was added": {
    before: three,
    now: () => all(asks("first"), asks("added"), asks("second"), asks("third")),
    tag: "PipelineChanged",
    frame: "all/added",
    says: ["added", "second"]
  },
  "a step that was added at the end": {
    before: three,
    now: () => all(asks("first"), asks("second"), asks("third"), asks("fourth")),
    tag: "PipelineChanged",
    frame: "all/fourth",
    says: ["no such step", "fourth"]
  },
  "a step that was removed": {
    before: three,
    now: () => all(asks("first"), asks("second")),
    tag: "PipelineChanged",
    frame: "all/third",
    says: ["third", "no such step"]
  },
  "another question": {
    before: three,
    now: () => all(asks("first"), asks("second", "Is it quite second?"), asks("third")),
    tag: "PipelineChanged",
    frame: "all/second",
    says: ["Is it second?", "Is it quite second?"]
  },
  "another question of a step that is finished": {
    before: three,
    now: () => all(asks("first", "Is it quite first?"), asks("second"), asks("third")),
    tag: "PipelineChanged",
    frame: "all/first",
    says: ["Is it quite first?"]
  },
  "another schema of a step that is finished": {
    before: () => all(length("size"), asks("second"), asks("third")),
    now: () => {
      const size = Step.make("size", { schema: Schema.String, run: Note.from(message, () => "large") })
      return all(size, asks("second"), asks("third"))
    },
    tag: "PipelineChanged",
    frame: "all/size",
    says: ["schema"]
  },
  "another setting": {
    before: () => all(asks("first"), Step.retry(asks("second"), { times: 2 }), asks("third")),
    now: () => all(asks("first"), Step.retry(asks("second"), { times: 3 }), asks("third")),
    tag: "PipelineChanged",
    frame: "all/retry(second)",
    says: ["2", "3"]
  },
  "another connector around a step": {
    before: () => all(asks("first"), Step.retry(asks("second"), { name: "it" }), asks("third")),
    now: () => all(asks("first"), Step.named(asks("second"), "it"), asks("third")),
    tag: "PipelineChanged",
    frame: "all/it",
    says: ["it"]
  },
  "another kind of step with the same name": {
    before: three,
    now: () => all(asks("first"), Primitive.reflect("second", { prompt: "Is it second?" }), asks("third")),
    tag: "PipelineChanged",
    frame: "all/second",
    says: ["decide", "reflect"]
  },
  "a closure that changes a question": {
    before: () => all(asks("first"), asksOf("second", "How is"), asks("third")),
    now: () => all(asks("first"), asksOf("second", "Where is"), asks("third")),
    tag: "ReplayMismatch",
    frame: "/all/second",
    says: ["a call of the model with another message, task"]
  },
  "a closure that changes a question whose answer has not arrived": {
    before: () => all(asks("first"), asksOf("second", "How is"), asks("third")),
    now: () => all(asks("first"), asksOf("second", "Where is"), asks("third")),
    tag: "ReplayMismatch",
    frame: "/all/second",
    says: ["a call of the model with another message, task"],
    crashAt: at("after", "call", 2)
  },
  "a closure that changes a question in a retry": {
    before: () => all(asks("first"), Step.retry(asksOf("second", "How is"), { name: "it" })),
    now: () => all(asks("first"), Step.retry(asksOf("second", "Where is"), { name: "it" })),
    tag: "ReplayMismatch",
    frame: "/all/it/second",
    says: ["another message, task"]
  },
  "another closure in front of a native decision": {
    before: () => all(asks("first"), Primitive.decide("second", { question: Note.from(message, () => "How?") })),
    now: () => all(asks("first"), Primitive.decide("second", { question: Note.from(message, () => "Where?") })),
    tag: "ReplayMismatch",
    frame: "/all/second",
    says: ["a native decision with another message, task"]
  },
  "a call in the place of a decision": {
    before: () =>
      all(asks("first"), Pipeline.filter("it", { when: Effect.succeed(true), step: asks("second") }), asks("third")),
    now: () => all(asks("first"), Pipeline.filter("it", { when: Effect.succeed(false), step: asks("second") })),
    tag: "PipelineChanged",
    frame: "all/third",
    says: ["no such step"]
  },
  "a generator that asks something else": {
    before: () => generated(asksOf("second", "How is"), asks("third")),
    now: () => generated(asksOf("second", "Where is"), asks("third")),
    tag: "ReplayMismatch",
    frame: "/all/generated/second",
    says: ["another message, task"]
  },
  "an effect in the place of a question": {
    before: () => generated(asks("second"), asks("third")),
    now: () => generated(length("second"), asks("third")),
    tag: "ReplayMismatch",
    frame: "/all/generated/second",
    says: ["an effect instead of a call of the model"]
  }
}

describe("a resumed run with", () => {
  it.effect.each(Object.entries(drifts))("%s fails, asks nothing and writes nothing", ([, drift]) =>
    Effect.gen(function* () {
      const { before, crashAt = secondCall, frame, now, says, tag } = drift
      const { crashing, store, within, world } = yield* machine
      const run = runOf(before())
      yield* crashing(crashAt)(run)
      const asked = [world.requests.length, world.model.decisions.length]
      const left = yield* stored(store)
      for (const resumed of [resumeOf(now()), runOf(now())]) {
        const error = yield* Effect.flip(within()(resumed))
        assert.deepInclude(error, { _tag: tag, frame, runId: "run" })
        for (const words of [...says, frame, "Pipeline.rerun"]) assert.include(error.message, words)
      }
      assert.deepStrictEqual([world.requests.length, world.model.decisions.length], asked)
      const then = yield* stored(store)
      assert.deepStrictEqual(then.thoughts, left.thoughts)

      // nothing is lost: the pipeline that it began with goes on
      yield* within()(resumeOf(before()))
      const { store: other, within: alone, world: unbroken } = yield* machine
      yield* alone()(run)
      assert.strictEqual(world.requests.length, unbroken.requests.length + 1)
      assert.deepStrictEqual(keysOf(yield* stored(store)), keysOf(yield* stored(other)))
    })
  )

  it.effect("a note that somebody has added meanwhile goes on, and later steps see it", () =>
    Effect.gen(function* () {
      const { crashing, store, within, world } = yield* machine
      const run = runOf(three())
      yield* crashing(secondCall)(run)
      const [thought] = yield* store.thoughts("local", { limit: 1 } as never)
      yield* within()(Memory.append(thought!.id, [{ key: "more", content: "Goodbye" }] as never))
      const done = yield* within()(resumeOf(three()))
      assert.deepStrictEqual(
        Thought.notes(done).map(({ key }) => key),
        ["message", "first", "more", "second", "third"]
      )
      assert.strictEqual(world.requests.length, 4)
      assert.include(world.requests.at(-1), "Goodbye")
    })
  )

  it.effect("other notes than it has stored, before an effect after the commit, fails and writes nothing", () =>
    Effect.gen(function* () {
      const { crashing, store, within } = yield* machine
      const noting = (...steps: ReadonlyArray<Step.Any>): Step.Any => {
        const body = function* () {
          for (const step of [...steps, Step.once("mail", Effect.void)]) yield* Pipeline.ask(step as any)
        }
        return Step.retry(Pipeline.gen("it", body) as Step.Any, { name: "again" })
      }
      // the notes are stored, and the effect has not begun
      yield* crashing(at("after", "commit", 2))(runOf(noting(length("first"))))
      const left = yield* stored(store)
      const error = yield* Effect.flip(within()(resumeOf(noting(length("first"), length("more")))))
      assert.deepInclude(error, { _tag: "ReplayMismatch", runId: "run", frame: "/again^0", differs: ["notes"] })
      assert.deepStrictEqual((yield* stored(store)).thoughts, left.thoughts)
      const done = yield* within()(resumeOf(noting(length("first"))))
      assert.deepStrictEqual(
        Thought.notes(done).map(({ key }) => key),
        ["message", "first"]
      )
    })
  )

  it.effect("another start under the same id fails, and asks nothing", () =>
    Effect.gen(function* () {
      const { crashing, store, within, world } = yield* machine
      yield* crashing(secondCall)(runOf(three()))
      const left = yield* stored(store)
      for (const other of [
        Thought.make("work", { message: "Goodbye" }),
        Thought.make("other work", { message: "Hello" }),
        Thought.make("work", { message: "Hello" }, { taskId: "other" }),
        Thought.make("work", { message: "Hello", more: "Hello" }),
        Thought.make("work", { more: "Hello", message: "Hello" }),
        Thought.make("work", { message: { content: "Hello", metadata: { from: "Ann" } } }),
        Thought.make("work", { message: { content: "Hello", source: "Ann" } }),
        Thought.make("work", { message: { content: "Hello", trust: "trusted" } })
      ]) {
        const error = yield* Effect.flip(within()(runOf(three(), {}, other as Going)))
        assert.deepInclude(error, { _tag: "ReplayMismatch", differs: ["start"] })
        assert.match(
          error.message,
          /^The run ".+" began with another intent, task id or notes\. .* use an id that no run has\.$/
        )
      }
      assert.strictEqual(world.requests.length, 2)
      assert.deepStrictEqual((yield* stored(store)).thoughts, left.thoughts)
    })
  )
})

const keysOf = ({ thoughts }: Effect.Success<ReturnType<typeof stored>>) =>
  thoughts.map(({ notes }) => notes.map(({ content, key }) => [key, content]))
