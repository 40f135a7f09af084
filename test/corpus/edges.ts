/**
 * Answers at the edges of rules, drawn by chance and shortened: each is read in another way as soon as one condition of the
 * reader is changed. They stand by the schema that they answer and by how they are read.
 */
import { readFileSync } from "node:fs"
import type { Schema } from "effect"
import type { Parsing } from "../../src/synapse/answer/marred/align/Coercion.ts"
import * as blind from "./blind/schemas.ts"
import { subjects } from "./crossed/subjects.ts"
import * as malformed from "./malformed/schemas.ts"

type Any = Schema.Codec<any, any>

type Texts = Readonly<Record<string, Readonly<Partial<Record<Parsing, ReadonlyArray<string>>>>>>

export interface Edge {
  readonly text: string
  readonly parsing: Parsing
}

const corpora: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  blind,
  crossed: Object.fromEntries(
    Object.values(subjects).flatMap((members) => members.map(({ name, schema }) => [name, schema]))
  ),
  malformed
}

const schemaOf = (name: string): Any => {
  const [corpus = "", ...rest] = name.split(".")
  const schema = corpora[corpus]?.[rest.join(".")]
  if (schema === undefined) throw new Error(`There is no schema ${name}`)
  return schema as Any
}

const stored: Texts = JSON.parse(readFileSync(new URL("./edges.json", import.meta.url), "utf8"))

export const edges: ReadonlyArray<{
  readonly name: string
  readonly schema: Any
  readonly answers: ReadonlyArray<Edge>
}> = Object.entries(stored).map(([name, ways]) => ({
  name,
  schema: schemaOf(name),
  answers: (["strict", "lenient", "lossy"] as const).flatMap((parsing) =>
    (ways[parsing] ?? []).map((text) => ({ text, parsing }))
  )
}))
