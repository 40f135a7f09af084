import { join } from "node:path"
import { pathToFileURL } from "node:url"

/**
 * Flags of processes that open the embedded database. Hardly any of its code runs for long enough to be worth compiling well,
 * or to be watched for calls to inline: both take a third of the time. That of the local encoder is compiled well.
 */
export const databaseFlags = [
  "--wasm-tiering-budget=1000000000",
  "--no-wasm-inlining",
  "--no-wasm-inlining-call-indirect"
]

const first = (...path: ReadonlyArray<string>) => `--import=${pathToFileURL(join(import.meta.dirname, ...path)).href}`

/** The flags of processes that tests start: they read the sources, or what was bundled from them. */
export const flags = [
  "--conditions=cogito-source",
  ...databaseFlags,
  first("programs", "fromBundle.ts"),
  first("pglite", "quickStart.ts")
]
