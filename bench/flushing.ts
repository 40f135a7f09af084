// @effect-diagnostics runEffectInsideEffect:off -- what is measured is what an application calls
/**
 * What it costs that a commit returns only when the disk has it: the same commits on one memory, with flushing and with the
 * system call made empty, in turn. Prints the medians and their ratio.
 */
import { Effect, Layer } from "effect"
import { Memory, Thought } from "cogito"
import { PgliteMemory } from "cogito/pglite"
import { Testing } from "cogito/testing"
import fs, { mkdtempSync, rmSync } from "node:fs"
import { syncBuiltinESMExports } from "node:module"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { median, print } from "./memory/compare.ts"

const rounds = 60
const folder = mkdtempSync(join(tmpdir(), "cogito-flushing-"))
const flush = fs.fsyncSync
const take = (fsyncSync: typeof flush) => {
  fs.fsyncSync = fsyncSync
  syncBuiltinESMExports()
}

const program = Effect.gen(function* () {
  const memory = yield* Memory.Memory
  const commit = Effect.gen(function* () {
    const start = performance.now()
    yield* memory.commit(yield* Thought.make("triage", { message: "The parcel was lost on its way" }))
    return performance.now() - start
  })
  const times: { readonly on: Array<number>; readonly off: Array<number> } = { on: [], off: [] }
  for (let round = 0; round < rounds; round++) {
    take(flush)
    times.on.push(yield* commit)
    take(() => {})
    times.off.push(yield* commit)
  }
  take(flush)
  const [on, off] = [median(times.on), median(times.off)]
  print(
    `A commit with flushing ${on.toFixed(1)} ms, without ${off.toFixed(1)} ms: ${(on / off).toFixed(2)} times as long.`
  )
})
const live = PgliteMemory.layer({ dataDir: join(folder, "memory"), thread: false }).pipe(
  Layer.provide(Testing.embedder)
)
await Effect.runPromise(
  Effect.ensuring(
    Effect.provide(program, live),
    Effect.sync(() => rmSync(folder, { recursive: true, force: true }))
  )
)
