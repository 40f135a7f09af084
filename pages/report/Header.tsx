/** What a reader should see first: what the run was for, how it ended and why, and what it took. */
import { answerOf } from "../../src/text/answer.ts"
import { amountsOf, isRunning, outcomeOf, spanOf, type View } from "./model.ts"
import { Pill, useShared } from "./parts.tsx"
import { counted, moment, money, number, percent, shown, took } from "./words.ts"

const Figure = ({
  label,
  note,
  value
}: {
  readonly label: string
  readonly value: string
  readonly note?: string | undefined
}) => (
  <div class="figure">
    <dt>{label}</dt>
    <dd>
      {value === "" ? <span class="unknown">not known</span> : value}
      {note === undefined ? null : <small>{note}</small>}
    </dd>
  </div>
)

const figuresOf = ({ notes, report, run }: View) => {
  if (run === undefined) {
    const [first, last] = [notes[0], notes.at(-1)]
    const span = first === undefined || last === undefined ? "" : took(last.createdMillis - first.createdMillis)
    return [
      { label: "First to last note", value: span },
      { label: "Notes", value: number(notes.length) }
    ]
  }
  const [from, until] = spanOf(run, report)
  const { calls, input, output, usd } = amountsOf(run.calls)
  const failed = run.calls.filter(
    ({ kind, state }) => state === "failed" && (kind === "complete" || kind === "decide")
  ).length
  return [
    { label: "Duration", value: took(until - from), note: isRunning(run) ? "so far" : undefined },
    { label: "Steps", value: number(run.steps.length) },
    { label: "Model calls", value: number(calls), note: failed === 0 ? undefined : `${failed} failed` },
    {
      label: "Tokens",
      value: input === undefined && output === undefined ? "" : number((input ?? 0) + (output ?? 0)),
      note:
        input === undefined && output === undefined ? undefined : `${number(input ?? 0)} in, ${number(output ?? 0)} out`
    },
    { label: "Cost", value: money(usd) },
    { label: "Notes", value: number(notes.length) }
  ]
}

/** What calls without a known outcome can have used: the figures do not count it. */
const AtMost = ({ run }: Pick<View, "run">) => {
  const { atMost } = amountsOf(run?.calls ?? [])
  if (atMost === undefined) return null
  const { calls, input, output, usd } = atMost
  const all = input === undefined && output === undefined ? undefined : (input ?? 0) + (output ?? 0)
  const amounts = [all === undefined ? "" : counted(all, "token"), money(usd)].filter((text) => text !== "")
  return (
    <p class="hint at-most">
      + at most {amounts.join(", ")} of {counted(calls, "call")} without a known outcome
    </p>
  )
}

/** The answers of the run in short, in their order; the last one is what it came to. */
const InShort = () => {
  const { open, view } = useShared()
  const answers = view.notes.filter(({ redactedMillis, step }) => step !== "" && redactedMillis === undefined).slice(-8)
  if (answers.length === 0) return null
  return (
    <ul class="in-short" aria-label="Answers in short">
      {answers.map((note) => {
        const { confidence, headline } = answerOf(note)
        return (
          <li key={note.id}>
            <button type="button" data-item onClick={() => open({ _tag: "note", id: note.id })}>
              <span class="key">{shown(note.key)}</span>
              <span class="value">{headline}</span>
              {confidence === undefined ? null : <span class="sure">{percent(confidence)}</span>}
            </button>
          </li>
        )
      })}
    </ul>
  )
}

export const Header = () => {
  const { open, view } = useShared()
  const { run, thought } = view
  const { detail, frame, tone, why, word } = outcomeOf(view)
  return (
    <header class="hero">
      <p class="eyebrow">
        {run === undefined ? "Thought" : "Run"} <code>{shown(run?.id ?? thought.traceId)}</code>
        {run === undefined ? null : (
          <>
            {" "}
            of <strong>{shown(run.pipeline)}</strong>
          </>
        )}{" "}
        · {moment(run?.createdMillis ?? thought.createdMillis)}
      </p>
      <h1>{shown(thought.intent)}</h1>
      <div class={`outcome ${tone}`}>
        <Pill tone={tone}>{word}</Pill>
        <div>
          <p class="why">
            {shown(why)}{" "}
            {frame === undefined ? null : (
              <button type="button" class="link" onClick={() => open({ _tag: "step", frame })}>
                Show the step
              </button>
            )}
          </p>
          {detail === undefined || detail === "" ? null : (
            <p class="detail" tabIndex={0}>
              {shown(detail)}
            </p>
          )}
        </div>
      </div>
      <dl class="figures">
        {figuresOf(view).map((figure) => (
          <Figure key={figure.label} {...figure} />
        ))}
      </dl>
      <AtMost run={run} />
      <InShort />
      {view.report.leftOut.thoughts || view.report.leftOut.runs ? (
        <p class="hint">
          This report leaves out some {view.report.leftOut.thoughts ? "thoughts" : "runs"}: it has{" "}
          {counted(view.report.thoughts.length, "thought")} and {counted(view.report.runs.length, "run")}.
        </p>
      ) : null}
    </header>
  )
}
