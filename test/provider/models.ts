/** Models whose calls end one after the other as a scenario says. */
import { Effect } from "effect"
import type { Provider } from "cogito"
import { failing, type Fake, fake } from "./fake.ts"

type Tag = Parameters<typeof failing>[0]
type More = Parameters<typeof failing>[1]

/** An answer, an error by its tag, one with more fields, or `"never"` for a call that does not end. */
export type End = Tag | readonly [Tag, More] | Partial<Provider.Response> | "never" | Error

export const prices: Provider.Prices = { input: 3, cachedInput: 1, output: 7, asOf: "2026-11-01" }
const usage: Provider.Usage = { inputTokens: 100, outputTokens: 20, cachedInputTokens: 10 }

/** What a failure has cost. */
export const spent = (inputTokens: number, outputTokens: number, more: object = {}): More => ({
  usage: { inputTokens, outputTokens },
  ...more
})

/** A model of that name whose calls end so, the last end for all that follow, each after some milliseconds. */
export const model = (
  name: string,
  ends: ReadonlyArray<End>,
  millis = 0,
  options: Parameters<typeof fake>[1] = {}
): Fake => {
  const who = { provider: name, model: `${name}-1` }
  const ended = (number: number, end: End) => {
    if (end === "never") return Effect.never
    if (end instanceof Error) return Effect.die(end)
    if (typeof end === "string") return Effect.fail(failing(end, who))
    return Array.isArray(end)
      ? Effect.fail(failing(end[0] as Tag, { ...who, ...(end[1] as More) }))
      : Effect.succeed({
          text: `${name} ${number}`,
          usage,
          id: `${name}-id`,
          ...(end as Partial<Provider.Response>)
        })
  }
  return fake((number) => Effect.delay(ended(number, ends[Math.min(number, ends.length - 1)] ?? {}), millis), {
    name,
    model: `${name}-1`,
    ...options
  })
}
