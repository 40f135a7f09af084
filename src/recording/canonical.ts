/** Prompts without what differs from run to run: ids, and fences, which depend on the text with the ids. */

const fence = /^(<\/?note )\d{6,}(?=[ >])/gm
const id = /\b[\da-f]{8}-[\da-f]{4}-7[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}\b/g

/** Texts of one request, with ids numbered in their order, and every fence the same. */
export const canonical = (texts: ReadonlyArray<string>): ReadonlyArray<string> => {
  const numbers = new Map<string, number>()
  const numbered = (found: string): string => {
    const number = numbers.get(found) ?? numbers.size + 1
    numbers.set(found, number)
    return `id-${number}`
  }
  return texts.map((text) => text.replaceAll(fence, "$1fence").replaceAll(id, numbered))
}
