/** Finds the items of an enumeration in a sentence: "red, green and blue". */

const word = String.raw`[\p{L}\d][\p{L}\d'’-]*`
const item = String.raw`${word}(?: ${word}){0,2}`
const enumeration = new RegExp(String.raw`(${item})((?:, ${item})+),? (?:and|or) (${item})`, "uy")
/** Where an enumeration has its last item. It looks back from there, since most words with commas between them have no such place. */
const joint = new RegExp(String.raw`(?<=(${item}(?:, ${item})+,?)) (?:and|or) ${item}`, "u")
/** Words before the first item of an enumeration, or after the last one. */
const outside =
  /^(?:a|an|the|is|are|was|were|in|on|of|at|to|for|from|with|by|as|has|have|had|and|or|we|i|you|they|she|he|it|not|no|only|comes?|like|likes|want|need)$/iu

const lengthOf = (item: string): number => item.split(" ").length

/** The words at the end of a text that belong to its last item: at most `most` of them, after the last joining word. */
const lastWords = (text: string, most: number): string => {
  const words = text.split(" ").slice(-most)
  const cut = words.findLastIndex((one) => outside.test(one))
  return words.slice(cut + 1).join(" ")
}

/** The words at the beginning of a text, up to one that only joins. */
const firstWords = (text: string, most: number): string => {
  const words = text.split(" ").slice(0, most)
  const cut = words.findIndex((one) => outside.test(one))
  return (cut < 0 ? words : words.slice(0, cut)).join(" ")
}

/** The parts of each enumeration, in order. Enumerations do not overlap. */
const enumerationsIn = (text: string): ReadonlyArray<RegExpExecArray> => {
  const found: Array<RegExpExecArray> = []
  let rest = text
  for (let at = joint.exec(rest); at !== null; at = joint.exec(rest)) {
    enumeration.lastIndex = at.index - (at[1]?.length ?? 0)
    const match = enumeration.exec(rest)
    // there is a match where the joint has one
    if (match === null) break
    found.push(match)
    rest = rest.slice(match.index + match[0].length)
  }
  return found
}

/** Each enumeration of three or more items. The first and the last item have no more words than those between them. */
export const seriesIn = (text: string): ReadonlyArray<ReadonlyArray<string>> =>
  enumerationsIn(text)
    .map(([, first = "", middle = "", last = ""]) => {
      const between = middle
        .split(", ")
        .map((one) => one.trim())
        .filter((one) => one !== "")
      const most = Math.max(...between.map(lengthOf))
      return [lastWords(first, most), ...between, firstWords(last, most)]
    })
    .filter((items) => items.every((one) => one !== "" && !outside.test(one)))
