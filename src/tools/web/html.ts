/** The text of a page as a reader sees it, its title and its links. */
import { hides } from "./hiding.ts"
import { cut } from "../text/cut.ts"
import { Parser } from "htmlparser2"
import { TextFlow } from "./TextFlow.ts"

type Attributes = Readonly<Record<string, string>>

interface Link {
  readonly url: string
  readonly text: string
}

interface Page {
  readonly title: string
  readonly text: string
  /** Each address once, in the order of the page. */
  readonly links: ReadonlyArray<Link>
}

/** Elements that show nothing to read, or show it only beside the page. */
const skipped: ReadonlySet<string> = new Set(
  "script style template svg math iframe object canvas noembed noframes select datalist nav".split(" ")
)

const blocks: ReadonlySet<string> = new Set(
  (
    "address article aside blockquote dd details dialog div dl dt fieldset figcaption figure footer form h1 h2 h3 h4 h5 h6 header hr " +
    "legend li main menu ol p pre section summary table tbody td tfoot th thead tr ul body html"
  ).split(" ")
)

/** Blocks with an empty line around them. */
const apart: ReadonlySet<string> = new Set(
  "article blockquote details dl figure form h1 h2 h3 h4 h5 h6 hr main ol p pre section table ul".split(" ")
)

/** Whether the page itself hides an element: such text is written for programs, not for readers. */
const isHidden = (name: string, { hidden, open, style = "" }: Attributes): boolean =>
  hidden !== undefined || (name === "dialog" && open === undefined) || hides(style)

const collapsed = (text: string): string => text.replaceAll(/\s+/g, " ").trim()

const longestTitle = 300

const longestLink = 120

const longestAddress = 1000

const mostLinks = 2000

/** How many elements may be open. The time for each tag grows with them, so that a page could hold up the program. */
const mostOpen = 500

/** Elements whose content has no tags. */
const raw: ReadonlySet<string> = new Set(
  "iframe noembed noframes noscript plaintext script style textarea title xmp".split(" ")
)

export const readHtml = (html: string, address: URL): Page => {
  const flow = new TextFlow()
  const links = new Map<string, string>()
  /** The first one counts. */
  let base: URL | undefined
  let title: string | undefined
  let inTitle = false
  let link: { url: string; text: string } | undefined
  /**
   * The element that is left out: whether its links are listed, how many elements of its name the current parser has open, and how
   * many more the parsers before it had open.
   */
  let skip: { readonly name: string; readonly isBeside: boolean; depth: number; outer: number } | undefined
  // what is beside the page leads somewhere, and what is hidden does not
  const isLinking = (): boolean => skip === undefined || skip.isBeside

  const endLink = (): void => {
    if (link === undefined) return
    const { text, url } = link
    const known = links.get(url)
    if (known === undefined || known === "") links.set(url, collapsed(text).slice(0, longestLink))
    link = undefined
  }
  const opened = (name: string, attributes: Attributes): void => {
    if (name === "title") inTitle = skip === undefined && title === undefined
    if (name === "base") base ??= linkOf(attributes, address)
    const isOut = isHidden(name, attributes)
    if (name === "a" && isLinking()) {
      endLink()
      const url = isOut ? undefined : linkOf(attributes, base ?? address)
      if (url !== undefined) {
        url.hash = ""
        if (url.href !== address.href && links.size < mostLinks) link = { url: url.href, text: "" }
      }
    }
    if (skip !== undefined) {
      if (name === skip.name) skip.depth++
      return
    }
    if (isOut || skipped.has(name)) {
      skip = { name, isBeside: name === "nav" && !isOut, depth: 1, outer: 0 }
      return
    }
    if (blocks.has(name)) flow.break(apart.has(name))
    if (name === "br") flow.line()
    if (name === "hr") {
      flow.add("---")
      flow.break(true)
    }
    if (name === "li") flow.mark("- ")
    if (name === "td" || name === "th") flow.cell()
    if (/^h[1-6]$/.test(name)) flow.mark(`${"#".repeat(Number(name[1]))} `)
    if (name === "pre") flow.keep(true)
    if (name === "tr") flow.row(true)
    if (name === "img") {
      const alt = collapsed(attributes["alt"] ?? "")
      if (alt !== "") flow.add(`[${alt}]`)
      if (link !== undefined) link.text += alt
    }
  }
  const closed = (name: string): void => {
    if (name === "title") inTitle = false
    if (name === "a") endLink()
    if (skip !== undefined) {
      if (name === skip.name && --skip.depth === 0 && skip.outer === 0) skip = undefined
      return
    }
    if (name === "pre") flow.keep(false)
    if (name === "li" || /^h[1-6]$/.test(name)) flow.mark("")
    if (name === "tr" || name === "table") flow.row(false)
    if (blocks.has(name) && name !== "td" && name !== "th") flow.break(apart.has(name))
  }

  const written = (text: string): void => {
    if (inTitle) title = `${title ?? ""}${text}`
    else {
      if (link !== undefined && isLinking()) link.text += text
      if (skip === undefined) flow.add(text)
    }
  }
  let at: number | undefined = 0
  while (at !== undefined) {
    // one element of those that are left out is open for the next parser as well, with one in it, so that no other begins beside it
    const before = skip === undefined ? "" : `<${skip.name}><inner>`
    if (skip !== undefined) {
      skip.outer += skip.depth - 1
      skip.depth = 0
    }
    const end = parsed(before, html.slice(at), { opened, closed, written, isOuter: () => skip?.depth === 0 })
    at = end === undefined ? undefined : at + end
    flow.keep(false)
  }
  endLink()
  return {
    title: cut(collapsed(title ?? ""), longestTitle),
    text: flow.text(),
    links: Array.from(links, ([url, text]) => ({ url, text }))
  }
}

interface Handlers {
  readonly opened: (name: string, attributes: Attributes) => void
  readonly closed: (name: string) => void
  readonly written: (text: string) => void
  /** Whether the element that is left out is open only in parsers before this one. */
  readonly isOuter: () => boolean
}

/**
 * Reads `before` and `html` until too many or too few elements are open. There another parser goes on, which has none of them open.
 * Undefined if it has read everything.
 */
const parsed = (before: string, html: string, { closed, isOuter, opened, written }: Handlers): number | undefined => {
  let open = 0
  let end: number | undefined
  const stop = (): void => {
    end ??= html.indexOf(">", parser.endIndex - before.length) + 1 || html.length
    parser.pause()
  }
  const parser = new Parser({
    onopentag: (name, attributes) => {
      opened(name, attributes)
      if ((++open > mostOpen || isOuter()) && !raw.has(name)) stop()
    },
    onclosetag: (name, isImplied) => {
      open--
      closed(name)
      // an implied end is within another tag, or at the end of the page
      if (!isImplied && isOuter()) stop()
    },
    ontext: written
  })
  parser.write(before)
  parser.end(html)
  return end
}

/** The address of a link that can be read. */
const linkOf = ({ href }: Attributes, base: URL): URL | undefined => {
  const url = href === undefined ? null : URL.parse(href, base)
  return url !== null && /^https?:$/.test(url.protocol) && url.href.length <= longestAddress ? url : undefined
}
