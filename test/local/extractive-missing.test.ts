import { assert, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { vi } from "vitest"
import { Local } from "../../src/local/index.ts"

vi.mock("compromise", () => {
  throw new Error("Cannot find package 'compromise'")
})

it.effect("the extractive layer says what to install when a package is missing", () =>
  Effect.gen(function* () {
    const error = yield* Effect.flip(Effect.scoped(Layer.build(Local.extractive)))
    assert.strictEqual(error._tag, "EmbedderError")
    assert.isFalse(error.retryable)
    assert.include(error.message, "needs compromise")
    assert.include(error.message, "npm install wink-nlp wink-eng-lite-web-model compromise")
  })
)
