/**
 * What is said about a ticket: as a value to print as JSON, and as lines to read.
 */
import { Effect } from "effect"
import { type Provider, Thought } from "cogito"
import type { Meter } from "./meter.ts"
import { low } from "./options.ts"
import { category, empty, escalate, history, message, mood, ticket } from "./pipeline.ts"
import { bold, dim, type Look, plain, shorten, wrap } from "./screen.ts"

/** A ticket with its answers, or with a note that explains why it has no answers. */
export type Report = Effect.Success<ReturnType<typeof reportOf>>

/**
 * Reads the answers back from the thought's notes, with the types of the steps that wrote them. The pipeline has run, so
 * that a note is missing can only be a defect.
 */
export const reportOf = Effect.fnUntraced(function* (
  number: number,
  thought: Thought.Thought,
  { current, savedNow }: Meter
) {
  const head = {
    number,
    traceId: thought.traceId,
    thoughtId: thought.id,
    message: yield* Thought.read(thought, message),
    modelCalls: current.calls,
    savedCalls: savedNow,
    usage: current.usage
  }
  if (thought.note(empty.key) !== undefined) return { ...head, empty: yield* Thought.read(thought, empty) }
  const answered = yield* Thought.require(thought, [ticket, history, category, mood, escalate])
  return {
    ...head,
    answers: {
      ticket: answered.get("ticket"),
      history: answered.get("history").matches.map(({ content, score, similarity, traceId }) => ({
        traceId,
        message: content,
        similarity,
        score
      })),
      category: answered.get("category"),
      mood: answered.get("mood"),
      escalate: answered.get("escalate"),
      summary: yield* Thought.text(answered, "escalate_summary")
    }
  }
}, Effect.orDie)

// ------------------------------------------------------------------------------------------------------------ lines

const labelWidth = 12

/** The ticket as a block of lines. */
export const render = (report: Report, look: Look): string => {
  const { message, number, traceId } = report
  return [
    ...heading(number, traceId, look),
    ...quoted(message, look),
    ...("empty" in report ? row("note", report.empty, look) : rows(report.answers, look)),
    ""
  ].join("\n")
}

const heading = (number: number, traceId: string, look: Look): ReadonlyArray<string> => [
  `${bold(look, `Ticket ${number}`)}  ${dim(look, plain(traceId))}`
]

type Answers = Extract<Report, { readonly answers: unknown }>["answers"]

const rows = (answers: Answers, look: Look): ReadonlyArray<string> => {
  const { category, escalate, history, mood, summary, ticket } = answers
  const second = category.secondary === undefined ? "" : `, perhaps ${category.secondary}`
  const feelings = mood.emotions.length === 0 ? "" : `: ${mood.emotions.slice(0, mostFeelings).join(", ")}`
  const why = escalate.reasoning.length > 0 ? escalate.reasoning.join(" ") : "no reason found in the text"
  return [
    ...row("customer", ticket.customer ?? "not given", look),
    ...row("issue", ticket.issue || "not found", look),
    ...row("signals", ticket.signals.join(" · ") || "none", look),
    ...row("category", `${category.primary} ${sure(category.confidence, low.label)}${second}`, look),
    ...row("mood", `${mood.overall} ${sure(mood.confidence, low.label)}${feelings}`, look),
    ...(history.length === 0 ? row("similar", "none so far", look) : similar(history, look)),
    ...row("escalate", `${escalate.decision ? "YES" : "no"} ${sure(escalate.confidence, low.yesNo)}: ${why}`, look),
    ...row("summary", summary, look)
  ]
}

const mostFeelings = 2

const sure = (confidence: number, bound: number): string =>
  `(${confidence.toFixed(2)}${confidence < bound ? ", low" : ""})`

const row = (label: string, text: string, look: Look): ReadonlyArray<string> =>
  wrap(text, look.width - labelWidth).map((line, index) => `  ${name(index === 0 ? label : "", look)}${line}`.trimEnd())

/** One line for each earlier text: how similar it is, in which ticket and how often it came, how it begins. */
const similar = (history: Answers["history"], look: Look): ReadonlyArray<string> =>
  Array.from(Map.groupBy(history, ({ message }) => message).values(), (tickets, index) => {
    const { message, similarity, traceId } = tickets[0]!
    const head = `${similarity.toFixed(2)} ${plain(traceId)}${tickets.length === 1 ? "" : ` (×${tickets.length})`}  `
    return `  ${name(index === 0 ? "similar" : "", look)}${head}${shorten(message, look.width - labelWidth - head.length)}`
  })

const name = (label: string, look: Look): string => dim(look, label.padEnd(labelWidth - 2))

/** The beginning of the ticket as it was written. */
const quoted = (text: string, look: Look): ReadonlyArray<string> => {
  const lines = wrap(plain(text) === "" ? "(blank)" : text, look.width - 6)
  return lines.slice(0, 3).map((line, index) => `  > ${line}${index === 2 && lines.length > 3 ? " …" : ""}`)
}

/** A ticket that could not be answered. */
export const renderFailed = (
  { error, message, number, traceId }: Pick<Report, "message" | "number" | "traceId"> & { readonly error: string },
  look: Look
): string => [...heading(number, traceId, look), ...quoted(message, look), ...row("failed", error, look), ""].join("\n")

/** A ticket that the provider could not read, and why. */
export const renderUnread = (
  { message, number, traceId, unread }: Pick<Report, "message" | "number" | "traceId"> & { readonly unread: string },
  look: Look
): string =>
  [...heading(number, traceId, look), ...quoted(message, look), ...row("note", capital(unread), look), ""].join("\n")

const capital = (text: string): string => `${text.charAt(0).toUpperCase()}${text.slice(1)}`

/** What the whole run took. */
export const totals = ({ failures, saved, tickets, total, unread }: Meter, millis: number): string =>
  [
    `${tickets} ${tickets === 1 ? "ticket" : "tickets"}${exceptions(unread, failures)}`,
    `${total.calls} model calls`,
    ...(saved === 0 ? [] : [`${saved} saved by the ledger`]),
    `tokens: ${tokens(total.usage)}`,
    `${(millis / 1000).toFixed(1)} s`
  ].join(" · ")

const exceptions = (unread: number, failures: number): string => {
  const some = [unread === 0 ? [] : `${unread} not read`, failures === 0 ? [] : `${failures} failed`].flat()
  return some.length === 0 ? "" : ` (${some.join(", ")})`
}

const tokens = ({ inputTokens, outputTokens }: Provider.Usage): string =>
  inputTokens === undefined && outputTokens === undefined
    ? "not reported"
    : `${inputTokens ?? "?"} in, ${outputTokens ?? "?"} out`

/** How to look at a ticket in a browser. */
export const pageOf = (traceId: string, data: string): string =>
  `Report: npx cogito report ${traceId} --data-dir ${data} > t.html`
