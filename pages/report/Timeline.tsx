/** Steps, calls and questions over time. */
import type { CallRecord, RunRecord } from "../../src/report/model.ts"
import { amountsOf, isModelCall, isRunning, repairsOf, type Row, rowsOf, type Scale, scaleOf } from "./model.ts"
import { Section, useShared } from "./parts.tsx"
import { atMost, money, shown, tokens, took, usedMoney, usedTokens } from "./words.ts"

const LeftOut = () => (
  <div class="notice">
    <p>
      <strong>The report has no run of this thought, and leaves out some runs.</strong> If the thought was part of a
      durable run, collect the report by the id of that run, or with a higher limit. Its notes and its conversation are
      below.
    </p>
  </div>
)

const NotKept = () => (
  <div class="notice">
    <p>
      <strong>The memory did not keep when steps and calls ran.</strong> This thought was not part of a durable run, so
      the times, costs, failures and skipped steps of its runs are not known. Its notes and its conversation are below.
    </p>
    <p>
      To keep them, run the pipeline with <code>{"{ durable: true }"}</code>. To keep requests and answers as well, use{" "}
      <code>{'{ durable: { keep: "answers" } }'}</code>.
    </p>
  </div>
)

const kindName = (kind: CallRecord["kind"]): string =>
  ({
    complete: "model call",
    decide: "native decision",
    search: "search",
    effect: "effect",
    decision: "decision",
    once: "effect after commit"
  })[kind]

/** How long something took, or has taken until now; a dash if its end is not known. */
const lastedOf = ({ endedMillis, startedMillis }: Ending, now: number | undefined): string => {
  if (endedMillis !== undefined) return took(endedMillis - startedMillis)
  return now === undefined ? "—" : `≥ ${took(Math.max(0, now - startedMillis))}`
}

interface Ending extends Pick<CallRecord, "startedMillis" | "endedMillis"> {}

const isUnderWay = ({ state }: CallRecord, run: RunRecord | undefined): boolean =>
  state === "begun" && run !== undefined && isRunning(run)

const Bar = ({
  className,
  from,
  scale,
  until
}: {
  readonly className: string
  readonly from: number
  readonly until: number
  readonly scale: Scale
}) => {
  const left = scale.at(from)
  return (
    <span
      class={`bar ${className}`}
      style={{ left: `${left * 100}%`, width: `${Math.max(0, scale.at(until) - left) * 100}%` }}
    />
  )
}

