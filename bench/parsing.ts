/**
 * What answers are recovered, beside parsers that know no schema, and what that costs.
 *
 * The corpus is test/corpus/malformed: answers as models write them, each with the value that a careful reader takes from
 * it, or with the demand that none is taken. What the other parsers give is decoded with the same schema. Run it with
 * `npm run bench:parsing`; `-- --cases` also names every case that cogito does not read as expected.
 */
import { categories } from "../test/corpus/malformed/index.ts"
import { Categories as blind } from "../test/corpus/blind/index.ts"
import { count, score, type Categories, type Result } from "../test/corpus/score.ts"
import { unseen } from "../test/corpus/unseen.ts"
import { forms, tickets } from "./parsing/forms.ts"
import { best, growth } from "./parsing/cost.ts"
import { decodeStrictly, parsers, readTicket, readTickets } from "./parsing/parsers.ts"

const print = (line = ""): void => void process.stdout.write(`${line}\n`)

const percent = (part: number, whole: number): string => `${((100 * part) / whole).toFixed(1)} %`

// ------------------------------------------------------------------------------------------------------- recovery

const read = (categories: Categories) =>
  parsers.map(({ lossy, name, parse }) => ({ name, results: score(categories, parse, { lossy }) }))

const corpus = read(categories)
// Those that the parser was not written beside.
const later = read({ unseen })
// Those that somebody wrote who had not read the parser.
const apart = read(blind)

const cell = (results: ReadonlyArray<Result>): string => {
  const [values, rejects] = [count(results, "recovered", "missed", "wrong"), count(results, "rejected", "taken")]
  const parts = [
    `${count(results, "recovered")}/${values}`,
    `${count(results, "wrong")}`,
    `${count(results, "rejected")}/${rejects}`
  ]
  return parts.map((part, i) => part.padStart([8, 4, 8][i] ?? 0)).join("")
}

print("Of the values that exist: recovered, wrong. Of the texts that hold none: rightly rejected.\n")
const row = (what: string, all: ReturnType<typeof read>, category?: string): void => {
  const cells = all.map(({ results }) =>
    cell(category === undefined ? results : results.filter((result) => result.category === category))
  )
  print(`${what.padEnd(12)}${cells.map((text) => text.padStart(21)).join(" ")}`)
}

const summary = (all: ReturnType<typeof read>): void => {
  for (const { name, results } of all) {
    const values = count(results, "recovered", "missed", "wrong")
    const rejects = count(results, "rejected", "taken")
    print(
      `${name.padEnd(15)} recovered ${percent(count(results, "recovered"), values).padStart(7)}   ` +
        `wrong values ${String(count(results, "wrong", "taken")).padStart(3)}   ` +
        `rejects kept ${percent(count(results, "rejected"), rejects).padStart(7)}`
    )
  }
}

print(`${"".padEnd(12)}${corpus.map(({ name }) => name.padStart(21)).join(" ")}`)
for (const category of Object.keys(categories)) row(category, corpus, category)
row("all", corpus)
row("unseen", later)
row("blind", apart)
print("\nThe corpus\n")
summary(corpus)
print("\nCases that the parser was not written beside\n")
summary(later)
print("\nCases by somebody who had not read the parser\n")
summary(apart)

if (process.argv.includes("--cases")) {
  for (const { name, results } of [...corpus, ...later, ...apart].filter(({ name }) => name.startsWith("cogito"))) {
    print(`\nNot as expected by ${name}:`)
    for (const { category, one, reading, verdict } of results) {
      if (verdict === "recovered" || verdict === "rejected") continue
      print(`${verdict}  ${category}: ${one.name}  ${reading === undefined ? "" : JSON.stringify(reading.value)}`)
    }
  }
}

// ------------------------------------------------------------------------------------------------------ linearity

print("\nTime for twice the text, by the time for the text (128 Ki characters at first)\n")
const length = 2 ** 17
for (const [name, make] of Object.entries({ "valid JSON": tickets, ...forms })) {
  const { millis, ratio } = growth(name === "valid JSON" ? readTickets : readTicket, make, {
    length,
    times: 2,
    turns: 7,
    millis: 20
  })
  print(`${name.padEnd(40)} ${millis.toFixed(2).padStart(9)} ms ${ratio.toFixed(2).padStart(7)} x`)
}

// ----------------------------------------------------------------------------------------------------- valid JSON

print("\nValid JSON, by the time of JSON.parse and the schema's decoder\n")
for (const size of [2 ** 8, 2 ** 12, 2 ** 16, 2 ** 20]) {
  const text = tickets(size)
  const rounds = Math.ceil(2 ** 20 / size)
  const [ours = 0, plain = 0] = best([() => readTickets(text), () => decodeStrictly(text)], rounds)
  print(
    `${String(text.length).padStart(9)} characters ${((1000 * ours) / rounds).toFixed(1).padStart(12)} µs ` +
      `${(ours / plain).toFixed(2).padStart(7)} x`
  )
}
