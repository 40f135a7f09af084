/** Turns the text of an answer into reasoning, calls and text, while it is written. */
import type { StreamPart } from "../request.ts"
import type { ToolCall } from "../tools.ts"
import { CallList, nameless } from "./callList.ts"
import { Lines } from "./lines.ts"
import type { Markers, Section } from "./markers.ts"

type Piece = Exclude<StreamPart, { readonly _tag: "Done" }>

/** How calls are taken. */
export interface Taking {
  readonly markers: Markers
  readonly nextId: () => string
  /** Whether a tool may be called. Other calls are left out. */
  readonly allows: (name: string) => boolean
  /** Whether only the first call counts. */
  readonly isSingle: boolean
}

/** The space before an array of calls, perhaps with the beginning of a code fence, as models like to write it. */
const beforeArray = /^\s*(?:```[a-z]*\s*)?$/i

/** What may follow an array and is no text: space, and the end of a code fence. */
const afterArray = /^\s*(?:```\s*)?/

/** Reads one answer. */
export class Reading {
  readonly #taking: Taking
  readonly #lines: Lines
  /** Where the text goes. `before` and `after` stand around an array of calls, `over` is after the end. */
  #mode: "text" | "think" | "before" | "calls" | "after" | "over" = "text"
  #list = this.#newList()
  #around = ""
  /** Whether the array of calls has ended on this line. */
  #isLine = false
  #hasCalled = false
  /** Whether the section goes on with what is before it. */
  #isJoined = true
  #call: { readonly id: string; readonly name: string; params: string } | undefined
  #pieces: Array<Piece> = []
  readonly #calls: Array<ToolCall> = []
  #texts = { Text: "", Reasoning: "" }

  constructor(taking: Taking) {
    this.#taking = taking
    this.#lines = new Lines(taking.markers, {
      character: (character) => this.#read(character),
      marker: (section) => this.#turn(section),
      isQuoted: () => this.#mode === "calls" && this.#list.isQuoted,
      isOpen: () => this.#mode === "after" && this.#isLine
    })
  }

  /** The parts that the next piece of the text brings. */
  push(text: string): ReadonlyArray<Piece> {
    this.#lines.push(text)
    return this.#taken()
  }

  /** The parts that were held back. */
  end(): ReadonlyArray<Piece> {
    this.#lines.end()
    this.#leave()
    return this.#taken()
  }

  get text(): string {
    return this.#texts.Text
  }

  get thought(): string {
    return this.#texts.Reasoning
  }

  get calls(): ReadonlyArray<ToolCall> {
    return this.#calls
  }

  #read(character: string): void {
    switch (this.#mode) {
      case "text":
        return this.#write("Text", character)
      case "think":
        return this.#write("Reasoning", character)
      case "before":
        if (character === "[" && beforeArray.test(this.#around)) {
          this.#list = this.#newList()
          this.#mode = "calls"
        } else this.#around += character
        return
      case "calls":
        this.#list.push(character)
        if (!this.#list.isOver) return
        this.#enter("after")
        this.#isLine = true
        return
      case "after":
        this.#around += character
        this.#isLine &&= character === " " || character === "\t"
        if (!/[\s`]/.test(character)) this.#goOn()
        return
      case "over":
    }
  }

  #turn(section: Section): void {
    if (this.#mode === "over") return
    this.#leave()
    // a model that goes on where it should wait invents the results
    if (section === "yield" && (this.#hasCalled || this.text.trim() !== "")) this.#mode = "over"
    else this.#enter(section === "think" ? "think" : section === "calls" ? "before" : "text")
  }

  #enter(mode: "text" | "think" | "before" | "after"): void {
    this.#mode = mode
    this.#around = ""
    this.#isJoined = false
  }

  /** Ends a section. */
  #leave(): void {
    if (this.#mode === "after") this.#goOn()
    if (this.#mode === "calls") this.#list.cut()
    if (this.#mode === "before") {
      this.#begin(nameless)
      const written = this.#around.trim()
      this.#params(`there is no JSON array of calls${written === "" ? "" : `: ${written}`}`)
      this.#end()
    }
  }

  /** What follows the calls is text. */
  #goOn(): void {
    const rest = this.#around.replace(afterArray, "")
    this.#enter("text")
    if (rest !== "") this.#write("Text", rest)
  }

  #write(tag: "Text" | "Reasoning", text: string): void {
    const delta = this.#isJoined || this.#texts[tag] === "" ? text : `\n${text}`
    this.#isJoined = true
    this.#texts[tag] += delta
    this.#add({ _tag: tag, delta })
  }

  #newList(): CallList {
    return new CallList({
      begin: (name) => this.#begin(name),
      params: (delta) => this.#params(delta),
      end: () => this.#end()
    })
  }

  #begin(name: string): void {
    const { allows, isSingle, nextId } = this.#taking
    const isTaken = allows(name) && !(isSingle && this.#hasCalled)
    this.#hasCalled = true
    if (!isTaken) return
    this.#call = { id: nextId(), name, params: "" }
    this.#params("")
  }

  #params(delta: string): void {
    const call = this.#call
    if (call === undefined) return
    call.params += delta
    this.#add({ _tag: "Call", id: call.id, name: call.name, delta })
  }

  #end(): void {
    if (this.#call !== undefined) this.#calls.push(this.#call)
    this.#call = undefined
  }

  /** Adds a part, or continues the last one. */
  #add(piece: Piece): void {
    const last = this.#pieces.at(-1)
    const isNext =
      last?._tag === piece._tag && (last._tag !== "Call" || (piece._tag === "Call" && piece.id === last.id))
    if (isNext) this.#pieces[this.#pieces.length - 1] = { ...last, delta: last.delta + piece.delta }
    else this.#pieces.push(piece)
  }

  #taken(): ReadonlyArray<Piece> {
    const pieces = this.#pieces
    this.#pieces = []
    return pieces
  }
}
