/**
 * What went wrong in the database, in the memory's own terms.
 *
 * PGlite's errors hold the statement, its parameters and rows; none of that may leave, so they are never a `cause`.
 */
import * as Effect from "effect/Effect"
import { MemoryError } from "../Memory.ts"

const textField = (value: unknown, field: string): string | undefined => {
  if (typeof value !== "object" || value === null) return undefined
  const found: unknown = Reflect.get(value, field)
  return typeof found === "string" ? found : undefined
}

/** The code of a failed system call, such as `EACCES`, or else the error's name. */
export const codeOf = (error: unknown): string =>
  textField(error, "code") ?? textField(error, "name") ?? "unknown error"

export const query = (message: string, code?: string): MemoryError =>
  new MemoryError({ reason: { _tag: "Query", message, ...(code === undefined ? {} : { code }) } })

export const connection = (message: string): MemoryError => new MemoryError({ reason: { _tag: "Connection", message } })

export const corrupt = (message: string): MemoryError => new MemoryError({ reason: { _tag: "Corrupt", message } })

export const conflict = (thoughtId: string, why: string): MemoryError =>
  new MemoryError({
    reason: {
      _tag: "ConcurrencyConflict",
      thoughtId,
      message: `The thought ${thoughtId} ${why}. Load it again and repeat what is missing.`
    }
  })

const fromDatabase = (error: unknown): MemoryError => {
  const code = textField(error, "code")
  if (code === undefined || !/^[0-9A-Z]{5}$/.test(code)) {
    return connection(`The embedded database is closed or has stopped (${codeOf(error)}): build its layer again.`)
  }
  const constraint = textField(error, "constraint")
  const at = constraint === undefined ? "" : `, constraint ${constraint}`
  return query(`The database refused a statement (SQLSTATE ${code}${at}).`, code)
}

/** Runs a statement; its failure says the code and the constraint, never a value. */
export const attempt = <A>(run: () => Promise<A>): Effect.Effect<A, MemoryError> =>
  Effect.tryPromise({ try: run, catch: fromDatabase })
