/** The memory that a command works on: its flags and its store. */
import * as Config from "effect/Config"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import type * as Scope from "effect/Scope"
import * as Flag from "effect/cli/Flag"
import { access, stat } from "node:fs/promises"
import { join } from "node:path"
import { SchemaNotCurrent } from "../../memory/model/schemaState.ts"
import type { MemoryError } from "../../Memory.ts"
import type { Store } from "../../Store.ts"
import { refuseForeign, refuseTorn } from "../../pglite/directory/directory.ts"
import { packages as pglite } from "../../pglite/packages.ts"
import { packages as postgres } from "../../postgres/packages.ts"
import { quoted } from "../../text/legible.ts"
import { UsageError } from "../console/failure.ts"

/** The flags of every command: they name the memory and the form of the result. */
export const placeFlags = {
  databaseUrl: Flag.String("database-url").pipe(
    Flag.withMetavar("url"),
    Flag.withDescription("Server, as postgres://user:password@host:port/database (default: DATABASE_URL)"),
    Flag.optional
  ),
  dataDir: Flag.String("data-dir").pipe(
    Flag.withMetavar("folder"),
    Flag.withDescription("Folder of a memory (PGlite), instead of a server"),
    Flag.optional
  ),
  json: Flag.Boolean("json").pipe(
    Flag.withDescription("Print the result as JSON, and nothing of how far the work is"),
    Flag.withDefault(false)
  )
}

/** The flags of commands that work in one scope. */
export const scopedFlags = {
  ...placeFlags,
  scope: Flag.String("scope").pipe(
    Flag.withMetavar("name"),
    Flag.withDescription('Whose thoughts (needed on a server; in a folder the default is "local")'),
    Flag.optional
  )
}

export interface Place {
  readonly databaseUrl: Option.Option<string>
  readonly dataDir: Option.Option<string>
}

/** A memory, and whose part of it. */
export interface ScopedPlace extends Place {
  readonly scope: Option.Option<string>
}

type Where =
  | { readonly _tag: "Directory"; readonly dataDir: string }
  | { readonly _tag: "Server"; readonly url: Redacted.Redacted }

/** `Config` treats an empty variable as unset. A directory on the command line takes precedence over this URL. */
const urlOfEnvironment = Config.option(Config.String("DATABASE_URL")).pipe(
  Effect.orElseSucceed(() => Option.none<string>())
)

/** Checks a URL, as the driver accepts nearly any text. An invalid one is never shown, as it may contain the password. */
const server = (url: string, from: string): Effect.Effect<Where, UsageError> =>
  /^postgres(ql)?:/.test(url) && URL.canParse(url)
    ? Effect.succeed({ _tag: "Server", url: Redacted.make(url) })
    : Effect.fail(
        new UsageError({
          message:
            `${from} is not a URL of the form postgres://user:password@host:port/database. ` +
            "In the password, percent-encode all characters except letters and digits, for example @ as %40."
        })
      )

/** A place that names a memory: this folder, if neither the command line nor the environment names one. */
export const orFolder = <P extends Place>(place: P, folder: string): Effect.Effect<P> =>
  Option.isSome(place.dataDir) || Option.isSome(place.databaseUrl)
    ? Effect.succeed(place)
    : Effect.map(urlOfEnvironment, (url) => (Option.isSome(url) ? place : { ...place, dataDir: Option.some(folder) }))

const whereOf = Effect.fnUntraced(function* ({ dataDir, databaseUrl }: Place): Effect.fn.Return<Where, UsageError> {
  if (Option.isSome(dataDir) && Option.isSome(databaseUrl)) {
    return yield* new UsageError({ message: "Name one memory: --database-url or --data-dir, not both." })
  }
  if (Option.isSome(dataDir)) {
    if (dataDir.value.trim() !== "") return { _tag: "Directory", dataDir: dataDir.value }
    return yield* new UsageError({ message: "--data-dir is empty: name the folder of the memory." })
  }
  if (Option.isSome(databaseUrl)) return yield* server(databaseUrl.value, "--database-url")
  const url = yield* urlOfEnvironment
  if (Option.isSome(url)) return yield* server(url.value, "The variable DATABASE_URL")
  return yield* new UsageError({
    message: "Name the memory: --database-url or the variable DATABASE_URL for a server, --data-dir for a folder."
  })
})

