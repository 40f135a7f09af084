/** How a durable run records the calls of models. */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { ProviderError } from "../../provider/ProviderError.ts"
import type { AnyRequest, Message, Request, Response } from "../../provider/request.ts"
import type { Shape as ProviderShape } from "../../provider/Shape.ts"
import { essentialOf, type Tool } from "../../provider/tools.ts"
import type { Entry } from "../../run/journal.ts"
import { canonicalJson } from "../../schema/canonicalJson.ts"
import { sha256 } from "../../schema/sha256.ts"
import { Made } from "../../limits/budget/inForce.ts"
import { carryOver } from "../../limits/budget/carriedOver.ts"
import type { Remembering } from "../../provider/service.ts"
import { recorded, Run } from "../../run/run.ts"
import { isReplayed } from "./earlier.ts"
import { noteOf, stateOf } from "../../thought/state.ts"
import { gathered } from "../../thought/gathered.ts"
import { hash128 } from "../../text/hash.ts"
import { mostOf } from "../../provider/accounted.ts"
import { costKnown } from "../../provider/spent.ts"
import { unstoredSources } from "../../thought/origin.ts"

const written = new WeakMap<Message, string>()

/** What of a message determines an answer, as JSON. Made once for each message, as a conversation shows it again and again. */
const jsonOf = (message: Message): string => {
  const known = written.get(message)
  if (known !== undefined) return known
  const json = JSON.stringify(essentialOf(message))
  written.set(message, json)
  return json
}

/** The hash of a conversation up to each message, and that of the messages before it, for which it holds. */
const hashes = new WeakMap<Message, { readonly before: string; readonly hash: string }>()

/** The hash of a conversation: that of each message with the hash of those before. A message that is shown again costs nothing. */
const conversationOf = (messages: ReadonlyArray<Message>): Effect.Effect<string> =>
  Effect.gen(function* () {
    let before = ""
    for (const message of messages) {
      const known = hashes.get(message)
      const hash = known?.before === before ? known.hash : yield* sha256(before + jsonOf(message))
      if (hash !== known?.hash) hashes.set(message, { before, hash })
      before = hash
    }
    return before
  })

/** The parts of a request that must be equal for its answer to fit, before a provider leaves out what it does not support. */
const partsOf = (
  { model, name }: ProviderShape,
  { asked, request }: AnyRequest,
  conversation: string
): Readonly<Record<string, string>> => {
  const { input, instruction, kind, output, questions } = request.task
  const text = asked === "text" ? request : undefined
  const { messages } = request
  return {
    provider: JSON.stringify([name, model]),
    conversation,
    message: messages.slice(-1).map(jsonOf).join(),
    task: canonicalJson([asked, kind, instruction, input, questions]),
    form: canonicalJson(output === undefined || text === undefined ? null : [output.jsonSchema, output.instructions]),
    sampling: canonicalJson(text === undefined ? null : [text.phase, text.wish ?? text.sampling]),
    tools: toolsOf(text)
  }
}

const toolsOf = ({ parallelCalls, toolChoice, tools }: Partial<Request> = {}): string =>
  parallelCalls === undefined && toolChoice === undefined
    ? tools === undefined
      ? "null"
      : `[${tools.map(jsonOfTool).join(",")}]`
    : canonicalJson({ parallelCalls, toolChoice, tools })

const toolTexts = new WeakMap<Tool, string>()

/** A tool as JSON, made once, as every round of an agent sends it. */
const jsonOfTool = (tool: Tool): string => {
  const known = toolTexts.get(tool)
  if (known !== undefined) return known
  const json = canonicalJson(tool)
  toolTexts.set(tool, json)
  return json
}

/**
 * The notes that a call shows and its thought does not have, such as those that were found, those that the code around has got, and
 * those from which notes were made that are not stored yet, as of an attempt that is not over. The rows of the call name them, so that
 * a redaction of one finds these.
 */
const namesOf = ({ request }: AnyRequest): Effect.Effect<Named> =>
  Effect.flatMap(Run, ({ given }) =>
    Effect.map(gathered(given), (around) => {
      const shown = request.task.context.map(({ id }) => id)
      const ofOthers = given === undefined ? shown : shown.filter((id) => noteOf(stateOf(given), id) === undefined)
      const unstored = given === undefined ? [] : unstoredSources(stateOf(given))
      const others = [...new Set([...ofOthers, ...around, ...unstored])]
      return others.length === 0 ? {} : { shows: others }
    })
  )

interface Named {
  readonly shows?: ReadonlyArray<string>
}

