import { PGlite } from "@electric-sql/pglite"

/** Lets the next database that is created count its statements. */
export const counting = () => {
  const { create } = PGlite
  const createdBy: (...args: ReadonlyArray<unknown>) => Promise<PGlite> = create.bind(PGlite) as never
  let opened: PGlite | undefined
  let statements = 0
  PGlite.create = (async (...args: ReadonlyArray<unknown>) => {
    PGlite.create = create
    const pglite = await createdBy(...args)
    const { exec, query } = pglite
    pglite.query = ((...args: Parameters<PGlite["query"]>) => {
      statements++
      return query.apply(pglite, args)
    }) as PGlite["query"]
    pglite.exec = (...args) => {
      statements++
      return exec.apply(pglite, args)
    }
    opened = pglite
    return pglite
  }) as typeof create
  return {
    statements: () => statements,
    database: (): PGlite => {
      if (opened === undefined) throw new Error("No database has been created.")
      return opened
    }
  }
}

interface Column {
  readonly name: string
  readonly table: string
}

/** Bytes in all columns of all rows, by what the columns are for. */
export const sizes = async (database: PGlite) => {
  const { rows } = await database.query<Column>(
    "select table_name as table, column_name as name from information_schema.columns where table_schema = 'cogito'"
  )
  const bytes = { data: 0, search: 0, vectors: 0 }
  for (const { name, table } of rows) {
    if (["migration", "space"].includes(table)) continue
    const size = await database.query<{ readonly size: string | null }>(
      `select sum(pg_column_size("${name}")) as size from cogito."${table}"`
    )
    const kind = /vector|space/.test(table)
      ? "vectors"
      : name === "words" || name === "content_hash"
        ? "search"
        : "data"
    bytes[kind] += Number(size.rows[0]?.size ?? 0)
  }
  return bytes
}
