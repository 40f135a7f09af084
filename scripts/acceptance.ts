// Checks test/acceptance.md against the last test run: `npm test && npm run acceptance`.
//
// Every behaviour of the list names the tests that prove it, or says why there is none. A test that is listed must have
// run and passed; what is not covered is printed with its reason.
import { existsSync, readFileSync, statSync } from "node:fs"
import { join, relative } from "node:path"
import { root } from "./run.ts"

/** Where vitest leaves what ran (see vitest.config.ts). */
export const recordPath: string = join(root, "coverage", "tests.json")
const listPath = join(root, "test", "acceptance.md")

/** The numbers that the list must have, each once: first and last of each range. */
const expected: ReadonlyArray<readonly [first: number, last: number]> = [
  [1, 640],
  [691, 795],
  [801, 817]
]

/** A row of the list. */
export interface Behaviour {
  readonly line: number
  readonly ids: ReadonlyArray<number>
  /** `file › suite › test`; a `*` stands for any text. */
  readonly tests: ReadonlyArray<string>
  /** Why there is no test. */
  readonly notCovered: string | undefined
}

/** What ran: names as the list has them, and whether each passed. */
export type Ran = ReadonlyMap<string, boolean>

/** `C7`, or `C7–C9` for several. */
const idPattern = /^C(\d+)(?:–C(\d+))?$/

/** The rows of the list's tables. Throws on a row that names neither a test nor a reason. */
export const parse = (markdown: string): ReadonlyArray<Behaviour> =>
  markdown.split("\n").flatMap((text, index): ReadonlyArray<Behaviour> => {
    const cells = text.split("|").map((cell) => cell.trim())
    const [, id = "", behaviour = ""] = cells
    if (!/^C\d/.test(id)) return []
    const line = index + 1
    const refuse = (problem: string): never => {
      throw new Error(`test/acceptance.md:${line}: ${problem}`)
    }
    if (cells.length !== 5) refuse("a row has an id, a behaviour and its tests; no text may hold a |")
    if (behaviour === "") refuse("the behaviour is not described")
    const ids = id.split(",").flatMap((part) => {
      const [, first, last = first] = idPattern.exec(part.trim()) ?? refuse(`not an id: ${part}`)
      const count = Number(last) - Number(first) + 1
      return Array.from({ length: count }, (_, offset) => Number(first) + offset)
    })
    const proof = cells[3] ?? ""
    const reason = /^not covered: (.+)$/.exec(proof)?.[1]
    const tests = reason === undefined ? [...proof.matchAll(/`([^`]+)`/g)].map(([, name = ""]) => name) : []
    if (reason === undefined && tests.length === 0) refuse('neither a test in backticks nor "not covered: why"')
    return [{ line, ids, tests, notCovered: reason }]
  })

/** Everything that is wrong with a list, given what ran; empty when all is well. */
export const judge = (
  behaviours: ReadonlyArray<Behaviour>,
  ran: Ran,
  ranges: ReadonlyArray<readonly [number, number]> = expected
): ReadonlyArray<string> => {
  const problems: Array<string> = []
  const seen = new Set<number>()
  for (const { ids, line, tests } of behaviours) {
    for (const id of ids) {
      if (seen.has(id)) problems.push(`line ${line}: C${id} is listed twice`)
      seen.add(id)
    }
    for (const test of tests) {
      const found = matching(test, ran)
      if (found.length === 0) problems.push(`line ${line}: no such test ran: ${test}`)
      for (const [name, passed] of found) if (!passed) problems.push(`line ${line}: did not pass: ${name}`)
    }
  }
  for (const [first, last] of ranges) {
    for (let id = first; id <= last; id++) if (!seen.has(id)) problems.push(`C${id} is not listed`)
  }
  return problems
}

const matching = (test: string, ran: Ran): ReadonlyArray<readonly [string, boolean]> => {
  if (!test.includes("*")) {
    const passed = ran.get(test)
    return passed === undefined ? [] : [[test, passed]]
  }
  const literal = test.split("*").map((part) => part.replaceAll(/[\\^$.|?+()[\]{}]/g, "\\$&"))
  const pattern = new RegExp(`^${literal.join(".*")}$`, "s")
  return [...ran].filter(([name]) => pattern.test(name))
}

interface Record {
  readonly testResults: ReadonlyArray<{
    readonly name: string
    readonly assertionResults: ReadonlyArray<{
      readonly ancestorTitles: ReadonlyArray<string>
      readonly title: string
      readonly status: string
    }>
  }>
}

/** What vitest's record says, by the names that the list uses: the file's path in test/, suites, test. */
export const namesOf = (record: Record): Ran =>
  new Map(
    record.testResults.flatMap(({ assertionResults, name }) => {
      const file = relative(join(root, "test"), name).replaceAll("\\", "/")
      return assertionResults.map(
        ({ ancestorTitles, status, title }) =>
          [[file, ...ancestorTitles, title].join(" › "), status === "passed"] as const
      )
    })
  )

const main = (): number => {
  const list = readFileSync(listPath, "utf8")
  const behaviours = parse(list)
  if (!existsSync(recordPath)) {
    console.error("No test run is recorded. Run `npm test` first.")
    return 1
  }
  const record: Record = JSON.parse(readFileSync(recordPath, "utf8"))
  const recorded = statSync(recordPath).mtimeMs
  const files = new Set(behaviours.flatMap(({ tests }) => tests.map((test) => test.split(" › ")[0] ?? "")))
  const changed = [...files]
    .map((file) => join(root, "test", file))
    .filter((file) => existsSync(file) && statSync(file).mtimeMs > recorded)
  const problems = [
    ...judge(behaviours, namesOf(record)),
    ...changed.map((file) => `${relative(root, file)} changed after the recorded test run`)
  ]
  const open = behaviours.filter(({ notCovered }) => notCovered !== undefined)
  const count = (rows: ReadonlyArray<Behaviour>): number => rows.reduce((sum, { ids }) => sum + ids.length, 0)
  for (const { ids, notCovered } of open) {
    console.log(`not covered: ${ids.map((id) => `C${id}`).join(", ")}: ${notCovered}`)
  }
  console.log(`${count(behaviours) - count(open)} behaviours covered, ${count(open)} not`)
  if (problems.length === 0) return 0
  console.error(`\n${problems.join("\n")}\n\nThe list must match a run of all tests: \`npm test\`.`)
  return 1
}

if (import.meta.main) process.exitCode = main()
