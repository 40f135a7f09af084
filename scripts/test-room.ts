import { existsSync } from "node:fs"
import { join } from "node:path"
import { proofs } from "../test/rooms.ts"
import { root, runBin } from "./run.ts"

// Runs the tests that concern folders of `src`: `npm run test:room openai http`.

const rooms = process.argv.slice(2).map((name) => name.replace(/^src\//, "").split("/")[0] ?? "")
const unknown = rooms.filter((room) => !existsSync(join(root, "src", room)))

if (rooms.length === 0 || unknown.length > 0) {
  const problem = unknown.length === 0 ? "" : `There is no folder ${unknown.map((room) => `src/${room}`).join(", ")}. `
  process.stderr.write(`${problem}Name folders of src, such as \`npm run test:room openai http\`.\n`)
  process.exitCode = 1
} else {
  const tests = new Set(rooms.flatMap((room) => [room, ...(proofs[room] ?? [])]).map((path) => `test/${path}`))
  // of tests that seldom find anything, those of the contracts are part of their rooms
  const env = { COGITO_CONTRACT_LIES: "all" }
  process.exitCode = runBin("vitest", "vitest", ["run", ...tests], { inherit: true, env }).status
}
