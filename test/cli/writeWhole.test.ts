import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { Effect, Exit, Fiber } from "effect"
import { execFileSync } from "node:child_process"
import {
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync
} from "node:fs"
import { readFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { writeWhole } from "../../src/cli/console/writeWhole.ts"

describe.skipIf(process.platform === "win32")("a file that is a named pipe", () => {
  let folder = ""
  let pipe = ""
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), "cogito-pipe-"))
    pipe = join(folder, "pipe")
    execFileSync("mkfifo", [pipe])
  })
  afterAll(() => {
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
  })

  it.live("is waited for without a reader, until an interruption", () =>
    Effect.gen(function* () {
      const fiber = yield* Effect.forkChild(writeWhole(pipe, (write) => write("one")))
      yield* Effect.sleep("300 millis")
      const stopping = yield* Effect.forkChild(Fiber.interrupt(fiber))
      yield* Effect.sleep("1 second")
      const stopped = fiber.pollUnsafe()
      // whoever waits in vain for a reader gets one now, so that the test ends
      if (stopped === undefined) yield* Effect.promise(() => readFile(pipe))
      yield* Fiber.join(stopping)
      assert.isTrue(stopped !== undefined && Exit.isFailure(stopped))
    })
  )

  it.live("gives its reader every line, once there is one", () =>
    Effect.gen(function* () {
      const fiber = yield* Effect.forkChild(writeWhole(pipe, (write) => Effect.andThen(write("one"), write("two"))))
      yield* Effect.sleep("300 millis")
      assert.strictEqual(yield* Effect.promise(() => readFile(pipe, "utf8")), "one\ntwo\n")
      yield* Fiber.join(fiber)
    })
  )
})

describe("a file that is written whole", () => {
  const folder = mkdtempSync(join(tmpdir(), "cogito-whole-"))
  afterAll(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }))

  /** A new folder: the path of a file in it, and the names that it contains. */
  const inside = (name: string) => {
    const there = join(folder, name)
    mkdirSync(there)
    return { at: (file: string) => join(there, file), names: () => readdirSync(there).toSorted() }
  }

  it.live("replaces a file of the same name once it is complete, and only its user can read it", () =>
    Effect.gen(function* () {
      const { at, names } = inside("replaced")
      writeFileSync(at("a"), "as it was", { mode: 0o644 })
      yield* writeWhole(at("a"), (write) =>
        Effect.gen(function* () {
          yield* write("one")
          assert.strictEqual(readFileSync(at("a"), "utf8"), "as it was")
          assert.lengthOf(names(), 2)
          yield* write("two")
        })
      )
      assert.strictEqual(readFileSync(at("a"), "utf8"), "one\ntwo\n")
      assert.deepStrictEqual(names(), ["a"])
      if (process.platform !== "win32") assert.strictEqual(statSync(at("a")).mode & 0o777, 0o600)
    })
  )

  it.live("leaves everything as it was after a failure or an interruption", () =>
    Effect.gen(function* () {
      const { at, names } = inside("failed")
      writeFileSync(at("a"), "as it was")
      const failed = yield* Effect.exit(
        writeWhole(at("a"), (write) => Effect.andThen(write("one"), Effect.fail("no more")))
      )
      assert.deepStrictEqual(failed, Exit.fail("no more"))
      const stopped = yield* Effect.forkChild(
        writeWhole(at("b"), (write) => Effect.andThen(write("one"), Effect.never)),
        { startImmediately: true }
      )
      while (names().length < 2) yield* Effect.sleep("1 millis")
      yield* Fiber.interrupt(stopped)
      assert.deepStrictEqual(names(), ["a"])
      assert.strictEqual(readFileSync(at("a"), "utf8"), "as it was")
    })
  )

  it.live.skipIf(process.platform === "win32")("replaces the target of a link, and keeps the link", () =>
    Effect.gen(function* () {
      const { at, names } = inside("linked")
      mkdirSync(at("other"))
      writeFileSync(at("other/a"), "as it was")
      symlinkSync(at("other/a"), at("link"))
      yield* writeWhole(at("link"), (write) => write("one"))
      assert.isTrue(lstatSync(at("link")).isSymbolicLink())
      assert.strictEqual(readFileSync(at("other/a"), "utf8"), "one\n")
      assert.deepStrictEqual([names(), readdirSync(at("other"))], [["link", "other"], ["a"]])
    })
  )

  it.live("is refused if its path is a folder, or if its folder does not exist", () =>
    Effect.gen(function* () {
      const { at, names } = inside("refused")
      mkdirSync(at("a"))
      let asked = 0
      const refusedAt = (path: string) =>
        Effect.map(Effect.flip(writeWhole(path, () => Effect.sync(() => void asked++))), ({ message }) => message)
      assert.strictEqual(yield* refusedAt(at("a")), "The file cannot be written: it is a folder. Name a file in it.")
      assert.strictEqual(
        yield* refusedAt(at("none/a")),
        "The file cannot be written (ENOENT): check its folder, rights and space."
      )
      assert.deepStrictEqual([asked, names()], [0, ["a"]])
    })
  )
})
