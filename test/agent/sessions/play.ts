/** A random session: what its model and its tools do, and what is wrong with what the model is sent. */
import type { Provider } from "cogito"
import type { Random } from "../../../src/testing/contract/stage/random.ts"
import type { Dialect } from "../../faults/dialect.ts"
import { type Called, Conversation, type Said } from "./conversation.ts"
import { type Lines, linesIn, numberIn, type Wire } from "./lines.ts"

/** A model that a session may ask. */
export interface Model {
  readonly wire: Wire
  readonly dialect: Dialect
  readonly name: string
  readonly provider: Provider.Shape
}

/** What a server answers: a text, calls, or an error. */
export type Act =
  | { readonly _tag: "Text"; readonly text: string }
  | { readonly _tag: "Calls"; readonly said: Said }
  | { readonly _tag: "Fails" }
  | { readonly _tag: "Refuses"; readonly reason: string }

/** The agents of a session: one that answers in words, and one whose answer has a form. */
const toolsOf = {
  words: ["look", "look", "look", "look", "fails", "ends", "breaks", "asks", "nowhere"],
  form: ["look", "look", "nowhere"]
}

const isBroken = (params: string): boolean => !params.startsWith("{") || params.startsWith("{bad")

export class Play {
  readonly rng: Random
  readonly conversation = new Conversation()
  readonly problems: Array<string> = []
  /** What has happened, for who reads a problem. */
  readonly story: Array<string> = []
  /** How often the session was in each state that it is for. */
  readonly #count: (state: string) => void
  /** Which agent is asked. */
  agent: keyof typeof toolsOf = "words"
  /** How many turns are left by a summary within a run. Undefined if runs make no summary. */
  keep: number | undefined
  /** Whether the server has failed since the last message. */
  hasFailed = false
  #numbers = 0
  /** What handlers gave, by the numbers of calls. */
  readonly #outcomes = new Map<number, string>()
  /** The calls that were interrupted, and were not carried out again. */
  readonly #interrupted = new Set<number>()
  /** Calls whose handlers have begun, and take time. */
  readonly #begun = new Set<number>()
  /** The numbers that people have put in the place of others. */
  readonly #changed = new Map<number, number>()
  /** The model of the last calls. */
  #asked = ""

  constructor(rng: Random, count: (state: string) => void) {
    this.rng = rng
    this.#count = count
  }

  reaches(state: string): void {
    this.#count(state)
  }

  tells(what: string): void {
    this.story.push(what)
    this.#count(what.replaceAll(/ ?\d+;?/g, ""))
  }

  // ------------------------------------------------------------------------------------------------------------ tools

  /** A handler runs. Returns whether it has not run before. */
  runs(n: number, outcome: string): boolean {
    const isFirst = !this.#outcomes.has(n)
    this.#outcomes.set(n, outcome)
    this.#interrupted.delete(n)
    return isFirst
  }
  begins(n: number): void {
    this.#begun.add(n)
  }
  interrupts(n: number): void {
    this.#interrupted.add(n)
  }
  changes(from: number, to: number): void {
    this.#changed.set(from, to)
  }
  denies(n: number): void {
    this.#outcomes.set(n, "denied")
  }

  readonly results = ({ calls }: Said): ReadonlyArray<string> => calls.map((call) => this.#outcomeOf(call))

  readonly #outcomeOf = ({ name, params }: Called): string => {
    if (name === "answer") return "refused answer"
    if (!toolsOf[this.agent].includes(name) || name === "nowhere") return "no tool"
    if (isBroken(params)) return "misfit"
    const n = Number(numberIn(params))
    const changed = this.#changed.get(n)
    return changed === undefined
      ? (this.#outcomes.get(n) ?? "nothing")
      : `changed, ${this.#outcomes.get(changed) ?? "nothing"}`
  }

  /** The same of a run that was given up. `open` are the numbers of calls that nobody has decided on, if it waits for that. */
  readonly resultsOfCancelled =
    (open: ReadonlySet<number> | undefined) =>
    ({ calls }: Said): ReadonlyArray<string> =>
      calls.map((call) => {
        const outcome = this.#outcomeOf(call)
        const n = Number(numberIn(call.params))
        if (open?.has(n) === true) return "unapproved"
        // what was interrupted is recorded once the run has gone on and waits
        const isLost = open === undefined && this.#interrupted.has(this.#changed.get(n) ?? n)
        if (isLost) return "unknown, cancelled"
        if (outcome === "nothing" && this.#begun.has(n)) return "unknown, cancelled"
        // only calls that had a handler are recorded
        return ["nothing", "no tool", "misfit"].includes(outcome) ? "not begun" : outcome
      })

  // ------------------------------------------------------------------------------------------------------------ model

  /** Answers a request, after a look at the conversation that it has. */
  answer(model: Model, body: any): Act {
    this.#count("request")
    const refusal = model.dialect.refusal(body)
    if (refusal !== undefined) {
      this.problems.push(`${refusal}\n  ${linesIn(model.wire, body).lines.join("\n  ")}`)
      return { _tag: "Refuses", reason: refusal }
    }
    const lines = linesIn(model.wire, body)
    if (lines.user.includes("Summarise the conversation in these messages")) return this.#summary()
    this.conversation.settle(this.results)
    this.#check(model, lines)
    return this.#act(model, lines)
  }

  #summary(): Act {
    if (this.keep !== undefined) {
      const isOpen = this.conversation.open !== undefined
      this.conversation.settle(this.results)
      this.conversation.compact(this.keep)
      if (isOpen)
        this.reaches(this.keep === 0 ? "a summary of the calls of a run" : "a summary before the calls of a run")
    }
    return { _tag: "Text", text: `summary ${this.#numbers++}` }
  }

  #check({ name, wire }: Model, { ids, lines, user }: Lines): void {
    if (!this.conversation.isKnown) return
    const expected = this.conversation.linesFor(wire, name)
    if (lines.join("\n") !== expected.join("\n")) {
      this.problems.push(
        `The model ${name} over ${wire} was sent\n  ${lines.join("\n  ")}\nin place of\n  ${expected.join("\n  ")}`
      )
    }
    const shown = this.conversation.shown.find((text) => !user.includes(text))
    if (shown !== undefined) this.problems.push(`${shown} is not shown`)
    if (wire !== "text" && new Set(ids).size < ids.length)
      this.problems.push(`ids of calls are there twice: ${ids.join()}`)
    const worded = new Set(lines.flatMap((line) => /^failure of \d+: ([a-z, ]+)$/.exec(line)?.[1] ?? []))
    for (const outcome of worded) this.reaches(`a call: ${outcome}`)
    if (lines.some((line) => /^result of \d+: $/.test(line))) this.reaches("an empty result")
    if (lines.some((line) => line.startsWith("thinks "))) this.reaches("a thought of the same model")
    if (this.conversation.hasForeignThought(wire, name)) this.reaches("a thought of another model")
  }