/** The call as plain data. Its notes are in the messages, so those that go beside them are left out. */
const plain = ({ model, name }: Pick<ProviderShape, "model" | "name">, call: AnyRequest, named: Named): unknown => {
  const { input, instruction, kind, output, questions } = call.request.task
  const task = {
    kind,
    instruction,
    input,
    questions,
    output: output && { name: output.name, jsonSchema: output.jsonSchema }
  }
  const { messages } = call.request
  const sent = messages.map(({ calls, carry, kept, results, role, text }) => ({
    role,
    text,
    ...(kept !== undefined && { kept }),
    ...(calls !== undefined && { calls }),
    ...(results !== undefined && { results }),
    ...(carry !== undefined && { carry })
  }))
  const about = { provider: name, model, asked: call.asked, ...named }
  if (call.asked === "native") return { ...about, request: { messages: sent, task } }
  const { phase, sampling, tools, wish = sampling } = call.request
  return { ...about, request: { messages: sent, task, phase, sampling: wish, ...(tools !== undefined && { tools }) } }
}

const requestKeyOf = (
  provider: ProviderShape,
  call: AnyRequest,
  named: Named
): NonNullable<Entry<never, never>["request"]> =>
  Effect.suspend(() => {
    const { model, name } = provider
    const data = () => plain(provider, call, named)
    return Effect.flatMap(conversationOf(call.request.messages.slice(0, -1)), (conversation) => {
      const texts = partsOf(provider, call, conversation)
      const parts = Object.fromEntries(Object.entries(texts).map(([part, text]) => [part, hash128(text)]))
      // JSON contains no line breaks, so they separate the parts
      return Effect.map(sha256(Object.values(texts).join("\n")), (hash) => ({
        hash,
        parts,
        provider: name,
        model,
        data,
        ...named
      }))
    })
  })

/** Errors of providers as JSON. */
export const failure = {
  encode: Schema.encodeSync(Schema.toCodecJson(ProviderError)) as (error: ProviderError) => unknown,
  decode: Schema.decodeUnknownSync(Schema.toCodecJson(ProviderError))
}

/** Answers of providers as JSON, which may name notes besides. */
export const answer = {
  // the remaining rate limit is meaningless in a later execution, and nothing is sent there
  encode: (response: Answered, named: Named): unknown => ({
    ...response,
    limits: undefined,
    sent: undefined,
    ...named
  }),
  decode: (json: unknown): Answered => {
    const { shows: _, ...response } = json as Answered & Named
    return response
  }
}

type Answered = Pick<Response, "usage" | "usd" | "provider">

const entryOf = <A extends Answered>(
  kind: "complete" | "decide",
  provider: ProviderShape,
  call: AnyRequest,
  named: Named,
  made: { readonly calls: number }
): Entry<A, ProviderError> => ({
  kind,
  acts: "call",
  request: requestKeyOf(provider, call, named),
  value: { encode: (response) => answer.encode(response, named), decode: (json) => answer.decode(json) as A },
  failure: { encode: (error) => ({ ...(failure.encode(error) as object), ...named }), decode: failure.decode },
  times: () => made.calls,
  most: () => mostOf(provider, call),
  spent: (outcome) => ({
    provider: outcome.provider,
    usage: outcome.usage,
    usd:
      outcome instanceof ProviderError
        ? undefined
        : (outcome.usd ??
          (outcome.provider === undefined ? costKnown(outcome.usage, provider.capabilities.prices) : undefined))
  })
})

/** Counts in the budgets of a provider's layers what earlier executions of the run have used of it. */
const carriedOver = (provider: ProviderShape): Effect.Effect<void> =>
  Effect.flatMap(Run, ({ journal }) => {
    const { budgets } = provider
    if (journal === undefined || budgets === undefined || journal.counted.has(provider)) return Effect.void
    journal.counted.add(provider)
    return carryOver(journal, "", budgets(), (call) => (call.provider === undefined ? [] : budgets(call.provider)))
  })

const through = <A extends Answered>(
  kind: "complete" | "decide",
  provider: ProviderShape,
  asked: AnyRequest,
  call: Effect.Effect<A, ProviderError>
): Effect.Effect<A, ProviderError> =>
  Effect.flatMap(Effect.andThen(carriedOver(provider), namesOf(asked)), (named) => {
    const made = { calls: 0 }
    return recorded(() => entryOf<A>(kind, provider, asked, named, made), Effect.provideService(call, Made, made))
  })

export const remembering: Remembering = {
  complete: (provider, request, call) => through("complete", provider, { asked: "text", request }, call),
  decide: (provider, request, call) => through("decide", provider, { asked: "native", request }, call),
  unusable: (answers) => Effect.map(Run, ({ journal }) => journal?.unusable(answers)),
  isReplayed
}
