// Loaded first by programs that tests start: what `bundle.ts` has bundled is loaded in the place of the sources.
import { readFileSync } from "node:fs"
import { registerHooks } from "node:module"
import { join } from "node:path"

const folder = process.env["COGITO_TEST_PROGRAMS"]

if (folder !== undefined) {
  const bundled = new Map<string, string>(
    Object.entries(JSON.parse(readFileSync(join(folder, "modules.json"), "utf8")))
  )
  registerHooks({
    resolve: (specifier, context, next) => {
      const found = next(specifier, context)
      const url = bundled.get(found.url)
      return url === undefined ? found : { ...found, url, format: "module", shortCircuit: true }
    }
  })
}
