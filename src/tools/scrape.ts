import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Tool from "effect/ai/Tool"
import * as Toolkit from "effect/ai/Toolkit"
import { time } from "../arguments/checked.ts"
import { either, inCodeFunction, list, maybe, oneOf, others, string } from "../arguments/forms.ts"
import { taking } from "../arguments/taking.ts"
import { quoted } from "../text/legible.ts"
import { counts } from "./kit/counts.ts"
import { type Kit, kitOf } from "./kit/Kit.ts"
import { ToolFailed, toolFailed } from "./kit/ToolFailed.ts"
import { type Allowed, allowedOf } from "./web/addresses.ts"
import { bodyOf } from "./web/body.ts"
import type { readHtml } from "./web/html.ts"
import { isKnown } from "./web/known.ts"
import { get, readableUrl, requestFailed } from "./web/request.ts"

/**
 * A page as it was read.
 *
 * **Details**
 *
 * - `url`: the address after all redirections
 * - `text`: the text from `offset` on
 * - `next`: the offset to go on with, if there is more
 * - `links`: where the page leads, each address once. Empty for a later part
 *
 * @category models
 */
export const PageRead = Schema.Struct({
  url: Schema.String,
  title: Schema.String,
  text: Schema.String,
  next: Schema.optionalKey(Schema.Int),
  links: Schema.Array(Schema.Struct({ url: Schema.String, text: Schema.String }))
})

/**
 * @category models
 */
export interface PageRead extends Schema.Schema.Type<typeof PageRead> {}

const toolOf = (needsApproval: Tool.NeedsApproval<typeof ScrapeParameters>) =>
  Tool.make("scrape", {
    description: "Reads a page of the web as text, with its title and links. A long one is given in parts.",
    parameters: ScrapeParameters,
    success: PageRead,
    failure: ToolFailed,
    needsApproval
  })
    .annotate(Tool.Readonly, true)
    .annotate(Tool.OpenWorld, true)

const ScrapeParameters = Schema.Struct({
  url: Schema.String.annotate({ description: "The whole address, which begins with https:// or http://" }),
  offset: Schema.optionalKey(Schema.Int.annotate({ description: "Where to begin, as next of an earlier part says" }))
})

/**
 * The tool that reads pages.
 *
 * @category models
 */
export type ScrapeTools = { readonly scrape: ReturnType<typeof toolOf> }

/**
 * Options of `Tools.scrape`.
 *
 * **Details**
 *
 * - `ask`: when an approval is needed: `"unknown"` for addresses that stand in no message of a user and in no result of a search,
 *   `"always"`, `"never"`, or a function that decides about such unknown addresses. Default `"unknown"`
 * - `searches`: the names of the tools whose results count as results of a search. Default `["search"]`
 * - `allow`: hosts that are read although they are not in the public internet, such as `"wiki.intranet"` or `"127.0.0.1:8080"`
 * - `timeout`: how long a page may take, with all redirections. Default 20 seconds
 * - `maxBytes`: what comes after so many bytes, once unpacked, is not read. Default 2,000,000
 * - `characters`: the most text of one call. Default 10,000
 * - `links`: the most links. Default 40
 * - `redirects`: the most redirections. Default 5
 *
 * @category models
 */
export interface ScrapeOptions {
  readonly ask?: "unknown" | "always" | "never" | ((url: URL) => boolean)
  readonly searches?: ReadonlyArray<string>
  readonly allow?: ReadonlyArray<string>
  readonly timeout?: Duration.Input
  readonly maxBytes?: number
  readonly characters?: number
  readonly links?: number
  readonly redirects?: number
}

/**
 * A tool that reads pages of the public internet as text.
 *
 * **Details**
 *
 * `scrape` only reads. It asks for an approval first if the address stands neither in a message of a user nor in the result of a
 * search, exactly as it is: an address that a page has made up, or that the model has put data into, would tell its server
 * something. So an agent with it needs a durable run, unless `ask` is `"never"`.
 *
 * It connects to public addresses only: not to loopback, private, link-local, multicast or metadata addresses, in whatever form they
 * are written. The address that was checked is the one that is connected to, and each redirection is checked again. It sends no
 * cookies and no passwords, and uses no proxy.
 *
 * Of HTML, it gives what a reader sees, without navigation and without what the attributes and styles of elements hide; style sheets
 * and colours are not looked at. Other text is given as it is. Anything else fails, as `ToolFailed`. Throws if an option is out of
 * range.
 *
 * **Example** (Reads a page of the intranet)
 *
 * ```ts
 * import assert from "node:assert/strict"
 * import { createServer } from "node:http"
 * import { Effect, Layer } from "effect"
 * import { Pipeline, Thought } from "cogito"
 * import { Agent } from "cogito/agent"
 * import { Testing } from "cogito/testing"
 * import { Tools } from "cogito/tools"
 *
 * const server = createServer((_, response) => {
 *   response.setHeader("content-type", "text/html").end("<title>Opening hours</title><p>We open at <b>nine</b>.")
 * })
 * await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
 * const address = server.address()
 * const host = `127.0.0.1:${typeof address === "object" ? address?.port : ""}`
 *
 * const scrape = Tools.scrape({ allow: [host] })
 * const agent = Agent.make("reader", { instructions: "You read pages.", triage: false, toolkit: scrape.toolkit })
 * const url = `http://${host}/hours`
 * const model = Testing.scripted([Testing.calls([{ name: "scrape", params: { url } }]), "At nine."])
 *
 * const program = Effect.gen(function*() {
 *   // the address stands in the message, so nobody is asked
 *   const start = yield* Thought.make("question", { message: `When do you open? See ${url}.` })
 *   const done = yield* Pipeline.run(agent, start, { durable: true })
 *   const page = JSON.parse(Thought.history(done, "reader.scrape").at(-1)?.content ?? "")
 *   assert.deepEqual(page, { url, title: "Opening hours", text: "We open at nine.", links: [] })
 * })
 *
 * await Effect.runPromise(program.pipe(Effect.provide(Layer.mergeAll(model.layer, scrape.layer, Testing.memory))))
 * server.close()
 * ```
 *
 * @category constructors
 */
