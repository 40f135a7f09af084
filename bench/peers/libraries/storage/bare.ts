import { PGlite } from "@electric-sql/pglite"
import { notes, type Open, text } from "./task.ts"

/** What any program needs: a row for each note, in a transaction of its own. */
export const insert: Open = async () => {
  const pglite = await PGlite.create()
  await pglite.exec(
    "create table note(id uuid primary key, thought uuid not null, seq int not null, content text not null)"
  )
  const thought = crypto.randomUUID()
  let statements = 0
  const query = (statement: string, values: Array<unknown> = []) => {
    statements++
    return pglite.query<Record<string, string>>(statement, values)
  }
  return {
    write: async () => {
      for (let note = 0; note < notes; note++) {
        await query("begin")
        await query("insert into note values ($1, $2, $3, $4)", [crypto.randomUUID(), thought, note, text(note)])
        await query("commit")
      }
    },
    stored: async () => {
      const written = statements
      const { rows } = await query("select content from note order by seq")
      const sizes = await query(
        "select sum(pg_column_size(n.id) + 16 + 4 + pg_column_size(n.content)) as size from note n"
      )
      return {
        bytes: { data: Number(sizes.rows[0]?.["size"]), search: 0, vectors: 0 },
        texts: rows.map(({ content }) => content ?? ""),
        statements: written
      }
    },
    close: () => pglite.close()
  }
}
