/** The conversation of a session as the test knows it, apart from the library: by what the model said and what its tools did. */
import { Session } from "cogito"
import { proofOf } from "../../faults/dialect.ts"
import { numberIn } from "./lines.ts"

/** A call as the model made it. */
export interface Called {
  readonly id: string
  readonly name: string
  readonly params: string
}

/** An answer of the model with calls. */
export interface Said {
  readonly api: string
  readonly model: string
  readonly text: string | undefined
  readonly thought: string | undefined
  readonly calls: ReadonlyArray<Called>
  /** What came of each call, once it is known. */
  results: ReadonlyArray<string> | undefined
}

/** An entry, with the message whose notes it carries. */
type Entry =
  | { readonly tag: "user" | "summary"; readonly of: number }
  | { readonly tag: "text"; readonly of: number | undefined; readonly text: string }
  | { readonly tag: "calls" | "results"; readonly of: number; readonly said: Said }

const isReply = ({ tag }: Entry): boolean => tag !== "user" && tag !== "summary"

/** A user's entry with its replies, or any other entry alone. */
const turnsOf = (entries: ReadonlyArray<Entry>): ReadonlyArray<ReadonlyArray<Entry>> => {
  const turns: Array<Array<Entry>> = []
  for (const entry of entries) {
    const last = turns.at(-1)
    if (isReply(entry) && last?.[0]?.tag === "user") last.push(entry)
    else turns.push([entry])
  }
  return turns
}

const resultLine = ({ params }: Called, outcome: string): string => {
  const isFailure = !/^(?:seen|ended|did|changed, did|$)/.test(outcome)
  return `${isFailure ? "failure" : "result"} of ${numberIn(params)}: ${outcome}`
}

export class Conversation {
  #entries: ReadonlyArray<Entry> = []
  /** The message that the user has said last. */
  #message = -1
  /** Whether the next answer shows it. */
  #isFresh = false
  /** The messages since the last reply of a model. */
  #unanswered: ReadonlyArray<number> = []
  /** The results that a summary has replaced before the model has seen them. */
  #lost: ReadonlyArray<string> = []
  /** The last calls, until their results are in the conversation. */
  open: Said | undefined
  /** False after an undo for which a summary gave way to what it stood for, which the library words. */
  isKnown = true

