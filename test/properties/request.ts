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

export const readRequest = (text: string): ReadRequest => {
  const parts = text.split(/(?:^|\n\n)## ([^\n]*)\n\n/)
  if (parts[0] !== "") throw new Error("the request does not begin with a heading")
  const sections: Array<{ heading: string; body: string }> = []
  for (let i = 1; i < parts.length; i += 2) sections.push({ heading: parts[i]!, body: parts[i + 1]! })
  const [notes, ...rest] = sections
  if (notes?.heading !== "Notes") throw new Error("the request does not begin with its notes")
  return {
    ...readNotes(notes.body),
    sections: rest.map(({ body, heading }) => ({ heading, body: unescape(body) }))
  }
}

export const readNotes = (text: string): Pick<ReadRequest, "fences" | "notes"> => {
  const fences: Array<string> = []
  const notes: Array<ReadNote> = []
  if (text === "No new notes: use the conversation so far." || text === "There are none.") return { fences, notes }
  const string = String.raw`("(?:[^"\\]|\\.)*")`
  const open = new RegExp(`<note ([0-9a-f]{8}) key=${string} source=${string} trust=${string}>\n`, "y")
  for (let position = 0; ;) {
    open.lastIndex = position
    const [line, fence, ...fields] = open.exec(text) ?? []
    if (line === undefined) throw new Error("a note does not begin where it should")
    const close = `\n</note ${fence!}>`
    const from = position + line.length
    // the line end before the closing line is the opening line's when the content is empty
    const end = text.indexOf(close, from - 1)
    if (end === -1) throw new Error("a note does not end")
    const [key, source, trust] = fields.map((field) => JSON.parse(field) as string)
    fences.push(fence!)
    notes.push({ key: key!, source: source!, trust: trust!, content: unescape(text.slice(from, Math.max(from, end))) })
    position = end + close.length
    if (position === text.length) return { fences, notes }
    if (text.slice(position, position + 2) !== "\n\n") throw new Error("something stands between two notes")
    position += 2
  }
}
