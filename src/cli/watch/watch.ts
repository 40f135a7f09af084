/** `cogito watch`: the runs in progress, in a terminal. */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type * as Scope from "effect/Scope"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import type { MemoryError, Shape } from "../../Memory.ts"
import { described } from "../console/described.ts"
import { print, printJson, say } from "../console/output.ts"
import { orItsOwnStudio } from "../memory/inUse.ts"
import { scopedFlags } from "../memory/place.ts"
import { openMemory } from "../runs/ledger.ts"
import { lineOf, stateOf, tableOf, watchedJson } from "./lines.ts"
import { makeScreen } from "./screen.ts"
import { look, type Watched } from "./snapshot.ts"

const nothing = "No run is in progress or waits, and none has ended in the last minute."

type Watching = Effect.Effect<void, MemoryError, Scope.Scope>

/** Looks again and again, until it is interrupted. */
const repeatedly = (
  memory: Shape,
  seconds: number,
  show: (all: ReadonlyArray<Watched>) => Effect.Effect<void>
): Effect.Effect<never, MemoryError> =>
  Effect.gen(function* () {
    let before: ReadonlyArray<Watched> = []
    while (true) {
      before = yield* look(memory, before)
      yield* show(before)
      yield* Effect.sleep(`${seconds} seconds`)
    }
  })

const once = (memory: Shape, json: boolean): Watching =>
  Effect.flatMap(look(memory, []), (all) => {
    if (json) return printJson({ runs: all.map(watchedJson) })
    return all.length === 0 ? say(nothing) : print(tableOf(all))
  })

/** A table that is kept up to date. */
const onTerminal = (memory: Shape, seconds: number): Watching =>
  Effect.flatMap(makeScreen, (draw) =>
    repeatedly(memory, seconds, (all) => draw(all.length === 0 ? [nothing] : tableOf(all).split("\n")))
  )

/** A line for every change of a run. */
const inLines = (memory: Shape, seconds: number, json: boolean): Watching => {
  const known = new Map<string, string>()
  return repeatedly(memory, seconds, (all) =>
    Effect.gen(function* () {
      const now = yield* Clock.currentTimeMillis
      for (const one of all.toReversed()) {
        const state = stateOf(one)
        if (known.get(one.run.id) === state) continue
        known.set(one.run.id, state)
        yield* json ? printJson(watchedJson(one)) : print(lineOf(one, now))
      }
    })
  )
}

export const watchCommand = Command.make(
  "watch",
  {
    ...scopedFlags,
    once: Flag.Boolean("once").pipe(Flag.withDescription("Print the runs once, and end"), Flag.withDefault(false)),
    every: Flag.Int("every").pipe(
      Flag.withMetavar("seconds"),
      Flag.withDescription("Seconds between two looks, from 1 to 3600 (default: 1)"),
      Flag.filter(
        (seconds) => seconds >= 1 && seconds <= 3600,
        () => "--every must be a whole number of seconds from 1 to 3600."
      ),
      Flag.withDefault(1)
    )
  },
  Effect.fnUntraced(function* ({ every, once: isOnce, ...place }) {
    const memory = yield* orItsOwnStudio(openMemory(place))
    if (isOnce || memory.ledger.exclusive) {
      yield* once(memory, place.json)
      if (!isOnce && Option.isSome(place.dataDir)) yield* say(still)
      return
    }
    yield* process.stdout.isTTY && !place.json ? onTerminal(memory, every) : inLines(memory, every, place.json)
  }, Effect.scoped)
).pipe(
  Command.withShortDescription("Watch durable runs: where they are, and what they have used"),
  Command.withDescription(
    described(
      "Watch durable runs: where they are, and what they have used.",
      "It only reads. It shows what runs, waits or has ended in the last minute, until you press Ctrl-C.",
      "To a file or another program it writes a line for each change. A run is left if its process has ended in the middle.",
      "A folder is open in one process at a time, so its runs are printed once: nothing goes on while this command has it."
    )
  ),
  Command.withExamples([
    { command: "npx cogito watch --scope acme", description: "On a server (DATABASE_URL)" },
    { command: "npx cogito watch --once --data-dir .cogito/memory", description: "In a folder" }
  ])
)

const still =
  "Only one process at a time can open a folder, so no run can go on while it is watched: this is how they are now. " +
  "Studio.layer of cogito/studio shows the runs of a program while it runs."
