import { assert, describe, it } from "@effect/vitest"
import { hash128 } from "../../src/text/hash.ts"

// The names of durable runs and documents contain hashes, so they must stay the same in all versions. The hashes here are
// those of another implementation, which was checked with the algorithm's own test vectors.

const hashes: Readonly<Record<string, string>> = {
  "": "00000000000000000000000000000000",
  a: "033bb196ccef4fe1ccef4fe1ccef4fe1",
  ab: "260fb953af22b6fdaf22b6fdaf22b6fd",
  abc: "2b5b97a320f75fb55012c2b45012c2b4",
  abcd: "95ef82c7e4ec9aa20a8cb00d0a8cb00d",
  abcde: "4b3605de6cd4a2059a7ed1750af158b2",
  abcdef: "606aa1e086f87a046d0a007998aceaac",
  abcdefg: "851fde5ef81a9aab2a351f32fa8e8ca7",
  abcdefgh: "6c3576558df898a1a76d230d42147114",
  abcdefghi: "17a3d73237eee48604d39ee1ee7f6ddc",
  abcdefghijklmnop: "a132e65523e3b4188b21842ef114d982",
  abcdefghijklmnopq: "fec38c83ea62e9e1c69074d667a5f76d",
  é: "4becd5e49acc7ba49acc7ba49acc7ba4",
  "😀 smiles": "35ce7896b5cbdc645bb5e687e8b40382",
  ["x".repeat(1000)]: "d6f261ee010a59b611dba10894295556"
}

describe("hash128", () => {
  it("is MurmurHash3 of the UTF-16 units, for texts of every length", () => {
    assert.deepStrictEqual(Object.fromEntries(Object.keys(hashes).map((text) => [text, hash128(text)])), hashes)
  })
})
