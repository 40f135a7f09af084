import { join } from "node:path"
import { pathToFileURL } from "node:url"

const first = (...path: ReadonlyArray<string>) => `--import=${pathToFileURL(join(import.meta.dirname, ...path)).href}`

/**
 * The flags of processes that tests start: they read the sources, or what was bundled from them. Hardly any code of the
 * embedded database runs for long enough to be worth compiling well; that of the local encoder does.
 */
export const flags = [
  "--conditions=cogito-source",
  "--wasm-tiering-budget=1000000000",
  first("programs", "fromBundle.ts"),
  first("pglite", "quickStart.ts")
]
