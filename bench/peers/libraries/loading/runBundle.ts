// Runs a bundle up to its first answer, checks the answer, and prints which of its files were loaded.
import assert from "node:assert/strict"
import { registerHooks } from "node:module"
import { join } from "node:path"
import { fileURLToPath, pathToFileURL } from "node:url"
import { Effect } from "effect"
import { reply } from "../task.ts"

const [dir = ""] = process.argv.slice(2)
const begin = pathToFileURL(join(dir, "/")).href
const loaded = new Set<string>()
registerHooks({
  load: (url, context, next) => {
    if (url.startsWith(begin)) loaded.add(fileURLToPath(url))
    return next(url, context)
  }
})
const bundle = (await import(join(dir, "main.js"))) as {
  readonly run: (message: string, ask: (text: string) => Promise<string>, third: unknown) => Promise<boolean>
}
const embed = (texts: ReadonlyArray<string>) => texts.map(() => new Float32Array([0.6, 0.8]))
// A memory that keeps nothing, or an embedder, whichever the program takes.
const third = Object.assign(embed, { commit: (thought: unknown) => Effect.succeed(thought) })
let question = ""
const ask = async (text: string): Promise<string> => {
  question = text
  return reply
}
assert.equal(await bundle.run("The site is down!", ask, third), true)
assert.match(question, /The site is down!/)
process.stdout.write(JSON.stringify([...loaded]))
