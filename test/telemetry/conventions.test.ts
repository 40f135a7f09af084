/** The names of attributes and metrics, compared with those that are generated from OpenTelemetry's own model. */
import { assert, describe, it } from "@effect/vitest"
import * as conventions from "@opentelemetry/semantic-conventions/incubating"
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"

const src = join(import.meta.dirname, "../../src")
const known: ReadonlySet<unknown> = new Set(Object.values(conventions).filter((value) => typeof value === "string"))
const sources = readdirSync(src, { recursive: true, encoding: "utf8" })
  .filter((file) => file.endsWith(".ts"))
  .map((file) => readFileSync(join(src, file), "utf8"))

const quotedIn = (pattern: RegExp): ReadonlyArray<string> => [
  ...new Set(sources.flatMap((source) => Array.from(source.matchAll(pattern), ([, name = ""]) => name)))
]

/** Names that the conventions have replaced. */
const old = new Set(["gen_ai.system", "gen_ai.prompt", "gen_ai.completion", "gen_ai.usage.prompt_tokens"])

describe("names of OpenTelemetry's conventions", () => {
  it("are all that spans and metrics have under gen_ai", () => {
    const used = quotedIn(/"(gen_ai\.[\w.]+)"/g)
    assert.isAbove(used.length, 25)
    assert.deepStrictEqual(
      used.filter((name) => !known.has(name) || old.has(name)),
      []
    )
  })

  it("include the metrics", () => {
    for (const name of ["gen_ai.client.token.usage", "gen_ai.client.operation.duration"]) {
      assert.isTrue(known.has(name), name)
      assert.include(quotedIn(/"(gen_ai\.client\.[\w.]+)"/g), name)
    }
  })

  it("have the operations, kinds of tokens, and outputs that spans have", () => {
    const values = (start: string) =>
      Object.entries(conventions)
        .filter(([name]) => name.startsWith(start))
        .map(([, value]) => String(value))
    const operations = quotedIn(/"gen_ai\.operation\.name": "(\w+)"/g)
    assert.sameMembers([...operations], ["chat", "embeddings", "execute_tool", "invoke_agent"])
    assert.includeMembers(values("GEN_AI_OPERATION_NAME_VALUE"), [...operations])
    assert.includeMembers(values("GEN_AI_TOKEN_TYPE_VALUE"), [...quotedIn(/"gen_ai\.token\.type": "(\w+)"/g)])
    assert.includeMembers(values("GEN_AI_OUTPUT_TYPE_VALUE"), ["json", "text"])
    assert.strictEqual(conventions.ATTR_ERROR_TYPE, "error.type")
    assert.strictEqual(conventions.ERROR_TYPE_VALUE_OTHER, "_OTHER")
  })
})
