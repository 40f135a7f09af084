/** The addresses that a conversation contains: what users have written, and what searches have found. */
import type * as Prompt from "effect/ai/Prompt"

/** The form in which addresses are compared: without the place in the page. */
const comparable = (text: string): string | undefined => {
  const url = URL.parse(text)
  if (url === null || !/^https?:$/.test(url.protocol)) return undefined
  url.hash = ""
  return url.href
}

const between = /[\s<>"'`«»|\\^{}]+/
const host = /^[([*_]*((?:[\p{L}\p{N}-]+\.)+\p{L}{2,}(?::\d{1,5})?(?:[/?#].*|[.,;:!?)\]*_]+)?)$/u
const trailing = /[.,;:!?)\]*_]$/

const longest = 4096

/** A sentence ends with a few signs; a text with thousands of them must not take long. */
const mostForms = 8

/** The addresses in a text, also those without `https://`, each also without the signs that end a sentence. */
const addressesIn = (text: string): ReadonlyArray<string> =>
  text.split(between).flatMap((token) => {
    if (token.length > longest) return []
    const at = token.search(/https?:\/\//i)
    const bare = at < 0 ? host.exec(token)?.[1] : undefined
    const found = at < 0 ? bare : token.slice(at)
    if (found === undefined) return []
    const forms = [found]
    for (let one = found; trailing.test(one) && forms.length < mostForms; forms.push(one)) one = one.slice(0, -1)
    return bare === undefined ? forms : forms.flatMap((form) => [`https://${form}`, `http://${form}`])
  })

/** The texts under `url` in the result of a search, however deep. Of a result that is a text, the addresses in it. */
const addressesOf = (result: unknown): ReadonlyArray<string> => {
  if (typeof result === "string") return addressesIn(result)
  const found: Array<string> = []
  const open: Array<unknown> = [result]
  for (let value = open.pop(); value !== undefined; value = open.pop()) {
    if (typeof value !== "object" || value === null) continue
    for (const [key, inner] of Object.entries(value)) {
      if (key === "url" && typeof inner === "string") found.push(inner)
      else if (inner !== undefined) open.push(inner)
    }
  }
  return found
}

/** Whether an address stands in a message of a user, or in the result of one of these tools. */
export const isKnown = (
  address: string,
  messages: ReadonlyArray<Prompt.Message>,
  searches: ReadonlyArray<string>
): boolean => {
  const wanted = comparable(address)
  if (wanted === undefined) return false
  return messages.some((message) => {
    const found =
      message.role === "user"
        ? message.content.flatMap((part) => (part.type === "text" ? addressesIn(part.text) : []))
        : message.role === "tool"
          ? message.content.flatMap((part) =>
              part.type === "tool-result" && !part.isFailure && searches.includes(part.name)
                ? addressesOf(part.result)
                : []
            )
          : []
    return found.some((one) => comparable(one) === wanted)
  })
}
