/** The description of a command, as the help shows it. */

/** The longest line, in characters; it fits most terminals. */
const width = 96

/** Formats the sentences of a description: the first on a line of its own, the others as a paragraph. */
export const described = (first: string, ...sentences: ReadonlyArray<string>): string => {
  const lines: Array<string> = []
  for (const word of sentences.join(" ").split(" ")) {
    const longer = `${lines.at(-1) ?? ""} ${word}`.trim()
    if (lines.length > 0 && longer.length <= width) lines[lines.length - 1] = longer
    else lines.push(word)
  }
  return [first, ...lines].join("\n  ")
}