/** The scope that a command works in. It must be named on a server, which tenants share. */
export const scopeOf = Effect.fnUntraced(function* (place: ScopedPlace): Effect.fn.Return<string, UsageError> {
  const where = yield* whereOf(place)
  if (Option.isSome(place.scope) && place.scope.value !== "") return place.scope.value
  if (where._tag === "Directory" && Option.isNone(place.scope)) return "local"
  return yield* new UsageError({ message: "This memory may have several tenants: name the one to use with --scope." })
})

/** Fails if the name is that of a file. */
const refuseFile = (dataDir: string): Effect.Effect<void, SchemaNotCurrent> =>
  Effect.flatMap(
    Effect.promise(() =>
      stat(dataDir).then(
        (found) => !found.isDirectory(),
        () => false
      )
    ),
    (isFile) => (isFile ? missing(`${quoted(dataDir)} is a file: --data-dir names a folder.`) : Effect.void)
  )

const missing = (message: string) => new SchemaNotCurrent({ state: "missing", message })

/** Whether a memory is in the folder. What may not be looked at is opened as if there was one: that fails with the reason. */
const holdsMemory = (dataDir: string): Effect.Effect<boolean> =>
  Effect.promise(() =>
    access(join(dataDir, "ready")).then(
      () => true,
      ({ code }: NodeJS.ErrnoException) => code !== "ENOENT" && code !== "ENOTDIR"
    )
  )

/** Fails if the folder holds no memory, so that a misspelt name does not create one. */
const requireMemory = Effect.fnUntraced(function* (dataDir: string): Effect.fn.Return<undefined, SchemaNotCurrent> {
  if (yield* holdsMemory(dataDir)) return undefined
  yield* refuseFile(dataDir)
  // where no memory could be made, it says why
  yield* Effect.mapError(Effect.andThen(refuseForeign(dataDir), refuseTorn(dataDir)), ({ message }) => missing(message))
  return yield* missing(
    "The folder holds no memory: check --data-dir, or make a memory there with cogito memory migrate."
  )
})

/**
 * Opens the store of an existing memory until the scope closes. Its schema stays as it is.
 *
 * - `rows`: with `"kept"` the database refuses to change anything
 */
export const openStore = Effect.fnUntraced(function* (
  place: Place,
  rows: "kept" | "changed" = "kept"
): Effect.fn.Return<Store, UsageError | SchemaNotCurrent | MemoryError, Scope.Scope> {
  const where = yield* whereOf(place)
  if (where._tag === "Server") return yield* (yield* postgres).makeAsItIs({ url: where.url }, { rows })
  yield* requireMemory(where.dataDir)
  return yield* (yield* pglite).makeAsItIs({ dataDir: where.dataDir }, { rows })
})

/** Opens the store, creates it if it is missing, and brings its schema up to date; returns the steps that this took. */
export const migrateStore = Effect.fnUntraced(function* (
  place: Place
): Effect.fn.Return<
  { readonly store: Store; readonly steps: ReadonlyArray<string> },
  UsageError | SchemaNotCurrent | MemoryError,
  Scope.Scope
> {
  const where = yield* whereOf(place)
  if (where._tag === "Directory") yield* refuseFile(where.dataDir)
  const { prepared, store } =
    where._tag === "Server"
      ? yield* (yield* postgres).makeMigrated({ url: where.url })
      : yield* (yield* pglite).makeMigrated({ dataDir: where.dataDir })
  return { store, steps: prepared }
})

/** Opens the store to change it. A folder that holds no memory gets one; any other memory stays as it is. */
export const openOrMakeStore = Effect.fnUntraced(function* (
  place: Place
): Effect.fn.Return<Store, UsageError | SchemaNotCurrent | MemoryError, Scope.Scope> {
  const where = yield* whereOf(place)
  if (where._tag === "Server" || (yield* holdsMemory(where.dataDir))) return yield* openStore(place, "changed")
  return (yield* migrateStore(place)).store
})
