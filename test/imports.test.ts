import { assert, describe, it } from "@effect/vitest"
import { readdirSync, readFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { importsOf, isStable, violations } from "./imports.ts"

const src = join(dirname(import.meta.dirname), "src")

const sources = new Map(
  readdirSync(src, { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".ts"))
    .map((file) => [file.replaceAll("\\", "/"), readFileSync(join(src, file), "utf8")])
)

/**
 * Type-only imports against the direction that cannot be avoided, as `from -> to`, each with its reason.
 */
const unavoidable: ReadonlyArray<string> = []

describe("imports", () => {
  it("follow the layers values, services, synapse, primitive, pipeline, index", () => {
    assert.isAbove(sources.size, 0)
    assert.deepStrictEqual(violations(sources, unavoidable), [])
  })

  it("need every exception that is listed", () => {
    for (const exception of unavoidable) {
      const others = unavoidable.filter((other) => other !== exception)
      assert.isNotEmpty(violations(sources, others), `${exception} is no longer needed`)
    }
  })
})

describe("the check", () => {
  const planted = (files: Readonly<Record<string, string>>) => violations(new Map(Object.entries(files)))

  const base = {
    "Note.ts": "",
    "Provider.ts": "",
    "Pipeline.ts": "",
    "local/index.ts": "",
    "internal/render.ts": "",
    "sql/text.ts": ""
  }

  const rejected: ReadonlyArray<readonly [what: string, files: Readonly<Record<string, string>>, reason: RegExp]> = [
    ["a value that imports a service", { "Note.ts": `import * as P from "./Provider.ts"` }, /Note\.ts:1: .*Provider/],
    ["a type imported against the order", { "Note.ts": `import type { T } from "./Provider.ts"` }, /Provider/],
    ["values out of order", { "Note.ts": `import { x } from "./Session.ts"`, "Session.ts": "" }, /after it/],
    ["a folder's file against the order", { "synapse/binary.ts": `export * from "../Pipeline.ts"` }, /Pipeline/],
    ["a subpath in the core", { "Pipeline.ts": `\nexport { a } from "./local/index.ts"` }, /Pipeline\.ts:2: .*local/],
    ["a dynamic import of a subpath", { "Pipeline.ts": `const a = import("./local/index.ts")` }, /local/],
    ["an internal module above services", { "internal/render.ts": `import "../Pipeline.ts"` }, /internal/],
    ["the barrel", { "local/index.ts": `import { Effect } from "effect"` }, /barrel/],
    ["the barrel of a namespace", { "local/index.ts": `import { Chat } from "effect/ai"` }, /no single module/],
    ["an unstable module in the core", { "Note.ts": `import * as Path from "effect/Path"` }, /stable/],
    ["a package in the core", { "Note.ts": `import {\n  a\n} from "kysely"` }, /core/],
    ["Node in the core", { "Note.ts": `import { join } from "node:path"` }, /core/],
    ["a package that is no peer of the subpath", { "local/index.ts": `import OpenAI from "openai"` }, /no peer/],
    [
      "a package that not all who share a folder have as a peer",
      { "sql/a.ts": `import { Pool } from "pg"` },
      /"pglite"/
    ],
    ["a shared folder in another subpath", { "local/index.ts": `import "../sql/text.ts"` }, /only pglite and postgres/],
    ["a shared folder in the core", { "Pipeline.ts": `import "./sql/text.ts"` }, /only pglite and postgres/],
    ["a subpath in a shared folder", { "sql/a.ts": `import "../local/index.ts"` }, /subpath "local"/],
    ["a file that is not there", { "Note.ts": `import "./Nothing.ts"` }, /not there/],
    ["a file outside the layout", { "stray.ts": "" }, /layout/],
    ["an index that does more", { "index.ts": `export * as Note from "./Note.ts"\nexport const a = 1` }, /index\.ts:2/],
    [
      "a cycle of values",
      { "internal/render.ts": `import "./parse.ts"`, "internal/parse.ts": `import "./render.ts"` },
      /cycle internal\/render\.ts -> internal\/parse\.ts -> internal\/render\.ts/
    ]
  ]

  for (const [what, files, reason] of rejected) {
    it(`finds ${what}`, () => {
      const found = planted({ ...base, ...files })
      assert.lengthOf(found, 1)
      assert.match(found[0] ?? "", reason)
    })
  }

  it("lets through what follows the layers", () => {
    assert.deepStrictEqual(
      planted({
        "Note.ts": `import * as Effect from "effect/Effect"`,
        "Session.ts": `import type { Note } from "./Note.ts"\nimport { a } from "./internal/render.ts"`,
        "Memory.ts": `import * as Note from "./Note.ts"`,
        "internal/render.ts": `import type { Session } from "../Session.ts"\nimport * as Hex from "effect/encoding/Hex"`,
        "synapse/binary.ts": `import { a } from "../internal/render.ts"`,
        "Synapse.ts": `export { binary } from "./synapse/binary.ts"`,
        "Primitive.ts": `/**\n * import { a } from "kysely"\n */\nimport * as Synapse from "./Synapse.ts"`,
        "index.ts": `/** All. */\nexport * as Note from "./Note.ts"\n`,
        "sql/text.ts": `import { sql } from "kysely"\nimport type { Note } from "../Note.ts"`,
        "sql/load.ts": `import "./text.ts"`,
        "pglite/index.ts": `import { a } from "../sql/load.ts"`,
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
