import { createHash } from "node:crypto"
import { readdirSync, readFileSync } from "node:fs"
import { createRequire } from "node:module"
import { join } from "node:path"

/** Where what is made once is kept. */
export const cache = join(import.meta.dirname, "..", "..", "node_modules", ".cache", "cogito")

/** The version of an installed package. */
const versionOf = (name: string): string => {
  const path = join(createRequire(import.meta.url).resolve(name), "..", "..", "package.json")
  return (JSON.parse(readFileSync(path, "utf8")) as { readonly version: string }).version
}

/** The name of a fresh database. It differs with PGlite. */
export const templateName = (): string => `pglite-${versionOf("@electric-sql/pglite")}-small`

/** The name of a memory's directory as a first start leaves it. It differs with a fresh database, and with the sources of the schema and the directory. */
export const prefilledName = (): string => {
  const hash = createHash("sha256").update(templateName())
  for (const name of ["sql", "pglite"]) {
    const folder = join(import.meta.dirname, "..", "..", "src", name)
    const files = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((file) => file.endsWith(".ts"))
    for (const file of files.toSorted()) hash.update(readFileSync(join(folder, file)))
  }
  return `memory-${hash.digest("hex").slice(0, 16)}`
}
