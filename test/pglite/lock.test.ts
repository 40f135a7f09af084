import { assert, describe, it, vi } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Result from "effect/Result"
import { spawn } from "node:child_process"
import { once } from "node:events"
import { readdirSync, readFileSync, statSync } from "node:fs"
import promises, { mkdir, symlink, utimes, writeFile } from "node:fs/promises"
import { syncBuiltinESMExports } from "node:module"
import { join } from "node:path"
import { setTimeout } from "node:timers/promises"
import * as Lock from "../../src/pglite/directory/lock.ts"
import * as Owner from "../../src/pglite/directory/owner.ts"
import { random } from "../../src/testing/contract/stage/random.ts"
import { folder } from "./folder.ts"
import { spawnChild } from "./process.ts"

/** The id of a process that has ended. */
const deadPid = Effect.promise(async () => {
  const child = spawn(process.execPath, ["-e", ""])
  await once(child, "exit")
  return child.pid ?? 0
})

/** A process that has ended and whose parent does not wait for it. Linux still knows its id and its start. */
const zombie = Effect.acquireRelease(
  Effect.promise(async () => {
    const parent = spawn("sh", ["-c", "cat <&3 & echo $!; exec sleep 60"], {
      stdio: ["ignore", "pipe", "inherit", "pipe"]
    })
    const [, output, , input] = parent.stdio
    const [line] = output === null ? [] : await once(output, "data")
    const pid = Number(String(line))
    // the shell may reap its child, `sleep` does not
    while (readFileSync(`/proc/${parent.pid}/comm`, "utf8") !== "sleep\n") await setTimeout(5)
    input?.destroy()
    const fields = () =>
      readFileSync(`/proc/${pid}/stat`, "utf8")
        .replace(/^.*\) /s, "")
        .split(" ")
    while (fields()[0] !== "Z") await setTimeout(5)
    return { parent, owner: { pid, started: fields()[19] ?? "" } }
  }),
  ({ parent }) => Effect.sync(() => parent.kill("SIGKILL"))
).pipe(Effect.map(({ owner }) => owner))

/** Runs something with a process namespace as a container has it. */
const inContainer = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.acquireUseRelease(
    Effect.sync(() => {
      vi.stubEnv("WSL_DISTRO_NAME", undefined)
      vi.spyOn(promises, "readlink").mockResolvedValue("pid:[1]")
      // named imports see it too
      syncBuiltinESMExports()
    }),
    () => effect,
    () =>
      Effect.sync(() => {
        vi.unstubAllEnvs()
        vi.restoreAllMocks()
        syncBuiltinESMExports()
      })
  )

/** Replaces functions of Node's modules while an effect runs, also for named imports. */
const replacing = <A, E, R>(replace: () => void, effect: Effect.Effect<A, E, R>) =>
  Effect.acquireUseRelease(
    Effect.sync(() => {
      replace()
      syncBuiltinESMExports()
    }),
    () => effect,
    () =>
      Effect.sync(() => {
        vi.restoreAllMocks()
        syncBuiltinESMExports()
      })
  )

const failing = (code: string): Error => Object.assign(new Error(code), { code })

const placeLock = (directory: string, number: number, content: string) =>
  Effect.promise(async () => {
    await mkdir(join(directory, `lock.${number}`), { recursive: true })
    await writeFile(join(directory, `lock.${number}`, "owner.json"), content)
  })

const outcome = (directory: string) =>
  Effect.map(Effect.result(Effect.scoped(Lock.own(directory))), (result) =>
    Result.isSuccess(result)
      ? "owned"
      : [result.failure.reason._tag, "pid" in result.failure.reason && result.failure.reason.pid]
  )

const turn = Effect.promise(() => new Promise((resume) => setImmediate(resume)))

