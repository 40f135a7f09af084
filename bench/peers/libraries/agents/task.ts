/** The task that every agent does: in each round it reads some pages by calls, and in the end it answers. */
import assert from "node:assert/strict"
import { text } from "../storage/task.ts"

export const instructions = "You find what is asked for in the pages of a manual."
export const message = "What do the pages say about returns?"
export const description = "Reads a page of the manual"
export const answer = "Returns are accepted within 30 days."

/** How long a run is: so many rounds with calls and one with the answer. */
export interface Size {
  readonly rounds: number
  /** Calls in each round. */
  readonly calls: number
  /** Characters of each result. */
  readonly length: number
}

/** A call that the model makes. */
export interface Call {
  readonly id: string
  readonly page: number
}

/** What the stubs of a model do, each in the form of its library, and what the handlers give. */
export class Script {
  private readonly size: Size
  private readonly pages: ReadonlyArray<string>
  private readonly timed: boolean
  private calls = 0
  /** Microseconds of CPU that the process has used when the calls of the model began. */
  readonly began: Array<number> = []
  /** What the model was sent last. */
  last: unknown

  /** `timed`: whether to fill `began`, which takes as long as a part of a round. */
  constructor(size: Size, timed = false) {
    this.size = size
    this.timed = timed
    this.pages = Array.from({ length: size.rounds * size.calls }, (_, page) => text(page, size.length))
  }

  /** Begins a run. */
  restart(): void {
    this.calls = 0
    this.began.length = 0
  }

  /** The calls of the next round, or undefined for the answer. */
  next(sent: unknown): ReadonlyArray<Call> | undefined {
    if (this.timed) {
      const { system, user } = process.cpuUsage()
      this.began.push(user + system)
    }
    const round = this.calls++
    this.last = sent
    const { calls, rounds } = this.size
    if (round >= rounds) return undefined
    return Array.from({ length: calls }, (_, i) => ({ id: `call_${round}_${i}`, page: round * calls + i }))
  }

  /** The text of a page. */
  read({ page }: { readonly page: number }): string {
    const text = this.pages[page]
    if (text === undefined) throw new Error(`There is no page ${page}.`)
    return text
  }

  /** Throws unless the run has answered, and the last request has shown all results in order. */
  check(given: unknown, shown: (sent: unknown) => ReadonlyArray<unknown>): void {
    assert.equal(given, answer)
    assert.equal(this.calls, this.size.rounds + 1)
    assert.deepEqual(shown(this.last), this.pages)
  }
}

/** An agent with an empty store. */
export interface Opened {
  /** Lets the agent do the task once. */
  readonly run: () => Promise<void>
  /** Checks the last run. */
  readonly check: () => void
  /** Bytes that the store has, if it has one. */
  readonly stored?: () => Promise<number>
  /** Ends what runs in the background, and waits for it. */
  readonly close: () => Promise<void>
}

export type Open = (script: Script, size: Size) => Promise<Opened>