  /** The user says something. */
  begin(message: number): void {
    this.#message = message
    this.#isFresh = true
    this.#lost = []
    this.#unanswered = [...this.#unanswered, message]
    const last = Math.max(-1, ...this.#entries.flatMap(({ of = -1 }) => of))
    this.#entries = [
      ...this.#entries,
      ...this.#unanswered.slice(0, -1).flatMap((of): ReadonlyArray<Entry> =>
        of <= last
          ? []
          : [
              { tag: "user", of },
              { tag: "text", of: undefined, text: "(no answer)" }
            ]
      )
    ]
  }
  #add(...entries: ReadonlyArray<Entry>): void {
    const asked: ReadonlyArray<Entry> = this.#isFresh ? [{ tag: "user", of: this.#message }] : []
    this.#entries = [...this.#entries, ...asked, ...entries]
    this.#isFresh = false
    this.#lost = []
  }

  says(text: string): void {
    this.#unanswered = []
    this.#add({ tag: "text", of: this.#message, text })
  }
  /** A text that the model has to write again in another form. */
  saysInVain(text: string): void {
    this.#add({ tag: "text", of: undefined, text })
  }
  calls(said: Said): void {
    this.#unanswered = []
    this.#add({ tag: "calls", of: this.#message, said })
    this.open = said
  }
  /** The calls have results. */
  settle(resultsOf: (said: Said) => ReadonlyArray<string>): void {
    const said = this.open
    if (said === undefined) return
    said.results = resultsOf(said)
    this.#entries = [...this.#entries, { tag: "results", of: this.#message, said }]
    this.open = undefined
  }
  /** A run was given up. */
  cancelled(resultsOf: (said: Said) => ReadonlyArray<string>): void {
    this.settle(resultsOf)
    this.#add({ tag: "text", of: undefined, text: "(cancelled)" })
  }
  /** Goes on with what is there. */
  abandon(): void {
    this.open = undefined
  }

  truncate(first: number, last: number): void {
    const size = this.#entries.length
    let position = 0
    this.#entries = turnsOf(this.#entries).flatMap((turn) => {
      const begin = position
      position += turn.length
      return begin < first || position > size - last ? turn : []
    })
  }
  /** A summary stands for all but the last turns. Returns whether it is worth a call. */
  compress(keep: number): boolean {
    const turns = turnsOf(this.#entries)
    const end = turns.length - Math.min(keep, turns.length)
    const old = turns.slice(0, end).flat()
    if (old.every(({ tag }) => tag === "summary" || tag === "results")) return false
    this.#entries = [{ tag: "summary", of: this.#message }, ...turns.slice(end).flat()]
    return true
  }
  /** The same before a round of the model: what it has not seen yet is shown once more. */
  compact(keep: number): void {
    const last = this.#entries.at(-1)
    this.compress(keep)
    if (this.#isFresh || this.#entries.some(({ of, tag }) => tag === "user" && of === this.#message)) return
    this.#isFresh = true
    const results = last?.tag === "results" ? (last.said.results ?? []) : []
    // the library words the others
    this.#lost = results.filter((result) => /\d$/.test(result)).map((result) => result.replace("changed, ", ""))
  }
  /** How many turns there are. */
  get turns(): number {
    return turnsOf(this.#entries).length
  }
  reset(): void {
    this.#entries = []
    this.isKnown = true
  }
  remove(position: number): void {
    this.#entries = this.#entries.filter((_, i) => i !== position)
  }
  undo(message: number): void {
    const end = this.#entries.findIndex(({ of }) => of !== undefined && of >= message)
    if (this.#entries[end]?.tag === "summary") this.isKnown = false
    if (end >= 0) this.#entries = this.#entries.slice(0, end)
    this.#unanswered = this.#unanswered.filter((one) => one < message)
    this.open = undefined
  }

  /** Throws if the session of a thought has other entries. */
  problemIn(session: Session.Session): string | undefined {
    if (!this.isKnown) return undefined
    const own = this.#entries.map(({ tag }) => tag)
    const found = Session.entries(session).map(({ carries, kind, role, text }) => {
      if (kind === "message" && role === "assistant")
        return text.includes("[calls ") && carries.length > 0 ? "calls" : "text"
      return kind === "result" ? "results" : kind === "summary" ? "summary" : "user"
    })
    return own.join() === found.join() ? undefined : `the session has ${found.join()} and should have ${own.join()}`
  }

  /** Whether another model had a thought before calls that are in the conversation. */
  hasForeignThought(api: string, model: string): boolean {
    return this.#entries.some(
      (entry) =>
        entry.tag === "calls" &&
        entry.said.thought !== undefined &&
        (entry.said.api !== api || entry.said.model !== model)
    )
  }

  /** What a model must be sent of the conversation. */
  linesFor(api: string, model: string): ReadonlyArray<string> {
    return this.#entries.flatMap((entry, i) => {
      if (entry.tag === "text") return [`says ${entry.text}`]
      if (entry.tag !== "calls") return []
      const { said } = entry
      const isOwn = said.api === api && said.model === model && api !== "chat"
      const proof = said.thought === undefined ? "" : api === "text" ? said.thought : proofOf(model, said.thought)
      const next = this.#entries[i + 1]
      const results =
        next?.tag === "results" && next.said === said ? (said.results ?? []) : said.calls.map(() => "missing")
      return [
        ...(isOwn && said.thought !== undefined ? [`thinks ${proof}`] : []),
        ...(said.text === undefined || said.text.trim() === "" ? [] : [`says ${said.text}`]),
        ...said.calls.map(({ name, params }) => `calls ${name} ${numberIn(params)}`),
        ...said.calls.map((call, n) => resultLine(call, results[n] ?? ""))
      ]
    })
  }
  /** What the texts of the user must have. */
  get shown(): ReadonlyArray<string> {
    return [`message ${this.#message};`, ...this.#lost]
  }
}
