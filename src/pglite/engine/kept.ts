/**
 * Statements whose plans the database keeps: to plan one takes three times as long as to run it.
 *
 * PGlite itself plans a statement each time. It passes on messages of Postgres' protocol, which has named statements.
 */
import { parse, type PGlite, protocol, type Results } from "@electric-sql/pglite"

interface Prepared {
  readonly name: string
  /** The types of its parameters. */
  readonly types: ReadonlyArray<number>
}

/** The most plans that are kept; each takes some 100 kB. Other statements are planned each time. */
const most = 64

const { serialize } = protocol

export class Kept {
  readonly #pglite: PGlite
  readonly #prepared = new Map<string, Prepared>()

  constructor(pglite: PGlite) {
    this.#pglite = pglite
  }

  /** Runs a statement, and keeps its plan. */
  query(statement: string, values: ReadonlyArray<unknown>): Promise<Pick<Results, "rows" | "affectedRows">> {
    const pglite = this.#pglite
    const known = this.#prepared.get(statement)
    if (known === undefined && this.#prepared.size >= most) return pglite.query(statement, [...values])
    return pglite.runExclusive(async () => {
      const { name, types } = known ?? (await this.#prepare(statement))
      const texts = values.map((value, i) => (value === null ? null : textOf(pglite.serializers[types[i] ?? 0], value)))
      const messages = await this.#send(
        serialize.bind({ statement: name, values: texts }),
        serialize.describe({ type: "P" }),
        serialize.execute({})
      )
      const [result] = parse.parseResults(messages, pglite.parsers)
      return result ?? { rows: [] }
    })
  }

  async #prepare(statement: string): Promise<Prepared> {
    const name = `kept_${this.#prepared.size}`
    const messages = await this.#send(
      serialize.parse({ name, text: statement }),
      serialize.describe({ type: "S", name })
    )
    const prepared = { name, types: parse.parseDescribeStatementResults(messages) }
    this.#prepared.set(statement, prepared)
    return prepared
  }

  /** Sends messages, and `sync`, which ends them also after a failure. */
  #send(...messages: ReadonlyArray<Uint8Array>): ReturnType<PGlite["execProtocolStream"]> {
    return this.#pglite.execProtocolStream(Buffer.concat([...messages, serialize.sync()]), { syncToFs: false })
  }
}

const textOf = (serialize: ((value: unknown) => string) | undefined, value: unknown): string =>
  serialize === undefined ? String(value) : serialize(value)
