/** Functions of Node's file system, replaced for as long as the scope lasts, for whoever has imported them too. */
import * as Effect from "effect/Effect"
import fs from "node:fs"
import { syncBuiltinESMExports } from "node:module"

type Name = "fsyncSync" | "statfsSync" | "writeSync"

/** `replace` is given the real function. */
export const replaced = <N extends Name>(name: N, replace: (real: (typeof fs)[N]) => (typeof fs)[N]) =>
  Effect.acquireRelease(
    Effect.sync(() => {
      const real = fs[name]
      fs[name] = replace(real)
      syncBuiltinESMExports()
      return real
    }),
    (real) =>
      Effect.sync(() => {
        fs[name] = real
        syncBuiltinESMExports()
      })
  )

/** An error as a system call gives it. */
export const failing = (code: string): Error => Object.assign(new Error(`${code}: made by a test`), { code })
