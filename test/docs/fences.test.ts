import { assert, beforeAll, describe, it } from "@effect/vitest"
import { check, collect, extract, type Fence, idOf, type Problems } from "./fences.ts"
import { pages } from "./programs.ts"

// Every ```ts fence in README.md, docs/ and the doc comments of src/ is a whole program: it type-checks against the
// sources and runs. ```ts no-run is for what cannot run here (it needs a key or a server); it still type-checks. The pages for
// people who begin are run by pages.test.ts.
const fences = collect().map((fence) => (pages.includes(fence.file) ? { ...fence, executed: false } : fence))

describe("documented code", () => {
  let problems: Problems
  beforeAll(async () => {
    problems = await check(fences)
  }, 600_000)

  it("exists", () => {
    assert.isAbove(fences.length, 0, "no ```ts fence was found in README.md, docs/ or src/")
  })

  for (const fence of fences) {
    it(`${idOf(fence)} ${fence.executed ? "runs" : "type-checks"}`, () => {
      const problem = problems.get(idOf(fence))
      assert.isUndefined(problem, problem)
    })
  }
})

describe("the check", () => {
  const fence = (line: number, code: string, executed = true): Fence => ({ file: "planted.md", line, code, executed })

  it("reads fences of documents and of doc comments, with their lines", () => {
    const code = 'import { a } from "a"\n\n  b()'
    const markdown = `# Title\n\n\`\`\`ts\n${code}\n\`\`\`\n\n\`\`\`sh\nts\n\`\`\`\n\n\`\`\`ts no-run\nc\n\`\`\`\n`
    assert.deepStrictEqual(extract("a.md", markdown), [
      { file: "a.md", line: 3, code, executed: true },
      { file: "a.md", line: 13, code: "c", executed: false }
    ])
    const lines = ["Doc.", "", "```ts", ...code.split("\n"), "```"].map((line) => ` * ${line}`.trimEnd())
    assert.deepStrictEqual(extract("a.ts", ["/**", ...lines, " */", "export const x = `\n```ts\n`"].join("\n")), [
      { file: "a.ts", line: 4, code, executed: true }
    ])
  })

  it("lets a fence import an earlier one of its document by name", { timeout: 60_000 }, async () => {
    const fences = extract(
      "a.md",
      [
        ["ts a.ts", "export const a = 1"],
        ["ts a.ts", 'export const a = "text"'],
        ["ts", 'import { a } from "./a.ts"\nconst text: string = a\nconsole.assert(text === "text")']
      ]
        .map(([info, code]) => `\`\`\`${info}\n${code}\n\`\`\`\n`)
        .join("\n")
    )
    assert.deepStrictEqual(
      fences.map(({ name }) => name),
      ["a.ts", "a.ts", undefined]
    )
    assert.deepStrictEqual([...(await check(fences))], [])
    const alone = check([fence(10, 'import { a } from "./a.ts"\na')])
    const refused = await alone.then(
      () => "nothing",
      (error: unknown) => String(error)
    )
    assert.match(refused, /planted\.md:10 imports a\.ts, which no fence before it is named/)
  })

  it("leaves out fences that quote a file with other libraries", () => {
    const text = "```ts quoted bench/peers/programs/aiSdk.ts\nx\n```\n"
    assert.deepStrictEqual(extract("a.md", text), [
      { file: "a.md", line: 1, code: "x", executed: false, quoted: "bench/peers/programs/aiSdk.ts" }
    ])
    assert.isEmpty(collect().filter(({ quoted }) => quoted !== undefined))
  })

  it("refuses a fence that would not be checked", () => {
    assert.throws(() => extract("a.md", "```ts\nx"), /not closed/)
    assert.throws(() => extract("a.md", "```ts norun\nx\n```"), /a\.md:1: unknown info string "norun"/)
    assert.throws(() => extract("a.md", "```ts quoted\nx\n```"), /a\.md:1: unknown info string "quoted"/)
    assert.throws(() => extract("a.md", "```ts no-runs a.ts\nx\n```"), /a\.md:1: unknown info string/)
    assert.throws(() => extract("a.ts", "/**\n * ```ts\n * x\n */"), /a\.ts:4: the comment ends inside a fence/)
  })

  it("finds every way in which a fence can be wrong, and only those", { timeout: 240_000 }, async () => {
    const wrong: ReadonlyArray<readonly [Fence, RegExp]> = [
      [fence(10, 'const n: number = "text"'), /^planted\.md:11: error TS2322/],
      [fence(20, 'import { a } from "cogito/nothing"\na()'), /^planted\.md:21: error TS2307/],
      [fence(30, 'export const a = 1\nthrow new Error("planted")'), /Error: planted\n\s+at planted\.md:32/],
      [fence(40, "console.assert(Math.max(1, 2) === 1)"), /console\.assert failed/],
      [fence(50, 'void Promise.reject(new Error("alone"))'), /alone/],
      [fence(60, 'import { exit } from "node:process"\nexit(0)'), /ended the process \(exit code 0\)/],
      [fence(70, "Promise.reject(null)"), /failed without anyone waiting/]
    ]
    const right = [
      fence(100, 'import assert from "node:assert/strict"\nassert.equal(1 + 1, 2)'),
      fence(110, 'console.log("said")'),
      fence(120, 'throw new Error("not run")', false)
    ]
    const problems = await check([...right, ...wrong.map(([item]) => item)])
    for (const [item, expected] of wrong) assert.match(problems.get(idOf(item)) ?? "no problem found", expected)
    assert.strictEqual(problems.size, wrong.length)
  })

  it("finds a fence that leaves something open", { timeout: 60_000 }, async () => {
    const open = fence(10, "setInterval(() => {}, 1000)")
    const problems = await check([open, fence(20, "console.log(1)")], { batchMillis: 2000 })
    assert.deepStrictEqual([...problems.keys()], [idOf(open)])
    assert.match(problems.get(idOf(open)) ?? "", /keeps the process alive/)
  })
})
