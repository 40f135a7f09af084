/** What a prompt cache may hold of a request: where its form stands, and how it begins. */
import { quoted } from "../text/legible.ts"
import type { Request } from "./request.ts"
import { textsOf } from "./tools.ts"

/** From this number of tokens on, vendors keep the beginning of a prompt in their caches. */
export const leastCached = 1024

/**
 * Whether to describe the form at the end of the request, in words, instead of sending its schema apart.
 *
 * Vendors put that schema before all messages. A conversation whose steps have different forms then never begins like an
 * earlier request, so it is never read from the cache. `from` is the number of tokens from which on that costs more than
 * it is worth. It counts for conversations that go on, as the last message says.
 */
export const isFormInText = ({ messages }: Request, from: number | false): boolean =>
  from !== false &&
  messages.at(-1)?.kept !== undefined &&
  // about four characters a token: the sum only grows with the conversation
  messages.flatMap(textsOf).reduce((sum, text) => sum + text.length, 0) >= 4 * from

/** Throws unless the option `formInText` is a number from 0 or false. */
export const checkFormInText = (owner: string, value: number | false | undefined): void => {
  if (value === undefined || value === false || (typeof value === "number" && value >= 0)) return
  throw new Error(`${owner} needs a number of tokens from 0, or false, as formInText, not ${quoted(value)}.`)
}

const stableNote =
  /<note (\d{6,}) key="(?:[^"\\]|\\.)*"(?: source="(?:[^"\\]|\\.)*")? trust="trusted"(?: escape="backslash")?>\n/y

/** The length of the trusted notes that a request begins with. Other thoughts may begin with the same. */
export const stableLength = (text: string): number => {
  let length = 0
  for (let position = 0; ;) {
    stableNote.lastIndex = position
    const fence = stableNote.exec(text)?.[1]
    const close = fence === undefined ? -1 : text.indexOf(`\n</note ${fence}>`, stableNote.lastIndex - 1)
    if (fence === undefined || close === -1) return length
    length = close + `\n</note ${fence}>`.length
    if (!text.startsWith("\n\n", length)) return length
    position = length + 2
  }
}
