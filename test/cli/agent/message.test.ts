import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import type { Lines, Read } from "../../../src/cli/agent/lines.ts"
import { type Input, readInput } from "../../../src/cli/agent/message.ts"

/** What is read of these lines, up to the end, and the prompts that were shown. */
const readOf = (typed: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    const rest = typed.map((text): Read => (text === "Interrupted" ? { _tag: "Interrupted" } : { _tag: "Line", text }))
    let prompts = ""
    const next = (prompt: string) =>
      Effect.sync((): Read => {
        prompts += prompt
        return rest.shift() ?? { _tag: "End" }
      })
    const lines: Lines = {
      isTerminal: false,
      next,
      interrupt: () => {},
      dropTyped: Effect.succeed(false),
      away: (work) => work
    }
    const inputs: Array<Input> = []
    do inputs.push(yield* readInput(lines))
    while (inputs.at(-1)?._tag !== "End")
    return [prompts, ...inputs] as const
  })

const message = (text: string): Input => ({ _tag: "Message", text })
const end: Input = { _tag: "End", open: undefined }

describe("what a person types", () => {
  const cases: ReadonlyArray<
    readonly [what: string, typed: ReadonlyArray<string>, prompts: string, ...inputs: ReadonlyArray<Input>]
  > = [
    ["is a message for each line, as it is", ["a", " b "], "> > > ", message("a"), message(" b "), end],
    ["is no message where a line is blank", ["", "  ", "a"], "> > > > ", message("a"), end],
    ["goes on after a backslash", ["a\\", "b \\", "", "c"], "> … … > > ", message("a\nb \n"), message("c"), end],
    ["is no message where all of it is blank", [" \\", "\\", "", "a"], "> … … > > ", message("a"), end],
    [
      "is a message between /paste and /submit",
      [" /paste ", "a\\", "", "exit", "/submit"],
      "> | | | | > ",
      message("a\\\n\nexit"),
      end
    ],
    ["is no message where nothing was pasted", ["/paste", "/submit", "/paste", " ", "/submit"], "> | > | | > ", end],
    [
      "is not submitted by a line that has more",
      ["/paste", "/submit ", "/submit"],
      "> | | > ",
      message("/submit "),
      end
    ],
    [
      "is a command after a slash",
      ["/help", " /undo ", "/nothing"],
      "> > > > ",
      ...["help", "undo", "nothing"].map((name): Input => ({ _tag: "Command", name })),
      end
    ],
    [
      "is no command if it is a path or a sentence",
      ["/etc/hosts", "/help me", "/Help"],
      "> > > > ",
      message("/etc/hosts"),
      message("/help me"),
      message("/Help"),
      end
    ],
    ["ends within what is pasted", ["/paste", "a"], "> | | ", { _tag: "End", open: "paste" }],
    ["ends within a line", ["a\\"], "> … ", { _tag: "End", open: "line" }],
    [
      "is dropped with Ctrl-C, if there was any",
      ["Interrupted", "/paste", "a", "Interrupted", "a\\", "Interrupted", "b"],
      "> > | | > … > > ",
      { _tag: "Interrupted", dropped: false },
      { _tag: "Interrupted", dropped: true },
      { _tag: "Interrupted", dropped: true },
      message("b"),
      end
    ],
    ...["exit", " quit ", "/exit", "/quit"].map((word) => [`ends with "${word}"`, [word, "a"], "> ", end] as const)
  ]
  for (const [what, typed, prompts, ...inputs] of cases) {
    it.effect(what, () =>
      Effect.gen(function* () {
        assert.deepStrictEqual(yield* readOf(typed), [prompts, ...inputs])
      })
    )
  }
})
