/**
 * How often an answer with marks changed by chance is read as another value than was written.
 *
 * `npm run bench:marks -- --values 6000 --marks 1,2 --seeds 7,8` prints a line for each number of marks and each seed; `--parsing
 * lossy` reads with losses, and `--cases` also prints the answers that are read as another value, with what is read.
 */
import { parseArgs } from "node:util"
import type { Parsing } from "../../src/synapse/answer/marred/align/Coercion.ts"
import { damagedAnswers, fates } from "./damage.ts"
import { parse } from "./parse.ts"

const { values: given } = parseArgs({
  options: {
    values: { type: "string", default: "2000" },
    marks: { type: "string", default: "1,2,3" },
    seeds: { type: "string", default: "7" },
    parsing: { type: "string", default: "lenient" },
    cases: { type: "boolean", default: false }
  }
})

const print = (line: string): void => void process.stdout.write(`${line}\n`)
const numbers = (list: string): ReadonlyArray<number> => list.split(",").map(Number)

const total = Number(given.values)
const parsing = given.parsing as Parsing

for (const marks of numbers(given.marks)) {
  for (const seed of numbers(given.seeds)) {
    const counts = fates(damagedAnswers(total, marks, seed), parsing, ({ original, schema, text }, fate) => {
      if (!given.cases || fate !== "wrong") return
      const reading = parse(schema, text, parsing)
      const done = reading?.coercions.map(({ kind, path }) => [...path, kind].join(".")).join(" ")
      print(`\n${text}\n  written ${JSON.stringify(original)}\n  read    ${JSON.stringify(reading?.value)}\n  ${done}`)
    })
    const { kept, refused, unknowable, wrong } = counts
    const rate = wrong === 0 ? "none" : `1 in ${Math.floor(total / wrong)}`
    print(
      `${total} values, ${marks} ${marks === 1 ? "mark" : "marks"}, ${parsing}, seed ${seed}: ` +
        `wrong ${wrong} (${rate}), right ${kept}, refused ${refused}, unknowable ${unknowable}`
    )
  }
}
