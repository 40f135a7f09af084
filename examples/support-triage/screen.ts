/**
 * Text for a terminal: safe to show, and no wider than the screen.
 */
import { Note } from "cogito"
import { styleText } from "node:util"

/** What the output may look like. */
export interface Look {
  readonly width: number
  readonly colour: boolean
}

/** 80 columns and no colour when the output goes to a file or another program. */
export const lookOf = (stream: NodeJS.WriteStream, environment: NodeJS.ProcessEnv): Look => ({
  width: stream.isTTY ? Math.min(Math.max(stream.columns || 80, 40), 120) : 80,
  colour: stream.isTTY && !environment["NO_COLOR"] && environment["TERM"] !== "dumb"
})

export const bold = (look: Look, text: string): string => style(look, "bold", text)
export const dim = (look: Look, text: string): string => style(look, "dim", text)

const style = ({ colour }: Look, name: "bold" | "dim", text: string): string =>
  colour ? styleText(name, text, { validateStream: false }) : text

/** On one line, with characters that steer a terminal or hide shown by their number: tickets come from strangers. */
export const plain = (text: string): string => Note.visible(text.replace(/\s+/g, " ").trim(), { oneLine: true })

/** As JSON, whose strings say the same with such characters escaped. */
export const json = (value: unknown): string =>
  JSON.stringify(value).replace(/[\p{Cc}\p{Default_Ignorable_Code_Point}\p{Cf}\p{Zl}\p{Zp}]/gu, (sign) =>
    Array.from({ length: sign.length }, (_, i) => `\\u${sign.charCodeAt(i).toString(16).padStart(4, "0")}`).join("")
  )

/** The text in lines of at most `width` columns, words whole where they fit. */
export const wrap = (text: string, width: number): ReadonlyArray<string> => {
  const lines: Array<string> = []
  let line = ""
  for (const word of plain(text)
    .split(" ")
    .flatMap((word) => pieces(word, width))) {
    if (line !== "" && columns(line) + 1 + columns(word) > width) {
      lines.push(line)
      line = word
    } else {
      line = line === "" ? word : `${line} ${word}`
    }
  }
  return [...lines, line]
}

/** At most `width` columns, the rest cut off. */
export const shorten = (text: string, width: number): string => {
  const [piece = "", ...rest] = pieces(plain(text), width - 1)
  return rest.length === 0 || columns(plain(text)) <= width ? plain(text) : `${piece.trimEnd()}…`
}

const pieces = (word: string, width: number): ReadonlyArray<string> => {
  const parts: Array<string> = []
  let part = ""
  for (const { segment } of graphemes.segment(word)) {
    if (part !== "" && columns(part) + columns(segment) > width) {
      parts.push(part)
      part = ""
    }
    part += segment
  }
  return [...parts, part]
}

const graphemes = new Intl.Segmenter()
const wide =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Extended_Pictographic}\uff00-\uff60]/u

/** Columns that a terminal takes for the text: two for East Asian letters and pictures. */
const columns = (text: string): number => {
  // what most texts consist of
  if (/^[\u0020-\u024f\u2010-\u2026]*$/.test(text)) return text.length
  let sum = 0
  for (const { segment } of graphemes.segment(text)) sum += wide.test(segment) ? 2 : 1
  return sum
}
