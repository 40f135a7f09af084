/** Writes text in lines, as a page is laid out. */
export class TextFlow {
  readonly #parts: Array<string> = []
  /** What stands before the next text, if that is on the same line. */
  #space = ""
  /** Line breaks before the next text. */
  #breaks = 0
  /** A sign at the beginning of the line of the next text. */
  #mark = ""
  #isKept = false
  #inRow = false
  #hasCell = false

  /** Text whose white space counts as one space, unless it is kept. */
  add(text: string): void {
    if (this.#isKept) {
      if (text !== "") this.#write(text)
      return
    }
    const words = text.replaceAll(/[\s\u00a0]+/g, " ")
    const own = words.trim()
    if (words.startsWith(" ")) this.#separate()
    if (own === "") return
    this.#write(own)
    if (words.endsWith(" ")) this.#separate()
  }

  #separate(): void {
    if (this.#space === "") this.#space = " "
  }

  /** Marks the text that follows, as the item of a list or as a heading. */
  mark(sign: string): void {
    this.#mark = sign
  }

  line(): void {
    this.#space = ""
    this.#breaks++
  }

  /** A new line, or an empty one before it. What is in a row of a table stays on its line. */
  break(isApart: boolean): void {
    if (this.#inRow) return this.#separate()
    this.#space = ""
    this.#breaks = Math.max(this.#breaks, isApart ? 2 : 1)
  }

  row(isOpen: boolean): void {
    this.#inRow = false
    this.break(false)
    this.#inRow = isOpen
    this.#hasCell = false
  }

  cell(): void {
    if (this.#hasCell) this.#space = " | "
    this.#hasCell = true
  }

  /** Whether white space is kept as it is. */
  keep(isKept: boolean): void {
    this.#isKept = isKept
  }

  #write(text: string): void {
    if (this.#parts.length > 0)
      this.#parts.push(this.#breaks > 0 ? "\n".repeat(Math.min(2, this.#breaks)) : this.#space)
    this.#parts.push(this.#mark, text)
    this.#space = ""
    this.#breaks = 0
    this.#mark = ""
  }

  text(): string {
    return this.#parts
      .join("")
      .split("\n")
      .map((line) => line.trimEnd())
      .join("\n")
      .trim()
  }
}
