import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { open } from "../../examples/support-triage/input.ts"
import type { Format } from "../../examples/support-triage/options.ts"
import { folder } from "./triage.ts"

const read = (name: string, content: string, format?: Format) =>
  Effect.gen(function* () {
    const path = join(yield* folder, name)
    writeFileSync(path, content)
    return yield* Stream.runCollect(yield* open(path, format))
  })

const csv = 'id,Text\r\n1,"He said ""help""\r\nand left, twice"\r\n2,\r\n\r\n3,näher\r\n'
const csvTickets = ['He said "help"\r\nand left, twice', "", "näher"]
const jsonl = '{"text":"one","id":1}\n\n"two\\nlines"\n{"text":""}'
const jsonlTickets = ["one", "two\nlines", ""]
const text = "\n one \r\n\r\ntwo, text is here\nthree"
const textTickets = [" one ", "two, text is here", "three"]

describe("tickets of a file", () => {
  const rows: ReadonlyArray<readonly [string, string, ReadonlyArray<string>]> = [
    ["a.csv", csv, csvTickets],
    ["a", csv, csvTickets],
    ["bom.csv", '\uFEFFtext\none\n""\n', ["one", ""]],
    ["a.jsonl", jsonl, jsonlTickets],
    ["a.NDJSON", jsonl, jsonlTickets],
    ["a", jsonl, jsonlTickets],
    ["a.txt", text, textTickets],
    ["a", text, textTickets],
    ["long", `${"word ".repeat(50_000)}\nend`, ["word ".repeat(50_000), "end"]]
  ]
  for (const [name, content, expected] of rows) {
    it.effect(`are read in order from ${name}, ${JSON.stringify(content.slice(0, 12))}`, () =>
      Effect.gen(function* () {
        assert.deepStrictEqual(yield* read(name, content), expected)
      })
    )
  }

  it.effect("are read in the format that is named", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* read("a.csv", "text\none\n", "text"), ["text", "one"])
    })
  )

  const wrong: ReadonlyArray<readonly [string, string, RegExp]> = [
    ["a.txt", "", /holds no ticket/],
    ["a.txt", " \n\n", /holds no ticket/],
    ["a.csv", "text\n", /holds no ticket/],
    ["a.csv", "id,message\n1,one\n", /no column "text"/],
    ["a.csv", "text,id\none,1\ntwo\n", /line 3 is not CSV/],
    ["a.jsonl", '"one"\n{"txt":"two"}\n', /line 2 is not a JSON string/]
  ]
  for (const [name, content, why] of wrong) {
    it.effect(`are refused in ${name}, ${JSON.stringify(content)}`, () =>
      Effect.gen(function* () {
        const error = yield* Effect.flip(read(name, content))
        assert.strictEqual(error._tag, "InputError")
        assert.match(error.message, why)
      })
    )
  }

  it.effect("are refused when there is no such file, or only a folder", () =>
    Effect.gen(function* () {
      const path = yield* folder
      assert.match(
        (yield* Effect.flip(open(join(path, "none"), undefined))).message,
        /cannot be read: there is no such/
      )
      assert.match((yield* Effect.flip(open(path, undefined))).message, /cannot be read: it is a folder/)
    })
  )
})
