import { assert, describe, it } from "@effect/vitest"
import { readdirSync, readFileSync } from "node:fs"
import { dirname, join, posix } from "node:path"
import {
  codeLines,
  importsOf,
  isStable,
  kindsNamed,
  kindsOf,
  loadedBy,
  rowsOutOfOrder,
  sizesOf,
  violations
} from "./imports.ts"
import { common, core, subpaths } from "./rooms.ts"

const src = join(dirname(import.meta.dirname), "src")

const sources = new Map(
  readdirSync(src, { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".ts"))
    .map((file) => [file.replaceAll("\\", "/"), readFileSync(join(src, file), "utf8")])
)

describe("the rooms of the sources", () => {
  it("import each other as the table says, and never in a circle", () => {
    assert.isAbove(sources.size, 0)
    assert.deepStrictEqual(violations(sources), [])
  })

  it("stand in the table from the lowest to the highest, and each is there", () => {
    assert.deepStrictEqual(rowsOutOfOrder(core), [])
    assert.deepStrictEqual(rowsOutOfOrder({ ...core, ...subpaths }), [])
    const empty = Object.keys({ ...common, ...core, ...subpaths }).filter((room) => !sizesOf(sources).has(room))
    assert.deepStrictEqual(empty, [])
  })

  it("use every import that the table allows them", () => {
    for (const [room, allowed] of Object.entries({ ...core, ...subpaths })) {
      const files = [...sources].filter(([file]) => dirname(file) === room)
      const used = new Set(
        files.flatMap(([file, source]) =>
          importsOf(file, source).map(({ specifier }) => posix.dirname(posix.join(room, specifier)))
        )
      )
      assert.deepStrictEqual(
        allowed.filter((other) => !used.has(other)),
        [],
        `the row of ${room} names rooms that no file of it imports`
      )
    }
  })

  it("have at most 25 files each", () => {
    assert.deepStrictEqual(
      [...sizesOf(sources)].filter(([, files]) => files > 25),
      []
    )
  })

  it("have files of at most 300 lines of code", () => {
    const long = [...sources].filter(([, source]) => codeLines(source) > 300)
    assert.deepStrictEqual(
      long.map(([file]) => file),
      []
    )
  })

  it("keep what a primitive loads before a first answer small: no recordings, no layers, no reader of malformed answers", () => {
    const loaded = [...loadedBy(sources, "primitive/decide.ts")]
    assert.isAtMost(loaded.length, 60)
    assert.deepStrictEqual(
      loaded.filter((file) =>
        /^(?:recording|provider\/(?:resilience|accounted)|pipeline|memory\/|synapse\/answer\/(?:partial|marred\/(?!scan\/json)))/.test(
          file
        )
      ),
      []
    )
  })
})

describe("shared code", () => {
  it("knows of each primitive what it is called", () => {
    const unknown = [...sources.keys()].filter(
      (file) => /^primitive\/\w+\.ts$/.test(file) && kindsOf(file, sources.get(file) ?? "").length === 0
    )
    // its kind is an option
    assert.deepStrictEqual(unknown, ["primitive/make.ts"])
  })

  it("names no kind of a primitive or connector: what it must know of a kind, nodes and tasks declare", () => {
    const named = kindsNamed(sources)
    assert.deepStrictEqual(
      named.filter((one) => !sameWord.includes(one)),
      []
    )
    assert.deepStrictEqual(
      sameWord.filter((one) => !named.includes(one)),
      []
    )
  })

  it("is found to name one", () => {
    const files = {
      "primitive/a.ts": `const kind = "translate"`,
      "pipeline/draw/b.ts": `/** "translate" */\nconst is = node.kind === "translate"`,
      "local/c.ts": `const kinds = new Set(["translate"])`
    }
    assert.deepStrictEqual(kindsNamed(new Map(Object.entries(files))), ["local: translate", "pipeline/draw: translate"])
  })
})

/** Methods, options and fields that are called as a kind is; `seek` and `survey` are sources that stored notes have, `decide`, `decision` and `once` kinds of
 * rows in the ledger, and `step` a noun in lines for people. */
const sameWord = [
  "limits/budget: budget",
  "limits/budget: decide",
  "limits: reset",
  "logs: decide",
  "logs: step",
  "memory/inMemory: restore",
  "memory/model: decide",
  "memory/model: decision",
  "memory/model: once",
  "memory/search: survey",
  "memory: survey",
  "pipeline/durable: decide",
  "pipeline/durable: decision",
  "pipeline/durable: once",
  "provider/resilience: decide",
  "provider/resilience: reset",
  "provider/resilience: when",
  "provider/resumable: decide",
  "provider: decide",
  "recording: decide",
  "run: decision",
  "signal: decide",
  "step/runtime: decision",
  "step/runtime: timeout",
  "synapse/answer/marred: sequence",
  "synapse: decide",
  "synapse: decision",
  "thought: checkpoint",
  "thought: seek",
  "thought: step",
  "thought: survey",
  "thought: truncate"
]

