import { readFileSync, writeFileSync } from "node:fs"
import { dirname, join, relative } from "node:path"
import { manifest } from "./run.ts"

const types = "./dist/types/index.d.ts"

/**
 * Makes every entry point's declarations import the root's, and these the module of types.
 *
 * The compiler names a type that it has inferred by an entry point that exports the type, but looks only in files that the
 * program has. A program that imports `cogito/Pipeline` alone would not have the module that exports `Step`, so that a
 * pipeline that it exports could have no declaration (TS2883).
 */
export const makeNameable = (root: string): void => {
  const entries = Object.values(manifest(root).exports).flatMap((one) =>
    typeof one === "string" ? [] : (one["types"] ?? [])
  )
  const [index = ""] = entries
  for (const entry of entries) {
    const to = entry === index ? types : index
    if (entry === types) continue
    const path = join(root, entry)
    const declarations = readFileSync(path, "utf8")
    // the comment that names the source map stays the last line
    const end = declarations.lastIndexOf("//# sourceMappingURL=")
    const specifier = relative(dirname(entry), to)
      .replaceAll("\\", "/")
      .replace(/\.d\.ts$/, ".js")
    const line = `import type {} from "${specifier.startsWith(".") ? specifier : `./${specifier}`}"\n`
    writeFileSync(path, end < 0 ? declarations + line : declarations.slice(0, end) + line + declarations.slice(end))
  }
}
