/** Tokens of requests, and those that OpenAI's prompt cache does not hold. */
import { encode } from "gpt-tokenizer/encoding/o200k_base"
import type { Body } from "../libraries/refund/loopback.ts"

const roles = ["system", "developer", "user", "assistant"]

/** A message costs four tokens beside its text: its start, its role, and the two ends. */
const around = (role: string, text: ReadonlyArray<number>): ReadonlyArray<number> => [
  -1,
  -10 - roles.indexOf(role),
  -2,
  ...text,
  -3
]

const asText = { allowedSpecial: new Set<string>(), disallowedSpecial: new Set<string>() }
const tokens = (text: string): ReadonlyArray<number> => encode(text, asText)

/** A request as the model reads it: the form of the answer first, then the messages. */
const sequence = ({ input, instructions, text }: Body): ReadonlyArray<number> => {
  const form = text?.format?.schema === undefined ? [] : tokens(JSON.stringify([text.format.name, text.format.schema]))
  const messages = [...(instructions === undefined ? [] : [{ role: "system", content: instructions }]), ...input]
  return [
    ...form,
    ...messages.flatMap(({ content, role }) =>
      around(role, tokens(typeof content === "string" ? content : content.map((part) => part.text).join("")))
    )
  ]
}

const common = (a: ReadonlyArray<number>, b: ReadonlyArray<number>): number => {
  const end = Math.min(a.length, b.length)
  let length = 0
  while (length < end && a[length] === b[length]) length++
  return length
}

const least = 1024
const unit = 128

export interface Counted {
  readonly sent: number
  readonly uncached: number
}

/** Counts every request, given those before it. */
export const count = (bodies: ReadonlyArray<Body>): ReadonlyArray<Counted> => {
  const sequences = bodies.map(sequence)
  return sequences.map((own, i) => {
    const shared = Math.max(0, ...sequences.slice(0, i).map((earlier) => common(own, earlier)))
    const cached = shared < least ? 0 : Math.floor(shared / unit) * unit
    return { sent: own.length, uncached: own.length - cached }
  })
}

export const total = (counts: ReadonlyArray<Counted>): Counted => ({
  sent: counts.reduce((sum, { sent }) => sum + sent, 0),
  uncached: counts.reduce((sum, { uncached }) => sum + uncached, 0)
})
