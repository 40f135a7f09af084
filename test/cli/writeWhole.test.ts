import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { Effect, Exit, Fiber } from "effect"
import { execFileSync } from "node:child_process"
import { mkdtempSync, rmSync } from "node:fs"
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
