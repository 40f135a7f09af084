/** The answer that a note holds, taken apart for reading. Its texts are safe to show. */
import { showInvisible as shown } from "./invisible.ts"

export interface Answer {
  /** The answer in a few words. */
  readonly headline: string
  readonly confidence?: number
  readonly from?: string
  readonly reasoning: ReadonlyArray<string>
  /** Shares by label, the largest first. */
  readonly shares: ReadonlyArray<readonly [label: string, share: number]>
  /** What a search found. */
  readonly matches: ReadonlyArray<{ readonly similarity?: number; readonly text: string }>
  /** The other fields. */
  readonly fields: ReadonlyArray<readonly [name: string, text: string]>
}

type Fields = Readonly<Record<string, unknown>>

export const fieldsOf = (content: string): Fields | undefined => {
  if (!content.startsWith("{")) return undefined
  try {
    // an object, since the text begins with a brace
    return JSON.parse(content) as Fields
  } catch {
    return undefined
  }
}

const apart = new Set(["confidence", "confidenceFrom", "reasoning", "distribution", "scores"])

/** Fields of the results of a search, which are listed as matches. */
const ofSearch = new Set(["matches", "arms"])

const matchesOf = (found: unknown): Answer["matches"] =>
  Array.isArray(found)
    ? found.flatMap((one: unknown) => {
        const { content, similarity } = (typeof one === "object" && one !== null ? one : {}) as Fields
        return isText(content)
          ? [{ text: shown(short(content, 160)), ...(typeof similarity === "number" ? { similarity } : {}) }]
          : []
      })
    : []

const isText = (value: unknown): value is string => typeof value === "string"

const textOf = (value: unknown): string => {
  if (typeof value === "boolean") return value ? "yes" : "no"
  if (value === null) return "—"
  if (isText(value)) return value
  if (Array.isArray(value)) return value.every(isText) ? value.join(" · ") : JSON.stringify(value)
  return JSON.stringify(value)
}

const isEmpty = (value: unknown): boolean =>
  // an array without items has no keys either
  value === undefined || (typeof value === "object" && value !== null && Object.keys(value).length === 0)

const sharesOf = (fields: Fields): Answer["shares"] => {
  const found = fields["distribution"] ?? fields["scores"]
  if (typeof found !== "object" || found === null) return []
  return Object.entries(found)
    .filter((entry): entry is [string, number] => typeof entry[1] === "number")
    .toSorted((a, b) => b[1] - a[1])
}

export const answerOf = ({ content }: { readonly content: string }): Answer => {
  const fields = fieldsOf(content)
  if (fields === undefined)
    return { headline: short(shown(content), 160), reasoning: [], shares: [], matches: [], fields: [] }
  const { confidence, confidenceFrom, reasoning } = fields
  const isSearch = Array.isArray(fields["matches"])
  const rest = Object.entries(fields).filter(
    ([name, value]) => !apart.has(name) && !isEmpty(value) && !(isSearch && ofSearch.has(name))
  )
  const isJudged = typeof confidence === "number"
  const [first] = rest
  const matches = fields["matches"]
  const headline = Array.isArray(matches)
    ? `${matches.length === 0 ? "no" : matches.length} ${matches.length === 1 ? "match" : "matches"}`
    : first === undefined
      ? short(content, 160)
      : isJudged
        ? textOf(first[1])
        : short(rest.map(([, value]) => textOf(value)).join(" · "), 160)
  return {
    headline: shown(short(headline, 160)),
    ...(isJudged ? { confidence } : {}),
    ...(isText(confidenceFrom) ? { from: confidenceFrom } : {}),
    reasoning: Array.isArray(reasoning) ? reasoning.filter(isText).map(shown) : [],
    shares: sharesOf(fields),
    matches: matchesOf(fields["matches"]),
    fields: (isJudged ? rest.slice(1) : rest).map(([name, value]) => [shown(name), shown(textOf(value))] as const)
  }
}

/** JSON laid out over lines; any other text as it is. */
export const laidOut = (content: string): string => {
  if (!/^[[{]/.test(content)) return content
  try {
    return JSON.stringify(JSON.parse(content), null, 2)
  } catch {
    return content
  }
}

export const percent = (share: number): string => {
  const value = share * 100
  return value > 0 && value < 1 ? "< 1 %" : value > 99 && value < 100 ? "> 99 %" : `${Math.round(value)} %`
}

/** A text on one line, cut to the limit. */
export const short = (text: string, limit: number): string => {
  const line = text.replaceAll(/\s+/g, " ").trim()
  return line.length <= limit ? line : `${line.slice(0, limit - 1).replace(/[\ud800-\udbff]$/, "")}…`
}
