import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { Testing } from "cogito/testing"
import { beside } from "./programs/beside.ts"
import { failures } from "./programs/failures.ts"
import { model, type Program } from "./programs/program.ts"
import { reads } from "./programs/reads.ts"
import { unions } from "./programs/unions.ts"
import { ways } from "./programs/ways.ts"
import { whole } from "./programs/whole.ts"
import { writes } from "./programs/writes.ts"

// Programs whose types are asserted where they are written. Each is run to its end here: what compiles must not die.

const all: Readonly<Record<string, Readonly<Record<string, Program>>>> = {
  reads,
  writes,
  ways,
  failures,
  beside,
  unions,
  whole
}

for (const [subject, programs] of Object.entries(all)) {
  describe(`a program that compiles runs to its end: ${subject}`, () => {
    for (const [name, program] of Object.entries(programs)) {
      it.live(name, () => Effect.provide(program, Layer.merge(model, Testing.memory)))
    }
  })
}

it("are sixty at least", () => {
  assert.isAtLeast(Object.values(all).flatMap(Object.keys).length, 60)
})
