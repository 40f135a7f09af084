/** Ways to write a value: JSON of several manners, and the notations of other languages and of texts. */
import type { Json } from "./subjects.ts"

/** What is written of a value, and what value that says; undefined where the value cannot be written so. */
export interface Written {
  readonly text: string
  readonly means: Json
}

export type Notation = (value: Json, isOpen: boolean) => Written | undefined

type Scalar = null | boolean | number | string
type Fields = { readonly [key: string]: Json }

const isFields = (value: Json): value is Fields => typeof value === "object" && value !== null && !Array.isArray(value)

const isScalar = (value: Json): value is Scalar => typeof value !== "object" || value === null

const isFlat = (value: Json): value is { readonly [key: string]: Scalar } =>
  isFields(value) && Object.keys(value).length > 0 && Object.values(value).every(isScalar)

/** Text that a line, a cell or an element holds as it is. */
const isPlain = (value: Json): boolean => isScalar(value) && !/[\n|<>&]|^$/.test(String(value))

interface Manner {
  readonly key: (key: string) => string
  readonly text: (text: string) => string
  readonly number?: (value: number) => string
  readonly literal?: (value: boolean | null) => string
  readonly open?: string
  readonly close?: string
  readonly comma?: string
  readonly colon?: string
}

/** A value between brackets, its parts in the given manner. */
const inManner = (value: Json, manner: Manner): string => {
  const { close = "", colon = ": ", comma = ", ", open = "" } = manner
  const inner = (part: Json): string => inManner(part, manner)
  if (typeof value === "string") return manner.text(value)
  if (typeof value === "number") return manner.number?.(value) ?? JSON.stringify(value)
  if (isScalar(value)) return manner.literal?.(value) ?? JSON.stringify(value)
  if (!isFields(value)) return `[${open}${value.map(inner).join(comma)}${close}]`
  const members = Object.entries(value).map(([key, part]) => `${manner.key(key)}${colon}${inner(part)}`)
  return `{${open}${members.join(comma)}${close}}`
}

const json = (text: string): string => JSON.stringify(text)
const single = (text: string): string =>
  `'${json(text)
    .slice(1, -1)
    .replaceAll(String.raw`\"`, '"')
    .replaceAll("'", String.raw`\'`)}'`
const bareKey = (key: string): string => (/^[A-Za-z_]\w*$/.test(key) ? key : json(key))

const always =
  (write: (value: Json) => string): Notation =>
  (value) => ({ text: write(value), means: value })

const flat =
  (write: (value: { readonly [key: string]: Scalar }) => string): Notation =>
  (value) =>
    isFlat(value) && Object.values(value).every(isPlain) ? { text: write(value), means: value } : undefined

/** The value with every part changed that can be, by what it is and its key, as JSON; undefined where there is none. */
const withParts =
  (change: (part: Json, key: string) => Json): Notation =>
  (value, isOpen) => {
    const changed = (part: Json, key = ""): Json => {
      const own = change(part, key)
      if (isScalar(own) || own !== part) return own
      return isFields(own)
        ? Object.fromEntries(Object.entries(own).map(([name, inner]) => [name, changed(inner, name)]))
        : own.map((inner) => changed(inner, key))
    }
    const text = JSON.stringify(changed(value))
    return isOpen || text === JSON.stringify(value) ? undefined : { text, means: value }
  }

const respelled =
  (spell: (key: string) => string): Notation =>
  (value, isOpen) => {
    const changed = (part: Json): Json =>
      isFields(part)
        ? Object.fromEntries(Object.entries(part).map(([key, inner]) => [spell(key), changed(inner)]))
        : Array.isArray(part)
          ? (part as ReadonlyArray<Json>).map(changed)
          : part
    const text = JSON.stringify(changed(value))
    return isOpen || text === JSON.stringify(value) ? undefined : { text, means: value }
  }

const wordsOf = (key: string): string => key.replaceAll(/(?<=\p{Ll})(?=\p{Lu})/gu, "_").toLowerCase()

/** Each list of one as the only item of it. */
const unlisted = (value: Json): Json =>
  isFields(value)
    ? Object.fromEntries(Object.entries(value).map(([key, part]) => [key, unlisted(part)]))
    : Array.isArray(value) && value.length === 1 && !Array.isArray(value[0])
      ? (value[0] as Json)
      : value

const yamlOf = (value: Json, indent: string): string => {
  if (isScalar(value)) return ` ${String(value)}`
  if (isFields(value)) {
    return Object.entries(value)
      .map(([key, part]) => `\n${indent}${key}:${yamlOf(part, `${indent}  `)}`)
      .join("")
  }
  return value.map((part) => `\n${indent}-${yamlOf(part, `${indent}  `)}`).join("")
}

const rowOf = (cells: ReadonlyArray<Json>): string => `| ${cells.map(String).join(" | ")} |`

