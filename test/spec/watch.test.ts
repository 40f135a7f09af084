import { assert, describe, it } from "@effect/vitest"
import { Data, Cause, Deferred, Duration, Effect, Exit, Fiber, Layer, Queue, Schema, Stream } from "effect"
import { TestClock } from "effect/testing"
import { mkdirSync, mkdtempSync, renameSync, rmSync, unlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Note, Pipeline, Step, Thought } from "cogito"
import { Spec } from "cogito/spec"
import { Testing } from "cogito/testing"

class Refused extends Data.TaggedError("Refused")<{ readonly message: string }> {}

/** Files kept in memory, which can be edited. */
const files = (initial: Readonly<Record<string, unknown>>) => {
  const texts = new Map(Object.entries(initial).map(([path, value]) => [path, textOf(value)]))
  return {
    read: (path: string) =>
      Effect.suspend(() => {
        const text = texts.get(path)
        return text === undefined ? Effect.fail("no such file") : Effect.succeed(text)
      }),
    write: (path: string, value: unknown) => Effect.sync(() => void texts.set(path, textOf(value))),
    remove: (path: string) => Effect.sync(() => void texts.delete(path))
  }
}
const textOf = (value: unknown): string => (typeof value === "string" ? value : JSON.stringify(value))

const decision = { decision: true, confidence: 0.9, reasoning: ["So it is."] }
const asking = (question: string) => ({ cogito: 1, name: "mail", step: { type: "decide", key: "spam", question } })

/** Long enough for an edit to be seen twice. */
const seen = TestClock.adjust("1 second")

/** What changes tell, as they tell it. */
const listen = <A>(changes: Stream.Stream<A>) =>
  Queue.unbounded<A>().pipe(
    Effect.tap((told) =>
      Effect.forkScoped(
        Stream.runForEach(changes, (change) => Queue.offer(told, change)),
        { startImmediately: true }
      )
    ),
    Effect.map((told) => Effect.map(Queue.clear(told), (all): ReadonlyArray<A> => all))
  )

const layer = () => {
  const model = Testing.scripted(() => decision)
  return { model, layer: Layer.merge(model.layer, Testing.memory) }
}

