/** Forks, repetitions and other runs side by side. */
import { useState } from "preact/hooks"
import type { NoteReport, RunRecord, ThoughtReport } from "../../src/report/model.ts"
import { answerOf } from "../../src/text/answer.ts"
import { seenBy } from "./model.ts"
import { Pill, Section, useShared } from "./parts.tsx"
import { moment, percent, shown } from "./words.ts"

interface Column {
  readonly thought: ThoughtReport
  readonly run: RunRecord | undefined
  readonly current: ReadonlyMap<string, NoteReport>
}

const tones: Readonly<Record<RunRecord["status"], string>> = {
  completed: "good",
  failed: "bad",
  waiting: "wait",
  interrupted: "plain",
  pending: "plain",
  running: "plain"
}

const relationOf = ({ run, thought }: Column): string => {
  if (run?.parent?.relation === "rerun") {
    return `repeats ${run.parent.runId}${run.parent.from === undefined ? "" : ` from ${run.parent.from}`}`
  }
  if (run?.parent?.relation === "background") return `in the background of ${run.parent.runId}`
  return { focus: "this thought", ancestor: "forked from", descendant: "a fork", sibling: "another fork" }[
    thought.relation
  ]
}

const mostColumns = 5

export const Compare = ({
  choose,
  chosen
}: {
  readonly choose: (runId: string) => void
  readonly chosen: string | undefined
}) => {
  const { open, view } = useShared()
  const [onlyDifferent, setOnlyDifferent] = useState(false)
  const { report } = view
  if (report.thoughts.length < 2 && report.runs.length < 2) return null
  const columns = report.thoughts.slice(0, mostColumns).map((thought): Column => ({
    thought,
    run: report.runs.find((run) => (run.endThoughtId ?? run.startThoughtId) === thought.id),
    current: new Map(seenBy(report, thought).map((note) => [note.key, note]))
  }))
  const keys = [...new Set(columns.flatMap(({ current }) => [...current.keys()]))]
  const isSame = (key: string): boolean => new Set(columns.map(({ current }) => current.get(key)?.content)).size === 1
  const listed = onlyDifferent ? keys.filter((key) => !isSame(key)) : keys
  return (
    <Section
      id="compare"
      title="Forks and other runs"
      lead="The newest note of each key, side by side. Differences are marked."
    >
      {report.runs.length < 2 ? null : (
        <ul class="runs">
          {report.runs.map((run) => (
            <li key={run.id}>
              <button
                type="button"
                data-item
                class="run"
                aria-pressed={run.id === chosen}
                onClick={() => choose(run.id)}
              >
                <Pill tone={tones[run.status]}>{run.status}</Pill>
                <code>{shown(run.id)}</code>
                <span class="kind">
                  {run.parent?.relation === "rerun"
                    ? `repeats ${shown(run.parent.runId)}${run.parent.from === undefined ? "" : ` from ${shown(run.parent.from)}`}`
                    : shown(run.pipeline)}
                </span>
                <span class="cell">{moment(run.createdMillis)}</span>
              </button>
            </li>
          ))}
        </ul>
      )}
      {columns.length < 2 ? null : (
        <>
          <label class="check">
            <input
              type="checkbox"
              checked={onlyDifferent}
              onInput={(event) => setOnlyDifferent(event.currentTarget.checked)}
            />{" "}
            Only differences
          </label>
          <div class="scroll" tabIndex={0} role="region" aria-label="Notes side by side">
            <table class="compare">
              <thead>
                <tr>
                  <th scope="col">Key</th>
                  {columns.map((column) => (
                    <th key={column.thought.id} scope="col">
                      <code>{shown(column.run?.id ?? column.thought.traceId)}</code>
                      <small>{shown(relationOf(column))}</small>
                    </th>
                  ))}
                </tr>
              </thead>
              <tbody>
                {listed.slice(0, 200).map((key) => (
                  <tr key={key} class={isSame(key) ? "" : "differs"}>
                    <th scope="row">{shown(key)}</th>
                    {columns.map(({ current, thought }) => {
                      const note = current.get(key)
                      if (note === undefined)
                        return (
                          <td key={thought.id} class="absent">
                            not written
                          </td>
                        )
                      const { confidence, headline } = answerOf(note)
                      return (
                        <td key={thought.id}>
                          <button type="button" class="link" onClick={() => open({ _tag: "note", id: note.id })}>
                            {note.redactedMillis === undefined ? headline : "redacted"}
                          </button>
                          {confidence === undefined ? null : <small> {percent(confidence)}</small>}
                        </td>
                      )
                    })}
                  </tr>
                ))}
              </tbody>
            </table>
          </div>
          {report.thoughts.length > mostColumns ? (
            <p class="hint">
              The first {mostColumns} of {report.thoughts.length} thoughts.
            </p>
          ) : null}
        </>
      )}
    </Section>
  )
}
