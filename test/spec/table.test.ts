import { assert, describe, it } from "@effect/vitest"
import { readFileSync } from "node:fs"
import { Spec } from "cogito/spec"

interface Type {
  readonly properties: Readonly<Record<string, { readonly default?: unknown }>>
  readonly required: ReadonlyArray<string>
}

/** All types with their options, as the schemas have them. */
const rows = (): ReadonlyArray<string> => {
  const { $defs } = Spec.jsonSchema() as unknown as { readonly $defs: Readonly<Record<string, Type>> }
  return Object.entries($defs)
    .filter(([type]) => type !== "step" && type !== "use")
    .map(([type, { properties, required }]) => {
      const names = Object.keys(properties).filter((name) => name !== "type")
      const needed = names.filter((name) => required.includes(name)).map((name) => `\`${name}\``)
      const others = names
        .filter((name) => !required.includes(name))
        .map((name) => {
          const { default: said } = properties[name] ?? {}
          return `\`${name}\`${said === undefined ? "" : ` (${JSON.stringify(said)})`}`
        })
      return `| \`${type}\` | ${needed.join(", ")} | ${others.join(", ")} |`
    })
}

const text = readFileSync(new URL("../../docs/spec.md", import.meta.url), "utf8")

describe("the list of types in docs/spec.md", () => {
  it("has each type once", () => {
    const [list = ""] = /^The types are [^]*? around a step\./m.exec(text) ?? []
    const named = Array.from(list.matchAll(/`(\w+)`/g), ([, type = ""]) => type)
    const { $defs } = Spec.jsonSchema() as { readonly $defs: object }
    const types = Object.keys($defs).filter((type) => type !== "step" && type !== "use")
    assert.deepStrictEqual(named.toSorted(), types.toSorted())
  })
})

describe("the table of types in docs/spec.md", () => {
  it("is what the schemas say", () => {
    assert.include(text, ["| Type | Required | Optional (default) |", "| --- | --- | --- |", ...rows()].join("\n"))
  })
})
