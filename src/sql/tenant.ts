/** Whose rows a transaction sees: row-level security asks for the settings that are made here. */
import * as Effect from "effect/Effect"
import { sql } from "kysely"
import type { MemoryError } from "../Memory.ts"
import type { Handle, Tenant } from "./database.ts"
import { attempt } from "./failure.ts"
import { encode } from "./text.ts"

/**
 * Makes the rest of the transaction one scope's: as a role that row-level security holds for, even where the connection is
 * the owner's or a superuser's. Without a scope it is upkeep, which the policies let see everything.
 */
export const enter = (trx: Handle, tenant: Tenant): Effect.Effect<void, MemoryError> =>
  Effect.asVoid(
    attempt(() =>
      tenant === undefined
        ? sql`select set_config('cogito.upkeep', 'on', true)`.execute(trx)
        : sql`select set_config('role', 'cogito_tenant', true), set_config('cogito.scope', ${encode(tenant)}, true)`.execute(
            trx
          )
    )
  )
