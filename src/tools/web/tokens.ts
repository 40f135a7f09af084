/** Reads HTML as texts and tags, in one pass. */
import { unescapeHtml } from "./entities.ts"

export type Token =
  | { readonly _tag: "Text"; readonly text: string }
  | { readonly _tag: "Open"; readonly name: string; readonly attributes: ReadonlyMap<string, string> }
  | { readonly _tag: "Close"; readonly name: string }

/** Elements whose content is text without tags. */
const raw: ReadonlySet<string> = new Set([
  "script",
  "style",
  "textarea",
  "title",
  "xmp",
  "iframe",
  "noembed",
  "noframes"
])

/** Of these, references to characters are resolved. */
const escapable: ReadonlySet<string> = new Set(["textarea", "title"])

const tagStart = /<(?:(\/?)([A-Za-z][^\s/>]*)|!--|[!?/])/g
const spaces = /[\s/]*/y
const attributeName = /[^\s/>][^\s/>=]*/y
const equals = /\s*=\s*/y
const unquoted = /[^\s>]*/y

/** The text and the tags of a page, in order. What is not closed at the end is left out, as browsers do. */
export function* tokensOf(html: string): Generator<Token> {
  let at = 0
  const text = (end: number): Token => ({ _tag: "Text", text: unescapeHtml(html.slice(at, end)) })
  for (;;) {
    tagStart.lastIndex = at
    const start = tagStart.exec(html)
    if (start === null) break
    if (start.index > at) yield text(start.index)
    const [whole, slash, given] = start
    at = start.index + whole.length
    if (given === undefined) {
      // comments and declarations
      const end = whole === "<!--" ? html.indexOf("-->", at - 2) : html.indexOf(">", at)
      if (end < 0) return
      at = end + (whole === "<!--" ? 3 : 1)
      continue
    }
    const read = attributesAt(html, at)
    if (read === undefined) return
    at = read.end
    const name = given.toLowerCase()
    if (slash === "/") {
      yield { _tag: "Close", name }
      continue
    }
    yield { _tag: "Open", name, attributes: read.attributes }
    if (!raw.has(name)) continue
    const closing = new RegExp(`</${name}(?=[\\s/>])`, "gi")
    closing.lastIndex = at
    const end = closing.exec(html)?.index ?? html.length
    if (escapable.has(name)) yield text(end)
    at = end
  }
  if (at < html.length) yield text(html.length)
}

const matchAt = (pattern: RegExp, html: string, at: number): string | undefined => {
  pattern.lastIndex = at
  return pattern.exec(html)?.[0]
}

/** The attributes of a tag, and where it ends. Undefined if it does not end. */
const attributesAt = (
  html: string,
  from: number
): { readonly attributes: ReadonlyMap<string, string>; readonly end: number } | undefined => {
  const attributes = new Map<string, string>()
  let at = from
  for (;;) {
    at += matchAt(spaces, html, at)?.length ?? 0
    if (at >= html.length) return undefined
    if (html[at] === ">") return { attributes, end: at + 1 }
    const name = matchAt(attributeName, html, at) ?? ""
    at += name.length
    const sign = matchAt(equals, html, at)
    let value = ""
    if (sign !== undefined) {
      at += sign.length
      const quote = html[at]
      if (quote === '"' || quote === "'") {
        const end = html.indexOf(quote, at + 1)
        if (end < 0) return undefined
        value = html.slice(at + 1, end)
        at = end + 1
      } else {
        value = matchAt(unquoted, html, at) ?? ""
        at += value.length
      }
    }
    const key = name.toLowerCase()
    if (!attributes.has(key)) attributes.set(key, unescapeHtml(value))
  }
}
