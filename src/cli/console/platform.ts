/** The services that Effect's commands require, for commands without prompts, files and child processes. */
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Layer from "effect/Layer"
import * as Path from "effect/Path"
import * as Sink from "effect/Sink"
import * as Stdio from "effect/Stdio"
import * as Stream from "effect/Stream"
import * as Terminal from "effect/Terminal"
import * as CliConfig from "effect/cli/CliConfig"
import * as GlobalFlag from "effect/cli/GlobalFlag"
import { ChildProcessSpawner, make } from "effect/process/ChildProcessSpawner"
import { presenter } from "./help.ts"
import { print } from "./output.ts"

const absent = Effect.die(new Error("The command asked for something that this program does not have."))

const terminal = Terminal.make({
  columns: Effect.sync(() => process.stdout.columns ?? 80),
  rows: Effect.sync(() => process.stdout.rows ?? 24),
  size: absent,
  readInput: absent,
  readLine: absent,
  display: (text) => print(text)
})

const stdio = Stdio.make({
  args: Effect.sync(() => process.argv.slice(2)),
  stdinIsTerminal: Effect.sync(() => process.stdin.isTTY),
  stdoutIsTerminal: Effect.sync(() => process.stdout.isTTY),
  stderrIsTerminal: Effect.sync(() => process.stderr.isTTY),
  stdout: () => Sink.drain,
  stderr: () => Sink.drain,
  stdin: Stream.empty
})

export const platform = Layer.mergeAll(
  CliConfig.layer({ builtIns: [GlobalFlag.Help, GlobalFlag.Version] }),
  presenter,
  FileSystem.layerNoop({}),
  Path.layer,
  Layer.succeed(Stdio.Stdio, stdio),
  Layer.succeed(Terminal.Terminal, terminal),
  Layer.succeed(
    ChildProcessSpawner,
    make(() => absent)
  )
)
