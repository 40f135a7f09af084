/** The store with the packages that it needs. */
import { loaded } from "../sql/database/failure.ts"

export const packages = loaded(
  () => import("./store.ts"),
  "The embedded database",
  "@electric-sql/pglite@0.5.14 @electric-sql/pglite-pgvector@0.0.15 kysely@0.29.9"
)
