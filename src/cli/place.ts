/** Which memory a command works on: the flags that name it, and its store. */
import * as Config from "effect/Config"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type * as Scope from "effect/Scope"
import * as Flag from "effect/cli/Flag"
import { access } from "node:fs/promises"
import { join } from "node:path"
import type { MemoryError, Store } from "../Memory.ts"
import { PgliteMemory } from "../pglite/index.ts"
import { PostgresMemory } from "../postgres/index.ts"
import { CommandError, UsageError } from "./failure.ts"

/** The flags of every command on a memory. */
export const placeFlags = {
  databaseUrl: Flag.String("database-url").pipe(
    Flag.withDescription("Postgres server, as postgres://user:password@host:port/database (default: DATABASE_URL)"),
    Flag.optional
  ),
  dataDir: Flag.String("data-dir").pipe(
    Flag.withDescription("Directory of a memory in PGlite, instead of a server"),
    Flag.optional
  ),
  scope: Flag.String("scope").pipe(
    Flag.withDescription('Whose thoughts (default with --data-dir: "local"; needed on a server)'),
    Flag.optional
  ),
  json: Flag.Boolean("json").pipe(Flag.withDescription("Print JSON"), Flag.withDefault(false))
}

export interface Place {
  readonly databaseUrl: Option.Option<string>
  readonly dataDir: Option.Option<string>
  readonly scope: Option.Option<string>
}

type Where =
  | { readonly _tag: "Directory"; readonly dataDir: string }
  | { readonly _tag: "Server"; readonly url: string }

/** An empty variable is none. A URL in the environment gives way to a directory on the command line. */
const urlOfEnvironment = Config.option(Config.String("DATABASE_URL")).pipe(
  Effect.map(Option.filter((url) => url !== "")),
  Effect.orElseSucceed(() => Option.none<string>())
)

const whereOf = Effect.fnUntraced(function* (place: Place): Effect.fn.Return<Where, UsageError> {
  const { dataDir, databaseUrl } = place
  if (Option.isSome(dataDir) && Option.isSome(databaseUrl)) {
    return yield* new UsageError({ message: "Name one memory: --database-url or --data-dir, not both." })
  }
  if (Option.isSome(dataDir)) return { _tag: "Directory", dataDir: dataDir.value }
  const url = Option.isSome(databaseUrl) ? databaseUrl : yield* urlOfEnvironment
  if (Option.isSome(url)) return { _tag: "Server", url: url.value }
  return yield* new UsageError({
    message: "Name the memory: --database-url or the variable DATABASE_URL for Postgres, --data-dir for PGlite."
  })
})

/** The scope that a command works in. On a server, where tenants are side by side, it must be named. */
export const scopeOf = Effect.fnUntraced(function* (place: Place): Effect.fn.Return<string, UsageError> {
  const where = yield* whereOf(place)
  if (Option.isSome(place.scope) && place.scope.value !== "") return place.scope.value
  if (where._tag === "Directory" && Option.isNone(place.scope)) return "local"
  return yield* new UsageError({ message: "Name the scope with --scope: whose thoughts of this memory?" })
})

/** A command that only reads must not leave a new memory behind in a directory that was misspelt. */
const requireMemory = Effect.fnUntraced(function* (dataDir: string): Effect.fn.Return<void, CommandError> {
  yield* Effect.tryPromise({
    try: () => access(join(dataDir, "ready")),
    catch: (cause) =>
      new CommandError({
        message: "The directory holds no memory: check --data-dir, or make a memory there with cogito memory migrate.",
        cause
      })
  })
})

/**
 * Opens the store until the scope closes, its schema brought up to date.
 *
 * - `create`: whether a directory that holds no memory becomes one
 */
export const openStore = Effect.fnUntraced(function* (
  place: Place,
  { create = false }: { readonly create?: boolean } = {}
): Effect.fn.Return<Store, UsageError | CommandError | MemoryError, Scope.Scope> {
  const where = yield* whereOf(place)
  if (where._tag === "Server") return yield* PostgresMemory.makeStore({ url: where.url })
  if (!create) yield* requireMemory(where.dataDir)
  return yield* PgliteMemory.makeStore({ dataDir: where.dataDir })
})
