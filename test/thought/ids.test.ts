import { assert, describe, it } from "@effect/vitest"
import { uuidv7 } from "../../src/thought/ids.ts"

describe("an id", () => {
  it("begins with its time in milliseconds, so that ids sort by time", () => {
    const times: ReadonlyArray<readonly [millis: number, beginning: string]> = [
      [0, "00000000-0000-7"],
      [1, "00000000-0001-7"],
      [0x1_00, "00000000-0100-7"],
      [0x1_00_00, "00000001-0000-7"],
      [0x12_00_00_00, "00001200-0000-7"],
      [0x0123_4567_89ab, "01234567-89ab-7"],
      [0x0189_abcd_ef01, "0189abcd-ef01-7"],
      [2 ** 48 - 1, "ffffffff-ffff-7"]
    ]
    for (const [millis, beginning] of times) assert.strictEqual(uuidv7(millis).slice(0, 15), beginning)
    const ids = times.map(([millis]) => uuidv7(millis))
    assert.deepStrictEqual(ids.toSorted(), ids)
  })

  it("is unique within its millisecond, in the format of RFC 9562", () => {
    const ids = Array.from({ length: 300 }, () => uuidv7(1_700_000_000_000))
    assert.strictEqual(new Set(ids).size, ids.length)
    for (const id of ids) assert.match(id, /^018bcfe5-6800-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
  })
})
