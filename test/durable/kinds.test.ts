import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { Pipeline, Primitive, Step } from "cogito"
import { descendants } from "../../src/step/runtime/nodes.ts"
import { kindsOf } from "../imports.ts"
import { enumerate } from "./enumerate.ts"
import { Process } from "./process.ts"
import { agents } from "./scenarios/agents.ts"
import { primitives } from "./scenarios/primitives.ts"
import { steps } from "./scenarios/steps.ts"
import { World } from "./world.ts"

const scenarios = { ...primitives, ...steps, ...agents }

describe("a crash at every boundary of a run with", () => {
  it.effect.each(Object.entries(scenarios))("%s loses nothing, and asks nothing twice", ([, scenario]) =>
    Effect.gen(function* () {
      assert.isAtLeast(yield* enumerate(scenario), 12)
    })
  )
})

describe("the scenarios", () => {
  it("have one for everything that makes a step", () => {
    const makers = [Step, Pipeline, Primitive].flatMap((module) =>
      Object.entries(module).flatMap(([name, value]) =>
        typeof value === "function" && /^[a-z]/.test(name) ? [name] : []
      )
    )
    const missing = makers.filter((name) => !(name in scenarios) && !others.includes(name))
    assert.deepStrictEqual(missing, [])
    assert.deepStrictEqual(
      others.filter((name) => !makers.includes(name)),
      []
    )
  })

  it("have a step of every kind", () => {
    const src = join(import.meta.dirname, "..", "..", "src")
    const files = readdirSync(src, { recursive: true, encoding: "utf8" }).filter((file) => file.endsWith(".ts"))
    const kinds = files.flatMap((file) => kindsOf(file, readFileSync(join(src, file), "utf8")))
    const shown = new Set(
      Object.values(scenarios).flatMap(({ step }) =>
        Array.from(descendants(step(new Process("none"), new World()).node), ({ kind }) => kind)
      )
    )
    assert.isAbove(kinds.length, 40)
    assert.deepStrictEqual(
      kinds.filter((kind) => !shown.has(kind) && !noKinds.has(kind)),
      []
    )
  })
})

/** Functions that make no step. */
const others: ReadonlyArray<string> = [
  "answer",
  "fingerprint",
  "logs",
  "outline",
  "rerun",
  "resume",
  "resumeAll",
  "run",
  "runPromise",
  "runs",
  "steps",
  "stream",
  "supervisor",
  "toFixture",
  "toMermaid",
  "waiting"
]

/** Kinds of rows in the ledger, which are called so where they are written. */
const noKinds = new Set(["decision"])
