/** What a person or a program types, line by line. */
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { createInterface } from "node:readline"
// keys arrive in real time, whatever clock a program has
import { setTimeout } from "node:timers"
import { handlingInterrupts, pressed } from "../console/interrupts.ts"

/**
 * - `Line`: without its end
 * - `Interrupted`: Ctrl-C was pressed instead
 * - `End`: there are no more lines
 */
export type Read =
  | { readonly _tag: "Line"; readonly text: string }
  | { readonly _tag: "Interrupted" }
  | { readonly _tag: "End" }

export interface Lines {
  readonly isTerminal: boolean
  /** Reads the next line. On a terminal it shows the prompt, and the text that can be edited. */
  readonly next: (prompt: string, text?: string) => Effect.Effect<Read>
  /** Ctrl-C while nobody reads: the next line is `Interrupted`. */
  readonly interrupt: () => void
  /**
   * Drops what was typed before it was asked for, and says whether it dropped something. Only on a terminal: a program writes its
   * lines in advance.
   */
  readonly dropTyped: Effect.Effect<boolean>
  /** Leaves the keys to the terminal while work goes on: Ctrl-C is a signal then. */
  readonly away: <A, E, R>(work: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
}

/** How many milliseconds the terminal may take to hand over what was typed while nobody read. */
const handover = 20

/** Reads the standard input until the scope closes. On a terminal a line can be edited. */
export const openLines: Effect.Effect<Lines, never, Scope.Scope> = Effect.map(
  Effect.acquireRelease(
    Effect.sync(() => {
      const { stdin, stderr } = process
      const isTerminal = "isTTY" in stdin && stdin.isTTY
      return {
        isTerminal,
        reader: createInterface({
          input: stdin,
          // the standard output may be a file
          ...(isTerminal ? { output: stderr } : {}),
          terminal: isTerminal,
          crlfDelay: Infinity
        })
      }
    }),
    ({ reader }) => Effect.sync(() => reader.close())
  ),
  ({ isTerminal, reader }): Lines => {
    const typed: Array<string> = []
    let isOver = false
    let isInterrupted = false
    let isListening = false
    /** Whether keys that arrive were typed while nobody read. */
    let isHandedOver = false
    let reading: ((read: Read) => void) | undefined
    const give = (read: Read) => {
      const to = reading
      reading = undefined
      to?.(read)
    }
    const interrupt = () => {
      if (reading === undefined) isInterrupted = true
      else give({ _tag: "Interrupted" })
    }
    const listen = (on: boolean) => {
      if (!isTerminal || isOver) return
      try {
        process.stdin.setRawMode(on)
      } catch {
        // the terminal is closed
        isOver = true
        return
      }
      if (on) reader.resume()
      else reader.pause()
      if (isListening === on) return
      isListening = on
      isHandedOver = on
      // the immediate comes after what a busy process reads late
      if (on) setTimeout(() => setImmediate(() => (isHandedOver = false)), handover).unref()
    }
    reader.on("line", (text) => {
      if (reading === undefined) typed.push(text)
      else give({ _tag: "Line", text })
    })
    reader.on("close", () => {
      isOver = true
      give({ _tag: "End" })
    })
    const dropLine = () => {
      for (const name of ["e", "u"]) reader.write(null, { ctrl: true, name })
    }
    reader.on("SIGINT", () => {
      // as in a shell, it drops the line
      if (reader.line !== "") dropLine()
      else if (!pressed()) process.kill(process.pid, "SIGINT")
    })
    // after Ctrl-Z and `fg`; the reader pauses its input before it draws the prompt again
    reader.on("SIGCONT", () => reader.resume())
    if (isTerminal) {
      // Linux hands over a Ctrl-D that was pressed while nobody read as this key
      process.stdin.on("keypress", (_: unknown, { sequence }: { readonly sequence: string }) => {
        if (sequence === "\u0000" && isHandedOver && reader.line === "") reader.close()
      })
    }
    listen(false)
    const read = (prompt: string, text = "") =>
      Effect.callback<Read>((resume) => {
        if (isInterrupted) {
          isInterrupted = false
          return resume(Effect.succeed({ _tag: "Interrupted" }))
        }
        const [next] = typed.splice(0, 1)
        if (next !== undefined) return resume(Effect.succeed({ _tag: "Line", text: next }))
        if (isOver) return resume(Effect.succeed({ _tag: "End" }))
        reading = (read) => resume(Effect.succeed(read))
        listen(true)
        if (isTerminal) {
          reader.setPrompt(prompt)
          reader.prompt()
          reader.write(text)
        }
        return Effect.sync(() => {
          reading = undefined
        })
      }).pipe(
        handlingInterrupts(interrupt),
        Effect.tap(({ _tag }) =>
          Effect.sync(() => {
            if (isTerminal && _tag !== "Line") process.stderr.write("\n")
          })
        )
      )
    const dropTyped = Effect.gen(function* () {
      if (!isTerminal) return false
      yield* Effect.sleep(handover)
      const dropped = typed.splice(0)
      if (isOver || reader.line === "") return dropped.length > 0
      reader.setPrompt("")
      dropLine()
      return true
    })
    const away: Lines["away"] = (work) =>
      Effect.acquireUseRelease(
        Effect.sync(() => listen(false)),
        () => work,
        () => Effect.sync(() => listen(true))
      )
    return { isTerminal, next: read, interrupt, dropTyped, away }
  }
)
