// What "are the types wrong" finds of a package: entry points of which TypeScript finds no types, or others than what runs.
import { checkPackage, Package } from "@arethetypeswrong/core"
import { problemKindInfo } from "@arethetypeswrong/core/problems"
import { globSync, readFileSync } from "node:fs"
import { join, relative } from "node:path"

/** How the package is not imported: as a CommonJS module, and without a look at its exports. */
const ignored: ReadonlySet<string> = new Set(["node10", "node16-cjs"])

/** A package whose folders are known, as the check looks for one in all files each time. */
class Indexed extends Package {
  readonly #folders: ReadonlySet<string>

  constructor(files: Record<string, string>, name: string, version: string) {
    super(files, name, version)
    this.#folders = new Set(Object.keys(files).flatMap(foldersOf))
  }

  override directoryExists(path: string): boolean {
    return this.#folders.has(path.replace(/\/$/, ""))
  }
}

const foldersOf = (file: string): ReadonlyArray<string> => {
  const names = file.split("/")
  return names.slice(1).map((_, index) => names.slice(0, index + 1).join("/"))
}

/** The problems of the entry points of an unpacked package, a line each. */
export const problemsOf = async (folder: string): Promise<ReadonlyArray<string>> => {
  // of the manifest, only what says where modules are: the check reads it thousands of times
  const { exports, imports, main, name, type, types, version } = JSON.parse(
    readFileSync(join(folder, "package.json"), "utf8")
  )
  const inside = `/node_modules/${name}`
  const files: Record<string, string> = {
    [`${inside}/package.json`]: JSON.stringify({ exports, imports, main, name, type, types, version })
  }
  for (const entry of globSync("dist/**", { cwd: folder, withFileTypes: true })) {
    if (!entry.isFile() || entry.name.endsWith(".map")) continue
    const path = join(entry.parentPath, entry.name)
    files[`${inside}/${relative(folder, path).replaceAll("\\", "/")}`] = readFileSync(path, "utf8")
  }
  const found = await checkPackage(new Indexed(files, name, version))
  if (found.types === false) return ["The package has no types."]
  return found.problems.flatMap((problem) =>
    "resolutionKind" in problem && ignored.has(problem.resolutionKind)
      ? []
      : [`${problemKindInfo[problem.kind].title}: ${JSON.stringify(problem)}`]
  )
}
