import { assert, describe, it } from "@effect/vitest"
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join, relative } from "node:path"
import { bin, brief, root, run } from "../../scripts/run.ts"

// The type tests mark what must not compile with `@ts-expect-error`. That alone accepts any error at all; here the marks
// are taken out, and the error on the line below each must say what its mark says.

const mark = /^\s*\/\/ @ts-expect-error (.+)$/

interface Refusal {
  readonly file: string
  readonly line: number
  readonly expected: string
}

const files = readdirSync(import.meta.dirname).filter((file) => file.endsWith(".test-d.ts"))

const linesOf = (file: string) => readFileSync(join(import.meta.dirname, file), "utf8").split("\n")

const refusals: ReadonlyArray<Refusal> = files.flatMap((file) =>
  linesOf(file).flatMap((text, i) => {
    const expected = mark.exec(text)?.[1]
    return expected === undefined ? [] : [{ file, line: i + 2, expected }]
  })
)

/** What the compiler says about the files without their marks, by file and line. */
const errors = (): ReadonlyMap<string, string> => {
  const folder = mkdtempSync(join(import.meta.dirname, ".refused-"))
  try {
    for (const file of files) {
      writeFileSync(
        join(folder, file),
        linesOf(file)
          .map((line) => line.replace(mark, "//"))
          .join("\n")
      )
    }
    writeFileSync(join(folder, "same.ts"), readFileSync(join(import.meta.dirname, "same.ts")))
    const base = relative(folder, join(root, "tsconfig.json")).replaceAll("\\", "/")
    writeFileSync(join(folder, "tsconfig.json"), JSON.stringify({ extends: base, include: ["*.ts"] }))
    const args = [bin("typescript", "tsc"), "-p", folder, "--pretty", "false", "--singleThreaded", "--rootDir", root]
    const { output } = run(process.execPath, args, { env: brief })
    const found = new Map<string, string>()
    let current = ""
    for (const line of output.split("\n")) {
      const head = /(?:^|[\\/])([\w.-]+\.ts)\((\d+),\d+\): (.*)$/.exec(line)
      if (head !== null) current = `${head[1]}:${head[2]}`
      if (line !== "") found.set(current, `${found.get(current) ?? ""}${line}\n`)
    }
    return found
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

describe("what does not compile", () => {
  it("is refused for the reason that its test names, and nothing else is", () => {
    const found = errors()
    const other = refusals.flatMap(({ expected, file, line }) => {
      const error = found.get(`${file}:${line}`) ?? "compiles"
      return error.includes(expected) ? [] : [`${file}:${line} does not say ${expected}: ${error}`]
    })
    assert.deepStrictEqual(other, [])
    const marked = new Set(refusals.map(({ file, line }) => `${file}:${line}`))
    assert.deepStrictEqual(
      [...found].filter(([at]) => !marked.has(at)),
      []
    )
  })

  it("has cases", () => {
    assert.isAbove(refusals.length, 20)
  })
})
