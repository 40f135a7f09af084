/** Parts of a step that run beside each other: each in a path and a frame of its own. */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type { ToolCall } from "../../Provider.ts"
import { changed, Run } from "../../run/run.ts"
import { IdSource } from "../../thought/ids.ts"
import type { Thought } from "../../thought/model.ts"

/** The names of the parts that carry out the calls of one reply. */
export const partNames = (calls: ReadonlyArray<Pick<ToolCall, "name">>): ReadonlyArray<string> => {
  const times = new Map<string, number>()
  return calls.map(({ name }) => {
    const nth = (times.get(name) ?? 0) + 1
    times.set(name, nth)
    return nth === 1 ? name : `${name}#${nth}`
  })
}

/** Runs a part of the running step. In a durable run, what it records is found again under its name. */
export const part = <A, E, R>(
  name: string,
  thought: Thought<any>,
  self: Effect.Effect<A, E, R>
): Effect.Effect<A, E, R> =>
  Effect.withFiber((fiber) => {
    const run = fiber.getRef(Run)
    const { frame: outer, journal } = run
    const path = [...run.path, name]
    if (journal === undefined || outer === undefined) {
      return Effect.provideService(self, Run, changed(run, { path, given: thought }))
    }
    const startedMillis = fiber.getRef(Clock.Clock).currentTimeMillisUnsafe()
    const frame = journal.enter(outer, name, { kind: "part", given: thought, startedMillis })
    const inner = changed(run, { path, given: thought, frame, free: false })
    return self.pipe(
      Effect.provideService(Run, inner),
      Effect.provideService(IdSource, () => journal.nextId(frame)),
      // its answers are needed as long as those of the step
      Effect.ensuring(Effect.sync(() => outer.open.push(...frame.open)))
    )
  })
