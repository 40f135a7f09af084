import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Tool from "effect/ai/Tool"
import * as Toolkit from "effect/ai/Toolkit"
import { time } from "../arguments/checked.ts"
import { either, inCodeFunction, list, option, others, string } from "../arguments/forms.ts"
import { taking } from "../arguments/taking.ts"
import { quoted } from "../text/legible.ts"
import { type Folder, folderAt, inFolder } from "./disk/folder.ts"
import { counts } from "./kit/counts.ts"
import { type Kit, kitOf } from "./kit/Kit.ts"
import { asToolFailed, ToolFailed, toolFailed } from "./kit/ToolFailed.ts"
import { type Child, type Command, start } from "./process/child.ts"

/**
 * What a command came to.
 *
 * **Details**
 *
 * - `ended`: `"exited"` if it ended by itself, `"timeout"` if it took too long, `"output"` if it printed too much
 * - `exitCode`: its exit code. Null if a signal ended it, which `signal` names then
 * - `stdout`, `stderr`: what it printed. Of a long output, the middle is left out
 *
 * @category models
 */
export const CommandResult = Schema.Struct({
  ended: Schema.Literals(["exited", "timeout", "output"]),
  exitCode: Schema.NullOr(Schema.Int),
  signal: Schema.optionalKey(Schema.String),
  stdout: Schema.String,
  stderr: Schema.String
})

/**
 * @category models
 */
export interface CommandResult extends Schema.Schema.Type<typeof CommandResult> {}

const runCommand = Tool.make("run_command", {
  description:
    "Runs a program with arguments, and gives its exit code and what it printed. There is no shell: each argument is passed on as " +
    "it is, and there are no pipes, redirections, patterns and variables.",
  parameters: Schema.Struct({
    program: Schema.String.annotate({ description: "The name of the program" }),
    args: Schema.optionalKey(Schema.Array(Schema.String)),
    folder: Schema.optionalKey(Schema.String.annotate({ description: "Where it runs. Default: the folder itself" }))
  }),
  success: CommandResult,
  failure: ToolFailed
}).annotate(Tool.Destructive, true)

const toolkit = Toolkit.make(runCommand)

/**
 * The tool that runs commands.
 *
 * @category models
 */
export type ShellTools = Toolkit.Tools<typeof toolkit>

/**
 * Options of `Tools.shell`.
 *
 * **Details**
 *
 * - `root`: the folder in which commands run, or in a folder of it. It must exist when the layer is built
 * - `allow`: which commands may run. A text such as `"git log"` allows commands that begin with these words, separated by
 *   white space; a function judges the program and its arguments
 * - `env`: variables of the environment, besides `PATH`, `LANG`, `LC_ALL` and `TZ`, which are those of this program
 * - `timeout`: how long a command may take. Default 1 minute
 * - `characters`: the most that is kept of each of the two outputs. Default 6,000
 * - `maxBytes`: a command that prints more is ended. Default 20,000,000
 *
 * @category models
 */
export interface ShellOptions {
  readonly root: string
  readonly allow: ReadonlyArray<
    string | ((argv: readonly [program: string, ...args: ReadonlyArray<string>]) => boolean)
  >
  readonly env?: Readonly<Record<string, string>>
  readonly timeout?: Duration.Input
  readonly characters?: number
  readonly maxBytes?: number
}

/**
 * A tool that runs commands, without a shell.
 *
 * **Details**
 *
 * `run_command` is destructive, so by default an agent asks before each command. It runs what `allow` allows, in `root` or a folder
 * within it, without standard input. The program gets nothing of this program's environment but where programs are found and the
 * language. An exit code other than 0 is a result, not a failure.
 *
 * A command that takes too long, prints too much or is interrupted gets SIGTERM, and SIGKILL a second later, with everything that it
 * has started in its process group. What a command leaves running in the background is ended with it. On Windows only the program
 * itself is ended.
 *
 * An allowed program can do whatever this program's user can: nothing confines it to `root`. Allow commands that are harmless with any
 * arguments, or judge the arguments, or run in a container.
 *
 * Building the layer fails with `ToolFailed` if there is no such folder. Throws if `allow` or a text in it is empty, or a limit is out of
 * range.
 *
 * **Example** (Runs a command)
 *
 * ```ts
 * import assert from "node:assert/strict"
 * import { Effect, Stream } from "effect"
 * import { Tools } from "cogito/tools"
 *
 * const shell = Tools.shell({ root: ".", allow: ["node --version"], timeout: "10 seconds" })
 *
 * const program = Effect.gen(function*() {
 *   const handlers = yield* shell.toolkit
 *   const run = (args: ReadonlyArray<string>) =>
 *     Stream.runCollect(Stream.unwrap(handlers.handle("run_command", { program: "node", args })))
 *
 *   const [done] = yield* run(["--version"])
 *   const { exitCode, stdout } = done?.result as Tools.CommandResult
 *   assert.equal(exitCode, 0)
 *   assert.match(stdout, /^v\d/)
 *
 *   const refused = yield* Effect.flip(run(["-e", "process.exit()"]))
 *   assert.equal(refused.message, `"node -e process.exit()" may not be run. Allowed are: node --version.`)
 * })
 *
 * await Effect.runPromise(program.pipe(Effect.provide(shell.layer)))
 * ```
 *
 * @category constructors
 */