const RowView = ({ end, row, scale }: { readonly row: Row; readonly scale: Scale; readonly end: number }) => {
  const { open, view } = useShared()
  if (row._tag === "step") {
    const { amounts, calls, depth, step } = row
    const { endedMillis, frame, kind, outcome, path, startedMillis } = step
    const name = shown(path.at(-1) ?? "")
    const times = /@(\d+)$/.exec(frame)?.[1]
    const used = tokens(amounts.input, amounts.output) || atMost(tokens(amounts.atMost?.input, amounts.atMost?.output))
    return (
      <li>
        <button
          type="button"
          class={`row step ${outcome}`}
          data-item
          data-frame={frame}
          onClick={() => open({ _tag: "step", frame })}
        >
          <span class="row-name" style={{ paddingLeft: `${depth * 16}px` }}>
            <span class={`dot ${outcome}`} />
            <b>{name}</b>
            {times === undefined ? null : <i>no. {times}</i>}
            <span class="kind">{shown(kind)}</span>
            <span class="hidden">, {outcome}</span>
          </span>
          <span class="track">
            <Bar className={`of-step ${outcome}`} from={startedMillis} until={endedMillis ?? end} scale={scale} />
            {calls.length === 1
              ? calls.map((call) => <CallBar key={call.n} call={call} end={end} scale={scale} />)
              : null}
          </span>
          <span class="cell">{lastedOf(step, outcome === "running" ? end : undefined)}</span>
          <span class="cell">{used}</span>
          <span class="cell">{money(amounts.usd) || atMost(money(amounts.atMost?.usd))}</span>
        </button>
      </li>
    )
  }
  if (row._tag === "call") {
    const { call, depth } = row
    return (
      <li>
        <button type="button" class="row call" data-item onClick={() => open({ _tag: "step", frame: call.frame })}>
          <span class="row-name" style={{ paddingLeft: `${depth * 16}px` }}>
            <span class={`dot ${call.state}`} />
            {kindName(call.kind)}
            {repairsOf(view).has(call) ? <i>repair</i> : null}
            {call.attempt > 1 ? <i>{call.attempt} attempts</i> : null}
            {call.state === "failed" || call.state === "interrupted" ? <i class="bad">{call.state}</i> : null}
            <span class="kind">{shown(call.model ?? "")}</span>
          </span>
          <span class="track">
            <CallBar call={call} end={end} scale={scale} />
          </span>
          <span class="cell">{lastedOf(call, isUnderWay(call, view.run) ? end : undefined)}</span>
          <span class="cell">{usedTokens(call)}</span>
          <span class="cell">{usedMoney(call)}</span>
        </button>
      </li>
    )
  }
  const { depth, wait } = row
  const { answeredBy, answeredMillis, createdMillis, key } = wait
  return (
    <li>
      <button
        type="button"
        class="row wait"
        data-item
        onClick={() => open({ _tag: "step", frame: wait.frame.replace(/\^.*$/, "") })}
      >
        <span class="row-name" style={{ paddingLeft: `${depth * 16}px` }}>
          <span class="dot waiting" />
          {answeredMillis === undefined ? "waits for" : "waited for"} {shown(key)}
          {answeredBy === undefined ? null : <i>by {shown(answeredBy)}</i>}
        </span>
        <span class="track">
          <Bar className="of-wait" from={createdMillis} until={answeredMillis ?? end} scale={scale} />
        </span>
        <span class="cell">{answeredMillis === undefined ? "open" : took(answeredMillis - createdMillis)}</span>
        <span class="cell" />
        <span class="cell" />
      </button>
    </li>
  )
}

const CallBar = ({ call, end, scale }: { readonly call: CallRecord; readonly scale: Scale; readonly end: number }) => (
  <Bar
    className={`of-call ${isModelCall(call) ? "model" : "other"} ${call.state}`}
    from={call.startedMillis}
    until={call.endedMillis ?? end}
    scale={scale}
  />
)

export const Timeline = () => {
  const { view } = useShared()
  const { run } = view
  if (run === undefined) {
    return (
      <Section id="timeline" title="Timeline">
        {view.report.leftOut.runs ? <LeftOut /> : <NotKept />}
      </Section>
    )
  }
  const [rows, scale] = [rowsOf(run), scaleOf(run, view.report)]
  const { atMost: bound, input, output, usd } = amountsOf(run.calls)
  // no call reports what it used
  const isFree = input === undefined && output === undefined && usd === undefined && bound === undefined
  const end = Math.max(run.createdMillis, run.endedMillis ?? view.report.collectedMillis)
  return (
    <Section
      id="timeline"
      title="Timeline"
      lead="Every step that ran, with its calls. Steps inside others are indented."
    >
      <div class={`timeline${isFree ? " free" : ""}`}>
        <div class="row head" aria-hidden="true">
          <span class="row-name">Step</span>
          <span class="track">
            {scale.ticks.map(({ at, millis }) => (
              <span key={millis} class="tick" style={{ left: `${at * 100}%` }}>
                {took(millis)}
              </span>
            ))}
            {scale.breaks.map(({ at, millis }) => (
              <span key={at} class="tick break" style={{ left: `${at * 100}%` }}>
                {took(millis)}
              </span>
            ))}
          </span>
          <span class="cell">Time</span>
          <span class="cell">Tokens</span>
          <span class="cell">Cost</span>
        </div>
        <ol>
          {rows.map((row, at) => (
            <RowView key={at} row={row} scale={scale} end={end} />
          ))}
        </ol>
        <p class="legend" aria-hidden="true">
          <span class="swatch model" /> model call <span class="swatch other" /> search or effect{" "}
          <span class="swatch step" /> step <span class="swatch wait" /> waiting
        </p>
      </div>
    </Section>
  )
}