describe("the check", () => {
  const planted = (files: Readonly<Record<string, string>>) => violations(new Map(Object.entries(files)))

  const base = {
    "Note.ts": "",
    "local/index.ts": "",
    "thought/Note.ts": "",
    "provider/Provider.ts": "",
    "sql/database/text.ts": ""
  }

  const rejected: ReadonlyArray<readonly [what: string, files: Readonly<Record<string, string>>, reason: RegExp]> = [
    ["a room that imports a higher one", { "thought/a.ts": `import "../provider/Provider.ts"` }, /a\.ts:1: .*provider/],
    ["a type from a higher room", { "thought/a.ts": `import type { T } from "../provider/Provider.ts"` }, /provider/],
    ["a room that its row does not name", { "schema/a.ts": `import "../thought/Note.ts"` }, /thought/],
    ["a public module in the core", { "thought/a.ts": `export * from "../Note.ts"` }, /public module/],
    ["a subpath in a public module", { "Note.ts": `\nexport { a } from "./local/index.ts"` }, /Note\.ts:2: .*local/],
    ["a subpath in the core", { "provider/a.ts": `import "../local/index.ts"` }, /local/],
    ["a dynamic import of a subpath", { "provider/a.ts": `const a = import("../local/index.ts")` }, /local/],
    ["the barrel", { "local/index.ts": `import { Effect } from "effect"` }, /barrel/],
    ["the barrel of a namespace", { "local/index.ts": `import { Chat } from "effect/ai"` }, /no single module/],
    ["an unstable module in the core", { "thought/Note.ts": `import * as Path from "effect/Path"` }, /stable/],
    ["a package in the core", { "thought/Note.ts": `import {\n  a\n} from "kysely"` }, /core/],
    ["Node in the core", { "thought/Note.ts": `import { join } from "node:path"` }, /core/],
    ["a package that is no peer of the subpath", { "local/index.ts": `import OpenAI from "openai"` }, /no peer/],
    [
      "a package that not all who share a room have as a peer",
      { "sql/database/a.ts": `import { Pool } from "pg"` },
      /"pglite"/
    ],
    ["a shared room in another subpath", { "local/index.ts": `import "../sql/database/text.ts"` }, /sql\/database/],
    ["a shared room in the core", { "provider/a.ts": `import "../sql/database/text.ts"` }, /sql\/database/],
    ["a file that is not there", { "thought/Note.ts": `import "./Nothing.ts"` }, /not there/],
    ["a room outside the table", { "stray/a.ts": "" }, /table/],
    ["an index that does more", { "index.ts": `export * as Note from "./Note.ts"\nexport const a = 1` }, /index\.ts:2/],
    [
      "a cycle, of types too",
      { "text/a.ts": `import "./b.ts"`, "text/b.ts": `import type { A } from "./a.ts"` },
      /cycle text\/a\.ts -> text\/b\.ts -> text\/a\.ts/
    ]
  ]

  for (const [what, files, reason] of rejected) {
    it(`finds ${what}`, () => {
      const found = planted({ ...base, ...files })
      assert.lengthOf(found, 1)
      assert.match(found[0] ?? "", reason)
    })
  }

  it("finds a row that names a room below it", () => {
    assert.deepStrictEqual(rowsOutOfOrder({ low: ["high"], high: [], alone: ["gone"] }), [
      "low -> high",
      "alone -> gone"
    ])
  })

  it("follows values, not types or dynamic imports, to say what a file loads", () => {
    const source = `import "./b.ts"\nimport type { C } from "./c.ts"\nconst d = () => import("./d.ts")`
    const files = { "text/a.ts": source, "text/b.ts": "", "text/c.ts": "", "text/d.ts": "" }
    assert.deepStrictEqual([...loadedBy(new Map(Object.entries(files)), "text/a.ts")], ["text/a.ts", "text/b.ts"])
  })

  it("lets through what follows the table", () => {
    assert.deepStrictEqual(
      planted({
        "text/legible.ts": "",
        "thought/Note.ts": `import * as Effect from "effect/Effect"\nimport "../text/legible.ts"`,
        "thought/render.ts": `import type { Note } from "./Note.ts"\nimport * as Hex from "effect/encoding/Hex"`,
        "provider/Provider.ts": `/**\n * import { a } from "kysely"\n */\nimport * as Note from "../thought/Note.ts"`,
        "Note.ts": `export * from "./thought/Note.ts"`,
        "index.ts": `/** All. */\nexport * as Note from "./Note.ts"\n`,
        "sql/database/text.ts": `import { sql } from "kysely"\nimport type { Note } from "../../Note.ts"`,
        "sql/thoughts/load.ts": `import "../database/text.ts"`,
        "pglite/index.ts": `import { a } from "../sql/database/text.ts"`,
        "openai/index.ts": `import OpenAI from "openai/index.mjs"\nimport * as Model from "effect/ai/LanguageModel"`
      }),
      []
    )
  })

  it("reads every form of import", () => {
    const source = [
      `import "./a.ts"`,
      `import type { B } from "./b.ts"`,
      `import * as C from "./c.ts"`,
      `import D, { type E } from "./d.ts"`,
      `export * from './e.ts'`,
      `export {\n  f,\n  g\n} from "./f.ts"`,
      `const text = "export"\nconst other = load(() => import("./h.ts"))`,
      `export const from = "./not.ts"`,
      `export const a = 1\n/**\n * import { b } from "./comment.ts"\n */`
    ].join("\n")
    assert.deepStrictEqual(
      importsOf("x.ts", source).map(({ line, specifier, typeOnly }) => [line, specifier, typeOnly]),
      [
        [1, "./a.ts", false],
        [2, "./b.ts", true],
        [3, "./c.ts", false],
        [4, "./d.ts", false],
        [5, "./e.ts", false],
        [6, "./f.ts", false],
        [11, "./h.ts", false]
      ]
    )
  })

  it("takes stability from Effect's own tags", () => {
    assert.deepStrictEqual(
      ["Effect", "Schema", "encoding/Hex", "testing/TestClock", "Graph", "FileSystem", "ai/Chat", "Nothing", "ai"].map(
        isStable
      ),
      [true, true, true, true, false, false, false, undefined, undefined]
    )
  })
})
