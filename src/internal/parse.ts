/** Finds the JSON that a model was asked for in what it wrote: alone, in a code fence, or with prose around it. */

interface Parsed {
  readonly value: unknown
}

/**
 * The parsed value, or undefined when there is no JSON in the text: the whole of it, else the first code fence that is
 * JSON, else the first object, else the first array.
 */
export const parseJson = (text: string): Parsed | undefined => {
  const trimmed = text.trim()
  return tryParse(trimmed) ?? firstFenced(trimmed) ?? firstBalanced(trimmed)
}

/** Looks before it leaps: an exception costs far more than a glance. */
const tryParse = (text: string): Parsed | undefined => {
  if (!/^\s*(?:\[\s*["{[\]\-\dtfn]|["{\-\dtfn])/.test(text)) return undefined
  try {
    return { value: JSON.parse(text) as unknown }
  } catch {
    return undefined
  }
}

/** A fence's lines are its own: what stands on one line with text between backticks is no fence. */
const firstFenced = (text: string): Parsed | undefined => {
  for (const part of text.split("```")) {
    const begin = /^(?:json)?[^\S\n]*\n/i.exec(part)
    const parsed =
      begin !== null && /^[^\S\n]*$/.test(part.slice(part.lastIndexOf("\n") + 1))
        ? tryParse(part.slice(begin[0].length))
        : undefined
    if (parsed !== undefined) return parsed
  }
  return undefined
}

/** How often, at most, the text is read over again because a bracket in the prose was not the beginning of JSON. */
const maxPasses = 16

/**
 * The first balanced object in the text that parses, else the first such array. A bracket of the prose is passed over;
 * the reading it costs is bounded, so that the time stays linear. Broken JSON is passed over whole: a part of it is not
 * the answer.
 */
const firstBalanced = (text: string): Parsed | undefined => {
  let array: Parsed | undefined
  let budget = maxPasses * text.length
  for (let start = nextOpening(text, 0); start !== -1 && budget > 0;) {
    const end = endOf(text, start) ?? text.length
    budget -= end - start
    const isObject = text[start] === "{"
    const first = firstMark(text, start + 1)
    const parsed = isObject && !'"}'.includes(first) ? undefined : tryParse(text.slice(start, end))
    if (parsed !== undefined && isObject) return parsed
    array ??= parsed
    const isBroken = (isObject ? '"}' : '"{[]').includes(first)
    start = nextOpening(text, parsed !== undefined || isBroken ? end : start + 1)
  }
  return array
}

/** The first character from here that is no white space; a space when there is none. */
const firstMark = (text: string, from: number): string => {
  for (let i = from; i < text.length; i++) if (!" \t\r\n".includes(text.charAt(i))) return text.charAt(i)
  return " "
}

const nextOpening = (text: string, from: number): number => {
  for (let i = from; i < text.length; i++) if (text[i] === "{" || text[i] === "[") return i
  return -1
}

/** Where the object or array that begins here ends, if it does; brackets in strings do not count. */
const endOf = (text: string, start: number): number | undefined => {
  let depth = 0
  let inString = false
  for (let i = start; i < text.length; i++) {
    const char = text[i]
    if (inString) {
      if (char === "\\") i++
      else if (char === '"') inString = false
    } else if (char === '"') inString = true
    else if (char === "{" || char === "[") depth++
    else if ((char === "}" || char === "]") && --depth === 0) return i + 1
  }
  return undefined
}
