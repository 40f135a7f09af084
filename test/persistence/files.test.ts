/** Answers in files: who may read them, and how long they stay. */
import { assert, describe, it } from "@effect/vitest"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { type Duration, Effect, FileSystem, Layer, PlatformError } from "effect"
import { TestClock } from "effect/testing"
import { Persisted } from "cogito/persistence"
import { chmodSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { folder } from "../pglite/folder.ts"
import { met } from "../soon.ts"
import { ask, fake, request, through } from "../provider/fake.ts"

const modeOf = (path: string) => statSync(path).mode & 0o777

// Windows has no rights of this kind
describe.runIf(process.platform !== "win32")("answers in files", () => {
  it.effect("are accessible only to their user, whatever the umask, even if they were not before", () =>
    Effect.gen(function* () {
      const parent = yield* folder
      yield* Effect.acquireRelease(
        Effect.sync(() => process.umask(0o022)),
        (mask) => Effect.sync(() => process.umask(mask))
      )
      const [deep, kept] = [join(parent, "deep"), join(parent, "deep", "kept")]
      const model = fake(() => Effect.succeed({}))
      const files = () => Persisted.layerFiles(kept).pipe(Layer.provide(NodeServices.layer))
      const run = () => through(model.layer.pipe(Persisted.cache(), Layer.provide(files())))((p) => ask("complete", p))
      yield* run()
      assert.deepStrictEqual([modeOf(deep), modeOf(kept)], [0o700, 0o700])
      const names = readdirSync(kept)
      assert.lengthOf(names, 1)
      assert.deepStrictEqual(
        names.map((name) => modeOf(join(kept, name))),
        [0o600]
      )
      const outside = join(parent, "outside")
      writeFileSync(outside, "as it was", { mode: 0o644 })
      symlinkSync(outside, join(kept, "link"))
      mkdirSync(join(kept, "folder"))
      for (const name of names) chmodSync(join(kept, name), 0o644)
      chmodSync(kept, 0o755)
      yield* run()
      assert.lengthOf(model.calls, 1)
      assert.strictEqual(modeOf(kept), 0o700)
      assert.deepStrictEqual(
        names.map((name) => modeOf(join(kept, name))),
        [0o600]
      )
      assert.deepStrictEqual([modeOf(outside), readFileSync(outside, "utf8")], [0o644, "as it was"])
    }).pipe(Effect.scoped)
  )
})

describe("expired answers in files", () => {
  it.effect("are removed, and nothing else is, when another answer is stored an hour later", () =>
    Effect.gen(function* () {
      const kept = join(yield* folder, "kept")
      const model = fake(() => Effect.succeed({}))
      const files = Persisted.layerFiles(kept).pipe(Layer.provide(NodeServices.layer))
      const names = () => readdirSync(kept).toSorted()
      yield* Effect.gen(function* () {
        const asking = (timeToLive: Duration.Input) => (text: string) =>
          through(model.layer.pipe(Persisted.cache({ timeToLive })))((p) =>
            ask("complete", p, { ...request, messages: [{ role: "user", text }] })
          )
        for (const text of ["a", "b", "c"]) yield* asking("10 minutes")(text)
        const brief = names()
        assert.lengthOf(brief, 3)
        yield* asking("10 hours")("long")
        writeFileSync(join(kept, "of others"), "[1")
        // many, as nobody knows in which order files are looked at
        for (let i = 0; i < 10; i++) {
          writeFileSync(join(kept, `place ${i}`), "[48, 11]")
          writeFileSync(join(kept, `of%3Aothers ${i}`), "[48, 11]")
          writeFileSync(join(kept, `${i}.json`), `[{"x":1}, 11]`)
        }
        const others = names().filter((name) => !brief.includes(name))
        yield* TestClock.adjust("59 minutes")
        yield* asking("10 hours")("early")
        yield* TestClock.adjust("1 minute")
        yield* asking("10 hours")("late")
        yield* met("expired answers are removed", () => !names().some((name) => brief.includes(name)))
        assert.lengthOf(names(), others.length + 2)
        assert.isTrue(others.every((name) => names().includes(name)))
      }).pipe(Effect.provide(files))
    }).pipe(Effect.scoped)
  )

  it.effect("are removed when another answer finds no room", () =>
    Effect.gen(function* () {
      const kept = join(yield* folder, "kept")
      const model = fake(() => Effect.succeed({}))
      const asking = (text: string) =>
        through(model.layer.pipe(Persisted.cache({ timeToLive: "10 minutes" })))((p) =>
          ask("complete", p, { ...request, messages: [{ role: "user", text }] })
        )
      const over = (files: typeof NodeServices.layer) =>
        Effect.provide(Persisted.layerFiles(kept).pipe(Layer.provide(files)))
      yield* over(NodeServices.layer)(asking("a"))
      assert.lengthOf(readdirSync(kept), 1)
      yield* TestClock.adjust("11 minutes")
      const isFull = Layer.effect(
        FileSystem.FileSystem,
        Effect.map(FileSystem.FileSystem, (files) => ({
          ...files,
          writeFileString: (pathOrDescriptor: string) =>
            Effect.fail(
              PlatformError.systemError({
                _tag: "Unknown",
                module: "FileSystem",
                method: "writeFileString",
                pathOrDescriptor
              })
            )
        }))
      )
      const full = isFull.pipe(Layer.provideMerge(NodeServices.layer))
      yield* over(full)(
        Effect.andThen(
          asking("b"),
          met("expired answers are removed", () => readdirSync(kept).length === 0)
        )
      )
    }).pipe(Effect.scoped)
  )
})
