/** The settings of a transaction by which row-level security decides whose rows it sees. */
import * as Effect from "effect/Effect"
import { type RawBuilder, sql } from "kysely"
import type { MemoryError } from "../../Memory.ts"
import type { Handle, Tenant } from "./database.ts"
import { attempt } from "./failure.ts"
import { encode } from "./text.ts"

/** Settings of the server for the rest of a transaction, by name. */
export type Settings = Readonly<Record<string, string>>

/** The expressions that apply these settings, for the rest of the transaction or, if they are to stay, of the session. */
export const settingsOf = (settings: Settings, options: { readonly stay?: boolean } = {}): RawBuilder<unknown> =>
  sql.join(
    Object.entries(settings).map(([name, value]) => sql`set_config(${name}, ${value}, ${options.stay !== true})`)
  )

/**
 * Limits the rest of the transaction to one scope.
 *
 * It takes a role to which row-level security applies, even if the connection is that of the owner or a superuser. Without a
 * scope the transaction is upkeep, which sees everything. No setting outlives the transaction, so that a pooler may give the
 * connection to another program.
 */
export const enter = (trx: Handle, tenant: Tenant, settings: Settings = {}): Effect.Effect<void, MemoryError> => {
  const own: Settings =
    tenant === undefined ? { "cogito.upkeep": "on" } : { role: "cogito_tenant", "cogito.scope": encode(tenant) }
  return Effect.asVoid(attempt(() => sql`select ${settingsOf({ ...settings, ...own })}`.execute(trx)))
}

/**
 * Limits the session to one scope, or to none for upkeep, until the next call. Only for a connection that no other program
 * uses. It must not be called in a transaction, as a rollback would undo it.
 */
export const stay = (db: Handle, tenant: Tenant): Effect.Effect<void, MemoryError> => {
  const settings: Settings =
    tenant === undefined
      ? { role: "none", "cogito.upkeep": "on", "cogito.scope": "" }
      : { role: "cogito_tenant", "cogito.upkeep": "off", "cogito.scope": encode(tenant) }
  return Effect.asVoid(attempt(() => sql`select ${settingsOf(settings, { stay: true })}`.execute(db)))
}
