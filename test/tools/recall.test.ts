import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { Memory, Pipeline, Thought } from "cogito"
import { Agent } from "cogito/agent"
import { Testing } from "cogito/testing"
import { Tools } from "cogito/tools"

const past = (message: string, taskId?: string) =>
  Effect.flatMap(
    Thought.make(`intent of ${message}`, { message }, taskId === undefined ? {} : { taskId }),
    Memory.commit
  )

/** What an agent recalls when it looks for kites. */
const recalled = (
  kit: ReturnType<typeof Tools.recall>,
  begin: Effect.Effect<Thought.Thought<{ readonly message: string }>> = Thought.make("now", { message: "my kite now" })
) =>
  Effect.gen(function* () {
    const agent = Agent.make("support", { instructions: "You help.", triage: false, toolkit: kit.toolkit })
    const model = Testing.scripted([Testing.calls([{ name: "recall", params: { query: "kite" } }]), "Done."])
    const done = yield* Effect.provide(Pipeline.run(agent, yield* begin), model.layer)
    const [, result] = Thought.history(done, "support.recall")
    return result?.metadata["tool_failed"] === "true"
      ? result.content
      : (JSON.parse(result?.content ?? "") as ReadonlyArray<Tools.Recalled>).map(({ text }) => text).toSorted()
  })

const on = (kit: ReturnType<typeof Tools.recall>) => Effect.provide(Layer.merge(kit.layer, Testing.memory))

