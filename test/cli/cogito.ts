/** The program, run as a user runs it: another process, of which the output and the exit code count. */
import { Effect, Stream } from "effect"
import { spawn } from "node:child_process"
import { text } from "node:stream/consumers"
import { join } from "node:path"
import { Memory, Thought } from "../../src/index.ts"
import { Testing } from "../../src/testing/index.ts"

const main = join(import.meta.dirname, "..", "..", "src", "cli", "main.ts")

export interface Ended {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

/** `cogito memory …`, with nothing of this process's environment that names a memory. */
export const cogito = async (
  args: ReadonlyArray<string>,
  { env = {}, input = "" }: { readonly env?: Readonly<Record<string, string>>; readonly input?: string } = {}
): Promise<Ended> => {
  const { DATABASE_URL: _, ...rest } = process.env
  const child = spawn(process.execPath, ["--conditions=cogito-source", main, "memory", ...args], {
    env: { ...rest, NO_COLOR: "1", ...env }
  })
  child.stdin.end(input)
  const code = new Promise<number | null>((resolve) => child.once("close", resolve))
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)])
  return { code: await code, stdout, stderr }
}

/** What the archive below holds. */
export interface Planted {
  readonly archive: string
  readonly thoughtId: string
  readonly traceId: string
  readonly forkId: string
}

/** An archive of two thoughts: a ticket with a message sent, and a fork of it with a note of its own. */
export const plant: Effect.Effect<Planted> = Effect.gen(function* () {
  const memory = yield* Memory.Memory
  const notes = { message: "The parcel was lost\non its way", odd: "red \u001b[31mtext \u2028 end" }
  const made = yield* Thought.make("triage", notes, { taskId: "ticket-7" })
  const thought = yield* memory.commit(made)
  const fork = yield* memory.commit(yield* Thought.fork(thought))
  yield* memory.append(fork.id, [{ key: "answer", content: "Refunded the damaged goods" }])
  const lines = yield* Stream.runCollect(Memory.exportLines())
  return { archive: `${lines.join("\n")}\n`, thoughtId: thought.id, traceId: thought.traceId, forkId: fork.id }
}).pipe(Effect.provide(Testing.memory), Effect.orDie)
