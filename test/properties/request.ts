/** Reads the text of a request back into notes and sections. It shares nothing with the code that writes it. */

interface ReadNote {
  readonly key: string
  readonly source: string
  readonly trust: string
  readonly content: string
}

export interface ReadRequest {
  /** The fence of each note. */
  readonly fences: ReadonlyArray<string>
  readonly notes: ReadonlyArray<ReadNote>
  /** What stands after the notes, up to the first heading. */
  readonly task: string
  readonly sections: ReadonlyArray<{ readonly heading: string; readonly body: string }>
}

/** Every character that some reader takes for the end of a line: Unicode's own, and those of Python and JavaScript. */
// oxlint-disable-next-line no-control-regex -- control characters are what is looked for
const lines = (text: string) => text.split(/\r\n|[\n\r\v\f\u001c\u001d\u001e\u0085\u2028\u2029]/)

/** What stands at the beginning of a line and is taken for the prompt's own. */
const own = /^\s*(?:#|<\/?note|```|~~~)/i

/** The lines of a text that a reader could take for headings, note lines or code fences. */
export const structure = (text: string): ReadonlyArray<string> => lines(text).filter((line) => own.test(line))

/** The text without the backslashes that keep its lines from being taken for others. */
export const unescape = (text: string): string =>
  text.replace(
    // oxlint-disable-next-line no-control-regex -- control characters are what is looked for
    /(^|\r\n|[\n\r\v\f\u001c\u001d\u001e\u0085\u2028\u2029])\\(?=[^\S\n\r\v\f\u2028\u2029]*(?:\\[^\S\n\r\v\f\u2028\u2029]*)*(?:#|<\/?note|```|~~~))/gi,
    "$1"
  )

const unseen =
  /[^\P{C}\p{Co}\p{Cn}\t\n\r]|[\u2028\u2029\u2800\u{1d159}\ufdd0-\ufdef\ufff0-\ufff8\uffff\ufffe\p{Default_Ignorable_Code_Point}]/gu

/** A note as a request shows it: with a number for each character of an untrusted one that nobody sees. */
export const seen = <N extends { readonly trust: string; readonly content: string }>(note: N): N =>
  note.trust === "trusted"
    ? note
    : {
        ...note,
        content: note.content.replaceAll(
          unseen,
          (sign) => `[U+${sign.codePointAt(0)!.toString(16).toUpperCase().padStart(4, "0")}]`
        )
      }

const string = String.raw`("(?:[^"\\]|\\.)*")`
const opening = new RegExp(
  String.raw`<note (\d{6,}) key=${string}(?: source=${string})?( trust="trusted")?( escape="backslash")?>\n`,
  "y"
)

/** The notes that a text begins with, and what follows them. */
const split = (text: string): Pick<ReadRequest, "fences" | "notes"> & { readonly rest: string } => {
  const fences: Array<string> = []
  const notes: Array<ReadNote> = []
  for (let position = 0; ;) {
    opening.lastIndex = position
    const [line, fence, key, source, trusted, escaped] = opening.exec(text) ?? []
    if (line === undefined) return { fences, notes, rest: text.slice(position) }
    const close = `\n</note ${fence!}>`
    const from = position + line.length
    // the line end before the closing line is the opening line's when the content is empty
    const end = text.indexOf(close, from - 1)
    if (end === -1) throw new Error("a note does not end")
    const inner = text.slice(from, Math.max(from, end))
    if ((unescape(inner) !== inner) !== (escaped !== undefined)) throw new Error("a note does not say its escapes")
    fences.push(fence!)
    notes.push({
      key: JSON.parse(key!) as string,
      source: source === undefined ? "user" : (JSON.parse(source) as string),
      trust: trusted === undefined ? "untrusted" : "trusted",
      content: unescape(inner)
    })
    position = end + close.length
    if (position === text.length) return { fences, notes, rest: "" }
    if (text.slice(position, position + 2) !== "\n\n")
      throw new Error("a note is followed by something else than a blank line")
    position += 2
  }
}

export const readRequest = (text: string): ReadRequest => {
  const { fences, notes, rest } = split(text)
  const [task = "", ...parts] = rest.split(/\n\n## ([^\n]*)\n\n/)
  const sections: Array<{ heading: string; body: string }> = []
  for (let i = 0; i < parts.length; i += 2) sections.push({ heading: parts[i]!, body: unescape(parts[i + 1]!) })
  return { fences, notes, task: unescape(task), sections }
}

export const readNotes = (text: string): Pick<ReadRequest, "fences" | "notes"> => {
  const { rest, ...read } = split(text)
  if (rest !== "") throw new Error("something stands after the notes")
  return read
}
