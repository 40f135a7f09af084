/** Answers in files: who may read them. */
import { assert, describe, it } from "@effect/vitest"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { Effect, Layer } from "effect"
import { Persisted } from "cogito/persistence"
import { chmodSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { folder } from "../pglite/folder.ts"
import { ask, fake, through } from "../provider/fake.ts"

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
