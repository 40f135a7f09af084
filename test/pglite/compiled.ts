/**
 * Keeps the compiled code of the embedded database for as long as this process runs. V8 shares it among all databases of a
 * process, and drops it when none is open: the next one would compile again what the one before it had compiled.
 */
import { readFileSync } from "node:fs"
import { createRequire } from "node:module"
import { dirname, join } from "node:path"

const folder = dirname(createRequire(import.meta.url).resolve("@electric-sql/pglite"))

export const compiled = WebAssembly.compile(readFileSync(join(folder, "pglite.wasm")))
