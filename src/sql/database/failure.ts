/**
 * Failures of the database as errors of the memory.
 *
 * The drivers' errors hold the statement, its parameters and rows. None of these may leave the store, so such an error is never a
 * `cause`.
 */
import * as Effect from "effect/Effect"
import { MemoryError } from "../../Memory.ts"

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

export const connection = (message: string, code?: string): MemoryError =>
  new MemoryError({ reason: { _tag: "Connection", message, ...(code === undefined ? {} : { code }) } })

/** A failure that lasts until somebody does something about it. */
export const unusable = (message: string): MemoryError =>
  new MemoryError({ reason: { _tag: "Connection", message, retryable: false } })

/** Codes of system calls that may succeed later without any change. */
const passing = new Set(["EAGAIN", "EBUSY", "EINTR", "EIO", "EMFILE", "ENFILE", "ETIMEDOUT"])

const isFull = "the disk is full, free space"
const isForbidden = "give the user who runs the program the right to read and write it, or choose another path"

/** Advice for codes that name the cause. */
const adviceOf: Readonly<Record<string, string>> = {
  ENOSPC: isFull,
  EDQUOT: isFull,
  EACCES: isForbidden,
  EPERM: isForbidden,
  EROFS: "its file system is read-only, make that writable or choose another path"
}

/** The failure of a system call on files, with advice by its code. */
export const unusableFiles = (what: string, advice: string, code: string): MemoryError => {
  const message = `${what} (${code}): ${adviceOf[code] ?? advice}.`
  return passing.has(code) ? connection(message) : unusable(message)
}

/** Loads a module that needs packages. If they are missing, the error says how to install them. */
export const loaded = <A>(load: () => Promise<A>, what: string, packages: string): Effect.Effect<A, MemoryError> =>
  Effect.tryPromise({
    try: load,
    catch: (cause) => {
      const message = `${what} cannot be loaded: run npm install --save-exact ${packages}`
      return new MemoryError({ reason: { _tag: "Connection", retryable: false, message }, cause })
    }
  })

export const corrupt = (message: string): MemoryError => new MemoryError({ reason: { _tag: "Corrupt", message } })

export const timeout = (message: string): MemoryError => new MemoryError({ reason: { _tag: "Timeout", message } })

/** Codes, and beginnings of codes, of a database that is not there, is going down, or has no place for another connection. */
const gone = /^(?:08|57P0|53[0-4]|25P03|58)/

const full = "53100"

const missingFile = "58P01"

/** Codes of a file that is missing, and of rows or an index that are damaged. */
const damaged = new Set([missingFile, "XX001", "XX002"])

/** Codes of a statement, or from Postgres 17 on a transaction, that was ended because it took too long. */
const late = new Set(["57014", "25P04"])

/** Codes of a transaction that met another one: the same again may succeed. */
const met = new Set(["40001", "40P01", "55P03"])

/** The server's internal error if two transactions change one row of its catalogue, such as a role's rights. */
const metInCatalogue = /^tuple concurrently (?:updated|deleted)$/

/** Whether the server rolled a transaction back because of another one, without waiting for a lock until the time limit. */
export const isMet = ({ reason }: MemoryError): boolean =>
  reason._tag === "Connection" && reason.code !== undefined && reason.code !== "55P03"

const unreadable =
  "The url cannot be read: write postgres://user:password@host:5432/database, and special characters of the user and password as %XX."

/** Messages of the driver, which have no code, about a URL that does not fit the server. */
const inUrl: ReadonlyArray<readonly [said: RegExp, message: string]> = [
  [/password must be a/, "The database requires a password: add one to the url."],
  [
    /does not support SSL/,
    "The database does not support SSL: if you do not need encryption, add sslmode=disable to the url."
  ]
]

