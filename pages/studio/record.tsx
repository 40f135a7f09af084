/** One run or one thought, as its report shows it, read again while it may change. */
import type { RunReport } from "../../src/report/model.ts"
import { App } from "../report/App.tsx"
import { Bar } from "./Bar.tsx"
import { useData } from "./data.ts"
import { Status } from "./parts.tsx"
import { to } from "./place.ts"
import { Questions } from "./questions.tsx"

const isLive = ({ focus, runs }: RunReport): boolean =>
  runs.some(({ id, status }) => id === focus.runId && (status === "running" || status === "pending"))

/** Milliseconds until the report is read again. */
const every = (report: RunReport | undefined): number => (report !== undefined && isLive(report) ? 1000 : 4000)

/** The run whose questions the page asks: its own, or that of its thought. */
const runOf = (kind: "runs" | "thoughts", id: string, report: RunReport | undefined): string | undefined =>
  kind === "runs" ? id : report?.focus.runId

export const Record = ({ id, kind }: { readonly kind: "runs" | "thoughts"; readonly id: string }) => {
  const loaded = useData<RunReport>(to(["data", kind, id]), every)
  const { failure, value } = loaded
  if (value === undefined) {
    return (
      <>
        <Bar />
        <main id="main">
          <Status loaded={loaded} />
        </main>
      </>
    )
  }
  const runId = runOf(kind, id, value)
  const around = {
    place: "cogito studio",
    brand: null,
    news: (
      <>
        {failure === undefined ? null : <Status loaded={loaded} />}
        {runId === undefined ? null : <Questions runId={runId} />}
      </>
    ),
    note: "This page is kept up to date while it is open."
  }
  return (
    <>
      <Bar />
      <App report={value} around={around} />
    </>
  )
}
