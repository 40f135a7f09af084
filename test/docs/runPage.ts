// Runs the programs of a page one after the other in this process, each in its files and with its arguments, and separates what
// they print. To start a process for each takes longer than the programs do.
import { readFileSync, writeFileSync } from "node:fs"
import { pathToFileURL } from "node:url"
import { checkAsserts } from "./asserting.ts"
import { end, type Program } from "./programs.ts"

checkAsserts()

const programs: ReadonlyArray<Program> = JSON.parse(readFileSync(0, "utf8"))

for (const [index, { args, files }] of programs.entries()) {
  for (const [name, code] of files) writeFileSync(name, code)
  const [file = "", ...rest] = args
  process.argv.splice(1, Infinity, file, ...rest)
  // a file that has changed since is another module
  await import(`${pathToFileURL(file).href}?${index}`)
  process.stdout.write(end)
}
