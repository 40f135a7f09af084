/** Divides a text into passages at the ends of its paragraphs, and a long paragraph at the end of a word. */

const heading = /^#{1,6} /

/** Passages of at most so many characters, without empty ones. */
export const passagesOf = (text: string, characters: number): ReadonlyArray<string> => {
  const passages: Array<string> = []
  let open = ""
  const close = (): void => {
    if (open !== "") passages.push(open)
    open = ""
  }
  const paragraphs = text.toWellFormed().split(/\r?\n(?:[ \t]*\r?\n)+/)
  for (const paragraph of paragraphs.map((one) => one.trim())) {
    if (paragraph === "") continue
    // a heading belongs to what follows it
    if (heading.test(paragraph) || open.length + paragraph.length + 2 > characters) close()
    for (const part of partsOf(paragraph, characters)) {
      if (open.length + part.length + 2 > characters) close()
      open = open === "" ? part : `${open}\n\n${part}`
    }
  }
  close()
  return passages
}

const partsOf = (paragraph: string, characters: number): ReadonlyArray<string> => {
  const parts: Array<string> = []
  let rest = paragraph
  while (rest.length > characters) {
    const space = rest.lastIndexOf(" ", characters)
    const at = space > characters / 2 ? space : wholeAt(rest, characters)
    parts.push(rest.slice(0, at).trim())
    rest = rest.slice(at).trim()
  }
  return [...parts, rest].filter((part) => part !== "")
}

/** The end of what is cut off a text, before a character of two halves rather than within it. */
const wholeAt = (text: string, characters: number): number =>
  characters > 1 && /^[\ud800-\udbff][\udc00-\udfff]/.test(text.slice(characters - 1)) ? characters - 1 : characters
