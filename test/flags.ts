import { join } from "node:path"
import { pathToFileURL } from "node:url"

/**
 * The flags of processes that tests start: they read the sources. Hardly any code of the embedded database runs for long enough to
 * be worth compiling well, and compiling takes most of the time of its start; that of the local encoder does.
 */
export const flags = [
  "--conditions=cogito-source",
  "--wasm-tiering-budget=1000000000",
  `--import=${pathToFileURL(join(import.meta.dirname, "pglite", "quickStart.ts")).href}`
]
