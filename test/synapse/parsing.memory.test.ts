/** The memory that hostile answers take: a process that may use 100 MB beyond the text reads 1 MB of them. */
import { assert, beforeAll, describe, it } from "@effect/vitest"
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

describe("1 MB of a hostile answer", () => {
  let limit = 0
  beforeAll(async () => {
    const [before = "0"] = await heap([])
    limit = Number(before) + megabytes
  })

  it.each([
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
  ])(
    "takes no more than 100 MB: %s",
    async (form) => {
      const printed = await heap([`--max-old-space-size=${limit}`], "1000000", form)
      assert.deepStrictEqual(printed, [form, "done"])
    },
    120_000
  )
})