export const shell: (options: ShellOptions) => Kit<ShellTools, ToolFailed> = taking("Tools.shell", {
  options: 0,
  texts: ["root"],
  needs: ["allow"],
  known: {
    ...others("root", "env", "timeout", "characters", "maxBytes"),
    allow: option("", list("", either("", string, inCodeFunction)))
  }
})((options: ShellOptions): Kit<ShellTools, ToolFailed> => {
  const { allow, env = {}, root, timeout = "1 minute", ...given } = options
  const limits = counts("Tools.shell", { characters: 6000, maxBytes: 20_000_000 }, given)
  const millis = time("Tools.shell", "timeout", timeout)
  if (allow.length === 0) throw new Error("Tools.shell allows no command: name some with the option allow.")
  const allowed = allow.map((one) => (typeof one === "string" ? wordsOf(one) : one))
  const opened = Effect.tryPromise({ try: () => folderAt(root, true), catch: asToolFailed })
  return kitOf(
    toolkit,
    Effect.map(opened, (folder) => ({
      run_command: ({ args = [], folder: path = ".", program }) => {
        const refusal = refusalOf(allowed, [program, ...args])
        if (refusal !== undefined) return Effect.fail(refusal)
        return run(folder, path, { program, args, env: { ...inherited(), ...env }, ...limits }, millis)
      }
    }))
  )
})

type Judges = Exclude<ShellOptions["allow"][number], string>

const wordsOf = (text: string): ReadonlyArray<string> => {
  const words = text.split(/\s+/).filter((word) => word !== "")
  if (words.length === 0) throw new Error(`Tools.shell: the text ${quoted(text)} of the option allow has no words.`)
  return words
}

const refusalOf = (
  allow: ReadonlyArray<ReadonlyArray<string> | Judges>,
  argv: readonly [program: string, ...args: ReadonlyArray<string>]
): ToolFailed | undefined => {
  const isAllowed = allow.some((one) => {
    if (typeof one !== "function") return one.every((word, i) => argv[i] === word)
    // the promise of an async function is not a decision
    const answer: unknown = one(argv)
    return answer === true
  })
  if (isAllowed) return undefined
  const texts = allow.flatMap((one) => (typeof one === "function" ? [] : [one.join(" ")]))
  const some = texts.length < allow.length ? [...texts, "some others, by their arguments"] : texts
  return toolFailed("Refused", `${quoted(argv.join(" "))} may not be run. Allowed are: ${some.join(", ")}.`)
}

const names = ["PATH", "LANG", "LC_ALL", "TZ", ...(process.platform === "win32" ? ["SystemRoot", "PATHEXT"] : [])]

/** What a program needs of the environment to be found. Anything else may be a secret. */
const inherited = (): Readonly<Record<string, string>> =>
  Object.fromEntries(
    names.flatMap((name) => {
      // oxlint-disable-next-line node/no-process-env -- where programs are found is known nowhere else
      const value = process.env[name]
      return value === undefined ? [] : [[name, value]]
    })
  )

const run = (
  folder: Folder,
  path: string,
  command: Omit<Command, "folder">,
  millis: number
): Effect.Effect<CommandResult, ToolFailed> =>
  Effect.acquireUseRelease(
    Effect.tryPromise({
      try: () => inFolder(folder, path, async (at) => start({ ...command, folder: at })),
      catch: asToolFailed
    }),
    (child) => outcome(child, millis),
    (child) => Effect.promise(child.end)
  )

const outcome = Effect.fnUntraced(function* (
  { end, exited, flooded, stderr, stdout }: Child,
  millis: number
): Effect.fn.Return<CommandResult, ToolFailed> {
  const ended = yield* Effect.raceAllFirst([
    Effect.as(
      Effect.promise(() => exited),
      "exited" as const
    ),
    Effect.as(
      Effect.promise(() => flooded),
      "output" as const
    ),
    Effect.as(Effect.sleep(millis), "timeout" as const)
  ])
  yield* Effect.promise(end)
  const exit = yield* Effect.promise(() => exited)
  if (exit._tag === "NotStarted") return yield* exit.error
  const { code, signal } = exit
  return {
    ended,
    exitCode: code,
    ...(signal === null ? {} : { signal }),
    stdout: stdout.text(),
    stderr: stderr.text()
  }
})
