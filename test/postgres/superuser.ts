/** A connection of the superuser to a database, beside those of a store. */
import { Effect } from "effect"
import { Client } from "pg"

/** Open until the scope closes. */
export const superuser = (url: string) =>
  Effect.map(
    Effect.acquireRelease(
      Effect.promise(async () => {
        const client = new Client({ connectionString: url })
        await client.connect()
        return client
      }),
      (client) => Effect.promise(() => client.end())
    ),
    (client) => ({
      /** The rows of a statement. */
      rows: (text: string, values: ReadonlyArray<unknown> = []) =>
        Effect.promise(() => client.query(text, [...values]).then((result) => result.rows as ReadonlyArray<any>)),
      /** The code of the error of a statement, or `"done"`. */
      code: (text: string) =>
        Effect.promise(() =>
          client.query(text).then(
            () => "done",
            (error: { readonly code: string }) => error.code
          )
        )
    })
  )
