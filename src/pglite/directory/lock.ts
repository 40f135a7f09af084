/**
 * A lock that gives a directory one owner.
 *
 * Inside the directory, the folder `lock.<n>` names its owner; the greatest number counts. A process becomes the owner by
 * renaming a folder of its own to the next number. That is atomic and succeeds for one process only. It is allowed if the
 * greatest is marked `released` or its owner has ended. The greatest is never removed, not even on release: a process that
 * looked earlier and was then delayed would find its number free again and own the directory too.
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type * as Scope from "effect/Scope"
import { randomUUID } from "node:crypto"
import { mkdir, readdir, readFile, rename, rm, stat, writeFile } from "node:fs/promises"
import { dirname, join, resolve } from "node:path"
import { MemoryError } from "../../Memory.ts"
import * as Owner from "./owner.ts"
import { files, present } from "./files.ts"
import { modes } from "./modes.ts"

const attempts = 50
const staleDraftMillis = 60_000

const messageOf = (owner: Owner.Owner | undefined, own: boolean): string => {
  if (owner === undefined)
    return "Several processes are opening the memory's directory at the same time. Only one may: start one of them again."
  if (own) {
    return (
      "The memory's directory is already open in this process: build its layer once and share it, for instance with one " +
      "ManagedRuntime for the program, or close the other memory first."
    )
  }
  return (
    `The memory's directory is open in process ${owner.pid} on ${owner.host}: close it there, or use another directory. ` +
    "If that process is gone for good (another container or machine), remove the directory's lock folders."
  )
}

const locked = Effect.fnUntraced(function* (owner: Owner.Owner | undefined): Effect.fn.Return<never, MemoryError> {
  const own = owner !== undefined && (yield* Owner.isSelf(owner))
  return yield* new MemoryError({
    reason: { _tag: "Locked", ...(owner === undefined ? {} : { pid: owner.pid }), message: messageOf(owner, own) }
  })
})

const numberOf = (name: string): number => Number(/^lock\.(\d{1,15})$/.exec(name)?.[1] ?? 0)

const numbers = (directory: string) =>
  Effect.map(
    files(() => readdir(directory)),
    (names) => names.map(numberOf)
  )

/** The result, or nothing if the file does not exist. A lock that cannot be read counts as held. */
const read = <A>(run: () => Promise<A>): Effect.Effect<A | undefined, MemoryError> =>
  Effect.mapError(
    present(run),
    (code) =>
      new MemoryError({
        reason: {
          _tag: "Locked",
          message:
            `The memory's directory has a lock that cannot be read (${code}), so it may be open elsewhere: open it as the ` +
            "user who made it. If no process has it open, remove the directory's lock folders."
        }
      })
  )

/**
 * The owner of a lock, or nothing if it is released or its owner has ended.
 *
 * A lock's folder always comes with a whole file. If the file is missing, a process that has a later lock is removing the
 * folder, which `take` notices. A missing or an invalid file may also be the result of a crash of the machine.
 */
const holder = Effect.fnUntraced(function* (lock: string): Effect.fn.Return<Owner.Owner | undefined, MemoryError> {
  const released = yield* read(() => stat(join(lock, "released")))
  if (released !== undefined) return undefined
  const text = yield* read(() => readFile(join(lock, "owner.json"), "utf8"))
  const owner = text === undefined ? Option.none() : Owner.decode(text)
  return Option.isNone(owner) || (yield* Owner.hasEnded(owner.value)) ? undefined : owner.value
})

const release = (lock: string): Effect.Effect<void> =>
  Effect.ignore(files(() => writeFile(join(lock, "released"), "", { mode: modes.file })))

/** Removes what earlier owners left behind. */
const sweep = Effect.fnUntraced(function* (directory: string, own: number): Effect.fn.Return<void, MemoryError> {
  const now = yield* Clock.currentTimeMillis
  for (const name of yield* files(() => readdir(directory))) {
    const number = numberOf(name)
    if (number > 0 && number < own) {
      yield* Effect.ignore(files(() => rm(join(directory, name), { recursive: true, force: true })))
    }
    if (name.startsWith("lock.draft-")) {
      const age = yield* Effect.option(files(() => stat(join(directory, name))))
      if (Option.isSome(age) && now - age.value.mtimeMs > staleDraftMillis) {
        yield* Effect.ignore(files(() => rm(join(directory, name), { recursive: true, force: true })))
      }
    }
  }
})

/** The path of the lock that this process now holds, or nothing if another one was quicker or a later lock exists. */
export const take = Effect.fnUntraced(function* (
  directory: string,
  number: number
): Effect.fn.Return<string | undefined, MemoryError> {
  const draft = join(directory, `lock.draft-${randomUUID()}`)
  const lock = join(directory, `lock.${number}`)
  yield* files(() => mkdir(draft, { mode: modes.folder }))
  const owner = Owner.encode(yield* Owner.self)
  yield* files(() => writeFile(join(draft, "owner.json"), owner, { mode: modes.file }))
  const moved = yield* Effect.isSuccess(files(() => rename(draft, lock)))
  if (!moved) {
    yield* Effect.ignore(files(() => rm(draft, { recursive: true, force: true })))
    return undefined
  }
  const newest = Math.max(...(yield* Effect.onError(numbers(directory), () => release(lock))))
  if (newest === number) return lock
  yield* Effect.ignore(files(() => rm(lock, { recursive: true, force: true })))
  return undefined
})

/** Creates a directory and those above it. Node's recursive `mkdir` never ends where one cannot be created, as in /proc. */
const makeDirectory = (path: string): Promise<unknown> =>
  mkdir(path, { mode: modes.folder })
    .catch((error: NodeJS.ErrnoException) =>
      error.code === "ENOENT" && dirname(path) !== path
        ? makeDirectory(dirname(path)).then(() => mkdir(path, { mode: modes.folder }))
        : Promise.reject(error)
    )
    .catch((error: NodeJS.ErrnoException) => (error.code === "EEXIST" ? undefined : Promise.reject(error)))

/** The greatest number, and who holds it. */
const newestOf = Effect.fnUntraced(function* (directory: string) {
  const newest = Math.max(0, ...(yield* numbers(directory)))
  return { newest, owner: newest === 0 ? undefined : yield* holder(join(directory, `lock.${newest}`)) }
})

/** Fails with `Locked`, changing nothing, if an existing directory has an owner. */
export const refuseHeld = Effect.fnUntraced(function* (directory: string): Effect.fn.Return<void, MemoryError> {
  const { owner } = yield* newestOf(directory)
  yield* owner === undefined ? Effect.void : locked(owner)
})

const acquire = Effect.fnUntraced(function* (directory: string): Effect.fn.Return<string, MemoryError> {
  yield* files(() => makeDirectory(resolve(directory)))
  for (let attempt = 0; attempt < attempts; attempt++) {
    const { newest, owner } = yield* newestOf(directory)
    if (owner !== undefined) return yield* locked(owner)
    const lock = yield* take(directory, newest + 1)
    if (lock === undefined) continue
    yield* Effect.ignore(sweep(directory, newest + 1))
    return lock
  }
  return yield* locked(undefined)
})

/**
 * Owns a directory until the scope closes, and creates it if it is missing.
 *
 * Fails with `Locked` if another process, or another layer of this one, owns it.
 */
export const own = (directory: string): Effect.Effect<void, MemoryError, Scope.Scope> =>
  Effect.asVoid(Effect.acquireRelease(acquire(directory), release))