export const scrape: (options?: ScrapeOptions) => Kit<ScrapeTools> = taking("Tools.scrape", {
  options: 0,
  optional: true,
  known: {
    ...others("timeout", "maxBytes", "characters", "links", "redirects"),
    ask: maybe("", either("", oneOf("unknown", "always", "never"), inCodeFunction)),
    searches: maybe("", list("", string)),
    allow: maybe("", list("", string))
  }
})((options: ScrapeOptions = {}): Kit<ScrapeTools> => {
  const { allow = [], ask = "unknown", searches = ["search"], timeout = "20 seconds", ...given } = options
  const defaults = { maxBytes: 2_000_000, characters: 10_000, links: 40, redirects: 5 }
  const settings = { ...counts("Tools.scrape", defaults, given), allowed: allow.map(allowedHost) }
  const millis = time("Tools.scrape", "timeout", timeout, { endless: true })
  const toolkit = Toolkit.make(toolOf(approvalOf(ask, searches)))
  const handlers = Effect.map(reader, (readHtml) => ({
    scrape: ({ offset = 0, url }: typeof ScrapeParameters.Type) =>
      Effect.tryPromise({
        try: (signal) => read(url, offset, { ...settings, readHtml }, signal),
        catch: (error) => requestFailed(url, error)
      }).pipe(
        Effect.timeoutOrElse({
          duration: millis,
          orElse: () =>
            Effect.fail(toolFailed("Timeout", `${quoted(url)} has taken more than ${millis / 1000} seconds.`))
        })
      )
  }))
  return kitOf(toolkit, handlers)
})

const allowedHost = (text: string): Allowed => {
  const allowed = allowedOf(text)
  if (allowed === undefined) {
    throw new Error(`Tools.scrape needs hosts such as "wiki.intranet:8080" as allow, not ${quoted(text)}.`)
  }
  return allowed
}

const approvalOf = (
  ask: NonNullable<ScrapeOptions["ask"]>,
  searches: ReadonlyArray<string>
): Tool.NeedsApproval<typeof ScrapeParameters> => {
  if (ask === "never" || ask === "always") return ask === "always"
  return ({ url }, { messages }) => {
    const address = URL.parse(url)
    // it is not read at all
    if (address === null || isKnown(url, messages, searches)) return false
    return ask === "unknown" || ask(address)
  }
}

interface Settings {
  readonly readHtml: typeof readHtml
  readonly allowed: ReadonlyArray<Allowed>
  readonly maxBytes: number
  readonly characters: number
  readonly links: number
  readonly redirects: number
}

/** How pages are read. Loaded when the first kit is built, as only it needs the package. */
const reader = Effect.promise(async () => {
  try {
    return (await import("./web/html.ts")).readHtml
  } catch (cause) {
    throw new Error("Tools.scrape needs the package htmlparser2. Run: npm install htmlparser2@12", { cause })
  }
})

const read = async (text: string, offset: number, settings: Settings, signal: AbortSignal): Promise<PageRead> => {
  if (offset < 0) throw toolFailed("Invalid", "The offset is 0 or more.")
  const { response, url } = await get(readableUrl(text), { ...settings, signal })
  const { statusCode = 0 } = response
  if (statusCode < 200 || statusCode > 299) {
    response.destroy()
    const isMissing = statusCode === 404 || statusCode === 410
    throw toolFailed(
      isMissing ? "NotFound" : "Failed",
      `${quoted(url.host)} has answered with the status ${statusCode}.`
    )
  }
  const body = await bodyOf(response, settings.maxBytes)
  const page = body.isHtml ? settings.readHtml(body.text, url) : { title: "", text: body.text, links: [] }
  const whole = body.isCut ? `${page.text}\n[… the page is longer than what is read …]` : page.text
  const next = offset + settings.characters
  return {
    url: url.href,
    title: page.title,
    text: whole.slice(offset, next).toWellFormed(),
    ...(next < whole.length ? { next } : {}),
    links: offset === 0 ? page.links.slice(0, settings.links) : []
  }
}