/** Messages of a pooler, reported as protocol violations, about features that it does not offer. */
const inPooler: ReadonlyArray<readonly [said: RegExp, message: string]> = [
  [
    /not allowed in statement pooling/,
    "The pooler (PgBouncer) pools statements, and the memory needs transactions: set its pool_mode to transaction or session."
  ],
  [
    /^unsupported startup parameter/,
    "The pooler (PgBouncer) refuses a parameter of the url: take it out of the url, or name it in its ignore_startup_parameters."
  ]
]

const fromDatabase = (error: unknown): MemoryError => {
  // code around the driver has already made the error
  if (error instanceof MemoryError) return error
  const code = textField(error, "code")
  if (code === undefined || !/^[0-9A-Z]{5}$/.test(code) || /^E[A-Z]{4}$/.test(code)) {
    if (/timeout/i.test(textField(error, "message") ?? "")) {
      return timeout(
        "The database did not answer in time, or no connection to it was free: try again, or allow for more."
      )
    }
    if (codeOf(error) === "ERR_INVALID_URL") return query(unreadable)
    // connecting has other system calls
    if (textField(error, "syscall") === "open") {
      return query(
        `A file that the url names cannot be read (${codeOf(error)}): check sslcert, sslkey and sslrootcert.`
      )
    }
    const wrong = inUrl.find(([said]) => said.test(textField(error, "message") ?? ""))
    if (wrong !== undefined) return query(wrong[1])
    return connection(
      `The database cannot be reached, is closed or has stopped (${codeOf(error)}): check that it is running.`
    )
  }
  const refused = code === "08P01" ? inPooler.find(([said]) => said.test(textField(error, "message") ?? "")) : undefined
  if (refused !== undefined) return query(refused[1], code)
  if (late.has(code))
    return timeout(`The database did not answer in time (SQLSTATE ${code}): try again, or allow for more.`)
  if (code === full) return unusable(`The disk of the database is full (SQLSTATE ${code}): free space.`)
  if (code === missingFile && /library|access file/.test(textField(error, "message") ?? "")) {
    return query(
      `The server cannot load a library that the database needs (SQLSTATE ${code}): install pgvector for this version of the server again.`,
      code
    )
  }
  if (damaged.has(code)) {
    return corrupt(
      `A file of the database is missing or damaged (SQLSTATE ${code}): restore the database from a backup.`
    )
  }
  if (code === "25006") {
    const message =
      "The database is read-only (SQLSTATE 25006): on a standby, try again when it takes over; elsewhere, turn default_transaction_read_only off."
    return connection(message)
  }
  if (gone.test(code))
    return connection(`The database does not accept statements at the moment (SQLSTATE ${code}): try again.`)
  if (code.startsWith("28"))
    return query(`The database does not accept this user or password (SQLSTATE ${code}): check the url.`, code)
  if (code === "3D000") return query(`The server has no such database (SQLSTATE ${code}): check the url.`, code)
  if (met.has(code) || metInCatalogue.test(textField(error, "message") ?? "")) {
    return connection(`The database asks to try again (SQLSTATE ${code}).`, code)
  }
  const constraint = textField(error, "constraint")
  const at = constraint === undefined ? "" : `, constraint ${constraint}`
  return query(`The database refused a statement (SQLSTATE ${code}${at}): the log of the server has its reason.`, code)
}

/** Whether the error is a fault in the code, which another attempt does not heal. */
const isFault = (error: unknown): boolean =>
  (error instanceof TypeError || error instanceof RangeError || error instanceof ReferenceError) &&
  textField(error, "code") === undefined

/** Runs a statement. Its failure names the code and the constraint, never a value. A fault in the code is a defect. */
export const attempt = <A>(run: () => Promise<A>): Effect.Effect<A, MemoryError> =>
  Effect.catchIf(
    Effect.tryPromise({ try: run, catch: (error) => (isFault(error) ? { fault: error } : fromDatabase(error)) }),
    (error) => "fault" in error,
    ({ fault }) => Effect.die(fault)
  )
