/**
 * Random programs, each with an end of its process at a random moment. More of them:
 * `COGITO_DURABLE_PROGRAMS=2000 vitest run test/durable/programs.test.ts`.
 */
import { assert, describe, it } from "@effect/vitest"
import { Cause, Effect } from "effect"
import { Pipeline, Primitive, Step } from "cogito"
import { random } from "../../src/testing/contract/stage/random.ts"
import { endedAt, type Making } from "./enumerate.ts"
import { type Connector, connectors } from "./scenarios/connectors.ts"
import { asks, does, type Inside } from "./scenarios/parts.ts"

const programs = Number(process.env["COGITO_DURABLE_PROGRAMS"] ?? 25)
const deepest = 3

/** Which of several branches is first may differ where an answer of one of them was recorded, and that of another one was not. */
const hurried = new Set(["race", "contest", "timeout"])
const around = Object.entries(connectors).filter(([name]) => !hurried.has(name))

/** A tree of steps, the same for a seed. It does not fail, as what has failed for good is tried again. */
const programOf =
  (seed: number): Making =>
  (process, world) => {
    const { below, list, pick } = random(seed)
    let count = 0
    const inside = (): Inside => ({ process, world, name: `n${++count}` })
    const leaf = (): Step.Any => {
      const own = inside()
      const kinds: ReadonlyArray<() => Step.Any> = [
        () => asks(own.name),
        () => asks(own.name, "(fails first)"),
        () => asks(own.name, "(fails)"),
        () => asks(own.name, `(takes ${1 + below(20)})`),
        () => Primitive.decide(own.name, { question: "Is it so?" }) as Step.Any,
        () => Primitive.reflect(own.name, { prompt: `What of ${own.name}?` }) as Step.Any,
        () => does(own, own.name),
        () => Step.once(own.name, () => world.effect(process, `once ${own.name}`)) as Step.Any
      ]
      return pick(kinds)()
    }
    const tree = (depth: number): Step.Any => {
      if (depth === 0 || below(4) === 0) return leaf()
      const own = inside()
      if (below(3) === 0) {
        const steps = [tree(depth - 1), ...list(2, () => tree(depth - 1))]
        return Pipeline.sequence(own.name, steps) as Step.Any
      }
      const [, connector] = pick<readonly [string, Connector]>(around)
      return connector(tree(depth - 1), own)
    }
    const program = Pipeline.sequence("program", [tree(deepest), tree(deepest), asks("end")]) as Step.Any
    return Step.recover(program, asks("instead")) as Step.Any
  }

describe("random programs whose process ends at a random moment", () => {
  it.effect(
    "come to what they come to without that",
    () =>
      Effect.forEach(
        Array.from({ length: programs }, (_, i) => i + 1),
        (seed) =>
          endedAt({ step: programOf(seed) }, (boundaries) => 1 + random(seed * 7919).below(boundaries)).pipe(
            Effect.catchCause((cause) => Effect.die(new Error(`program ${seed}: ${Cause.pretty(cause)}`)))
          ),
        { discard: true }
      ).pipe(Effect.tap(() => Effect.sync(() => assert.isAbove(programs, 0)))),
    60_000 + 2_000 * programs
  )
})
