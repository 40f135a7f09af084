/** The memory that hostile answers take: a process that may use 100 MB beyond the text reads 1 MB of them. */
import { assert, describe, it } from "@effect/vitest"
import { execFile } from "node:child_process"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"

const run = promisify(execFile)
const program = fileURLToPath(new URL("../../bench/parsing/heap.ts", import.meta.url))
const megabytes = 100

const heap = async (flags: ReadonlyArray<string>, ...args: ReadonlyArray<string>): Promise<ReadonlyArray<string>> => {
  const { stdout } = await run(process.execPath, [...flags, "--conditions=cogito-source", program, ...args])
  return stdout.trim().split("\n")
}

describe("1 MB of a hostile answer", () => {
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
      const [before = "0"] = await heap([])
      const limit = Number(before) + megabytes
      const printed = await heap([`--max-old-space-size=${limit}`], "1000000", form)
      assert.deepStrictEqual(printed, [form, "done"])
    },
    120_000
  )
})
