/** The memory that hostile answers take: a process that may use 100 MB more reads 1 MB of each. */
import { assert, describe, it } from "@effect/vitest"
import { execFile } from "node:child_process"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import { flags } from "../flags.ts"

const run = promisify(execFile)
const program = fileURLToPath(new URL("../../bench/parsing/heap.ts", import.meta.url))
const megabytes = 100

const heap = async (limits: ReadonlyArray<string>, ...args: ReadonlyArray<string>): Promise<ReadonlyArray<string>> => {
  const { stdout } = await run(process.execPath, [...limits, ...flags, program, ...args])
  return stdout.trim().split("\n")
}

const forms = [
  "empty objects",
  "small objects",
  "small lists",
  "a list of empty objects",
  "a valid list of empty objects",
  "candidates that do not fit",
  "objects that are cut off inside one another",
  "thoughts that end in broken lists",
  "elements of XML",
  "rows of a table"
]

describe("1 MB of a hostile answer", () => {
  it("takes no more than 100 MB, whichever it is", { timeout: 240_000 }, async () => {
    const [before = "0"] = await heap([])
    const limit = Number(before) + megabytes
    // a process that needs more breaks off; what it has printed last is the form that was too much
    const printed = await heap([`--max-old-space-size=${limit}`], "1000000", ...forms)
    assert.sameMembers([...printed], [...forms, "done"])
  })
})
