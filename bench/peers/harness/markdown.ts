/** The text of docs/benchmarks.md. */
import type { Goal, Report, Table } from "./scenario.ts"

const row = (cells: ReadonlyArray<string>): string => `| ${cells.join(" | ")} |`

const table = ({ columns, name, rows }: Table): string => {
  const rule = columns.map((_, i) => (i === 0 ? "---" : "---:"))
  return [`**${name}**`, "", row(columns), row(rule), ...rows.map(row)].join("\n")
}

const isMet = ({ limit, measured }: Goal): boolean => measured <= limit

const shown = (value: number, unit: string): string =>
  !Number.isFinite(value) ? "not reached" : `${value.toFixed(2).replace(/\.?0+$/, "")}${unit}`

const goals = (all: ReadonlyArray<Goal>): string =>
  [
    row(["goal", "at most", "measured", ""]),
    row(["---", "---:", "---:", "---"]),
    ...all.map((goal) =>
      row([goal.what, shown(goal.limit, goal.unit), shown(goal.measured, goal.unit), isMet(goal) ? "met" : "missed"])
    )
  ].join("\n")

const losses = (parts: ReadonlyArray<Part>): string => {
  const missed = parts.flatMap(({ report }) => report.goals.filter((goal) => !isMet(goal)))
  if (missed.length === 0) return "Every goal is met."
  return missed
    .map(
      ({ limit, measured, unit, what }) =>
        `- ${what}: ${shown(measured, unit)}, where the goal is ${shown(limit, unit)}`
    )
    .join("\n")
}

/** One scenario's part of the page. */
export interface Part {
  readonly title: string
  readonly method: string
  readonly rounds: number
  readonly report: Report
}

const section = ({ method, report, rounds, title }: Part): string =>
  [
    `## ${title}`,
    method,
    rounds === 1 ? "One round." : `${rounds} rounds.`,
    ...report.tables.map(table),
    ...(report.goals.length > 0 ? [goals(report.goals)] : [])
  ].join("\n\n")

export interface Machine {
  readonly date: string
  readonly cpu: string
  readonly node: string
  readonly load: string
  readonly versions: ReadonlyArray<readonly [name: string, version: string]>
}

export const page = ({ cpu, date, load, node, versions }: Machine, parts: ReadonlyArray<Part>): string => `\
# Benchmarks

cogito beside what people would pick instead, and where it loses. \`npm run bench:peers\` measures everything and writes this page; the
programs are in \`bench/peers\`, a package of its own that cogito never depends on.

Each library has a process of its own in each scenario. The processes take turns round by round, so that all of them see the
same machine; the figures are medians over the rounds. No further round starts after three minutes. Compare the ratios:
absolute times are those of one machine. No model is called: stubs answer with fixed texts, and each program checks that it got
the same values as the others.

Measured on ${date} with the built package on ${cpu}, Node ${node}, load ${load} at the start.

${row(["package", "version"])}
${row(["---", "---"])}
${versions.map(row).join("\n")}

## Where we lose

${losses(parts)}

${parts.map(section).join("\n\n")}
`