  #act({ name: model, wire }: Model, { user }: Lines): Act {
    const { agent, conversation, rng } = this
    const isLast = user.includes("This is the last round")
    const mustAnswer = agent === "form" && (isLast || user.includes("Give the answer by a call of the tool answer."))
    const n = this.#numbers++
    if (rng.below(25) === 0) {
      this.reaches("a failure of the model")
      this.hasFailed = true
      return { _tag: "Fails" }
    }
    const thought = wire !== "chat" && rng.below(2) === 0 ? `I think of ${n}.` : undefined
    const said = (calls: ReadonlyArray<Called>): Said => {
      const text = rng.pick([undefined, `Let me see ${n}.`, wire === "text" ? undefined : " \n"])
      return { api: wire, model, thought, calls, text, results: undefined }
    }
    if (agent === "form" && (mustAnswer || rng.below(3) === 0)) {
      const isRight = rng.below(3) > 0
      const one = { id: this.#id(wire), name: "answer", params: isRight ? `{"n":${n}}` : `{"n":"x${n}"}` }
      const isAlone = mustAnswer || rng.below(4) > 0
      const act = said(isAlone ? [one] : [one, this.#call(wire)])
      if (isRight && isAlone) conversation.says(one.params)
      else if (!isLast) conversation.calls(act)
      return { _tag: "Calls", said: act }
    }
    // no calls are read in the last round of a model that writes them into its text
    if (isLast ? wire === "text" || rng.below(4) > 0 : rng.below(3) === 0) {
      const text = `answer ${n}`
      if (agent === "form") conversation.saysInVain(text)
      else conversation.says(text)
      return { _tag: "Text", text }
    }
    const calls: Array<Called> = []
    for (let i = 1 + rng.below(3); i > 0; i--) {
      const call = this.#call(wire)
      // only some servers of one API give two calls of an answer the same id
      if (wire === "chat" || calls.every(({ id }) => id !== call.id)) calls.push(call)
    }
    const act = said(calls)
    if (isLast) return { _tag: "Calls", said: act }
    if (calls.length > 1) this.reaches("several calls at once")
    if (this.#asked !== "" && this.#asked !== `${wire} ${model}`) this.reaches("calls of several models")
    this.#asked = `${wire} ${model}`
    conversation.calls(act)
    return { _tag: "Calls", said: act }
  }

  /** Ids come again, and some servers make them of what others do not take. */
  #id(wire: Wire): string {
    const again = this.rng.below(3)
    if (wire === "chat" && this.rng.below(3) === 0) return `functions.look${this.rng.pick([":", "."])}${again}`
    return this.rng.below(3) === 0 ? `call_${again}` : `call_of_${this.#numbers}`
  }

  #call(wire: Wire): Called {
    const n = this.#numbers++
    const name = this.rng.pick(toolsOf[this.agent])
    const broken = wire === "messages" ? [] : wire === "text" ? [`[${n}]`, `"${n}"`] : [`{bad ${n}`, `[${n}]`, `"${n}"`]
    const params = broken.length > 0 && this.rng.below(10) === 0 ? this.rng.pick(broken) : `{"n":${n}}`
    return { id: this.#id(wire), name, params }
  }
}
