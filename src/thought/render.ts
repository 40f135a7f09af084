/**
 * Renders notes as prompt text that their content cannot escape from.
 *
 * A note stands between an opening and a closing line with the same number. The opening line names its source unless
 * that is the user, and says so if it is trusted or has escapes. Inside, a line that looks like part of the prompt (a
 * heading, a note line, a code fence) is prefixed with a backslash, and so is such a line that already has backslashes,
 * so that the text can be restored. In an untrusted note, invisible characters are shown by their number.
 */
import * as Hash from "effect/Hash"
import { escapeInvisible, showInvisible } from "../text/invisible.ts"
import { foundText, isFound } from "./found.ts"

export interface RenderedNote {
  readonly key: string
  readonly content: string
  readonly source: string
  readonly trust: "trusted" | "untrusted"
}

/** Every character that may be read as the end of a line. */
// oxlint-disable-next-line no-control-regex -- control characters are what is looked for
const lineBreak = /(\r\n|[\n\r\v\f\u001c-\u001e\u0085\u2028\u2029])/

const structural = /^[\s\\]*(#|<\/?note|```|~~~)/i

/** What every such line has. */
const mark = /[#<`~]/

/** Puts a backslash before every line that could be mistaken for part of the prompt. */
export const escapeLines = (text: string): string =>
  mark.test(text)
    ? text
        .split(lineBreak)
        .map((part, i) => (i % 2 === 0 && structural.test(part) ? `\\${part}` : part))
        .join("")
    : text

/** Quotes a value on one line of a prompt, with invisible characters escaped. */
export const quote = (text: string): string => escapeInvisible(JSON.stringify(text))

/**
 * The text of a note as a model sees it. Search results are shown without ids, and invisible characters of an untrusted
 * note by their number.
 */
export const seenText = ({ content, source, trust }: Omit<RenderedNote, "key">): string => {
  const text = isFound({ source }) ? foundText(content) : content
  return trust === "untrusted" ? showInvisible(text) : text
}

/** A number of so many digits that depends on the whole text. */
const numberOf = (text: string, digits: number): string => {
  let number = ""
  for (let part = 0; number.length < digits; part++) {
    number += String(Hash.string(`${part}:${text}`) >>> 0).padStart(10, "0")
  }
  return number.slice(-digits)
}

/** The digits of a fence. Common tokenizers take three digits for one token. */
const usualDigits = 6

const number = /\d{6}/

/** All numbers of six digits in the texts. */
const numbersIn = (texts: ReadonlyArray<string>): ReadonlySet<string> => {
  const numbers = new Set<string>()
  for (const text of texts) {
    if (!number.test(text)) continue
    for (const [run] of text.matchAll(/\d{6,}/g)) {
      for (let i = usualDigits; i <= run.length; i++) numbers.add(run.slice(i - usualDigits, i))
    }
  }
  return numbers
}

/**
 * The lines of notes. `texts` is what else stands in the message.
 *
 * The number in the lines of a note depends on that note alone, so equal beginnings of two prompts are equal bytes. If
 * any text of the message contains that number, it is a longer one that depends on all of them.
 */
export const noteList = (notes: ReadonlyArray<RenderedNote>, texts: ReadonlyArray<string> = []): string => {
  const all = [...texts]
  const seen = notes.map((note) => {
    const { key, source, trust } = note
    const content = seenText(note)
    all.push(key, source, content)
    return { key, source, trust, content }
  })
  const taken = numbersIn(all)
  const lines = seen.map(({ content, key, source, trust }) => {
    const own = JSON.stringify([key, source, trust, content])
    let fence = numberOf(own, usualDigits)
    // this ends, as no text contains a number longer than itself
    for (let digits = 9; digits === 9 ? taken.has(fence) : all.some((text) => text.includes(fence)); digits += 3) {
      fence = numberOf([own, ...all].join("\n"), digits)
    }
    const from = source === "user" ? "" : ` source=${quote(source)}`
    const trusted = trust === "trusted" ? ` trust="trusted"` : ""
    const text = escapeLines(content)
    const escaped = text === content ? "" : ` escape="backslash"`
    return `<note ${fence} key=${quote(key)}${from}${trusted}${escaped}>\n${text}\n</note ${fence}>`
  })
  return lines.join("\n\n")
}

export interface Section {
  readonly heading: string
  readonly body: string
}

/** What a request shows. */
export interface Shown {
  readonly notes: ReadonlyArray<RenderedNote>
  readonly task?: string
  /** How to do the task, for this request only. */
  readonly how?: string | undefined
  /** Lists that belong to the task, for this request only. */
  readonly sections?: ReadonlyArray<Section>
}

/**
 * The text of one request: notes, then the task, and how to do it. No text in it can forge a heading or a note. The
 * conversation keeps the first `kept` characters, the notes and the task.
 */
export const request = (shown: Shown): { readonly text: string; readonly kept: number } => {
  const { how, notes, sections = [], task } = shown
  const asked = task === undefined ? [] : [escapeLines(task)]
  const more = [
    ...(how === undefined ? [] : [escapeLines(how)]),
    ...sections.map(({ body, heading }) => `## ${heading}\n\n${escapeLines(body)}`)
  ]
  const lines = notes.length === 0 ? [] : [noteList(notes, [...asked, ...more])]
  const kept = [...lines, ...asked].join("\n\n")
  return { text: [kept, ...more].join("\n\n"), kept: kept.length }
}

/** The text of a request that is not kept, or of which all is. */
export const message = (shown: Shown): string => request(shown).text

/** The notes in the order in which a request shows them: trusted ones that the thought began with go first. */
export const inOrder = <N extends { readonly step: string; readonly trust: string }>(
  notes: ReadonlyArray<N>
): ReadonlyArray<N> => {
  // they are the likeliest to be the same in other thoughts, so a prompt cache holds them
  const isStable = ({ step, trust }: N) => step === "" && trust === "trusted"
  return [...notes.filter(isStable), ...notes.filter((note) => !isStable(note))]
}

/** A numbered list, one item per line. */
export const list = (items: ReadonlyArray<string>): string =>
  items
    .map(
      (item, i) =>
        `${i + 1}. ${item
          .split(lineBreak)
          .filter((_, part) => part % 2 === 0)
          .join(" ")}`
    )
    .join("\n")
