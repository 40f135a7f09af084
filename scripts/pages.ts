import { createHash } from "node:crypto"
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { rolldown } from "rolldown"
import { root } from "./run.ts"

/** A page: where its sources are, and the module of `src` that gets the bundled script and style. */
interface Page {
  readonly folder: string
  readonly module: string
  /** Its styles, the ones that others override first. */
  readonly styles: ReadonlyArray<string>
}

/** The pages that the library writes. Their script and style are bundled into a module, so that users need no bundler. */
export const pages: ReadonlyArray<Page> = [
  { folder: "pages/report", module: "src/report/assets.ts", styles: ["pages/report/style.css"] },
  {
    folder: "pages/studio",
    module: "src/studio/assets.ts",
    styles: ["pages/report/style.css", "pages/studio/style.css"]
  }
]

/** The text of the module with the script and style of a page, and their hashes for its content security policy. */
export const moduleOf = async ({ folder, styles }: Page): Promise<string> => {
  const build = await rolldown({
    cwd: root,
    input: join(folder, "main.tsx"),
    platform: "browser",
    logLevel: "silent",
    transform: { target: "es2022", jsx: { runtime: "automatic", importSource: "preact" } }
  })
  const { output } = await build.generate({ format: "iife", minify: true, comments: false })
  await build.close()
  const script = `${output[0].code.trim()}\n`
  const style = styles
    .map((file) => readFileSync(join(root, file), "utf8"))
    .join("")
    .replaceAll(/\/\*[\s\S]*?\*\/|^\s+/gm, "")
  return [
    `// Made by npm run pages from ${folder}. Change its sources, not this file.`,
    ...Object.entries({ script, style }).flatMap(([name, text]) => [
      `export const ${name} =\n  ${JSON.stringify(text)}`,
      `export const ${name}Hash = ${JSON.stringify(`sha256-${createHash("sha256").update(text).digest("base64")}`)}`
    ]),
    ""
  ].join("\n")
}

if (import.meta.main) {
  for (const page of pages) {
    const text = await moduleOf(page)
    writeFileSync(join(root, page.module), text)
    process.stdout.write(`${page.module}: ${Math.round(text.length / 1000)} kB\n`)
  }
}
