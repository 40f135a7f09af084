import { readFileSync } from "node:fs"
import { basename, join } from "node:path"
import { rolldown } from "rolldown"

interface Manifest {
  readonly bin: Readonly<Record<string, string>>
  readonly exports: Readonly<Record<string, string | { readonly "cogito-source": string; readonly node: string }>>
}

const folder = "dist/node"

/**
 * Writes the entry points for Node: the same modules as in `dist`, in few files, because each file costs time at start.
 * Bundlers for browsers take the single files, of which they leave out more.
 */
export const bundle = async (root: string, dir: string = join(root, folder)): Promise<void> => {
  const { bin, exports } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as Manifest
  const entries = Object.values(exports).flatMap((one) =>
    typeof one === "string" ? [] : [[one.node, one["cogito-source"]] as const]
  )
  const programs = Object.values(bin).map(
    (file) => [`./${file}`, `./${file.replace(folder, "src").replace(/\.js$/, ".ts")}`] as const
  )
  // a worker thread runs a file of its own, which the module that starts it finds beside itself: that one is in a chunk
  const threads = ["local/encoder/encoderThread", "pglite/engine/databaseThread"].map(
    (path) => [`./${folder}/chunks/${basename(path)}.js`, `./src/${path}.ts`] as const
  )
  const nameOf = (file: string): string => file.slice(`./${folder}/`.length, -".js".length)
  const build = await rolldown({
    cwd: root,
    input: Object.fromEntries([...entries, ...programs, ...threads].map(([file, source]) => [nameOf(file), source])),
    platform: "node",
    external: /^[^./]/,
    // of the published package, as the compiler writes it
    transform: { target: "es2024" }
  })
  await build.write({
    dir,
    format: "esm",
    sourcemap: true,
    entryFileNames: "[name].js",
    chunkFileNames: "chunks/[name]-[hash].js",
    comments: false
  })
  await build.close()
}
