/** From answers to figures, and from figures to a table. */
import { measure, type Metric, metrics } from "./metrics.ts"
import type { Answer, Arm } from "./run.ts"
import { bootstrap, type Interval } from "./statistics.ts"

/** One figure: of each arm, and how much better both together are than the better one of them. */
interface Row {
  readonly arms: Readonly<Partial<Record<Arm, Interval>>>
  /** Over the same questions, `fused` less the arm that is best on average. */
  readonly gain?: Interval & { readonly over: Arm }
}

interface Block {
  readonly questions: number
  readonly rows: Readonly<Record<Metric, Row>>
}

export interface Report {
  readonly notes: Block
  readonly tasks: Block
  /** The same of each kind of question. */
  readonly kinds: Readonly<Record<string, { readonly notes: Block; readonly tasks: Block }>>
}

const armsOf = ["vector", "lexical", "fused"] as const

const rowOf = (values: ReadonlyArray<readonly [Arm, ReadonlyArray<number>]>): Row => {
  const measured = values.map(([arm, each]) => ({ arm, each, interval: bootstrap(each) }))
  const arms = Object.fromEntries(measured.map(({ arm, interval }) => [arm, interval]))
  const [best] = measured.filter(({ arm }) => arm !== "fused").toSorted((a, b) => b.interval.mean - a.interval.mean)
  const fused = measured.find(({ arm }) => arm === "fused")
  if (best === undefined || fused === undefined) return { arms }
  return { arms, gain: { ...bootstrap(fused.each.map((value, i) => value - best.each[i]!)), over: best.arm } }
}

/** The figures of one level; questions to which nothing is relevant there are left out. */
const block = (answers: ReadonlyArray<Answer>, level: "notes" | "tasks"): Block => {
  const asked = answers.map((answer) => answer[level]).filter(({ relevant }) => relevant.size > 0)
  const arms = armsOf.filter((arm) => asked[0]?.found[arm] !== undefined)
  const measured = arms.map((arm) => [arm, asked.map(({ found, relevant }) => measure(found[arm]!, relevant))] as const)
  const rows = Object.fromEntries(
    metrics.map((metric) => [metric, rowOf(measured.map(([arm, each]) => [arm, each.map((of) => of[metric])]))])
  ) as Record<Metric, Row>
  return { questions: asked.length, rows }
}

export const report = (answers: ReadonlyArray<Answer>): Report => {
  const both = (some: ReadonlyArray<Answer>) => ({ notes: block(some, "notes"), tasks: block(some, "tasks") })
  const kinds = Map.groupBy(answers, ({ question }) => question.kind ?? "")
  return {
    ...both(answers),
    kinds: Object.fromEntries([...kinds].filter(([kind]) => kind !== "").map(([kind, some]) => [kind, both(some)]))
  }
}

const percent = (value: number): string => (100 * value).toFixed(1)
const signed = (value: number): string => (value < 0 ? percent(value) : `+${percent(value)}`)

const cell = ({ high, low, mean }: Interval): string => `${percent(mean)} [${percent(low)}, ${percent(high)}]`

const width = 22

const table = (title: string, { questions, rows }: Block, shown: ReadonlyArray<Metric>): ReadonlyArray<string> => {
  const arms = armsOf.filter((arm) => rows["recall@1"].arms[arm] !== undefined)
  const head = [...arms, ...(arms.includes("fused") ? ["fused less the best"] : [])]
  return [
    `${`${title}, ${questions} questions`.padEnd(34)}${head.map((name) => name.padEnd(width)).join("")}`,
    ...shown.map((metric) => {
      const { arms: found, gain } = rows[metric]
      const cells = arms.map((arm) => cell(found[arm]!).padEnd(width))
      const last =
        gain === undefined ? "" : `${signed(gain.mean)} [${signed(gain.low)}, ${signed(gain.high)}] ${gain.over}`
      return `  ${metric.padEnd(32)}${cells.join("")}${last}`
    })
  ].map((line) => line.trimEnd())
}

/** In percent, with 95 % intervals. */
export const format = ({ kinds, notes, tasks }: Report): string =>
  [
    ...table("notes", notes, metrics),
    ...table("tasks", tasks, metrics),
    ...Object.entries(kinds).flatMap(([kind, { notes, tasks }]) => [
      ...table(`notes, ${kind}`, notes, ["recall@10", "MRR"]),
      ...table(`tasks, ${kind}`, tasks, ["recall@10", "MRR"])
    ])
  ].join("\n")
