// @effect-diagnostics globalErrorInEffectFailure:off -- a program says what went wrong and ends
/**
 * How often the offline provider chooses the right label, by the names of the labels alone, and how far its stated confidence
 * is from how often it is right: `npm run bench:choosing -- queries.csv`, a file with `text` and `label` (or `category`).
 */
import { Effect } from "effect"
import { Provider } from "cogito"
import { Local } from "cogito/local"
import { readFileSync } from "node:fs"
import { print } from "./memory/compare.ts"
import { type Labelled, parse } from "./retrieval/labelled.ts"
import { numbers } from "./retrieval/statistics.ts"

const [file = ""] = process.argv.slice(2)
const questions = 1000
const bins = 10

const shuffled = <A>(all: ReadonlyArray<A>, seed: number): ReadonlyArray<A> => {
  const next = numbers(seed)
  return all
    .map((one) => ({ one, key: next() }))
    .toSorted((a, b) => a.key - b.key)
    .map(({ one }) => one)
}

/** The confidence of the answer, and whether it is right. */
const ask = Effect.fnUntraced(function* ({ label, text }: Labelled, labels: ReadonlyArray<string>) {
  const { decide } = yield* Provider.Provider
  if (decide === undefined) return yield* Effect.die(new Error("The provider makes no decisions."))
  const question = "What is this about?"
  const choice = { _tag: "Choice", name: "label", question, labels: labels.map((one) => ({ label: one })) } as const
  const task = { kind: "categorize", instruction: question, input: text, context: [], questions: [choice] } as const
  const [answer] = (yield* decide({ messages: [], task })).answers
  if (answer?._tag !== "Choice") return yield* Effect.die(new Error(`No choice for: ${text}`))
  const confidence = Math.max(...Object.values(answer.distribution))
  return { confidence, right: answer.label === label }
})

const measure = Effect.fnUntraced(function* (
  rows: ReadonlyArray<Labelled>,
  labels: ReadonlyArray<string>,
  most: number
) {
  const answers = yield* Effect.forEach(rows, (row, i) => {
    const others = shuffled(labels, i).filter((label) => label !== row.label)
    return ask(row, shuffled([row.label, ...others.slice(0, most - 1)], i))
  })
  const right = answers.filter((answer) => answer.right).length / answers.length
  const off = [...Map.groupBy(answers, ({ confidence }) => Math.min(bins - 1, Math.floor(confidence * bins))).values()]
    .map((own) => Math.abs(own.reduce((sum, { confidence, right }) => sum + confidence - (right ? 1 : 0), 0)))
    .reduce((sum, one) => sum + one, 0)
  print(
    `${most} labels: ${(100 * right).toFixed(1)} % right, calibration error ${((100 * off) / answers.length).toFixed(1)} points`
  )
})

const program = Effect.gen(function* () {
  const rows = yield* parse(readFileSync(file, "utf8"), file.endsWith(".json"))
  const labels = [...new Set(rows.map(({ label }) => label))]
  print(`${Math.min(questions, rows.length)} of ${rows.length} queries`)
  // not those that the constants were chosen on, which another seed chose
  const asked = shuffled(rows, 11).slice(0, questions)
  yield* measure(asked, labels, labels.length)
  if (labels.length > 10) yield* measure(asked, labels, 10)
})

await Effect.runPromise(Effect.provide(program, Local.extractive))
