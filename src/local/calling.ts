/** What the offline provider does with tools: which it calls, with which parameters, and when it stops. */
import * as Effect from "effect/Effect"
import type { Request, Tool, ToolCall } from "../Provider.ts"
import { nextIds } from "../provider/tools.ts"
import { canonicalJson } from "../schema/canonicalJson.ts"
import type { Turn } from "./language/conversation.ts"
import { wordsOf } from "./mind/field.ts"
import { Unfillable } from "./fill.ts"
import type { Mind } from "./mind/meaning.ts"
import { demanded } from "./demanded.ts"
import { type Filled, fillParameters, type Found, isBeside } from "./parameters.ts"
import { isSevere, nearestOf, type Pick, picksOf } from "./picking.ts"
import { apology, parsed, report, type Wanting } from "./report.ts"

type Params = Extract<Filled, { readonly _tag: "Filled" }>

const signOf = (name: string, params: unknown): string => `${name} ${canonicalJson(params)}`

/** A tool that the message calls for. `isFollowUp`: with another value than the message before. */
interface Wished extends Pick {
  readonly isFollowUp?: true
}

/** A follow-up such as "And in Ulm?" is about what was asked before. */
const isFollowUp = (message: string): boolean => /^\s*(?:and|or|what about|how about|also)\b/iu.test(message)

/** The tools that the message calls for. A follow-up calls for those of the message before it. */
const picked = Effect.fnUntraced(function* (mind: Mind, tools: ReadonlyArray<Tool>, { earlier, message }: Turn) {
  const picks: ReadonlyArray<Wished> = yield* picksOf(mind, tools, message)
  const [before] = earlier
  if (picks.length > 0 || before === undefined || !isFollowUp(message)) return picks
  const again = yield* picksOf(mind, tools, before)
  // what changes something needs words of its own
  return again
    .filter(({ tool }) => !isSevere(tool))
    .map((pick): Wished => ({ ...pick, clause: message, isFollowUp: true }))
})

/** All calls of one tool: its parameters, and again for each further value that stands beside its only one. */
const callsOf = Effect.fnUntraced(function* (mind: Mind, { clause, tool }: Pick, turn: Turn) {
  const given = turn.results.filter(({ isFailure }) => !isFailure).map(({ text }) => text)
  const texts = [...new Set([clause, turn.message]), ...turn.earlier, ...given]
  const taken: Array<Found> = []
  const all: Array<Params> = []
  for (;;) {
    const filled = yield* fillParameters({ mind, texts, taken }, tool)
    if (filled._tag === "Missing") return all.length === 0 ? filled : all
    const [only] = filled.found
    const last = taken.at(-1)
    if (last !== undefined && (only === undefined || !isBeside(texts, last, only[1]))) return all
    all.push(filled)
    if (only === undefined || filled.found.length > 1 || only[1].length === 0) return all
    taken.push(only[1])
  }
})

/** The calls that the message asks for and that were not made yet, and what is missing for others. */
const wantedOf = Effect.fnUntraced(function* (mind: Mind, picks: ReadonlyArray<Wished>, turn: Turn) {
  const made = new Set(turn.calls.map(({ name, params }) => signOf(name, parsed(params))))
  const ready: Array<{ readonly tool: Tool; readonly params: Params["params"] }> = []
  const wanting: Array<Wanting> = []
  for (const pick of picks) {
    const { tool } = pick
    const filled = yield* callsOf(mind, pick, turn)
    if ("_tag" in filled) {
      wanting.push({ tool: tool.name, name: wordsOf(filled.name), description: filled.description })
      continue
    }
    // a follow-up says something new, in the first of the texts
    const said =
      pick.isFollowUp === true ? filled.filter(({ found }) => found.some(([, { source }]) => source === 0)) : filled
    const open = said.filter(({ params }) => !made.has(signOf(tool.name, params)))
    // once it was called, what else its results name is no reason to call it again
    const isMade = turn.calls.some(({ name }) => name === tool.name) && open.length === said.length
    if (!isMade) ready.push(...open.map(({ params }) => ({ tool, params })))
  }
  return { ready, wanting }
})

const remembered = <A>(read: (text: string) => A): ((text: string) => A) => {
  const known = new Map<string, A>()
  return (text) => {
    const found = known.get(text) ?? read(text)
    known.set(text, found)
    return found
  }
}

/** The mind for one request: each of many parameters looks into the same texts. */
const remembering = (mind: Mind): Mind => ({
  ...mind,
  language: {
    ...mind.language,
    values: remembered(mind.language.values),
    people: remembered(mind.language.people),
    organizations: remembered(mind.language.organizations),
    places: remembered(mind.language.places)
  }
})

/** Answers a request with tools: with calls, or with a text. Fails if a call is demanded whose parameters nobody said. */
export const reply = Effect.fnUntraced(function* (given: Mind, request: Request, turn: Turn) {
  const mind = remembering(given)
  const { messages, parallelCalls, toolChoice = "auto", tools = [] } = request
  const nextId = nextIds(messages)
  const callOf = (name: string, params: string): ToolCall => ({ id: nextId(), name, params })
  const only = typeof toolChoice === "object" ? tools.find(({ name }) => name === toolChoice.tool) : undefined
  if (only !== undefined) return { text: "", calls: [callOf(only.name, yield* demanded(mind, only, turn))] }

  const clear = yield* picked(mind, tools, turn)
  const nearest =
    clear.length > 0 || toolChoice !== "required" ? undefined : yield* nearestOf(mind, tools, turn.message)
  const { ready, wanting } = yield* wantedOf(mind, nearest === undefined ? clear : [nearest], turn)
  // looks first, and changes nothing after something failed
  const looks = ready.filter(({ tool }) => !isSevere(tool))
  const hasFailed = turn.results.some(({ isFailure }) => isFailure)
  const next = looks.length > 0 ? looks : hasFailed ? [] : ready
  if (next.length > 0 && toolChoice !== "none") {
    const calls = parallelCalls === false ? next.slice(0, 1) : next
    return { text: "", calls: calls.map(({ params, tool }) => callOf(tool.name, JSON.stringify(params))) }
  }
  if (toolChoice === "required") return yield* Effect.fail(new Unfillable(wanting[0]?.name ?? ""))
  const left = [...new Set(ready.map(({ tool }) => tool.name))]
  return {
    text:
      turn.results.length > 0
        ? yield* report(mind, turn, wanting, hasFailed && toolChoice !== "none" ? left : [])
        : apology(turn.message, tools, wanting, left)
  }
})
