// Runs the modules named on its command line one after the other in this process and reports to its parent.
import { readFileSync } from "node:fs"
import { pathToFileURL } from "node:url"
import { checkAsserts } from "./asserting.ts"

const send = (message: unknown): void => {
  process.send?.(message)
}

const describe = (error: unknown): string =>
  error instanceof Error ? (error.stack ?? error.message) : `threw ${JSON.stringify(error)}`

checkAsserts()

const paths = process.argv.slice(2)

// one after the other opens an embedded database
if (paths.some((path) => readFileSync(path, "utf8").includes('"cogito/pglite"'))) await import("../pglite/compiled.ts")

// A promise or fiber that a module started and did not wait for: its stack says whose it was, if anything does.
const unattended = (error: unknown): void => {
  const text = describe(error)
  const path = paths.find((candidate) => text.includes(candidate))
  send(path === undefined ? { unattributed: `failed without anyone waiting: ${text}` } : { path, problem: text })
}
process.on("unhandledRejection", unattended)
process.on("uncaughtException", unattended)

for (const path of paths) {
  // as if it was started without arguments
  process.argv.splice(1, Infinity, path)
  try {
    await import(pathToFileURL(path).href)
  } catch (error) {
    send({ path, problem: describe(error) })
  }
  if (process.exitCode !== undefined && process.exitCode !== 0) {
    send({ path, problem: `set the exit code to ${process.exitCode}` })
    process.exitCode = 0
  }
}

send({ finished: true })
// From here on only what the modules left open keeps this process alive.
process.channel?.unref()