describe("Spec.watch", () => {
  it.effect("takes an edit without a restart, and tells versions [C700] [C708] [C730] [C757] [C766]", () => {
    const { layer: services, model } = layer()
    return Effect.gen(function* () {
      const disk = files({ "mail.json": asking("Is this spam?") })
      const { changes, current, step } = yield* Spec.watch(Spec.registry(), "mail.json", { read: disk.read })
      const told = yield* listen(changes)
      const first = yield* current
      assert.strictEqual(first.version, 1)
      assert.match(first.fingerprint, /^[0-9a-f]{64}$/)
      assert.deepStrictEqual(first.document.step, asking("Is this spam?").step)

      yield* Pipeline.run(step, yield* Thought.make("sort", { message: "Buy!" }))
      yield* disk.write("mail.json", asking("Is this an advertisement?"))
      yield* seen
      yield* Pipeline.run(step, yield* Thought.make("sort", { message: "Buy!" }))

      assert.deepStrictEqual(
        model.requests.map(({ task }) => task.instruction),
        ["Is this spam?", "Is this an advertisement?"]
      )
      const second = yield* current
      assert.strictEqual(second.version, 2)
      assert.notStrictEqual(second.fingerprint, first.fingerprint)
      assert.deepStrictEqual(yield* told, [{ _tag: "Loaded", ...second }])
      assert.strictEqual(step.node.asks, "Is this an advertisement?")
    }).pipe(Effect.scoped, Effect.provide(services))
  })

  it.effect("looks again every half second, and takes what two looks agree on", () =>
    Effect.gen(function* () {
      const disk = files({ "mail.json": asking("one") })
      const { current } = yield* Spec.watch(Spec.registry(), "mail.json", { read: disk.read })
      yield* disk.write("mail.json", asking("two"))
      yield* TestClock.adjust("999 millis")
      assert.strictEqual((yield* current).version, 1)
      yield* TestClock.adjust("1 millis")
      assert.strictEqual((yield* current).version, 2)
    }).pipe(Effect.scoped)
  )

  it.effect("keeps the old version after a bad edit, says why, and heals [C707] [C769]", () => {
    const { layer: services, model } = layer()
    return Effect.gen(function* () {
      const disk = files({ "mail.json": asking("one") })
      const { changes, current, step } = yield* Spec.watch(Spec.registry(), "mail.json", { read: disk.read })
      const told = yield* listen(changes)
      const errors = Effect.map(told, (all) =>
        all.map((change) => (change._tag === "Rejected" ? change.errors.map(({ message }) => message) : change.version))
      )

      yield* disk.write("mail.json", { ...asking("two"), step: { type: "decide", key: "spam" } })
      yield* seen
      yield* seen
      assert.deepStrictEqual(yield* errors, [
        ["mail.json has a problem:\n- step.question: This is missing. Add it: The question."]
      ])

      // two of a name: refused only when it is built
      const twice = { type: "sequence", name: "all", steps: [asking("two").step, asking("two").step] }
      yield* disk.write("mail.json", { ...asking("two"), step: twice })
      yield* seen
      const [refused] = yield* errors
      assert.match(String(refused), /mail\.json has a problem:\n- step: The sequence "all" has two steps named "spam"/)

      // half written
      yield* disk.write("mail.json", JSON.stringify(asking("two")).slice(0, 30))
      yield* seen
      assert.match(String((yield* errors)[0]), /This is not valid JSON/)

      // gone, as while an editor replaces it
      yield* disk.remove("mail.json")
      yield* seen
      assert.match(String((yield* errors)[0]), /mail\.json has a problem:\n- This cannot be read: no such file/)

      assert.strictEqual((yield* current).version, 1)
      yield* Pipeline.run(step, yield* Thought.make("sort", { message: "Buy!" }))
      assert.strictEqual(model.requests.at(-1)?.task.instruction, "one")

      yield* disk.write("mail.json", asking("one"))
      yield* seen
      assert.deepStrictEqual(yield* errors, [1])
      yield* disk.write("mail.json", asking("two"))
      yield* seen
      assert.deepStrictEqual(yield* errors, [2])
      // healed: only the writing changes, which is no news
      yield* disk.write("mail.json", JSON.stringify(asking("two"), null, 2))
      yield* seen
      assert.deepStrictEqual(yield* errors, [])
    }).pipe(Effect.scoped, Effect.provide(services))
  })

  it.effect("goes on when what reads has a defect", () =>
    Effect.gen(function* () {
      const disk = files({ "mail.json": asking("one") })
      let broken = false
      const read = (path: string) => Effect.suspend(() => (broken ? Effect.die(new Error("a bug")) : disk.read(path)))
      const { changes, current } = yield* Spec.watch(Spec.registry(), "mail.json", { read })
      const told = yield* listen(changes)
      broken = true
      yield* seen
      const [refused] = yield* told
      assert.match(
        refused?._tag === "Rejected" ? refused.errors.map(({ message }) => message).join() : "",
        /This cannot be read: a bug/
      )
      broken = false
      yield* disk.write("mail.json", asking("two"))
      yield* seen
      assert.strictEqual((yield* current).version, 2)
    }).pipe(Effect.scoped)
  )

  /** A file whose reading can be made to go wrong. */
  const unsure = Effect.fnUntraced(function* () {
    const disk = files({ "mail.json": asking("one") })
    const broken: { read: ((count: number) => Effect.Effect<string, unknown>) | undefined } = { read: undefined }
    let count = 0
    const read = (path: string) => (broken.read === undefined ? disk.read(path) : broken.read(++count))
    const { changes, current } = yield* Spec.watch(Spec.registry(), "mail.json", { read })
    const told = yield* listen(changes)
    const heals = Effect.gen(function* () {
      broken.read = undefined
      yield* disk.write("mail.json", asking("two"))
      yield* seen
      assert.strictEqual((yield* current).version, 2)
    })
    const refusals = Effect.map(told, (all) =>
      all.map((change) => (change._tag === "Rejected" ? change.errors.map(({ message }) => message).join() : "loaded"))
    )
    return { broken, heals, refusals }
  })

  it.effect("goes on when what reads throws, is interrupted or gives no text", () =>
    Effect.gen(function* () {
      const ways: ReadonlyArray<readonly [() => Effect.Effect<string, unknown>, RegExp]> = [
        [
          () => {
            throw new Error("a bug")
          },
          /This cannot be read: a bug$/
        ],
        [() => Effect.interrupt, /This cannot be read: reading was interrupted$/],
        [() => Effect.succeed(null as unknown as string), /This cannot be read: the text is of type object$/],
        [() => null as unknown as Effect.Effect<string>, /This cannot be read: /]
      ]
      for (const [way, why] of ways) {
        const { broken, heals, refusals } = yield* unsure()
        broken.read = way
        yield* seen
        assert.match((yield* refusals).join("\n"), why)
        yield* heals
      }
    }).pipe(Effect.scoped)
  )

  it.effect("gives each reading ten seconds, also one that cannot be interrupted", () =>
    Effect.gen(function* () {
      for (const never of [Effect.never, Effect.uninterruptible(Effect.never)]) {
        const { broken, heals, refusals } = yield* unsure()
        broken.read = () => never
        yield* TestClock.adjust("20 seconds")
        assert.deepStrictEqual(yield* refusals, [])
        yield* TestClock.adjust("1 second")
        assert.match((yield* refusals).join("\n"), /This cannot be read: there was no text in 10 seconds$/)
        broken.read = undefined
        yield* TestClock.adjust("20 seconds")
        yield* heals
      }
    }).pipe(Effect.scoped)
  )

  it.effect("takes failures that each say something else for one", () =>
    Effect.gen(function* () {
      const { broken, heals, refusals } = yield* unsure()
      broken.read = (count) => Effect.fail(new Refused({ message: `request ${count} failed` }))
      yield* seen
      yield* seen
      assert.deepStrictEqual(yield* refusals, ["mail.json has a problem:\n- This cannot be read: request 2 failed"])
      yield* heals
    }).pipe(Effect.scoped)
  )

  it.effect("goes on when what is registered has a defect", () =>
    Effect.gen(function* () {
      let broken = false
      const schema = Schema.String
      const registry = Spec.registry({ schemas: { Text: schema } })
      const schemas = registry.schemas as Map<string, Schema.Codec<any, any>>
      const get = schemas.get.bind(schemas)
      schemas.get = (name) => {
        if (broken) throw new Error("a bug")
        return get(name)
      }
      const extracting = (prompt: string) => ({
        cogito: 1,
        name: "mail",
        step: { type: "analyze", key: "ticket", schema: "Text", prompt }
      })
      const disk = files({ "mail.json": extracting("one") })
      const { changes, current } = yield* Spec.watch(registry, "mail.json", { read: disk.read })
      const told = yield* listen(changes)
      broken = true
      yield* disk.write("mail.json", extracting("two"))
      yield* seen
      const [refused] = yield* told
      assert.match(
        refused?._tag === "Rejected" ? refused.errors.map(({ message }) => message).join() : "",
        /This cannot be built: a bug/
      )
      broken = false
      yield* disk.write("mail.json", extracting("three"))
      yield* seen
      assert.strictEqual((yield* current).version, 2)
    }).pipe(Effect.scoped)
  )

  it.effect("refuses to look more often than time passes", () =>
    Effect.gen(function* () {
      const disk = files({ "mail.json": asking("one") })
      for (const every of [0, -5, Infinity, "5 secs" as "5 seconds"] as const) {
        const exit = yield* Effect.exit(Spec.watch(Spec.registry(), "mail.json", { read: disk.read, every }))
        assert.match(
          Exit.isFailure(exit) ? Cause.pretty(exit.cause) : "",
          /every.* must be a finite duration above zero/
        )
      }
    }).pipe(Effect.scoped)
  )

  it.effect("reads the first version twice as well, and takes what holds for the time to settle", () =>
    Effect.gen(function* () {
      let reads = 0
      const half = JSON.stringify(asking("half"))
      const read = () => Effect.sync(() => (++reads === 1 ? half : JSON.stringify(asking("whole"))))
      const starting = yield* Effect.forkChild(Spec.watch(Spec.registry(), "mail.json", { read }), {
        startImmediately: true
      })
      yield* seen
      assert.strictEqual((yield* Fiber.join(starting)).step.node.asks, "whole")

      const disk = files({ "mail.json": asking("one") })
      const slow = yield* Effect.forkChild(
        Spec.watch(Spec.registry(), "mail.json", { read: disk.read, settle: "2 seconds" }),
        { startImmediately: true }
      )
      yield* TestClock.adjust("2 seconds")
      const { step } = yield* Fiber.join(slow)
      yield* disk.write("mail.json", asking("two"))
      yield* TestClock.adjust("1500 millis")
      yield* disk.write("mail.json", asking("three"))
      yield* TestClock.adjust("2 seconds")
      assert.strictEqual(step.node.asks, "one")
      yield* TestClock.adjust("500 millis")
      assert.strictEqual(step.node.asks, "three")
    }).pipe(Effect.scoped)
  )

  it.effect("refuses a version that writes what the first did not, so that what is around it stays true", () =>
    Effect.gen(function* () {
      const decide = (key: string) => ({ type: "decide", key, question: "?" })
      const all = (...keys: ReadonlyArray<string>) => ({
        cogito: 1,
        name: "mail",
        step: { type: "sequence", name: "all", steps: keys.map(decide) }
      })
      const disk = files({ "mail.json": all("spam", "angry") })
      const { changes, current } = yield* Spec.watch(Spec.registry(), "mail.json", { read: disk.read })
      const told = yield* listen(changes)
      yield* disk.write("mail.json", all("spam", "urgent"))
      yield* seen
      const [refused] = yield* told
      assert.deepStrictEqual(refused?._tag === "Rejected" ? refused.errors[0]?.problems : [], [
        {
          path: "step.steps[1]",
          message:
            'The note "urgent" is written here, which the first version did not. Use a key that it wrote, or start anew.'
        }
      ])
      yield* disk.write("mail.json", all("angry"))
      yield* seen
      yield* disk.write("mail.json", all("angry", "spam"))
      yield* seen
      assert.strictEqual((yield* current).version, 3)
      // also if only some paths write it
      yield* disk.write("mail.json", {
        ...all(),
        step: { type: "fallback", name: "all", alternatives: ["spam", "angry", "urgent"].map(decide) }
      })
      yield* seen
      const rejected = (yield* told).at(-1)
      assert.deepStrictEqual(
        rejected?._tag === "Rejected" ? rejected.errors[0]?.problems.map(({ path }) => path) : [],
        ["step.alternatives[2]"]
      )
      assert.strictEqual((yield* current).version, 3)
    }).pipe(Effect.scoped)
  )

  it.effect("refuses a version that writes a note where the first wrote none", () =>
    Effect.gen(function* () {
      const registry = Spec.registry({ functions: { log: () => Effect.void } })
      const tap = { type: "tap", name: "log", run: { function: "log" } }
      const disk = files({ "mail.json": { ...asking("one"), step: tap } })
      const { changes, current } = yield* Spec.watch(registry, "mail.json", { read: disk.read })
      const told = yield* listen(changes)
      yield* disk.write("mail.json", asking("one"))
      yield* seen
      assert.deepStrictEqual(
        (yield* told).map(({ _tag }) => _tag),
        ["Rejected"]
      )
      assert.strictEqual((yield* current).version, 1)
    }).pipe(Effect.scoped)
  )

  it.effect("tells a slow reader of every change", () =>
    Effect.gen(function* () {
      const disk = files({ "mail.json": asking("one") })
      const { changes } = yield* Spec.watch(Spec.registry(), "mail.json", { read: disk.read })
      const gate = yield* Deferred.make<void>()
      const reader = yield* changes.pipe(
        Stream.tap(() => Deferred.await(gate)),
        Stream.take(3),
        Stream.runCollect,
        Effect.forkScoped({ startImmediately: true })
      )
      for (const question of ["two", "three", "four"]) {
        yield* disk.write("mail.json", asking(question))
        yield* seen
      }
      yield* Deferred.succeed(gate, undefined)
      const versions = (yield* Fiber.join(reader)).map((change) => change._tag === "Loaded" && change.version)
      assert.deepStrictEqual(versions, [2, 3, 4])
    }).pipe(Effect.scoped)
  )

  it.effect("has no new version where only the writing changes", () =>
    Effect.gen(function* () {
      const disk = files({ "mail.json": asking("one") })
      const { changes, current } = yield* Spec.watch(Spec.registry(), "mail.json", { read: disk.read })
      const told = yield* listen(changes)
      const rewrite = (indent: number) =>
        Effect.andThen(disk.write("mail.json", JSON.stringify(asking("one"), null, indent)), seen)
      yield* rewrite(2)
      assert.strictEqual((yield* current).version, 1)
      assert.deepStrictEqual(yield* told, [])

      // one that undoes a refused edit is told, once
      yield* disk.write("mail.json", { ...asking("one"), step: {} })
      yield* seen
      yield* rewrite(3)
      yield* rewrite(4)
      assert.deepStrictEqual(
        (yield* told).map(({ _tag }) => _tag),
        ["Rejected", "Loaded"]
      )
      assert.strictEqual((yield* current).version, 1)
    }).pipe(Effect.scoped)
  )

  it.effect("checks what is declared of every version", () =>
    Effect.gen(function* () {
      const registry = Spec.registry({ schemas: { Text: Schema.String, Count: Schema.Finite } })
      const extracting = (schema: string, key = "ticket") => ({
        cogito: 1,
        name: "mail",
        step: { type: "analyze", key, prompt: "Extract", schema }
      })
      const disk = files({ "mail.json": extracting("Text") })
      const ticket = Note.handle("ticket", Schema.String)
      const watched = yield* Spec.watch(registry, "mail.json", { read: disk.read, writes: [ticket] })
      const told = yield* listen(watched.changes)
      const why = Effect.map(told, (all) =>
        all.flatMap((change) => (change._tag === "Rejected" ? change.errors.flatMap(({ problems }) => problems) : []))
      )
      yield* disk.write("mail.json", extracting("Text", "other"))
      yield* seen
      assert.deepStrictEqual(yield* why, [
        {
          path: "step",
          message: 'The note "ticket" is declared as written, and no step writes it. The notes that are are "other".'
        }
      ])
      yield* disk.write("mail.json", extracting("Count"))
      yield* seen
      assert.deepStrictEqual(yield* why, [
        {
          path: "step",
          message: 'The note "ticket" is written with another schema than it is declared with. Use the same.'
        }
      ])
      assert.strictEqual((yield* watched.current).version, 1)
    }).pipe(Effect.scoped)
  )

  it.effect("fails when the first version is invalid, with the problems of all files [C702]", () =>
    Effect.gen(function* () {
      const disk = files({ "a.json": "{", "b.yaml": "cogito: 1\nname: b\nstep: {}", "c.toml": "" })
      const error = yield* Effect.flip(
        Spec.watch(Spec.registry(), { a: "a.json", b: "b.yaml", c: "c.toml", d: "d.json" }, { read: disk.read })
      )
      assert.deepStrictEqual(
        error.problems.map(({ path }) => path),
        ["a.json", "b.yaml: step", "c.toml", "d.json"]
      )
    }).pipe(Effect.scoped)
  )

  /** A pipeline whose steps tell the version that they are of, and wait for each other. */
  const telling = (version: string) => ({
    cogito: 1,
    name: "telling",
    step: {
      type: "sequence",
      name: "telling",
      overwrite: true,
      steps: [
        { type: "tap", name: "before", run: { function: version } },
        { type: "tap", name: "wait", run: { function: "wait" } },
        { type: "tap", name: "after", run: { function: version } }
      ]
    }
  })

  it.effect("lets a run keep its version in all of its steps and attempts, and of all files", () =>
    Effect.gen(function* () {
      const entered = yield* Deferred.make<void>()
      const gate = yield* Deferred.make<void>()
      const ran: Array<string> = []
      let waits = 0
      const registry = Spec.registry({
        functions: {
          one: () => Effect.sync(() => ran.push("one")),
          two: () => Effect.sync(() => ran.push("two")),
          // fails once, after it has waited: the next attempt begins when there is a new version
          wait: () =>
            Effect.suspend(() =>
              ++waits === 1
                ? Deferred.succeed(entered, undefined).pipe(
                    Effect.andThen(Deferred.await(gate)),
                    Effect.andThen(Effect.fail("once" as const))
                  )
                : Effect.void
            )
        }
      })
      const disk = files({ "a.json": telling("one"), "b.json": telling("one") })
      const { current, steps } = yield* Spec.watch(registry, { a: "a.json", b: "b.json" }, { read: disk.read })
      const both = Pipeline.sequence("both", [
        Step.retry(Step.named(steps.a, "first"), { times: 1 }),
        Step.named(steps.b, "second")
      ])
      const running = yield* Effect.forkChild(Pipeline.run(both, yield* Thought.make("run")), {
        startImmediately: true
      })
      yield* Deferred.await(entered)
      yield* disk.write("a.json", telling("two"))
      yield* disk.write("b.json", telling("two"))
      yield* seen
      assert.strictEqual((yield* current).version, 2)
      yield* Deferred.succeed(gate, undefined)
      yield* Fiber.join(running)
      // one attempt that failed half way, one that did not, and the other file
      assert.deepStrictEqual(ran, ["one", "one", "one", "one", "one"])

      ran.length = 0
      yield* Pipeline.run(both, yield* Thought.make("run"))
      assert.deepStrictEqual(ran, ["two", "two", "two", "two"])
    }).pipe(Effect.scoped, Effect.provide(layer().layer))
  )

  it.effect("changes several files together, or nothing", () =>
    Effect.gen(function* () {
      const disk = files({ "a.json": asking("one"), "b.yaml": asking("one") })
      const { changes, current, steps } = yield* Spec.watch(
        Spec.registry(),
        { a: "a.json", b: { path: "b.yaml" } },
        { read: disk.read }
      )
      const told = yield* listen(changes)
      yield* disk.write("a.json", asking("two"))
      yield* disk.write("b.yaml", "cogito: 1")
      yield* seen
      assert.deepStrictEqual([steps.a.node.asks, steps.b.node.asks], ["one", "one"])
      const [refused] = yield* told
      assert.isTrue(refused?._tag === "Rejected")
      if (refused?._tag === "Rejected")
        assert.deepStrictEqual(
          refused.errors.map(({ source }) => source),
          ["b.yaml"]
        )

      yield* disk.write("b.yaml", asking("two"))
      yield* seen
      assert.deepStrictEqual([steps.a.node.asks, steps.b.node.asks], ["two", "two"])
      const { documents, version } = yield* current
      assert.strictEqual(version, 2)
      assert.deepStrictEqual(Object.keys(documents), ["a", "b"])
    }).pipe(Effect.scoped)
  )

  it.effect("loses no run and mixes no versions when it changes under load [C705] [C767] [C770]", () =>
    Effect.gen(function* () {
      const runs = 400
      const mixed: Array<string> = []
      const seenBy = new Map<string, string>()
      const mark = (version: string) => (thought: Thought.Thought) =>
        Effect.gen(function* () {
          const before = seenBy.get(thought.id)
          if (before !== undefined && before !== version) mixed.push(`${before} and ${version}`)
          seenBy.set(thought.id, version)
          // so that others come between
          yield* Effect.sleep(Duration.millis((seenBy.size % 7) * 100))
        })
      const registry = Spec.registry({
        functions: { v0: mark("v0"), v1: mark("v1"), v2: mark("v2"), wait: () => Effect.sleep("300 millis") }
      })
      const disk = files({ "t.json": telling("v0") })
      const { current, step } = yield* Spec.watch(registry, "t.json", { read: disk.read })
      const editing = yield* Effect.forkChild(
        Effect.forEach(
          Array.from({ length: 30 }, (_, i) => i),
          (i) =>
            Effect.andThen(disk.write("t.json", i % 5 === 4 ? "{" : telling(`v${i % 3}`)), Effect.sleep("1200 millis"))
        )
      )
      const load = yield* Effect.forkChild(
        Effect.forEach(
          Array.from({ length: runs }, (_, i) => i),
          (i) =>
            Effect.flatMap(Effect.sleep(Duration.millis(i * 75)), () =>
              Effect.flatMap(Thought.make("run"), (thought) => Pipeline.run(step, thought))
            ),
          { concurrency: "unbounded" }
        )
      )
      yield* TestClock.adjust("60 seconds")
      const done = yield* Fiber.join(load)
      yield* Fiber.join(editing)
      assert.strictEqual(done.length, runs)
      assert.deepStrictEqual(mixed, [])
      assert.strictEqual(seenBy.size, runs)
      assert.strictEqual(new Set(seenBy.values()).size, 3)
      assert.isAbove((yield* current).version, 10)
    }).pipe(Effect.scoped, Effect.provide(layer().layer))
  )

  it.effect("stops looking when its scope is closed; the steps stay as they are", () =>
    Effect.gen(function* () {
      const disk = files({ "mail.json": asking("one") })
      let reads = 0
      const read = (path: string) => Effect.tap(disk.read(path), () => Effect.sync(() => reads++))
      const { changes, step } = yield* Effect.scoped(Spec.watch(Spec.registry(), "mail.json", { read }))
      const before = reads
      yield* disk.write("mail.json", asking("two"))
      yield* seen
      assert.strictEqual(reads, before)
      assert.strictEqual(step.node.asks, "one")
      assert.deepStrictEqual(yield* Stream.runCollect(changes), [])
    })
  )

  it.live("sees files that are written, and files that take the place of others", () =>
    Effect.gen(function* () {
      const folder = mkdtempSync(join(tmpdir(), "cogito-spec-"))
      yield* Effect.addFinalizer(() => Effect.sync(() => rmSync(folder, { recursive: true })))
      const path = join(folder, "mail.YAML")
      const yaml = (question: string) =>
        `cogito: 1\nname: mail\nstep: { type: decide, key: spam, question: "${question}" }\n`
      writeFileSync(path, yaml("one"))
      const { changes, step } = yield* Spec.watch(Spec.registry(), path, { every: "5 millis" })
      const told = yield* Queue.unbounded<string>()
      yield* Effect.forkScoped(
        Stream.runForEach(changes, (change) => Queue.offer(told, change._tag)),
        { startImmediately: true }
      )
      writeFileSync(path, yaml("two"))
      assert.strictEqual(yield* Queue.take(told), "Loaded")
      assert.strictEqual(step.node.asks, "two")
      writeFileSync(`${path}.new`, yaml("three"))
      renameSync(`${path}.new`, path)
      assert.strictEqual(yield* Queue.take(told), "Loaded")
      assert.strictEqual(step.node.asks, "three")
      unlinkSync(path)
      mkdirSync(path)
      assert.strictEqual(yield* Queue.take(told), "Rejected")
      rmSync(path, { recursive: true })
      writeFileSync(path, yaml("four"))
      while (step.node.asks !== "four") yield* Queue.take(told)
      assert.strictEqual(step.node.asks, "four")
    }).pipe(Effect.scoped)
  )
})
