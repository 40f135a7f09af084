/** Presents the help of the program and its messages about an invalid command line. */
import * as Effect from "effect/Effect"
import * as CliOutput from "effect/cli/CliOutput"
import * as TerminalCapabilities from "effect/cli/TerminalCapabilities"
import { showOnScreen } from "../../text/invisible.ts"
import { meanings } from "./codes.ts"
import { print, say } from "./output.ts"

const ends = Effect.map(TerminalCapabilities.TerminalCapabilities, ({ canColor }) => {
  const head = (text: string) => (canColor ? `\u001b[1m${text}\u001b[0m` : text)
  const codes = meanings.map(([code, meaning]) => `  ${String(code).padEnd(6)}${meaning}`)
  return [
    head("ENVIRONMENT"),
    "  DATABASE_URL    The server, where neither --database-url nor --data-dir is given",
    "",
    head("EXIT CODES"),
    ...codes
  ].join("\n")
})

const inOneLine = (message: string): string =>
  showOnScreen(message)
    .replace(/\s*Did you mean this\?\s*/, ": did you mean ")
    .replaceAll(/\s+/g, " ")
    .trim()

/** Requested help goes to the standard output, other help to the standard error. Invalid usage is reported on one line. */
export const presenter = CliOutput.layerPresenter({
  present: Effect.fnUntraced(function* (event) {
    if (event._tag === "Version") {
      yield* print(`${event.name} v${event.version}`)
      return
    }
    if (event._tag === "InvalidInvocation") {
      const path = event.commandPath.join(" ")
      const what = event.errors.map(({ message }) => inOneLine(message)).join("; ")
      yield* say(`cogito: ${what} (see ${path} --help)`)
      return
    }
    const { canColor } = yield* TerminalCapabilities.TerminalCapabilities
    const help = CliOutput.defaultFormatter({ colors: canColor })
      .formatHelpDoc(event.helpDoc)
      .replace(/(?<=\S)\n(?=.*EXAMPLES)/, "\n\n")
    const write = event.reason === "Requested" ? print : say
    yield* write(event.commandPath.length > 1 ? `${help}\n\n${yield* ends}` : help)
  })
})
