/** Runs as rows of a table, as lines of a log, and as JSON. */
import { took, used } from "../../logs/text.ts"
import { counted, fold, plain, table } from "../console/output.ts"
import { iso } from "../runs/questions.ts"
import { runJson } from "../runs/run.ts"
import type { Watched } from "./snapshot.ts"

/** What matters most comes first: a terminal that is too narrow cuts the end. */
const heads = ["RUN", "STATUS", "AT", "TIME", "CALLS", "USED", "PIPELINE"]

const statusOf = ({ left, run }: Watched): string => (left ? "left" : run.status)

const placeOf = ({ at, run }: Watched): string =>
  run.error === undefined ? at.map(plain).join(", ") : `failed with ${plain(run.error)}`

/** A time of which only whole seconds matter, so that a table does not flicker. */
const roughly = (millis: number): string => {
  const seconds = Math.floor(millis / 1000)
  const [minutes, hours, days] = [60, 3600, 86_400].map((unit) => Math.floor(seconds / unit))
  if (days) return `${days} d ${(hours ?? 0) % 24} h`
  if (hours) return `${hours} h ${(minutes ?? 0) % 60} min`
  return minutes ? `${minutes} min ${seconds % 60} s` : `${seconds} s`
}

const usedBy = ({ totals: { usage, usd } }: Watched): string => used({ usage, usd }).replace(" tokens in,", " in,")

const rowOf = (watched: Watched): ReadonlyArray<string> => [
  plain(watched.run.id),
  statusOf(watched),
  placeOf(watched),
  roughly(watched.millis),
  String(watched.totals.modelCalls),
  usedBy(watched),
  plain(watched.run.pipeline)
]

/** All runs as a table. */
export const tableOf = (all: ReadonlyArray<Watched>): string => table([heads, ...all.map(rowOf)])

/** Cuts a line to the width of a terminal. A character that may take two columns counts as two. */
export const cutTo = (width: number, line: string): string => {
  let [text, taken] = ["", 0]
  for (const sign of line) {
    const size = (sign.codePointAt(0) ?? 0) < 0x1100 ? 1 : 2
    if (taken + size > width) return text
    text += sign
    taken += size
  }
  return text
}

/** A run as one line of a log. */
export const lineOf = (watched: Watched, nowMillis: number): string => {
  const { run, totals } = watched
  const place = placeOf(watched)
  const amounts = usedBy(watched)
  return fold(
    [
      iso(nowMillis),
      plain(run.id),
      statusOf(watched),
      plain(run.pipeline),
      took(watched.millis),
      counted(totals.modelCalls, "model call"),
      ...(amounts === "" ? [] : [amounts]),
      ...(place === "" ? [] : [place])
    ].join("  ")
  )
}

/** What of a run is worth a new line when it changes: everything but the time. */
export const stateOf = (watched: Watched): string =>
  JSON.stringify([statusOf(watched), watched.totals, placeOf(watched), watched.run.epoch])

export const watchedJson = ({ at, left, millis, run, totals }: Watched) => ({
  ...runJson(run),
  at,
  millis,
  ...totals,
  left
})
