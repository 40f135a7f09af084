/**
 * Which process owns a directory, and whether it still runs.
 *
 * A process id alone is not enough, because ids are reused. On Linux an owner is also identified by the start time of its
 * process, the id of the machine, the boot of its kernel and its process namespace (a container has its own). On other systems
 * only the host name distinguishes machines.
 */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { readFile, readlink } from "node:fs/promises"
import { hostname } from "node:os"
import { env, pid } from "node:process"

const Owner = Schema.Struct({
  pid: Schema.Int,
  host: Schema.String,
  machine: Schema.optionalKey(Schema.String),
  boot: Schema.optionalKey(Schema.String),
  namespace: Schema.optionalKey(Schema.String),
  started: Schema.optionalKey(Schema.String)
})

/** A process, with what distinguishes it from others with the same id. */
export type Owner = typeof Owner.Type

/** An owner as the text of a file. */
export const encode: (owner: Owner) => string = Schema.encodeSync(Schema.fromJsonString(Owner))

/** Reads the owner from the text of a file. None if the text is invalid. */
export const decode: (text: string) => Option.Option<Owner> = Schema.decodeUnknownOption(Schema.fromJsonString(Owner))

const orUndefined = (read: () => Promise<string>): Effect.Effect<string | undefined> =>
  Effect.map(Effect.option(Effect.tryPromise(read)), Option.getOrUndefined)

/** State and start time of a process, from the fields after its name, which may contain brackets. */
const processOf = (id: number) =>
  Effect.map(
    orUndefined(() => readFile(`/proc/${id}/stat`, "utf8")),
    (stat) => {
      const fields = stat?.slice(stat.lastIndexOf(")") + 2).split(" ") ?? []
      return { state: fields[0], started: fields[19] }
    }
  )

/** The process namespace of a machine's first process on Linux. */
const outsideContainers = "pid:[4026531836]"

/**
 * The id that a machine keeps when it is restarted. Undefined if it has none, and in a container, which may have the id of its
 * image. A Linux in Windows (WSL) has a process namespace like a container, but an id of its own.
 */
const machineIn = Effect.fnUntraced(function* (namespace: string | undefined): Effect.fn.Return<string | undefined> {
  if (namespace !== outsideContainers && env["WSL_DISTRO_NAME"] === undefined) return undefined
  const id = (yield* orUndefined(() => readFile("/etc/machine-id", "utf8")))?.trim()
  return id === "" ? undefined : id
})

/** This process. */
export const self: Effect.Effect<Owner> = Effect.gen(function* () {
  const boot = yield* orUndefined(() => readFile("/proc/sys/kernel/random/boot_id", "utf8"))
  const namespace = yield* orUndefined(() => readlink("/proc/self/ns/pid"))
  const machine = yield* machineIn(namespace)
  const { started } = yield* processOf(pid)
  return {
    pid,
    host: hostname(),
    ...(machine === undefined ? {} : { machine }),
    ...(boot === undefined ? {} : { boot: boot.trim() }),
    ...(namespace === undefined ? {} : { namespace }),
    ...(started === undefined ? {} : { started })
  }
})

/** Whether an owner is this process. */
export const isSelf = (owner: Owner): Effect.Effect<boolean> => Effect.map(self, (me) => encode(me) === encode(owner))

const signals = (id: number): boolean => {
  try {
    return process.kill(id, 0)
  } catch (error) {
    // EPERM: it runs under another user.
    return error instanceof Error && "code" in error && error.code === "EPERM"
  }
}

/**
 * Whether an owner has certainly ended.
 *
 * An owner in another container or on another machine counts as running, because nothing is known about it: two owners would
 * destroy each other's data. An owner from an earlier boot has ended if the machine is certainly the same.
 */
export const hasEnded = Effect.fnUntraced(function* (owner: Owner): Effect.fn.Return<boolean> {
  const me = yield* self
  if (owner.boot !== me.boot) {
    // a boot that could not be read says nothing
    const isKnown = owner.boot !== undefined && me.boot !== undefined && me.machine !== undefined
    return isKnown && owner.machine === me.machine && owner.host === me.host
  }
  if (owner.boot === undefined ? owner.host !== me.host : owner.namespace !== me.namespace) return false
  if (!signals(owner.pid)) return true
  const { started, state } = yield* processOf(owner.pid)
  const over = state === "Z" || state === "X"
  return over || (owner.started !== undefined && started !== undefined && owner.started !== started)
})
