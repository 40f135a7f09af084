/** A chat without a terminal: its lines come from a test, and what it shows goes to one. */
import { Effect, Option } from "effect"
import type { Read } from "../../../src/cli/agent/lines.ts"
import type { Asking } from "../../../src/cli/agent/questions.ts"

interface Talk {
  /** The next line, for a prompt with this text in it. */
  readonly next: (prompt: string, text?: string) => Effect.Effect<Read>
  readonly notice: Asking["screen"]["notice"]
  readonly report: Asking["screen"]["report"]
  /** The calls that are open. Default: an empty list. */
  readonly open?: ReadonlyArray<string>
  readonly interactive?: boolean
  readonly yes?: boolean
}

export const askingWith = ({ interactive = true, next, notice, open = [], report, yes = false }: Talk): Asking => ({
  lines: { isTerminal: true, next, interrupt: () => {}, dropTyped: Effect.succeed(false), away: (work) => work },
  screen: { event: () => Effect.void, begin: Effect.void, open: () => open, notice, report },
  place: { dataDir: Option.none(), databaseUrl: Option.none(), scope: Option.none() },
  interactive,
  yes,
  goOn: ""
})
