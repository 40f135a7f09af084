/** Finds markers in a text that comes in pieces. */
import { endsBefore, entriesOf, type Markers, type Section } from "./markers.ts"

/** Receives a text without its markers. */
export interface Sink {
  readonly character: (character: string) => void
  readonly marker: (section: Section) => void
  /** Whether the next character stands in a JSON string, where no marker counts. */
  readonly isQuoted: () => boolean
  /** Whether a marker may begin here although no line does. */
  readonly isOpen: () => boolean
}

/**
 * Splits a text at the markers that stand at the start of a line.
 *
 * The line break before a marker belongs to it, and so do a colon, spaces and one line break after it. Only what may be the
 * beginning of a marker is held back until the next character decides it, so pieces of any length give the same.
 */
export class Lines {
  readonly #sections: ReturnType<typeof entriesOf>
  readonly #sink: Sink
  /** A line break and the beginning of a marker, as far as they have come. */
  #break = ""
  #word = ""
  #isStart = true
  /** What may follow a marker and belong to it. */
  #after: "none" | "colon" | "space" | "break" = "none"

  constructor(markers: Markers, sink: Sink) {
    this.#sections = entriesOf(markers)
    this.#sink = sink
  }

  push(text: string): void {
    // by UTF-16 unit, as a piece may end within a code point
    for (let i = 0; i < text.length; i++) this.#take(text.charAt(i))
  }

  end(): void {
    if (this.#after === "break") this.#sink.character("\r")
    this.#after = "none"
    const section = this.#found()
    if (section === undefined) this.#release()
    else this.#mark(section)
  }

  #take(character: string): void {
    if (this.#after !== "none" && this.#follows(character)) return
    const sink = this.#sink
    if (this.#break === "" && this.#word === "" && sink.isQuoted()) {
      this.#isStart = false
      return sink.character(character)
    }
    if (this.#isStart || this.#word !== "" || sink.isOpen()) {
      const longer = this.#word + character
      if (this.#sections.some(([, marker]) => marker.startsWith(longer))) {
        this.#word = longer
        return
      }
      const section = this.#found()
      if (section !== undefined && endsBefore(this.#word, character)) {
        this.#mark(section)
        return this.#take(character)
      }
    }
    const isPair = character === "\n" && this.#break === "\r" && this.#word === ""
    if (!isPair) this.#release()
    this.#isStart = character === "\n"
    if (character === "\n" || character === "\r") this.#break += character
    else sink.character(character)
  }

  /** The marker that stands there in whole. */
  #found(): Section | undefined {
    return this.#sections.find(([, marker]) => marker === this.#word)?.[0]
  }

  /** Whether a character after a marker belongs to it. */
  #follows(character: string): boolean {
    const stage = this.#after
    if (stage === "break") {
      this.#after = "none"
      this.#isStart = character === "\n"
      if (character !== "\n") this.#sink.character("\r")
      return character === "\n"
    }
    this.#after = "space"
    if (character === ":" && stage === "colon") return true
    if (character === " " || character === "\t") return true
    this.#after = character === "\r" ? "break" : "none"
    this.#isStart = character === "\n"
    return character === "\n" || character === "\r"
  }

  #mark(section: Section): void {
    this.#break = ""
    this.#word = ""
    this.#isStart = false
    this.#after = "colon"
    this.#sink.marker(section)
  }

  /** What was held back is no marker. */
  #release(): void {
    const held = this.#break + this.#word
    this.#break = ""
    this.#word = ""
    for (const character of held) this.#sink.character(character)
  }
}