describe("the lock of a directory", () => {
  it.effect(
    "belongs to one at a time, whoever comes, is interrupted or finds the lock of the dead",
    () =>
      Effect.gen(function* () {
        const pid = yield* deadPid
        const self = yield* Owner.self
        for (let seed = 1; seed <= 6; seed++) {
          const directory = join(yield* folder, "memory")
          const { below } = random(seed)
          const waits = Array.from({ length: 400 }, () => below(12))
          if (seed % 2 === 0) yield* placeLock(directory, 1 + below(20), Owner.encode({ ...self, pid }))
          const turns = Effect.gen(function* () {
            for (let i = waits.pop() ?? 0; i > 0; i--) yield* turn
          })
          let owners = 0
          let most = 0
          let times = 0
          const visit = Effect.gen(function* () {
            yield* Lock.own(directory)
            owners++
            times++
            most = Math.max(most, owners)
            yield* Effect.ensuring(
              turns,
              Effect.sync(() => owners--)
            )
          })
          yield* Effect.forEach(
            Array.from({ length: 12 }),
            () =>
              Effect.gen(function* () {
                for (let i = 0; i < 12; i++) {
                  const visitor = yield* Effect.forkChild(Effect.ignore(Effect.scoped(visit)))
                  yield* turns
                  yield* i % 3 === 0 ? Fiber.interrupt(visitor) : Fiber.await(visitor)
                  yield* turns
                }
              }),
            { concurrency: "unbounded" }
          )
          assert.strictEqual(most, 1)
          assert.isAbove(times, 1)
          assert.strictEqual(yield* outcome(directory), "owned")
          assert.deepStrictEqual(readdirSync(directory).length, 1)
        }
      }).pipe(Effect.scoped),
    60_000
  )

  it.effect(
    "is taken over from the dead by one of several processes",
    () =>
      Effect.gen(function* () {
        const directory = join(yield* folder, "memory")
        yield* placeLock(directory, 3, Owner.encode({ ...(yield* Owner.self), pid: yield* deadPid }))
        const children = yield* Effect.forEach([1, 2, 3], () => spawnChild("hold", directory))
        const lines = yield* Effect.forEach(children, (child) => Effect.andThen(child.line, child.line), {
          concurrency: "unbounded"
        })
        const winner = lines.find((line) => line?.[0] === "open")
        assert.deepStrictEqual(
          lines.map((line) => line?.join(" ") ?? "").toSorted((a, b) => (a < b ? -1 : 1)),
          [`Locked ${winner?.[1]}`, `Locked ${winner?.[1]}`, `open ${winner?.[1]}`]
        )
      }).pipe(Effect.scoped),
    60_000
  )

  it.effect("outlives its owner only where nothing can be known of it", () =>
    Effect.gen(function* () {
      const self = yield* Owner.self
      const { boot: _, ...withoutBoot } = self
      const pid = yield* deadPid
      const cases: ReadonlyArray<readonly [Owner.Owner, "owned" | "locked"]> = [
        [self, "locked"],
        [{ ...self, pid }, "owned"],
        // its boot could not be read
        [withoutBoot, "locked"],
        // another machine, or one that had another name when it could not tell its boots apart
        [{ pid, host: "elsewhere" }, "locked"],
        [{ ...self, pid, boot: "another", host: "elsewhere" }, "locked"],
        // another machine with the same host name
        [{ ...self, boot: "another", machine: "another" }, "locked"],
        [{ pid, host: self.host, boot: "another" }, "locked"],
        // this machine, before it was started again; a container cannot tell
        [{ ...self, boot: "another" }, self.machine === undefined ? "locked" : "owned"]
      ]
      const linux: ReadonlyArray<readonly [Owner.Owner, "owned" | "locked"]> =
        self.started === undefined
          ? []
          : [
              [{ ...self, ...(yield* zombie) }, "owned"],
              // the id is in use again
              [{ ...self, started: "1" }, "owned"],
              // another container
              [{ ...self, pid, namespace: "pid:[1]" }, "locked"]
            ]
      for (const [owner, expected] of [...cases, ...linux]) {
        const directory = join(yield* folder, "memory")
        yield* placeLock(directory, 1, Owner.encode(owner))
        assert.deepStrictEqual(
          yield* outcome(directory),
          expected === "owned" ? "owned" : ["Locked", owner.pid],
          Owner.encode(owner)
        )
      }
    }).pipe(Effect.scoped)
  )

  it.effect("outlives an owner of another boot in a container, whose machine may be another with its host name", () =>
    Effect.gen(function* () {
      const { machine, ...self } = yield* Owner.self
      assert.isUndefined(machine)
      for (const owner of [self, { ...self, machine: "another" }]) {
        const directory = join(yield* folder, "memory")
        yield* placeLock(directory, 1, Owner.encode({ ...owner, boot: "another" }))
        assert.deepStrictEqual(yield* outcome(directory), ["Locked", self.pid])
      }
    }).pipe(inContainer, Effect.scoped)
  )

  it.effect("is somebody's when it is there and cannot be read", () =>
    Effect.gen(function* () {
      const self = yield* Owner.self
      const pid = yield* deadPid
      const unreadable = ["owner.json", "released"] as const
      for (const name of unreadable) {
        const directory = join(yield* folder, "memory")
        const lock = join(directory, "lock.2")
        yield* name === "released"
          ? placeLock(directory, 2, Owner.encode({ ...self, pid }))
          : Effect.promise(() => mkdir(lock, { recursive: true }))
        // a link to itself can be read by nobody, root included
        yield* Effect.promise(() => symlink(name, join(lock, name)))
        assert.deepStrictEqual(yield* outcome(directory), ["Locked", false])
        assert.deepStrictEqual(readdirSync(directory), ["lock.2"])
      }
    }).pipe(Effect.scoped)
  )

  it.effect("that holds nothing of ours is what a power failure left, and is taken over", () =>
    Effect.gen(function* () {
      for (const content of [undefined, "", "\u0000\u0000", "{}", '{"pid":"1"}']) {
        const directory = join(yield* folder, "memory")
        yield* content === undefined
          ? Effect.promise(() => mkdir(join(directory, "lock.2"), { recursive: true }))
          : placeLock(directory, 2, content)
        assert.strictEqual(yield* outcome(directory), "owned")
        assert.deepStrictEqual(readdirSync(directory), ["lock.3"])
      }
    }).pipe(Effect.scoped)
  )

  it.effect("is seen without changing anything by one who only looks", () =>
    Effect.gen(function* () {
      const directory = join(yield* folder, "memory")
      yield* Effect.promise(() => mkdir(join(directory, "lock.draft-new"), { recursive: true }))
      yield* Lock.refuseHeld(directory)
      yield* placeLock(directory, 1, "{}")
      yield* Lock.refuseHeld(directory)
      yield* placeLock(directory, 7, Owner.encode(yield* Owner.self))
      const { message, reason } = yield* Effect.flip(Lock.refuseHeld(directory))
      assert.deepStrictEqual(reason, { _tag: "Locked", pid: process.pid, message })
      assert.deepStrictEqual(readdirSync(directory).toSorted(), ["lock.1", "lock.7", "lock.draft-new"])
      assert.deepStrictEqual(readdirSync(join(directory, "lock.7")), ["owner.json"])
      // only the newest counts
      yield* placeLock(directory, 8, Owner.encode({ ...(yield* Owner.self), pid: yield* deadPid }))
      yield* Lock.refuseHeld(directory)
    }).pipe(Effect.scoped)
  )

  it.live("leaves the draft of one who is just opening, and sweeps those that were left long ago", () =>
    Effect.gen(function* () {
      const directory = join(yield* folder, "memory")
      yield* Effect.promise(async () => {
        await mkdir(join(directory, "lock.draft-new"), { recursive: true })
        await mkdir(join(directory, "lock.draft-old"))
        const past = new Date(Date.now() - 120_000)
        await utimes(join(directory, "lock.draft-old"), past, past)
      })
      assert.strictEqual(yield* outcome(directory), "owned")
      assert.deepStrictEqual(readdirSync(directory).toSorted(), ["lock.1", "lock.draft-new"])
    }).pipe(Effect.scoped)
  )

  it.effect("is not taken by one who looked before others came and went", () =>
    Effect.gen(function* () {
      const directory = join(yield* folder, "memory")
      // It had found 3 free and was held up: 4 came and was swept away, 7 is there.
      yield* placeLock(directory, 7, Owner.encode(yield* Owner.self))
      assert.isUndefined(yield* Lock.take(directory, 4))
      assert.isUndefined(yield* Lock.take(directory, 7))
      assert.deepStrictEqual(readdirSync(directory), ["lock.7"])
      assert.strictEqual(yield* Lock.take(directory, 8), join(directory, "lock.8"))
    }).pipe(Effect.scoped)
  )

  it.effect("has the number after the last one, however large that is", () =>
    Effect.gen(function* () {
      const self = yield* Owner.self
      const dead = Owner.encode({ ...self, pid: yield* deadPid })
      for (const last of [9, 99, 100, 12_345, 99_999_999_999_999]) {
        const directory = join(yield* folder, "memory")
        yield* placeLock(directory, last, dead)
        assert.strictEqual(yield* outcome(directory), "owned")
        assert.deepStrictEqual(readdirSync(directory), [`lock.${last + 1}`])
        yield* placeLock(directory, last + 2, Owner.encode(self))
        assert.deepStrictEqual(yield* outcome(directory), ["Locked", self.pid])
      }
    }).pipe(Effect.scoped)
  )

  it.effect("is released if the directory cannot be listed afterwards", () =>
    Effect.gen(function* () {
      const directory = join(yield* folder, "memory")
      const { readdir } = promises
      let times = 0
      const once = () =>
        vi
          .spyOn(promises, "readdir")
          .mockImplementation(((path: string) =>
            ++times === 2 ? Promise.reject(failing("EMFILE")) : readdir(path)) as typeof readdir)
      const refused = yield* replacing(once, Effect.flip(Effect.scoped(Lock.own(directory))))
      assert.deepStrictEqual([refused.reason._tag, refused.isRetryable], ["Connection", true])
      assert.include(refused.message, "(EMFILE)")
      assert.strictEqual(yield* outcome(directory), "owned")
    }).pipe(Effect.scoped)
  )

  it.effect("is held by a process of another user, which refuses signals, but not by one that is gone", () =>
    Effect.gen(function* () {
      const self = yield* Owner.self
      for (const [code, expected] of [
        ["EPERM", ["Locked", self.pid]],
        ["ESRCH", "owned"]
      ] as const) {
        const directory = join(yield* folder, "memory")
        yield* placeLock(directory, 1, Owner.encode(self))
        const refuse = () =>
          vi.spyOn(process, "kill").mockImplementation(() => {
            throw failing(code)
          })
        assert.deepStrictEqual(
          yield* replacing(refuse, outcome(directory)),
          typeof expected === "string" ? expected : [...expected],
          code
        )
      }
    }).pipe(Effect.scoped)
  )

  it.effect.runIf(process.platform === "linux")(
    "is held by its process, whatever brackets the name of the process contains",
    () =>
      Effect.gen(function* () {
        const self = yield* Owner.self
        const title = yield* Effect.acquireRelease(
          Effect.sync(() => process.title),
          (before) => Effect.sync(() => (process.title = before))
        )
        for (const name of ["a) b", ")", "((", title]) {
          process.title = name
          assert.deepStrictEqual(yield* Owner.self, self, name)
          for (const [owner, expected] of [
            [self, ["Locked", self.pid]],
            [{ ...self, started: "1" }, "owned"]
          ] as const) {
            const directory = join(yield* folder, "memory")
            yield* placeLock(directory, 1, Owner.encode(owner))
            assert.deepStrictEqual(
              yield* outcome(directory),
              typeof expected === "string" ? expected : [...expected],
              name
            )
          }
        }
      }).pipe(Effect.scoped)
  )

  // Windows has no permissions of this kind
  it.effect.runIf(process.platform !== "win32")(
    "is made in folders that only its user can access, whatever the umask",
    () =>
      Effect.gen(function* () {
        const parent = yield* folder
        yield* Effect.acquireRelease(
          Effect.sync(() => process.umask(0o022)),
          (mask) => Effect.sync(() => process.umask(mask))
        )
        yield* Lock.own(join(parent, "a", "b", "memory"))
        const lock = join("a", "b", "memory", "lock.1")
        for (const name of ["a", join("a", "b"), join("a", "b", "memory"), lock]) {
          assert.strictEqual(statSync(join(parent, name)).mode & 0o777, 0o700, name)
        }
        assert.strictEqual(statSync(join(parent, lock, "owner.json")).mode & 0o777, 0o600)
      }).pipe(Effect.scoped)
  )
})
