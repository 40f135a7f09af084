/** Picks the tools that a message calls for: by meaning, by the words of everyday life, and by what the message says for them. */
import * as Effect from "effect/Effect"
import type { Tool } from "../Provider.ts"
import { type Action, actionsIn, severe, stemsIn, telling, topicsIn } from "./language/concepts.ts"
import { wordsOf } from "./mind/field.ts"
import type { Mind } from "./mind/meaning.ts"
import { fillParameters } from "./parameters.ts"

/** A tool, the part of the message that calls for it, and how clearly, about 0 to 1.5. */
export interface Pick {
  readonly tool: Tool
  readonly clause: string
  readonly score: number
}

// set on every other message of the test data
const topicWeight = 0.3
const actionWeight = 0.25
const wordWeight = 0.12
const fitWeight = 0.15
/** An action alone does not say what it is about. */
const alone = 0.4
const otherAction = 0.2
const unsaid = 0.6
const leastScore = 0.45
const mostShared = 2

/** What a tool does, of which its name and the beginning of its description tell. */
const actionOf = ({ description, name }: Tool): Action | undefined =>
  actionsIn(wordsOf(name))[0] ?? actionsIn(description)[0]

/** Whether a tool changes something that cannot be taken back. */
export const isSevere = (tool: Tool): boolean => {
  const action = actionOf(tool)
  return action !== undefined && severe.has(action)
}

const textOf = ({ description, name }: Tool): string => `${wordsOf(name)}. ${description}`

/** The sum over what two lists share; what many tools share counts less. */
const shared = <A>(own: ReadonlySet<A>, asked: ReadonlySet<A>, all: ReadonlyArray<ReadonlySet<A>>): number =>
  [...asked].reduce((sum, one) => sum + (own.has(one) ? 1 / all.filter((other) => other.has(one)).length : 0), 0)

const splitting = /[;,]?\s+(?:and then|then|and|but)\s+(?:please\s+|also\s+)?(?=\S)/iu

/** The sentences of a message. One that begins without space is the rest of a name such as "report.txt". */
const sentencesOf = (mind: Mind, message: string): ReadonlyArray<string> => {
  const joined: Array<string> = []
  let end = 0
  for (const sentence of mind.language.sentences(message)) {
    const start = message.indexOf(sentence, end)
    const last = joined.at(-1)
    if (last !== undefined && start === end) joined[joined.length - 1] = `${last}${sentence}`
    else joined.push(sentence)
    end = start + sentence.length
  }
  return joined
}

/** The sentences of a message, and the parts of those that ask for several things. */
const clausesOf = (mind: Mind, message: string): ReadonlyArray<string> =>
  sentencesOf(mind, message).flatMap((sentence) => {
    const parts = sentence.split(splitting).map((part) => part.trim())
    return parts.length > 1 && parts.every((part) => part.split(/\s+/u).length > 1 && actionsIn(part).length > 0)
      ? parts
      : [sentence]
  })

/** How well each tool fits a clause. */
const scoresOf = Effect.fnUntraced(function* (mind: Mind, tools: ReadonlyArray<Tool>, clause: string) {
  const [row = []] = yield* mind.compare(
    [clause],
    tools.flatMap(({ description, name }) => [description === "" ? wordsOf(name) : description, wordsOf(name)])
  )
  const topics = tools.map((tool) => new Set(topicsIn(textOf(tool))))
  const stems = tools.map((tool) => stemsIn(textOf(tool)))
  const actions = tools.map(actionOf)
  const asked = new Set(actionsIn(clause))
  const askedTopics = new Set(topicsIn(clause))
  const askedStems = stemsIn(clause)
  const same = (action: Action) => actions.filter((other) => other === action).length
  const scores: Array<number> = []
  for (const [i, tool] of tools.entries()) {
    const near = (Math.max(0, row[2 * i] ?? 0) + Math.max(0, row[2 * i + 1] ?? 0)) / 2
    const topic = Math.min(mostShared, shared(topics[i] ?? new Set(), askedTopics, topics))
    const word = Math.min(mostShared, shared(stems[i] ?? new Set(), askedStems, stems))
    const filled = yield* fillParameters({ mind, texts: [clause], taken: [] }, tool)
    const fit = filled._tag === "Filled" ? filled.telling : 0
    const action = actions[i]
    const isAbout = topic > 0 || word > 0 || fit > 0 || (action !== undefined && telling.has(action))
    scores.push(
      near +
        topicWeight * topic +
        wordWeight * word +
        fitWeight * Math.min(mostShared, fit) +
        actedOf(action, isAbout, asked, actions, same)
    )
  }
  return scores
})

/** What the actions that a clause names say for a tool, or against it. */
const actedOf = (
  action: Action | undefined,
  isAbout: boolean,
  asked: ReadonlySet<Action>,
  actions: ReadonlyArray<Action | undefined>,
  same: (action: Action) => number
): number => {
  const isAsked = action !== undefined && asked.has(action)
  if (action !== undefined && severe.has(action) && !(isAsked && isAbout)) return -unsaid
  if (isAsked) return ((isAbout ? 1 : alone) * actionWeight) / same(action)
  return actions.some((other) => other !== undefined && asked.has(other)) ? -otherAction : 0
}

/** The best tool for each clause. */
const bestOf = Effect.fnUntraced(function* (mind: Mind, tools: ReadonlyArray<Tool>, message: string) {
  const picks: Array<Pick> = []
  for (const clause of clausesOf(mind, message)) {
    const scores = yield* scoresOf(mind, tools, clause)
    const score = Math.max(...scores)
    const tool = tools[scores.indexOf(score)]
    if (tool !== undefined) picks.push({ tool, clause, score })
  }
  return picks
})

/** The tools that the message calls for, in its order. */
export const picksOf = Effect.fnUntraced(function* (mind: Mind, tools: ReadonlyArray<Tool>, message: string) {
  if (tools.length === 0) return []
  const best = yield* bestOf(mind, tools, message)
  const clear = best.filter(({ score }) => score >= leastScore)
  return clear.filter(({ tool }, i) => clear.findIndex((other) => other.tool === tool) === i)
})

/** The tool that fits best, however little. */
export const nearestOf = (mind: Mind, tools: ReadonlyArray<Tool>, message: string) =>
  Effect.map(bestOf(mind, tools, message), (picks) => picks.toSorted((a, b) => b.score - a.score)[0])
