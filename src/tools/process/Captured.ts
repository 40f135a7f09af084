import { StringDecoder } from "node:string_decoder"

/** What a program prints: the beginning and the end of it. */
export class Captured {
  readonly #decoder = new StringDecoder("utf8")
  readonly #half: number
  #head = ""
  #tail = ""
  #left = 0
  /** How many bytes have come. */
  bytes = 0

  constructor(characters: number) {
    this.#half = Math.ceil(characters / 2)
  }

  add(chunk: Buffer): void {
    this.bytes += chunk.length
    this.#append(this.#decoder.write(chunk))
  }

  #append(text: string): void {
    const room = this.#half - this.#head.length
    this.#head += text.slice(0, room)
    this.#tail += text.slice(Math.max(0, room))
    const over = this.#tail.length - this.#half
    if (over <= 0) return
    this.#left += over
    this.#tail = this.#tail.slice(over)
  }

  text(): string {
    const cut = this.#left === 0 ? "" : `\n[… ${this.#left} characters were left out …]\n`
    return `${this.#head}${cut}${this.#tail}`
  }
}
