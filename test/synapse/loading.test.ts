import { assert, describe, it } from "@effect/vitest"
import { execFileSync } from "node:child_process"

/** Runs a program in a process of its own, where nothing has been loaded yet. */
const run = (answers: ReadonlyArray<string>, refused: string): string => {
  const program = `
    import { registerHooks } from "node:module"
    const loaded = []
    registerHooks({
      resolve: (specifier, context, next) => {
        const found = next(specifier, context)
        if (/synapse.marred\\.ts$/.test(found.url)) {
          loaded.push("marred")
          if (${JSON.stringify(refused)} === "marred") throw new Error("no such file")
        }
        return found
      }
    })
    const { Effect } = await import("effect")
    const { Synapse } = await import("./src/index.ts")
    const { Testing } = await import("./src/testing/index.ts")
    const model = Testing.scripted(${JSON.stringify(answers)})
    const spam = Synapse.binary({ question: "Is it spam?" })
    const said = []
    for (const _ of ${JSON.stringify(answers)}) {
      const exit = await Effect.runPromiseExit(Effect.provide(spam("text"), model.layer))
      said.push([exit._tag === "Success" ? exit.value.decision : String(exit.cause), loaded.length])
    }
    console.log(JSON.stringify(said))
  `
  const flags = ["--conditions=cogito-source", "--input-type=module", "--no-warnings", "--eval", program]
  return execFileSync(process.execPath, flags, { encoding: "utf8" })
}

const valid = JSON.stringify({ decision: true, confidence: 0.9, reasoning: ["It says so."] })

describe("the reader of malformed answers", () => {
  it("is loaded once, by the first answer that is not quite valid", { timeout: 60_000 }, () => {
    const said = run([valid, `Here: ${valid}`, `Again: ${valid}`, valid], "")
    assert.deepStrictEqual(JSON.parse(said), [
      [true, 0],
      [true, 1],
      [true, 1],
      [true, 1]
    ])
  })

  it(
    "is a defect with this reason if it cannot be loaded, and valid answers do not need it",
    { timeout: 60_000 },
    () => {
      const [first, second] = JSON.parse(run([valid, `Here: ${valid}`], "marred")) as ReadonlyArray<[unknown, number]>
      assert.deepStrictEqual(first, [true, 0])
      assert.match(String(second?.[0]), /part of cogito that reads malformed answers could not be loaded/)
    }
  )
})
