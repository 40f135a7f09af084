/** Finds the JSON that a model was asked for in what it wrote: alone, in a code fence, or with prose around it. */

/** The parsed value, or undefined when there is no JSON in the text. */
export const parseJson = (text: string): { readonly value: unknown } | undefined => {
  const trimmed = text.trim()
  const whole = tryParse(trimmed)
  if (whole !== undefined) return whole
  const fenced = /```(?:json)?[^\S\n]*\n([\s\S]*?)\n[^\S\n]*```/i.exec(trimmed)?.[1]
  return (fenced === undefined ? undefined : tryParse(fenced)) ?? firstObject(trimmed)
}

const tryParse = (text: string): { readonly value: unknown } | undefined => {
  try {
    return { value: JSON.parse(text) as unknown }
  } catch {
    return undefined
  }
}

/** The first balanced object or array in the text that parses; one pass to find each, so time stays linear. */
const firstObject = (text: string): { readonly value: unknown } | undefined => {
  const open: Array<number> = []
  let inString = false
  for (let i = 0; i < text.length; i++) {
    const char = text[i]
    if (inString) {
      if (char === "\\") i++
      else if (char === "\"") inString = false
    } else if (char === "\"" && open.length > 0) inString = true
    else if (char === "{" || char === "[") open.push(i)
    else if ((char === "}" || char === "]") && open.length > 0) {
      const start = open.pop()!
      const parsed = open.length === 0 ? tryParse(text.slice(start, i + 1)) : undefined
      if (parsed !== undefined) return parsed
    }
  }
  return undefined
}
