/** The durable runs of the memory, the newest first. */
import type { RunItem, RunsPage } from "../../src/studio/model.ts"
import { money, number, shown, tokens, took } from "../report/words.ts"
import { useData } from "./data.ts"
import { Empty, Pages, RunStatus, Status, Table, When } from "./parts.tsx"
import { query, to } from "./place.ts"

const statuses = ["running", "waiting", "completed", "failed", "interrupted", "pending"]

const Filter = ({ status }: { readonly status: string | undefined }) => (
  <ul class="filter" aria-label="Status of the runs">
    {[undefined, ...statuses].map((one) => (
      <li key={one ?? "all"}>
        <a href={to(["runs"], { status: one })} aria-current={one === status ? "true" : undefined}>
          {one ?? "all"}
        </a>
      </li>
    ))}
  </ul>
)

const Row = ({ at, createdMillis, error, id, millis, pipeline, status, totals }: RunItem) => (
  <tr>
    <td class="main-cell">
      <a href={to(["runs", id])}>{shown(id)}</a>
      <span class="kind">{shown(pipeline)}</span>
    </td>
    <td>
      <RunStatus status={status} />
    </td>
    <td class="path">
      {(error === undefined ? at : [`failed with ${error}`]).map((line) => (
        <div key={line}>{shown(line)}</div>
      ))}
    </td>
    <td class="number">{took(millis)}</td>
    <td class="number">{number(totals.modelCalls)}</td>
    <td class="number">{tokens(totals.usage.inputTokens, totals.usage.outputTokens)}</td>
    <td class="number">{money(totals.usd)}</td>
    <td class="when">
      <When inColumn millis={createdMillis} />
    </td>
  </tr>
)

const heads = [
  ["Run"],
  ["Status"],
  ["Step"],
  ["Time", "number"],
  ["Calls", "number"],
  ["Tokens", "number"],
  ["Cost", "number"],
  ["Created (UTC)"]
] as const

export const Runs = () => {
  const names = ["status", "after", "created"].map((name) => query.get(name) ?? undefined)
  const [status, after, created] = names
  const isFirst = after === undefined
  const loaded = useData<RunsPage>(to(["data", "runs"], { status, after, created }), () => (isFirst ? 2000 : undefined))
  const { value } = loaded
  return (
    <>
      <h1>Runs</h1>
      <Filter status={status} />
      <Status loaded={loaded} />
      {value === undefined ? null : value.runs.length === 0 ? (
        <Empty>{status === undefined ? "There are no durable runs in this scope yet." : `No run is ${status}.`}</Empty>
      ) : (
        <Table name="Runs" heads={heads}>
          {value.runs.map((run) => (
            <Row key={run.id} {...run} />
          ))}
        </Table>
      )}
      <Pages here="runs" isFirst={isFirst} next={value?.next} query={{ status }} />
    </>
  )
}
