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
