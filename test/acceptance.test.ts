import { assert, describe, it } from "@effect/vitest"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { judge, namesOf, parse } from "../scripts/acceptance.ts"
import { root } from "../scripts/run.ts"

const row = (id: string, proof: string): string => `| ${id} | what it does | ${proof} |`

describe("the acceptance list", () => {
  it("has every number once, and a test or a reason for each", () => {
    const behaviours = parse(readFileSync(join(root, "test", "acceptance.md"), "utf8"))
    const listed = new Map(behaviours.flatMap(({ tests }) => tests.map((test) => [test, true] as const)))
    assert.deepStrictEqual(judge(behaviours, listed), [])
  })
})

describe("the check of the list", () => {
  const names = namesOf({
    testResults: [
      {
        name: join(root, "test", "a.test.ts"),
        assertionResults: [
          { ancestorTitles: ["one"], title: "works", status: "passed" },
          { ancestorTitles: ["one"], title: "fails", status: "failed" },
          { ancestorTitles: [], title: "is left out", status: "skipped" }
        ]
      }
    ]
  })
  const problemsOf = (...rows: ReadonlyArray<string>) => judge(parse(rows.join("\n")), names, [])

  it("accepts tests that ran and passed, and reasons", () => {
    assert.deepStrictEqual(
      problemsOf(row("C1", "`a.test.ts › one › works`"), row("C2–C4, C6", "not covered: no use")),
      []
    )
    assert.deepStrictEqual(problemsOf(row("C1", "`a.test.ts › one › w*`")), [])
    assert.deepStrictEqual(parse(row("C2–C4, C6", "not covered: no use"))[0]?.ids, [2, 3, 4, 6])
  })

  it("refuses tests that do not exist, failed, or were left out", () => {
    assert.match(
      problemsOf(row("C1", "`a.test.ts › one › works` `a.test.ts › one › other`"))[0] ?? "",
      /no such test ran/
    )
    assert.match(problemsOf(row("C1", "`b.test.ts › *`"))[0] ?? "", /no such test ran/)
    assert.match(problemsOf(row("C1", "`a.test.ts › one › *`"))[0] ?? "", /did not pass: a.test.ts › one › fails/)
    assert.match(problemsOf(row("C1", "`a.test.ts › is left out`"))[0] ?? "", /did not pass/)
  })

  it("refuses numbers that are missing or listed twice", () => {
    const twice = parse([row("C1", "not covered: a"), row("C1–C2", "not covered: b")].join("\n"))
    assert.deepStrictEqual(judge(twice, names, [[1, 3]]), ["line 2: C1 is listed twice", "C3 is not listed"])
  })

  it("refuses rows that prove nothing", () => {
    for (const wrong of [
      row("C1", ""),
      row("C1", "covered"),
      row("C1", "not covered:"),
      "| C1 | | `a` |",
      row("C1x", "`a`")
    ]) {
      assert.throws(() => parse(wrong), /^test\/acceptance\.md:1: /, wrong)
    }
    assert.throws(() => parse("| C1 | this | or that | `a` |"), /no text may hold/)
  })
})
