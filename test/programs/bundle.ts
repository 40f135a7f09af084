/**
 * Bundles the library and Effect before the first test, for the programs that tests start: a program loads some 1,000 files,
 * and takes half as long to start from a few. `fromBundle.ts` makes a program load them. A library that cannot be bundled
 * is loaded from its sources, which say what is wrong.
 */
import { createHash } from "node:crypto"
import { existsSync, globSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs"
import { isBuiltin } from "node:module"
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import { rolldown } from "rolldown"
import type { TestProject } from "vitest/node"
import { root } from "../../scripts/run.ts"

const cache = join(root, "node_modules", ".cache", "cogito")

/** Packages that are bundled too. The others have files beside their modules, or few programs load them. */
const packages = /^(?:effect|@effect\/(?:platform-node|platform-node-shared|sql-pg)|kysely)(?:\/|$)/

interface Manifest {
  readonly exports: Readonly<Record<string, string | { readonly "cogito-source": string }>>
}

/** The modules that programs import, by the names of their files in the bundle: those of the library, and of Effect. */
const modules = (): Readonly<Record<string, string>> => {
  const { exports } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as Manifest
  const sources = Object.values(exports).flatMap((one) => (typeof one === "string" ? [] : [one["cogito-source"]]))
  const texts = globSync(["{src,test,examples}/**/*.ts", "docs/**/*.md", "README.md"], { cwd: root }).map((file) =>
    readFileSync(join(root, file), "utf8")
  )
  const imported = / from "(effect(?:\/\w+)*)"$/gm
  const names = texts.flatMap((text) => Array.from(text.matchAll(imported), ([, name = ""]) => name))
  return Object.fromEntries([
    ...[...sources, "./src/cli/main.ts"].map((file) => [file.slice("./".length, -".ts".length), file]),
    ...[...new Set(names)].toSorted().map((name) => [`packages/${name}`, name])
  ])
}

/** What the bundle depends on: the installed packages, the sources, and which modules are wanted. */
const fingerprint = (wanted: Readonly<Record<string, string>>): string => {
  const hash = createHash("sha256").update(JSON.stringify(wanted))
  for (const file of ["package-lock.json", ...globSync("src/**/*.ts", { cwd: root }).toSorted()]) {
    hash.update(file).update(readFileSync(join(root, file)))
  }
  return hash.digest("hex").slice(0, 16)
}

const write = async (wanted: Readonly<Record<string, string>>, folder: string): Promise<void> => {
  const draft = `${folder}-${process.pid}`
  const bundle = await rolldown({
    cwd: root,
    input: wanted,
    platform: "node",
    resolve: { conditionNames: ["cogito-source", "node", "import"] },
    external: (id) => isBuiltin(id) || (/^[^./]/.test(id) && !packages.test(id)),
    logLevel: "silent",
    plugins: [
      {
        name: "urls of the sources",
        // the pages of reports and of the studio are large, and seldom loaded
        resolveId: (source, importer) =>
          source.endsWith("/assets.ts") && importer !== undefined
            ? { id: new URL(source, pathToFileURL(importer)).href, external: true }
            : undefined,
        transform: (code, id) => code.replaceAll("import.meta.url", JSON.stringify(pathToFileURL(id).href))
      }
    ]
  })
  const { output } = await bundle.write({ dir: draft, format: "esm", chunkFileNames: "chunks/[name]-[hash].js" })
  await bundle.close()
  const urls = output.flatMap((chunk) =>
    chunk.type === "chunk" && chunk.isEntry && chunk.facadeModuleId !== null
      ? [[pathToFileURL(chunk.facadeModuleId).href, pathToFileURL(join(folder, chunk.fileName)).href]]
      : []
  )
  writeFileSync(join(draft, "package.json"), `{ "type": "module" }`)
  writeFileSync(join(draft, "modules.json"), JSON.stringify(Object.fromEntries(urls)))
  renameSync(draft, folder)
}

/** Bundles of other sources, unless another run may use them still. */
const outdated = (): ReadonlyArray<string> =>
  globSync("programs-*", { cwd: cache })
    .map((name) => join(cache, name))
    .filter((path) => Date.now() - statSync(path).mtimeMs > 3_600_000)

const build = async (): Promise<void> => {
  try {
    const wanted = modules()
    const folder = join(cache, `programs-${fingerprint(wanted)}`)
    if (!existsSync(folder)) {
      for (const old of outdated()) rmSync(old, { recursive: true, force: true })
      await write(wanted, folder)
    }
    process.env["COGITO_TEST_PROGRAMS"] = folder
  } catch (error) {
    delete process.env["COGITO_TEST_PROGRAMS"]
    console.warn(`Programs that tests start load the sources, which cannot be bundled: ${String(error)}`)
  }
}

export default async function setup(project: TestProject): Promise<void> {
  await build()
  project.onTestsRerun(build)
}
