/** Reads a JSON array of calls while it is written. */
import { isObject } from "../../schema/jsonSchema.ts"

/** Receives the calls of an array, one after the other. */
export interface Receiver {
  /** A call begins, as soon as its name is known. */
  readonly begin: (name: string) => void
  /** The next piece of its parameters, as they are written. */
  readonly params: (delta: string) => void
  readonly end: () => void
}

/** What an element of the array is written in place of the name of a call that has none. */
export const nameless = "unknown"

const isSpace = (character: string): boolean => /\s/.test(character)

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** One element of the array. `at` is the place in an object; other values and broken objects have only their text. */
class Element {
  text = ""
  at: "key" | "inKey" | "colon" | "value" | "inValue" | "after" | "other"
  key = ""
  value = ""
  name: string | undefined
  hasBegun = false
  hasArgs = false
  /** Parameters that came before the name. */
  early = ""
  passed = ""
  constructor(isObject: boolean) {
    this.at = isObject ? "key" : "other"
  }
}

/**
 * Reads the array from its opening bracket to its own closing bracket, and knows where strings are.
 *
 * The parameters of a call are the text that was written, unchanged. If anything is wrong with an element, its parameters end
 * in words about it, so that they are no JSON: nobody can carry such a call out.
 */
export class CallList {
  readonly #receiver: Receiver
  /** The brackets that are to close, the innermost last. */
  #closers = "]"
  #quote: "none" | "string" | "escape" = "none"
  #element: Element | undefined
  isOver = false

  /** The array has been opened. */
  constructor(receiver: Receiver) {
    this.#receiver = receiver
  }

  get isQuoted(): boolean {
    return this.#quote !== "none"
  }

  push(character: string): void {
    if (this.#quote !== "none") return this.#inString(character)
    if (this.#closers.length === 1) return this.#between(character)
    this.#inside(character)
  }

  /** The text ends, or another section begins, before the closing bracket. */
  cut(): void {
    if (this.#element !== undefined) this.#finish("the list of calls breaks off here")
    this.isOver = true
  }

  #inString(character: string): void {
    this.#keep(character)
    if (this.#quote === "escape") this.#quote = "string"
    else if (character === "\\") this.#quote = "escape"
    else if (character === '"') {
      this.#quote = "none"
      const element = this.#element
      if (element?.at === "inKey") element.at = "colon"
      else if (element?.at === "inValue" && this.#closers.length === 2) this.#endValue(element)
      else if (this.#closers.length === 1) this.#finish()
    }
  }

  /** Between elements, or in one that has no brackets. */
  #between(character: string): void {
    if (character === "]" || character === "," || isSpace(character)) {
      if (this.#element !== undefined) this.#finish()
      this.isOver = character === "]"
      return
    }
    this.#element ??= new Element(character === "{")
    this.#keep(character)
    this.#nest(character)
  }

  /** In an element with brackets. */
  #inside(character: string): void {
    const element = this.#element
    if (element === undefined) return
    if (this.#closers.length === 2 && element.at !== "other") return this.#inObject(element, character)
    this.#keep(character)
    this.#nest(character)
    if (this.#closers.length === 1) this.#finish()
    else if (this.#closers.length === 2 && element.at === "inValue") this.#endValue(element)
  }

  /** In the object of a call, but not in a bracket of its values. */
  #inObject(element: Element, character: string): void {
    const isEnd = character === "," || character === "}" || isSpace(character)
    if (element.at === "inValue" && isEnd) this.#endValue(element)
    if (element.at === "inValue" || (element.at === "value" && !isEnd)) {
      element.at = "inValue"
      this.#keep(character)
      return this.#nest(character)
    }
    element.text += character
    if (isSpace(character)) return
    if (character === "}" && (element.at === "after" || element.at === "key")) {
      this.#closers = this.#closers.slice(0, -1)
      return this.#finish()
    }
    if (element.at === "key" && character === '"') {
      element.at = "inKey"
      element.key = character
      this.#quote = "string"
    } else if (element.at === "colon" && character === ":") {
      element.at = "value"
      element.value = ""
      element.key = String(parsed(element.key))
      // two of one name: which of them counts?
      if ((element.key === "name" && element.name !== undefined) || (element.key === "args" && element.hasArgs)) {
        element.at = "other"
      }
    } else if (element.at === "after" && character === ",") element.at = "key"
    else {
      element.at = "other"
      this.#nest(character)
      if (this.#closers.length === 1) this.#finish()
    }
  }

  #keep(character: string): void {
    const element = this.#element
    if (element === undefined) return
    element.text += character
    if (element.at === "inKey") element.key += character
    if (element.at !== "inValue") return
    element.value += character
    if (element.key === "args") this.#pass(element, character)
  }

  #pass(element: Element, delta: string): void {
    element.hasArgs = true
    if (!element.hasBegun) {
      element.early += delta
      return
    }
    element.passed += delta
    this.#receiver.params(delta)
  }

  #begin(element: Element, name: string): void {
    element.hasBegun = true
    this.#receiver.begin(name)
    if (element.early !== "") this.#pass(element, element.early)
  }

  #endValue(element: Element): void {
    element.at = "after"
    if (element.key !== "name") return
    const name = parsed(element.value)
    if (typeof name !== "string" || name.trim() === "") return
    element.name = name
    this.#begin(element, name)
  }

  /** Follows brackets and the beginnings of strings. A bracket that does not fit closes nothing. */
  #nest(character: string): void {
    if (character === '"') this.#quote = "string"
    else if (character === "[") this.#closers += "]"
    else if (character === "{") this.#closers += "}"
    else if (character === this.#closers.at(-1)) this.#closers = this.#closers.slice(0, -1)
  }

  #finish(problem = problemOf(this.#element)): void {
    const element = this.#element
    this.#element = undefined
    if (element === undefined) return
    if (!element.hasBegun) this.#begin(element, nameless)
    if (problem !== undefined)
      this.#receiver.params(element.passed === "" ? `${problem}: ${element.text}` : ` (${problem})`)
    this.#receiver.end()
  }
}

/** What is wrong with an element. */
const problemOf = (element: Element | undefined): string | undefined => {
  const json = parsed(element?.text ?? "")
  if (json === undefined) return "this call is not valid JSON"
  if (!isObject(json)) return "a call must be an object with name and args"
  // a valid object is not read to its end if a key comes twice
  if (element?.at === "other") return "name and args must each be given once"
  if (element?.name === undefined) return "name is missing in this call"
  if (!element.hasArgs) return "args is missing in this call"
  return isObject(json["args"]) ? undefined : "args must be an object"
}
