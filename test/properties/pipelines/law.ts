/**
 * How a law is checked: over random programs, each printed as text with its replay token when it breaks the law.
 *
 * More programs: `COGITO_PIPELINE_RUNS=10000 vitest run test/properties/pipelines`; a failure again:
 * `COGITO_PIPELINE_REPLAY='<token>' vitest run test/properties/pipelines -t '<law>'`.
 */
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import type { Provider } from "cogito"
import { plainCalls, plainEnd, plainEvents, plainExit, plainStore, plainThought, type PlainThought } from "./compare.ts"
import { programs } from "./generate.ts"
import { predict } from "./interpret.ts"
import type { Event, Outcome } from "./outcome.ts"
import type { Program } from "./program.ts"
import { horizon, observe, type Observation, type Setting } from "./run.ts"
import { begin } from "./thought.ts"

const runs = Number(process.env["COGITO_PIPELINE_RUNS"] ?? 50)
const replay = process.env["COGITO_PIPELINE_REPLAY"]

/** How many programs are looked at; `share` of the usual number where a run is expensive. */
export const checking = (share = 1) => {
  const some = Math.ceil(runs * share)
  return {
    arbitrary: { runs: some, size: 4, maxShrinks: 2000, ...(replay === undefined ? {} : { replay }) },
    timeout: 60_000 + 100 * some
  }
}

/** A law of all programs. */
export const law = (name: string, check: (program: Program) => Effect.Effect<unknown, unknown>): void =>
  it.effect.prop(name, { sample: programs }, ({ sample }) => Effect.asVoid(check(sample.program)), checking())

/** What the interpreter says of a program. */
export const predicted = (program: Program): Outcome =>
  predict(program, begin([{ key: "message", content: "Hello", source: "user", step: "" }]))

/** Whether what is first in the program is a matter of chance. */
export const hasTie = ({ events }: Outcome): boolean => events.some(({ _tag }) => _tag === "Tie")

/** Runs a program and looks at what is predicted and what was seen; programs with a tie are left alone. */
export const seen = (
  program: Program,
  look: (prediction: Outcome, observation: Observation) => void,
  setting: Partial<Setting> = {}
) =>
  Effect.suspend(() => {
    const prediction = predicted(program)
    if (hasTie(prediction)) return Effect.void
    return Effect.map(observe(program, setting), (observation) => look(prediction, observation))
  })

/** How the run ended, and when. */
export const assertEnd = (prediction: Outcome, observation: Observation): void => {
  assert.deepStrictEqual(plainExit(observation), plainEnd(prediction))
  assert.strictEqual(observation.at, Math.min(prediction.at, horizon))
}

/** Which leaves were called, when, and what was sent. None of the calls goes on after the run. */
export const assertCalls = (prediction: Outcome, observation: Observation): void => {
  assert.deepStrictEqual(plainCalls(observation.calls), plainEvents(prediction.events))
  for (const { call, ended, leaf } of observation.calls) assert.notStrictEqual(ended, "running", `${leaf}#${call}`)
}

/** What the store holds afterwards. */
export const assertStored = (prediction: Outcome, observation: Observation): void =>
  assert.deepStrictEqual(
    inOrder(prediction, observation.stored.map(plainThought)),
    inOrder(prediction, plainStore(prediction.events))
  )

/** Thoughts of the background, and those of one commit, are stored at the same moment as others. */
const inOrder = ({ events }: Outcome, thoughts: ReadonlyArray<PlainThought>): ReadonlyArray<PlainThought> =>
  events.every((event) => event.dispatched === undefined && (event._tag !== "Commit" || event.writes.length === 1))
    ? thoughts
    : thoughts.toSorted((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1))

/** What was sent, but for which question it was. */
export const bytesOf = (messages: ReadonlyArray<Provider.Message>): string =>
  JSON.stringify(messages.map(({ role, text }) => [role, text])).replaceAll(
    /(Question|to question|<\/?note) \d+/g,
    "$1"
  )

/** Moments at which something happens. */
export const momentsOf = (events: ReadonlyArray<Event>, { at }: Outcome): ReadonlyArray<number> =>
  [...new Set([...events.map((event) => event.at), at])].filter(Number.isFinite).toSorted((a, b) => a - b)
