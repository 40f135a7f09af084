/** Whose rows a transaction sees: row-level security asks for the settings that are made here. */
import * as Effect from "effect/Effect"
import { type RawBuilder, sql } from "kysely"
import type { MemoryError } from "../../Memory.ts"
import type { Handle, Tenant } from "./database.ts"
import { attempt } from "./failure.ts"
import { encode } from "./text.ts"

/** Settings of the server for the rest of a transaction, by name. */
export type Settings = Readonly<Record<string, string>>

/** What makes these settings hold. */
export const settingsOf = (settings: Settings): RawBuilder<unknown> =>
  sql.join(Object.entries(settings).map(([name, value]) => sql`set_config(${name}, ${value}, true)`))

/**
 * Makes the rest of the transaction one scope's: as a role that row-level security holds for, even where the connection is
 * the owner's or a superuser's. Without a scope it is upkeep, which the policies let see everything. Nothing outlives the
 * transaction, so that a pooler may give the connection to another program after it.
 */
export const enter = (trx: Handle, tenant: Tenant, settings: Settings = {}): Effect.Effect<void, MemoryError> => {
  const own: Settings =
    tenant === undefined ? { "cogito.upkeep": "on" } : { role: "cogito_tenant", "cogito.scope": encode(tenant) }
  return Effect.asVoid(attempt(() => sql`select ${settingsOf({ ...settings, ...own })}`.execute(trx)))
}
