import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { createHash } from "node:crypto"
import { vi } from "vitest"
import { sha256 } from "../../src/schema/sha256.ts"

const texts = ["", "a", "One, two.", "Zażółć gęślą jaźń — 私", "😀", ...Array.from({ length: 40 }, (_, i) => `${i}`)]
const expected = texts.map((text) => createHash("sha256").update(text, "utf8").digest("hex"))

describe("the SHA-256 of a text", () => {
  it.effect("is the hash of its UTF-8 bytes, as 64 hexadecimal digits", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* Effect.forEach(texts, sha256), expected)
    })
  )

  it.effect("is the same without Node, as in browsers", () =>
    Effect.gen(function* () {
      // loads the module again, without what browsers lack
      const elsewhere = "../../src/schema/sha256.ts?elsewhere"
      const builtin = vi.spyOn(process, "getBuiltinModule").mockReturnValue(undefined)
      const loaded = yield* Effect.promise(() => import(elsewhere) as Promise<{ sha256: typeof sha256 }>)
      builtin.mockRestore()
      assert.notStrictEqual(loaded.sha256, sha256)
      assert.deepStrictEqual(yield* Effect.forEach(texts, loaded.sha256), expected)
    })
  )
})