export const notations: Readonly<Record<string, Notation>> = {
  compact: always((value) => JSON.stringify(value)),
  pretty: always((value) => JSON.stringify(value, null, 2)),
  escaped: always((value) =>
    JSON.stringify(value)
      .replaceAll("/", String.raw`\/`)
      .replaceAll(/[^ -~]/g, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`)
  ),
  "single quotes": always((value) => inManner(value, { key: single, text: single })),
  Python: always((value) =>
    inManner(value, {
      key: single,
      text: (text) => (text.includes("'") && !text.includes('"') ? json(text) : single(text)),
      literal: (literal) => (literal === null ? "None" : literal ? "True" : "False")
    })
  ),
  JavaScript: always((value) =>
    inManner(value, {
      key: bareKey,
      text: single,
      open: "\n  ",
      comma: ", // next\n  ",
      close: ", /* end */\n"
    })
  ),
  "bare keys": always((value) => inManner(value, { key: bareKey, text: json })),
  "number signs": always((value) => inManner(value, { key: json, text: json, comma: ", # comment\n" })),
  "no commas": always((value) => inManner(value, { key: json, text: json, comma: "\n" })),
  semicolons: always((value) => inManner(value, { key: json, text: json, comma: "; " })),
  "equals signs": always((value) => inManner(value, { key: bareKey, text: json, colon: " = " })),
  "number forms": (value) => {
    const number = (one: number) => (Number.isInteger(one) && Math.abs(one) < 1e15 ? `${one}.0` : `+${one}`)
    const text = inManner(value, { key: json, text: json, number })
    return text === inManner(value, { key: json, text: json }) ? undefined : { text, means: value }
  },
  "key lines": flat((value) =>
    Object.entries(value)
      .map(([key, part]) => `${key}: ${String(part)}`)
      .join("\n")
  ),
  "Markdown list": flat((value) =>
    Object.entries(value)
      .map(([key, part]) => `- **${key}**: ${String(part)}`)
      .join("\n")
  ),
  YAML: (value) => (isScalar(value) ? undefined : { text: yamlOf(value, "").trim(), means: value }),
  table: flat((value) =>
    [rowOf(Object.keys(value)), rowOf(Object.keys(value).map(() => "---")), rowOf(Object.values(value))].join("\n")
  ),
  "table of pairs": flat((value) =>
    [rowOf(["key", "value"]), rowOf(["---", "---"]), ...Object.entries(value).map(rowOf)].join("\n")
  ),
  elements: flat((value) => {
    const parts = Object.entries(value).map(([key, part]) => `<${key}>${String(part)}</${key}>`)
    return `<item>${parts.join("\n")}</item>`
  }),
  call: (value) =>
    isFields(value) && Object.keys(value).length > 0 && Object.keys(value).every((key) => /^\w+$/.test(key))
      ? {
          text: `answer(${Object.entries(value)
            .map(([key, part]) => `${key}=${inManner(part, { key: single, text: single })}`)
            .join(", ")})`,
          means: value
        }
      : undefined,
  "JSON in a string": (value) =>
    typeof value === "string" ? undefined : { text: JSON.stringify(JSON.stringify(value)), means: value },
  "parts in strings": (value) =>
    isFields(value) && Object.values(value).some((part) => !isScalar(part))
      ? {
          text: JSON.stringify(
            Object.fromEntries(
              Object.entries(value).map(([key, part]) => [key, isScalar(part) ? part : JSON.stringify(part)])
            )
          ),
          means: value
        }
      : undefined,
  "one for a list": (value) => {
    const changed = unlisted(value)
    return JSON.stringify(changed) === JSON.stringify(value)
      ? undefined
      : { text: JSON.stringify(changed), means: value }
  },
  "number as text": withParts((part) => (typeof part === "number" ? String(part) : part)),
  "grouped number": withParts((part) =>
    typeof part === "number" && Math.abs(part) >= 1000 ? part.toLocaleString("en-US") : part
  ),
  "text as number": withParts((part) =>
    typeof part === "string" && /^[1-9]\d{0,9}$/.test(part) ? Number(part) : part
  ),
  "boolean as word": withParts((part, key) =>
    typeof part === "boolean" && key !== "value" ? (part ? "yes" : "no") : part
  ),
  "boolean as text": withParts((part) => (typeof part === "boolean" ? String(part) : part)),
  "null as text": withParts((part, key) => (part === null && key === "count" ? "null" : part)),
  "other case": withParts((part, key) =>
    typeof part === "string" &&
    /^(?:level|color|type|)$/.test(key) &&
    /^(?:low|very high|red|dark-red|circle|yes|not sure)$/.test(part)
      ? part.toUpperCase().replace(" ", "_")
      : part
  ),
  "camel keys": respelled((key) => wordsOf(key).replaceAll(/_(.)/g, (_, char: string) => char.toUpperCase())),
  "snake keys": respelled(wordsOf),
  "capital keys": respelled((key) => wordsOf(key).replaceAll("_", " ").toUpperCase())
}