describe("the tool that recalls", () => {
  it.effect("finds notes of other thoughts, with where they come from", () =>
    Effect.gen(function* () {
      const kit = Tools.recall({ characters: 15 })
      const found = yield* Effect.gen(function* () {
        const { created } = (yield* past("The red kite was lost")).note("message") ?? {}
        const agent = Agent.make("support", { instructions: "You help.", triage: false, toolkit: kit.toolkit })
        const model = Testing.scripted([
          Testing.calls([{ name: "recall", params: { query: "kite", limit: 3 } }]),
          "Done."
        ])
        const start = yield* Thought.make("now", { message: "my kite" })
        yield* Effect.provide(Pipeline.run(agent, start), model.layer)
        return [model.requests[1]?.messages.at(-1)?.results?.[0]?.text, created] as const
      }).pipe(on(kit))
      assert.deepStrictEqual(JSON.parse(found[0] ?? ""), [
        {
          key: "message",
          text: "The red kite wa[… 6 more characters]",
          created: JSON.parse(JSON.stringify(found[1])),
          intent: "intent of The r[… 16 more characters]"
        }
      ])
    })
  )

  it.effect("finds nothing of another scope, not even of that in which its layer was built", () =>
    Effect.gen(function* () {
      const kit = Tools.recall()
      const found = yield* Effect.gen(function* () {
        yield* past("kite of acme").pipe(Memory.withScope("acme"))
        yield* past("kite of globex").pipe(Memory.withScope("globex"))
        yield* past("kite of nobody")
        const live = yield* Layer.build(kit.layer).pipe(Memory.withScope("acme"))
        return [
          yield* recalled(kit).pipe(Effect.provideContext(live)),
          yield* recalled(kit).pipe(Memory.withScope("globex"), Effect.provideContext(live))
        ]
      }).pipe(on(kit))
      assert.deepStrictEqual(found, [["kite of nobody"], ["kite of globex"]])
    })
  )

  it.effect("keeps to the task of the running thought, and fails without one", () =>
    Effect.gen(function* () {
      const kit = Tools.recall({ task: "own" })
      const found = yield* Effect.gen(function* () {
        yield* past("kite of jane", "jane")
        yield* past("kite of joe", "joe")
        yield* past("kite of nobody")
        return [
          yield* recalled(kit, Thought.make("now", { message: "my kite" }, { taskId: "jane" })),
          yield* recalled(kit)
        ]
      }).pipe(on(kit))
      assert.deepStrictEqual(found, [["kite of jane"], "This work belongs to no task, so there is nothing to recall."])
    })
  )

  it.effect("searches only the task of its filter, whatever the task of the running thought", () =>
    Effect.gen(function* () {
      const begin = Thought.make("now", { message: "my kite" }, { taskId: "jane" })
      const found = (kit: ReturnType<typeof Tools.recall>) =>
        Effect.gen(function* () {
          yield* past("kite of jane", "jane")
          yield* past("kite of joe", "joe")
          return yield* recalled(kit, begin)
        }).pipe(on(kit))
      assert.deepStrictEqual(yield* found(Tools.recall({ filter: { taskId: "joe" } })), ["kite of joe"])
      assert.deepStrictEqual(yield* found(Tools.recall()), ["kite of jane", "kite of joe"])
    })
  )

  it.effect("leaves out the thoughts that the running one was forked from", () =>
    Effect.gen(function* () {
      const kit = Tools.recall()
      const found = yield* Effect.gen(function* () {
        yield* past("kite of old")
        const first = yield* Memory.commit(yield* Thought.make("now", { message: "kite of mine" }))
        const second = yield* Memory.commit(yield* Thought.fork(first))
        return yield* recalled(kit, Thought.fork(second))
      }).pipe(on(kit))
      assert.deepStrictEqual(found, ["kite of old"])
    })
  )

  it.effect("leaves out the running thought, calls, and results of tools by default", () =>
    Effect.gen(function* () {
      const found = (kit: ReturnType<typeof Tools.recall>) =>
        Effect.gen(function* () {
          yield* past("kite of old")
          // its calls and results speak of kites
          yield* recalled(kit)
          return yield* recalled(kit, Thought.make("today", { message: "kite of today" }))
        }).pipe(on(kit))
      assert.deepStrictEqual(yield* found(Tools.recall()), ["Done.", "kite of old", "my kite now"])
      assert.deepStrictEqual(yield* found(Tools.recall({ filter: { keys: ["answer"] } })), ["Done."])
      const all = yield* found(Tools.recall({ thoughts: "all", filter: { keys: ["message"] }, limit: 10 }))
      assert.deepStrictEqual(all, ["kite of old", "kite of today", "my kite now"])
    })
  )

  it.effect("finds what tools have given if its filter says so, and leaves out only the sources that it names", () =>
    Effect.gen(function* () {
      const found = (filter: Memory.Filter) => {
        const kit = Tools.recall({ filter })
        return Effect.gen(function* () {
          const notes = { message: "kite of user", page: { content: "kite of page", source: "tool" } }
          yield* Memory.commit(yield* Thought.make("earlier", notes))
          return yield* recalled(kit)
        }).pipe(on(kit))
      }
      assert.deepStrictEqual(yield* found({ sources: ["tool"] }), ["kite of page"])
      assert.deepStrictEqual(yield* found({ sources: ["tool", "user"], keys: ["message"] }), ["kite of user"])
      assert.deepStrictEqual(yield* found({ excludeSources: ["user"] }), ["kite of page"])
      assert.deepStrictEqual(yield* found({ keys: ["message", "page"] }), ["kite of user"])
    })
  )

  it.effect("leaves out the thoughts that its filter excludes, besides its own", () =>
    Effect.gen(function* () {
      const found = yield* Effect.gen(function* () {
        const { id } = yield* past("kite of old")
        yield* past("kite of new")
        const filter = { keys: ["message"], excludeThoughts: [id] }
        const others: ReturnType<typeof Tools.recall> = Tools.recall({ filter })
        const all: ReturnType<typeof Tools.recall> = Tools.recall({ filter, thoughts: "all" })
        const today = Thought.make("now", { message: "kite of today" })
        return [
          yield* recalled(others, today).pipe(Effect.provide(others.layer)),
          yield* recalled(all).pipe(Effect.provide(all.layer))
        ]
      }).pipe(Effect.provide(Testing.memory))
      assert.deepStrictEqual(found, [["kite of new"], ["kite of new", "kite of today", "my kite now"]])
    })
  )

  it.effect("gives as many notes as it may, and no more, though a call of its own is found first", () =>
    Effect.gen(function* () {
      const kit = Tools.recall({ limit: 1 })
      const found = yield* Effect.gen(function* () {
        // its call has the very words that are looked for
        yield* recalled(kit, Thought.make("now", { message: "my question" }))
        for (const name of ["red", "green"]) yield* past(`that is a ${name} kite of somebody else`)
        return yield* recalled(kit, Thought.make("now", { message: "my question" }))
      }).pipe(on(kit))
      assert.match(String(found), /^that is a \w+ kite of somebody else$/)
    })
  )

  it("takes its task once", () => {
    assert.throws(() => Tools.recall({ task: "own", filter: { taskId: "1" } }), /leave one of them out/)
    // it would find the notes of all tasks
    assert.throws(() => Tools.recall({ task: "other" as "own" }), `needs "own" as the option task, but got "other"`)
    assert.throws(() => Tools.recall({ limit: 0 }), /whole number from 1 as limit/)
  })
})
