/** Upper bounds on what a call can use, known before it is made. */
import { costOf, type Prices } from "./capabilities.ts"
import type { DecideRequest, Message, Request } from "./request.ts"
import { textsOf } from "./tools.ts"

/** Bytes of a text in UTF-8. A tokenizer over bytes never makes more tokens than that. */
const bytesOf = (text: string): number => {
  let bytes = text.length
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code < 0x80) continue
    // a surrogate pair takes four bytes, two for each half; a lone surrogate is replaced by a character of three
    bytes += code < 0x800 || isPaired(text, at, code) ? 1 : 2
  }
  return bytes
}

const isPaired = (text: string, at: number, code: number): boolean =>
  (isHigh(code) && isLow(text.charCodeAt(at + 1))) || (isLow(code) && isHigh(text.charCodeAt(at - 1)))
const isHigh = (code: number): boolean => code >= 0xd800 && code < 0xdc00
const isLow = (code: number): boolean => code >= 0xdc00 && code < 0xe000

/** Tokens for the frame of a message, and for what a provider adds to an output form or to tools. */
const perMessage = 16
const perForm = 512

const formBytes = new WeakMap<object, number>()

/** Bytes of a value as JSON. Counted once for each object. */
const jsonBytesOf = (value: object): number => {
  const known = formBytes.get(value)
  if (known !== undefined) return known
  const bytes = bytesOf(JSON.stringify(value))
  formBytes.set(value, bytes)
  return bytes
}

/** Calls and results have a frame of their own. */
const framesIn = ({ calls = [], results = [] }: Message): number => 1 + calls.length + results.length

const messageBytes = new WeakMap<Message, number>()

/** Counted once for each message, as a conversation shows it again and again. */
const messageIn = (message: Message): number => {
  const known = messageBytes.get(message)
  if (known !== undefined) return known
  const bytes = textsOf(message).reduce((sum, text) => sum + bytesOf(text), framesIn(message) * perMessage)
  messageBytes.set(message, bytes)
  return bytes
}

const messagesIn = (messages: ReadonlyArray<Message>): number =>
  messages.reduce((sum, message) => sum + messageIn(message), perMessage)

/** The most tokens that a request can take. Its form counts twice: as text and as a schema. */
export const inputOf = ({ messages, task: { output }, tools = [] }: Request): number =>
  messagesIn(messages) +
  (output === undefined ? 0 : perForm + bytesOf(output.instructions) + jsonBytesOf(output.jsonSchema)) +
  (tools.length === 0 ? 0 : perForm + 2 * jsonBytesOf(tools))

const perQuestion = 64

/** The most tokens that closed questions and their answers can take. */
export const decisionOf = ({ messages, task }: DecideRequest): { readonly input: number; readonly output: number } => ({
  input: messagesIn(messages) + bytesOf(task.input ?? "") + jsonBytesOf(task.questions) + perForm,
  output: perQuestion * task.questions.length
})

/** Dollars as whole billionths, rounded up. Less than a thousandth of a billionth is a rounding error. */
export const toNanos = (usd: number): number => Math.ceil(Math.round(usd * 1e12) / 1e3)

/** The most that tokens can cost at these prices, cached or not. */
export const mostNanos = (prices: Prices, input: number, output: number): number => {
  const dearest = Math.max(prices.input, prices.cachedInput ?? 0, prices.cacheWrite ?? 0)
  return toNanos(costOf({ inputTokens: input, outputTokens: output }, { ...prices, input: dearest }))
}
