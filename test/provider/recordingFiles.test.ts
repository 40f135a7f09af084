/** The file of a recording: whole on a disk that fills up, and its user's alone. */
import { assert, describe, it } from "@effect/vitest"
import { Provider, Synapse } from "cogito"
import { Testing } from "cogito/testing"
import { Effect } from "effect"
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync
} from "node:fs"
import { dirname, join } from "node:path"
import { failing, replaced } from "../pglite/builtin.ts"
import { folder } from "../pglite/folder.ts"

const answer = { decision: true, confidence: 0.9, reasoning: ["It says so."] }
const isUrgent = Synapse.binary({ question: "Is this urgent?" })

const recorded = <A, E>(path: string, calls: Effect.Effect<A, E, Provider.Provider>) =>
  Effect.provide(calls, Testing.scripted([answer, answer, answer]).layer.pipe(Provider.record(path)))

const callsOf = (path: string): number => JSON.parse(readFileSync(path, "utf8")).calls.length

describe("the file of a recording", () => {
  it.effect("stays the old one when a new one cannot be written", () =>
    Effect.gen(function* () {
      const path = join(yield* folder, "run.json")
      writeFileSync(path, "the old one")
      yield* replaced("writeSync", (real) =>
        Object.assign(() => {
          throw failing("ENOSPC")
        }, real)
      )
      const { message } = yield* Effect.flip(recorded(path, isUrgent("Hurry!")))
      assert.match(message, /cannot write the recording .*ENOSPC/)
      assert.strictEqual(readFileSync(path, "utf8"), "the old one")
      assert.deepStrictEqual(readdirSync(dirname(path)), ["run.json"])
    }).pipe(Effect.scoped)
  )

  it.effect("has one recorder at a time, by whatever path", () =>
    Effect.gen(function* () {
      const path = join(yield* folder, "run.json")
      yield* recorded(
        path,
        Effect.gen(function* () {
          yield* isUrgent("First!")
          const link = join(dirname(path), "link.json")
          symlinkSync(path, link)
          const { message } = yield* Effect.flip(recorded(link, isUrgent("Second!")))
          assert.include(message, "another recorder of this program writes it: build the layer once and share it")
          yield* isUrgent("Third!")
        })
      )
      assert.strictEqual(callsOf(path), 2)
      yield* recorded(path, isUrgent("Fourth!"))
      assert.strictEqual(callsOf(path), 1)
    }).pipe(Effect.scoped)
  )

  it.effect("has every call before the disk was full, whole, and those after there was space again", () =>
    Effect.gen(function* () {
      const path = join(yield* folder, "run.json")
      let room = Number.POSITIVE_INFINITY
      let most = 0
      yield* replaced("writeSync", (real) => {
        const limited = (file: number, bytes: Uint8Array, offset: number, length: number, position: number) => {
          // what is there already takes no new room, and a system takes what it has room for
          const taken = Math.min(length, room - position)
          if (taken <= 0) throw failing("ENOSPC")
          const done = real(file, bytes, offset, taken, position)
          most = Math.max(most, position + done)
          return done
        }
        return limited as typeof real
      })
      yield* recorded(
        path,
        Effect.gen(function* () {
          yield* isUrgent("First!")
          assert.strictEqual(callsOf(path), 1)
          const whole = readFileSync(path, "utf8")
          room = most + 100
          const error = yield* Effect.flip(isUrgent("Second!"))
          assert.include(error.message, "ENOSPC")
          assert.strictEqual(readFileSync(path, "utf8"), whole)
          room = Number.POSITIVE_INFINITY
          yield* isUrgent("Third!")
          assert.strictEqual(callsOf(path), 2)
        })
      )
      assert.strictEqual(callsOf(path), 2)
      assert.deepStrictEqual(readdirSync(dirname(path)), ["run.json"])
    }).pipe(Effect.scoped)
  )

  it.effect("is written to its end where the system takes it in small parts", () =>
    Effect.gen(function* () {
      const path = join(yield* folder, "run.json")
      yield* replaced("writeSync", (real) => {
        const small = (file: number, bytes: Uint8Array, offset: number, length: number, position: number) =>
          real(file, bytes, offset, Math.min(length, 7), position)
        return small as typeof real
      })
      yield* recorded(path, Effect.andThen(isUrgent("Grüße!"), isUrgent("Again")))
      assert.strictEqual(callsOf(path), 2)
    }).pipe(Effect.scoped)
  )

  // Windows has no rights of this kind
  it.effect.runIf(process.platform !== "win32")("is its user's alone, and so is the folder that is made for it", () =>
    Effect.gen(function* () {
      const parent = yield* folder
      const path = join(parent, "deep", "run.json")
      yield* Effect.acquireRelease(
        Effect.sync(() => process.umask(0o022)),
        (mask) => Effect.sync(() => process.umask(mask))
      )
      const modeOf = (name: string) => statSync(name).mode & 0o777
      yield* recorded(path, isUrgent("Hurry!"))
      assert.deepStrictEqual([modeOf(dirname(path)), modeOf(path)], [0o700, 0o600])
      chmodSync(path, 0o644)
      mkdirSync(join(parent, "links"))
      const link = join(parent, "links", "run.json")
      symlinkSync(path, link)
      yield* recorded(link, Effect.andThen(isUrgent("Hurry!"), isUrgent("Again")))
      assert.strictEqual(modeOf(path), 0o600)
      assert.strictEqual(callsOf(path), 2)
      assert.isTrue(existsSync(link))
    }).pipe(Effect.scoped)
  )
})
