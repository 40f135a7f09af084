/** Answers that are wrong in one place: whole ones, streams, and those to closed questions. */
import {
  type Answer,
  extend,
  type DecideRequest,
  type ProviderError,
  type Response,
  type StreamPart
} from "cogito/Provider"
import * as Effect from "effect/Effect"
import { type Mutation, onParts, onProvider, onWhole } from "./mutation.ts"
import { type Change, changesOf, ofSomeTexts } from "./values.ts"

const call = { id: "", name: "", params: "" }
const usage = { inputTokens: 0, outputTokens: 0 }

const responses: ReadonlyArray<Change> = [
  ...changesOf({ text: "" }, ofSomeTexts),
  ...changesOf({ calls: [call, call, call], usage }),
  { name: "calls none", change: (value) => ({ calls: [], ...value }) },
  { name: "carry added", change: (value) => ({ ...value, carry: { provider: "house", model: "house-1", data: 1 } }) },
  { name: "sampling of a temperature", change: (value) => ({ ...value, sampling: { temperature: 1 } }) },
  { name: "sampling of no temperature", change: (value) => ({ ...value, sampling: {} }) }
]

const onDone = ({ change, name }: Change): Mutation =>
  onParts(`answer ${name}`, (parts, error) => [
    ...parts.map((part) => (part._tag === "Done" ? { ...part, response: change(part.response) } : part)),
    ...(error === undefined ? [] : [error])
  ])

/** From the second answer of a provider on. */
const onLater = ({ change, name }: Change): Mutation =>
  onProvider(`complete: later answers ${name}`, (provider) => {
    let made = 0
    return extend(provider, {
      complete: (request) =>
        Effect.map(provider.complete(request), (response) => (made++ === 0 ? response : change(response)))
    })
  })

// ------------------------------------------------------------------------------------------------------------ streams

/** Changes of the parts of one kind, where a stream has some. */
const partChanges = (tag: StreamPart["_tag"]): ReadonlyArray<Mutation> =>
  changesOf([] as ReadonlyArray<StreamPart>).map(({ change, name }) =>
    onParts(`${tag} parts ${name}`, (parts, error) => {
      const at = parts.findIndex(({ _tag }) => _tag === tag)
      const before = parts.slice(0, Math.max(0, at)).filter(({ _tag }) => _tag !== tag)
      const after = parts.slice(Math.max(0, at)).filter(({ _tag }) => _tag !== tag)
      const changed = change(parts.filter(({ _tag }) => _tag === tag))
      return [...before, ...changed, ...after, ...(error === undefined ? [] : [error])]
    })
  )

const text: StreamPart = { _tag: "Text", delta: "more" }
const done: StreamPart = { _tag: "Done", response: { text: "The", usage: {} } }

const added: ReadonlyArray<readonly [name: string, part: StreamPart]> = [
  ["an empty text", { _tag: "Text", delta: "" }],
  ["a text", text],
  ["a text of a thought", { _tag: "Reasoning", delta: "I see." }],
  ["a part of the first call", { _tag: "Call", id: "call_1", name: "weather", delta: "}" }],
  ["an empty part of the first call", { _tag: "Call", id: "call_1", name: "weather", delta: "" }],
  ["a part of another call", { _tag: "Call", id: "call_9", name: "weather", delta: "{}" }],
  ["an answer", done]
]

type Parts = ReadonlyArray<StreamPart | ProviderError>

const streams: ReadonlyArray<Mutation> = [
  ...(["Text", "Call", "Done"] as const).flatMap(partChanges),
  ...(["delta", "id", "name"] as const).flatMap((field) =>
    changesOf({ [field]: "" })
      .filter(({ name }) => name.startsWith(field) && !name.includes("left out"))
      .flatMap(({ change, name }) =>
        (["Text", "Call"] as const).map((tag) =>
          onParts(`${tag} ${name}`, (parts, error) => [
            ...parts.map((part) => (part._tag === tag ? change(part) : part)),
            ...(error === undefined ? [] : [error])
          ])
        )
      )
  ),
  ...added.flatMap(([name, part]): ReadonlyArray<Mutation> => [
    onParts(`${name} at first`, (parts, error): Parts => [part, ...parts, ...(error === undefined ? [] : [error])]),
    onParts(`${name} after the answer`, (parts, error): Parts =>
      error === undefined ? [...parts, part] : [...parts, error]
    ),
    onParts(`${name} before the answer`, (parts, error): Parts =>
      error === undefined ? parts.toSpliced(-1, 0, part) : [...parts, error]
    ),
    onParts(`${name} before a failure`, (parts, error): Parts =>
      error === undefined ? parts : [...parts, part, error]
    ),
    onParts(`${name} in the place of a failure`, (parts, error): Parts =>
      error === undefined ? parts : [...parts, part]
    )
  ]),
  onParts("nothing in the place of a failure", (parts) => parts)
]

// ---------------------------------------------------------------------------------------------------------- decisions

const answers: ReadonlyArray<Answer> = [
  { _tag: "Predicate", name: "", probability: 0.5 },
  { _tag: "Choice", name: "", label: "", distribution: { billing: 0.5, technical: 0.5, other: 0.5 } },
  { _tag: "Score", name: "", value: 0, distribution: { calm: 0.5, cross: 0.5, furious: 0.5 } }
]

/** Moves so much of a distribution from one label to another. */
const moved = (share: number) => (answer: Answer) =>
  "distribution" in answer
    ? {
        ...answer,
        distribution: Object.fromEntries(
          Object.entries(answer.distribution).map(([label, value], i) => [label, value + [-share, share, 0][i]!])
        )
      }
    : answer

const decided: ReadonlyArray<Change> = [
  ...changesOf({ answers, usage }),
  ...[0.01, 0.05].map((share): Change => ({
    name: `answers with ${share} moved between labels`,
    change: (value: any) => ({ ...value, answers: value.answers.map(moved(share)) })
  })),
  ...[10.5, 3].map((score): Change => ({
    name: `answers with a score of ${score}`,
    change: (value: any) => ({
      ...value,
      answers: value.answers.map((answer: Answer) => (answer._tag === "Score" ? { ...answer, value: score } : answer))
    })
  }))
]

const questions = { task: { questions: [{ question: "" }, { question: "" }] }, messages: [{ text: "" }, { text: "" }] }

const decisions: ReadonlyArray<Mutation> = [
  ...decided.map(({ change, name }) =>
    onProvider(`decide: ${name}`, (provider) =>
      extend(provider, { decide: (request) => Effect.map(provider.decide!(request), change) })
    )
  ),
  ...changesOf(questions).map(({ change, name }) =>
    onProvider(`decide: request ${name}`, (provider) =>
      extend(provider, { decide: (request: DecideRequest) => provider.decide!(change(request)) })
    )
  )
]

export const answerMutations: ReadonlyArray<Mutation> = [
  ...responses.map(({ change, name }) => onWhole(name, change as (response: Response) => Response)),
  ...responses.map(onDone),
  ...responses.filter(({ name }) => /^(?:text|usage\.outputTokens|sampling)/.test(name)).map(onLater),
  ...streams,
  ...decisions
]
