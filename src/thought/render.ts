/**
 * Renders notes as prompt text that their content cannot escape from.
 *
 * A note stands between an opening and a closing line. Inside, a line that looks like part of the prompt (a heading, a
 * note line, a code fence) is prefixed with a backslash, and so is such a line that already has backslashes, so that
 * the text can be restored. In an untrusted note, invisible characters are shown by their number.
 */
import * as Hash from "effect/Hash"
import { escapeInvisible, showInvisible } from "../text/invisible.ts"

export interface RenderedNote {
  readonly key: string
  readonly content: string
  readonly source: string
  readonly trust: "trusted" | "untrusted"
}

/** The fence of one message of a conversation: eight hexadecimal digits, the same in every run of the thought. */
export const fenceOf = (conversation: string, index: number): string =>
  (Hash.string(`${conversation}:${index}`) >>> 0).toString(16).padStart(8, "0")

/** Every character that may be read as the end of a line. */
// oxlint-disable-next-line no-control-regex -- control characters are what is looked for
const lineBreak = /(\r\n|[\n\r\v\f\u001c-\u001e\u0085\u2028\u2029])/

const structural = /^[\s\\]*(#|<\/?note|```|~~~)/i

/** Puts a backslash before every line that could be mistaken for part of the prompt. */
export const escapeLines = (text: string): string =>
  text
    .split(lineBreak)
    .map((part, i) => (i % 2 === 0 && structural.test(part) ? `\\${part}` : part))
    .join("")

/** Quotes a value on one line of a prompt, with invisible characters escaped. */
export const quote = (text: string): string => escapeInvisible(JSON.stringify(text))

/** The text of a note as a model sees it. For an untrusted note, invisible characters are shown. */
export const seenText = ({ content, trust }: Pick<RenderedNote, "content" | "trust">): string =>
  trust === "untrusted" ? showInvisible(content) : content

export const note = (note: RenderedNote, fence: string): string =>
  [
    `<note ${fence} key=${quote(note.key)} source=${quote(note.source)} trust=${quote(note.trust)}>`,
    escapeLines(seenText(note)),
    `</note ${fence}>`
  ].join("\n")

export interface Section {
  readonly heading: string
  readonly body: string
}

/** The text of one request: the notes it shows, followed by sections, whose bodies cannot forge a heading or a note. */
export const message = (options: {
  readonly notes: ReadonlyArray<RenderedNote>
  readonly fence: string
  readonly sections: ReadonlyArray<Section>
  /** Whether a conversation comes before the message. Default true. */
  readonly conversed?: boolean
}): string => {
  const none = options.conversed === false ? "There are none." : "No new notes: use the conversation so far."
  const notes = options.notes.length === 0 ? none : options.notes.map((item) => note(item, options.fence)).join("\n\n")
  return [
    `## Notes\n\n${notes}`,
    ...options.sections.map((section) => `## ${section.heading}\n\n${escapeLines(section.body)}`)
  ].join("\n\n")
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
