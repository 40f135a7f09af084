/** Reads JSON piece by piece, as a model writes it, and keeps what is known so far. */
import { endsChannel, tagEnding } from "../marred/scan/tags.ts"

/** A part of the JSON, complete or not. */
export type Node =
  | { readonly kind: "object"; readonly entries: Map<string, Node>; done: boolean }
  | { readonly kind: "array"; readonly items: Array<Node>; done: boolean }
  | { readonly kind: "string"; text: string; done: boolean }
  | { readonly kind: "literal"; text: string; done: boolean }

/** The value of a complete part. */
export const valueOf = (node: Node): unknown => {
  if (node.kind === "string") return node.text
  if (node.kind === "literal") return JSON.parse(node.text) as unknown
  if (node.kind === "array") return node.items.map(valueOf)
  const value = {}
  for (const [name, part] of node.entries) {
    // like JSON.parse, which treats a key such as __proto__ as an ordinary property
    const property = { value: valueOf(part), configurable: true, enumerable: true, writable: true }
    Object.defineProperty(value, name, property)
  }
  return value
}

const literal = /^(?:true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?)$/
const escapes: Readonly<Record<string, string>> = {
  b: "\b",
  f: "\f",
  n: "\n",
  r: "\r",
  t: "\t",
  '"': '"',
  "\\": "\\",
  "/": "/"
}
const deepest = 256
/** The maximum length of an opening tag with attributes. */
const longestTag = 160

/** What the scanner expects within the innermost open part. */
type Expecting = "value" | "first value" | "first key" | "key" | "colon" | "comma"

/**
 * Reads the first object outside a model's thinking, piece by piece, and skips text before and after it.
 *
 * Stops at invalid JSON; `root` then keeps what was read.
 */
export class Scanner {
  root: Node | undefined
  #state: "seeking" | "reading" | "over" = "seeking"
  #before = ""
  #thought: string | undefined
  readonly #open: Array<Node> = []
  #expecting: Expecting = "value"
  #key: string | undefined
  #text: Extract<Node, { kind: "string" | "literal" }> | undefined
  #isKey = false
  #escape: string | undefined

  /** Reads a piece. Returns whether the value changed. */
  push(piece: string): boolean {
    let changed = false
    for (const char of piece) {
      if (this.#state === "over") break
      if (this.#state === "seeking") changed = this.#seek(char) || changed
      else {
        this.#read(char)
        changed = true
      }
    }
    return changed
  }

  #seek(char: string): boolean {
    this.#before = (this.#before + char).slice(-longestTag)
    const tag = ">▷sl".includes(char) ? tagEnding(this.#before) : undefined
    if (this.#thought === "analysis" && endsChannel(this.#before)) this.#thought = undefined
    else if (tag?.isThought === true) {
      if (!tag.closes) this.#thought ??= tag.name
      else if (tag.name === this.#thought) this.#thought = undefined
    }
    if (this.#thought !== undefined) return false
    // the first object of a list is not the answer
    if (char === "[") this.#stop()
    if (char !== "{") return false
    this.#state = "reading"
    this.#begin({ kind: "object", entries: new Map(), done: false }, "first key")
    return true
  }

  #read(char: string): void {
    if (this.#text?.kind === "string") return this.#inString(char, this.#text)
    if (this.#text !== undefined) {
      if (/[\w+\-.]/.test(char)) {
        this.#text.text += char
        return
      }
      if (!literal.test(this.#text.text)) return this.#stop()
      this.#text.done = true
      this.#text = undefined
    }
    if (" \t\r\n".includes(char)) return
    switch (this.#expecting) {
      case "first key":
        return char === "}" ? this.#close("object") : this.#beginKey(char)
      case "key":
        return this.#beginKey(char)
      case "colon":
        return char === ":" ? this.#expect("value") : this.#stop()
      case "first value":
        return char === "]" ? this.#close("array") : this.#beginValue(char)
      case "value":
        return this.#beginValue(char)
      case "comma":
        return this.#afterValue(char)
    }
  }

  #afterValue(char: string): void {
    const inside = this.#open.at(-1)?.kind
    if (char === "}") return this.#close("object")
    if (char === "]") return this.#close("array")
    return char === "," ? this.#expect(inside === "object" ? "key" : "value") : this.#stop()
  }

  #beginKey(char: string): void {
    if (char !== '"') return this.#stop()
    this.#isKey = true
    this.#text = { kind: "string", text: "", done: false }
  }

  #beginValue(char: string): void {
    if (char === "{") return this.#begin({ kind: "object", entries: new Map(), done: false }, "first key")
    if (char === "[") return this.#begin({ kind: "array", items: [], done: false }, "first value")
    if (!/["\w-]/.test(char)) return this.#stop()
    const text = {
      kind: char === '"' ? ("string" as const) : ("literal" as const),
      text: char === '"' ? "" : char,
      done: false
    }
    this.#isKey = false
    this.#place(text)
    this.#text = text
    this.#expecting = "comma"
  }

  #begin(node: Node, expecting: Expecting): void {
    if (this.#open.length >= deepest) return this.#stop()
    this.#place(node)
    this.#open.push(node)
    this.#expecting = expecting
  }

  #place(node: Node): void {
    const parent = this.#open.at(-1)
    if (parent === undefined) this.root = node
    else if (parent.kind === "array") parent.items.push(node)
    else if (parent.kind === "object" && this.#key !== undefined) {
      // a repeated key: it is not known which value counts
      if (parent.entries.has(this.#key)) this.#stop()
      else parent.entries.set(this.#key, node)
    }
  }

  #close(kind: "object" | "array"): void {
    const node = this.#open.pop()
    if (node?.kind !== kind) return this.#stop()
    node.done = true
    this.#expecting = "comma"
    if (this.#open.length === 0) this.#state = "over"
  }

  #inString(char: string, node: Extract<Node, { kind: "string" | "literal" }>): void {
    if (this.#escape !== undefined) return this.#escaped(this.#escape + char, node)
    if (char === "\\") this.#escape = ""
    else if (char === '"') {
      this.#text = undefined
      if (!this.#isKey) node.done = true
      else {
        this.#key = node.text
        this.#expecting = "colon"
      }
    } else if (char < " ") this.#stop()
    else node.text += char
  }

  #escaped(escape: string, node: { text: string }): void {
    if (escape.startsWith("u") && escape.length < 5) {
      this.#escape = escape
      return
    }
    const char = escape.startsWith("u")
      ? /^u[\da-f]{4}$/i.test(escape)
        ? String.fromCharCode(Number.parseInt(escape.slice(1), 16))
        : undefined
      : escapes[escape]
    this.#escape = undefined
    if (char === undefined) this.#stop()
    else node.text += char
  }

  #expect(expecting: Expecting): void {
    this.#expecting = expecting
  }

  #stop(): void {
    this.#state = "over"
  }
}
