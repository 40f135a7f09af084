/** `cogito studio`: the pages of a memory, served to the browser on this machine. */
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import { Memory } from "../../Memory.ts"
import { layer } from "../../studio/layer.ts"
import { described } from "../console/described.ts"
import { CommandError } from "../console/failure.ts"
import { print, printJson, say } from "../console/output.ts"
import { searchable } from "../memory/embedder.ts"
import { orItsOwnStudio } from "../memory/inUse.ts"
import { openStore, scopedFlags, scopeOf } from "../memory/place.ts"

export const studioCommand = Command.make(
  "studio",
  {
    ...scopedFlags,
    port: Flag.Int("port").pipe(
      Flag.withMetavar("number"),
      Flag.withDescription("Port on 127.0.0.1, from 1 to 65535 (default: a free one)"),
      Flag.filter(
        (port) => port >= 1 && port <= 65_535,
        () => "--port must be a whole number from 1 to 65535."
      ),
      Flag.optional
    )
  },
  Effect.fnUntraced(function* ({ port, ...place }) {
    const scope = yield* scopeOf(place)
    const store = yield* orItsOwnStudio(openStore(place, "changed"))
    const memory = yield* searchable(store, scope, { choice: "default", json: place.json })
    const ready = yield* Deferred.make<string>()
    const onReady = (address: string) => {
      Deferred.doneUnsafe(ready, Effect.succeed(address))
    }
    yield* Layer.build(layer({ port: Option.getOrElse(port, () => 0), onReady })).pipe(
      Effect.provideService(Memory, memory),
      Effect.catchTag("StudioError", ({ message }) => new CommandError({ message }))
    )
    const address = yield* Deferred.await(ready)
    yield* place.json ? printJson({ address }) : print(address)
    if (!place.json) {
      yield* say(
        "Open this address in a browser on this machine. Whoever has it can read the memory and answer questions. Ctrl-C ends the studio."
      )
    }
    return yield* Effect.never
  }, Effect.scoped)
).pipe(
  Command.withShortDescription("Show thoughts, runs and questions in a browser on this machine, and take answers"),
  Command.withDescription(
    described(
      "Show thoughts, runs and questions in a browser on this machine, and take answers.",
      "It prints an address with a token, which is new each time, and serves it on 127.0.0.1 until you press Ctrl-C.",
      "It changes nothing but the answers that runs wait for.",
      "A folder is open in one process at a time: a program that has it serves the studio itself, with cogito/studio."
    )
  ),
  Command.withExamples([
    { command: "npx cogito studio --data-dir .cogito/memory", description: "A folder" },
    { command: "npx cogito studio --scope acme --port 4100", description: "A server (DATABASE_URL), at a fixed port" }
  ])
)
