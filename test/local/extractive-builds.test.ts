import { assert, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import { vi } from "vitest"
import { Local } from "../../src/local/index.ts"

const loads = vi.hoisted(() => ({ instances: 0, refused: 1 }))

vi.mock(import("wink-nlp"), async (importOriginal) => {
  const original = await importOriginal()
  return {
    ...original,
    default: (...args: Parameters<typeof original.default>) => {
      if (loads.refused-- > 0) throw new Error("refused once")
      loads.instances++
      return original.default(...args)
    }
  }
})

const build = Effect.scoped(Layer.build(Layer.fresh(Local.extractive)))

it.effect("the extractive layer loads its language tools once a process, after a failed load again", () =>
  Effect.gen(function* () {
    assert.isTrue(Exit.isFailure(yield* Effect.exit(build)))
    assert.strictEqual(loads.instances, 0)
    yield* Effect.all(
      Array.from({ length: 5 }, () => build),
      { concurrency: "unbounded" }
    )
    for (let i = 0; i < 45; i++) yield* build
    assert.strictEqual(loads.instances, 1)
  })
)
