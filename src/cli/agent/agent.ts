/** `cogito agent`: a conversation with an agent in the terminal. */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import { described } from "../console/described.ts"
import { UsageError } from "../console/failure.ts"
import { handlingInterrupts } from "../console/interrupts.ts"
import { say } from "../console/output.ts"
import { openOrMakeStore, openStore, orFolder, type ScopedPlace, scopedFlags, scopeOf } from "../memory/place.ts"
import { commandOf } from "../runs/command.ts"
import { talk } from "./chat.ts"
import { debugging, parts, partsOf } from "./debug.ts"
import { openLines } from "./lines.ts"
import { providers } from "./provider.ts"
import type { Asking } from "./questions.ts"
import { screenOf } from "./screen.ts"
import { prepare, type Wanted } from "./services.ts"
import { openSession } from "./session.ts"

/** Where sessions are stored if nothing else is named. */
const folder = ".cogito/memory"

const text = (name: string, metavar: string, description: string) =>
  Flag.String(name).pipe(
    Flag.withMetavar(metavar),
    Flag.withDescription(description),
    Flag.filter(
      (value) => value.trim() !== "",
      () => `--${name} is empty.`
    ),
    Flag.optional
  )

const flags = {
  ...scopedFlags,
  dataDir: text("data-dir", "folder", `Folder that sessions are stored in, made if it is missing (default: ${folder})`),
  json: Flag.Boolean("json").pipe(
    Flag.withDescription("Print one JSON event a line to the standard output, and nothing else there"),
    Flag.withDefault(false)
  ),
  module: Argument.String("module").pipe(
    Argument.withDescription("Module whose default export is { agent, layer }; default: a plain assistant"),
    Argument.optional
  ),
  instructions: text("instructions", "text", "What the plain assistant is for"),
  name: text("name", "name", "The name of the plain assistant"),
  provider: Flag.Literals("provider", providers).pipe(
    Flag.withDescription("Whose model answers, if the module brings none (default: by the keys in the environment)"),
    Flag.optional
  ),
  model: text("model", "name", "The model of that provider"),
  resume: text("resume", "thought", "Go on with this session, and with its run if that has not ended"),
  yes: Flag.Boolean("yes").pipe(
    Flag.withDescription("Approve every call of a tool without asking"),
    Flag.withDefault(false)
  ),
  interactive: Flag.Boolean("interactive").pipe(
    Flag.withDescription("Ask for approvals, and go on after failures, also if the standard input is no terminal"),
    Flag.withDefault(false)
  ),
  debug: text("debug", "parts", `Print to the standard error: ${parts.join(", ")} (with commas between), or all`)
}

const checkWanted = ({ instructions, module, name }: Wanted): Effect.Effect<void, UsageError> =>
  Option.isSome(module) && (Option.isSome(instructions) || Option.isSome(name))
    ? new UsageError({ message: "--instructions and --name are for the plain assistant: a module has its own." })
    : Effect.void

/** The command that goes on with a session. */
const goOnOf = (
  place: ScopedPlace,
  { instructions, model, module, name, provider }: Wanted,
  thoughtId: string
): string =>
  commandOf(
    place,
    ["agent", ...Option.toArray(module)],
    [
      ...(Option.isSome(provider) ? ["--provider", provider.value] : []),
      ...(Option.isSome(model) ? ["--model", model.value] : []),
      ...(Option.isSome(name) ? ["--name", name.value] : []),
      ...(Option.isSome(instructions) ? ["--instructions", instructions.value] : []),
      "--resume",
      thoughtId
    ]
  )

export const agentCommand = Command.make(
  "agent",
  flags,
  Effect.fnUntraced(function* ({ debug: debugged, interactive: isAsked, json, resume, yes, ...given }) {
    const { instructions, model, module, name, provider, ...named } = given
    const wanted: Wanted = { instructions, model, module, name, provider }
    yield* checkWanted(wanted)
    const debug = debugging(Option.isSome(debugged) ? yield* partsOf(debugged.value) : new Set())
    const place = yield* orFolder(named, folder)
    const scope = yield* scopeOf(place)
    const store = yield* Option.isSome(resume) ? openStore(place, "changed") : openOrMakeStore(place)
    const { chat, services } = yield* prepare(wanted, store, { debug, scope })
    const screen = screenOf(json)
    const lines = yield* openLines
    const interactive = lines.isTerminal || isAsked
    const asking = (thoughtId: string): Asking => ({
      lines,
      screen,
      place,
      interactive,
      yes,
      goOn: goOnOf(place, wanted, thoughtId)
    })
    if (yes) yield* say("cogito: --yes: EVERY CALL OF A TOOL IS APPROVED WITHOUT ASKING.")
    yield* Effect.gen(function* () {
      const session = yield* openSession(chat.agent, asking, Option.getOrUndefined(resume))
      const opened = session.thought()
      yield* screen.report(
        { event: "Session", thoughtId: opened.id, agent: chat.agent.name },
        interactive ? `Chat with ${chat.agent.name}. /help shows what you can type.` : ""
      )
      const farewell = Effect.suspend(() => {
        if (!session.isStored()) return Effect.void
        const thoughtId = session.thought().id
        const command = goOnOf(place, wanted, thoughtId)
        return screen.report({ event: "Ended", thoughtId, command }, `Session ${thoughtId}. Go on with: ${command}`)
      })
      yield* talk(asking(opened.id), session, debug.after).pipe(
        handlingInterrupts(lines.interrupt),
        Effect.ensuring(farewell)
      )
    }).pipe(Effect.provideContext(services))
  }, Effect.scoped)
).pipe(
  Command.withShortDescription("Talk to an agent in the terminal"),
  Command.withDescription(
    described(
      "Talk to an agent in the terminal.",
      "The agent is that of a module, with the handlers of its tools and perhaps its provider as a layer, or a plain assistant.",
      "Without a provider of the module, a key in OPENAI_API_KEY or ANTHROPIC_API_KEY chooses the model; without a key an offline one",
      "answers, which only picks sentences. Sessions are stored, and can be resumed in another process.",
      "Each line is a message; /help shows what else you can type. Ctrl-C cancels the message that is being answered."
    )
  ),
  Command.withExamples([
    { command: "npx cogito agent", description: "A plain assistant" },
    { command: "npx cogito agent src/shop.ts --data-dir .cogito/shop", description: "An agent of yours" },
    {
      command: "echo 'Where is order 17?' | npx cogito agent src/shop.ts --json",
      description: "One message, for a program"
    }
  ])
)
