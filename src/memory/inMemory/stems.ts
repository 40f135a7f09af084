/** The words of a text as the in-memory store compares them: in lower case, without endings, without stop words. */

const stopWords = new Set(
  (
    "i me my myself we our ours ourselves you your yours yourself yourselves he him his himself she her hers herself it " +
    "its itself they them their theirs themselves what which who whom this that these those am is are was were be been " +
    "being have has had having do does did doing a an the and but if or because as until while of at by for with about " +
    "against between into through during before after above below to from up down in out on off over under again further " +
    "then once here there when where why how all any both each few more most other some such no nor not only own same so " +
    "than too very s t can will just don should now"
  ).split(" ")
)

const vowel = /[aeiouy]/
const doubled = /([^aeiousz])\1$/

/** A word without its English endings: approximate, but the same for all regular forms of a word. */
const stem = (word: string): string => {
  if (word.length < 4 || !/^[a-z]+$/.test(word)) return word
  let rest = word.replace(/ies$/, "y").replace(/(ss|us|is)$|s$/, "$1")
  const bare = rest.replace(/(ingly|edly|ing|ed|ly)$/, "")
  if (bare.length > 2 && vowel.test(bare)) rest = bare
  rest = rest.replace(/(ement|ment|ation|ion)$/, (ending, _, at: number) => (at > 3 ? "" : ending))
  return rest
    .replace(/e$/, "")
    .replace(doubled, "$1")
    .replace(/([^aeiou])y$/, "$1i")
}

/** The longest text, in UTF-16 units. The rest of a longer one is ignored. */
const most = 100_000

/** How often each word occurs. */
export const termsOf = (text: string): ReadonlyMap<string, number> => {
  const terms = new Map<string, number>()
  for (const [word] of text
    .slice(0, most)
    .toLowerCase()
    .matchAll(/[\p{L}\p{M}\p{N}]+/gu)) {
    if (stopWords.has(word)) continue
    const term = stem(word)
    terms.set(term, (terms.get(term) ?? 0) + 1)
  }
  return terms
}
