/** What a database's thread and the thread that started it send each other. */
import { type Connection, type DiskState, Stopped } from "./connection.ts"

/** A call of the connection. */
export type Order = { readonly id: number } & (
  | { readonly call: "query"; readonly values: Parameters<Connection["query"]> }
  | { readonly call: "sendBytes"; readonly values: Parameters<Connection["sendBytes"]> }
  | { readonly call: "close"; readonly values: Parameters<Connection["close"]> }
)

/** A thread that runs says so first; the answer 0 says that the database is open or why it is not. */
export type Reply =
  | "started"
  | {
      readonly id: number
      readonly disk: DiskState
      readonly result?: unknown
      readonly failure?: Failure
    }

/** The parts of an error that another thread can have: it may hold functions. */
export interface Failure {
  readonly name: string
  readonly message: string
  /** Its own texts, such as the code. */
  readonly fields: Readonly<Record<string, string>>
}

export const failureOf = (thrown: unknown): Failure => {
  const error = thrown instanceof Error ? thrown : Object.assign(new Error(String(thrown)), thrown)
  const fields = Object.entries(error).filter((field): field is [string, string] => typeof field[1] === "string")
  return { name: error.name, message: error.message, fields: Object.fromEntries(fields) }
}

/** Errors whose class tells what is wrong. */
const classes: Readonly<Record<string, new (message: string) => Error>> = {
  RangeError,
  ReferenceError,
  Stopped,
  TypeError
}

export const errorOf = ({ fields, message, name }: Failure): Error =>
  Object.assign(new (classes[name] ?? Error)(message), fields)
