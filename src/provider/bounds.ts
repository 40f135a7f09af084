/** How much a call can use at most, known before it is made. */
import { costOf, type Prices } from "./capabilities.ts"
import type { DecideRequest, Message, Request } from "./request.ts"

/** Bytes of a text in UTF-8: tokenizers over bytes never make more tokens of it. */
const bytesOf = (text: string): number => {
  let bytes = text.length
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code < 0x80) continue
    // a pair of surrogates is four bytes, two for each; one on its own becomes a sign of three
    bytes += code < 0x800 || isPaired(text, at, code) ? 1 : 2
  }
  return bytes
}

const isPaired = (text: string, at: number, code: number): boolean =>
  (isHigh(code) && isLow(text.charCodeAt(at + 1))) || (isLow(code) && isHigh(text.charCodeAt(at - 1)))
const isHigh = (code: number): boolean => code >= 0xd800 && code < 0xdc00
const isLow = (code: number): boolean => code >= 0xdc00 && code < 0xe000

/** What surrounds a message, and what a provider adds of its own to a form or to tools. */
const perMessage = 16
const perForm = 512

const formBytes = new WeakMap<object, number>()

/** Bytes of a value as JSON; counted once for each. */
const jsonBytesOf = (value: object): number => {
  const known = formBytes.get(value)
  if (known !== undefined) return known
  const bytes = bytesOf(JSON.stringify(value))
  formBytes.set(value, bytes)
  return bytes
}

const messagesIn = (messages: ReadonlyArray<Message>): number =>
  messages.reduce((sum, { text }) => sum + bytesOf(text) + perMessage, perMessage)

/** Tokens that a request is at most: its form may go in words and as a schema. */
export const inputOf = ({ messages, task: { output }, tools = [] }: Request): number =>
  messagesIn(messages) +
  (output === undefined ? 0 : perForm + bytesOf(output.instructions) + jsonBytesOf(output.jsonSchema)) +
  (tools.length === 0 ? 0 : perForm + 2 * jsonBytesOf(tools))

const perQuestion = 64

/** Tokens that closed questions are at most, and their answers. */
export const decisionOf = ({ messages, task }: DecideRequest): { readonly input: number; readonly output: number } => ({
  input: messagesIn(messages) + bytesOf(task.input ?? "") + jsonBytesOf(task.questions) + perForm,
  output: perQuestion * task.questions.length
})

/** Dollars in whole billionths, rounded up; what is less than a thousandth of one is noise of the arithmetic. */
export const toNanos = (usd: number): number => Math.ceil(Math.round(usd * 1e12) / 1e3)

/** What tokens cost at most at these prices, whether they are cached or not. */
export const mostNanos = (prices: Prices, input: number, output: number): number => {
  const dearest = Math.max(prices.input, prices.cachedInput ?? 0, prices.cacheWrite ?? 0)
  return toNanos(costOf({ inputTokens: input, outputTokens: output }, { ...prices, input: dearest }))
}
