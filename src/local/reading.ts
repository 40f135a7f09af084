/** Reads the texts of a task: what is English becomes the passage, and the rest is named, not guessed at. */
import { withoutLongWords } from "./language/longWords.ts"
import { tonguesOf } from "./language/tongue.ts"
import { type Mind, type Passage, passageOf } from "./mind/meaning.ts"

/** The English part of texts. */
export interface Reading {
  readonly passage: Passage
  /** What was left out, in words; undefined if all was read. */
  readonly unread: string | undefined
}

const alternatives = new Intl.ListFormat("en", { type: "conjunction" })

/** Reads texts as one passage. If no part of them is English, it has no sentences. */
export const readingOf = ({ language }: Mind, texts: ReadonlyArray<string>): Reading => {
  const parts = texts.map(withoutLongWords).map((text) => {
    const sentences = language.sentences(text)
    return { text, sentences, ...tonguesOf(text, sentences) }
  })
  const others = Array.from(new Set(parts.flatMap((part) => part.others)))
  if (others.length === 0) return { passage: passageOf(language, texts), unread: undefined }
  const english = parts.flatMap((part) =>
    part.english.length === 0 ? [] : part.others.length === 0 ? [part.text] : [part.english.join("\n")]
  )
  return { passage: passageOf(language, english), unread: alternatives.format(others) }
}

// the letters of "5k" and "10:30Z" are no words
const word = /(?<![\p{L}\d])\p{L}+(?!\d)/u

/** Whether a passage says anything in words: "12.5 %" does not. */
export const hasWords = ({ sentences }: Passage): boolean => sentences.some((sentence) => word.test(sentence))
