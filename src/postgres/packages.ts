/** The store with the packages that it needs. */
import { loaded } from "../sql/database/failure.ts"

export const packages = loaded(() => import("./store.ts"), "The Postgres driver", "pg@8.23.1 kysely@0.29.9")
