// Runs the programs of pages one after the other in this process, each in its files and with its arguments, and separates what
// they print. To start a process for each takes longer than the programs do.
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import { checkAsserts } from "./asserting.ts"
import { compiled } from "../pglite/compiled.ts"
import { end, type Page } from "./programs.ts"

checkAsserts()
// one after the other opens an embedded database
await compiled

const pages: ReadonlyArray<Page> = JSON.parse(readFileSync(0, "utf8"))

for (const { cwd, programs } of pages) {
  process.chdir(cwd)
  process.env["HOME"] = process.env["USERPROFILE"] = cwd
  for (const [index, { args, files }] of programs.entries()) {
    for (const [name, code] of files) writeFileSync(name, code)
    const [file = "", ...rest] = args
    process.argv.splice(1, Infinity, file, ...rest)
    // a file that has changed since is another module
    await import(`${pathToFileURL(join(cwd, file)).href}?${index}`)
    process.stdout.write(end)
  }
}
