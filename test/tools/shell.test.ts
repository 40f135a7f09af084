import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Layer } from "effect"
import { spawn } from "node:child_process"
import { once } from "node:events"
import { existsSync, mkdirSync, readFileSync, realpathSync, symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { setTimeout } from "node:timers/promises"
import { Pipeline, Thought } from "cogito"
import { Agent } from "cogito/agent"
import { Testing } from "cogito/testing"
import { Tools } from "cogito/tools"
import { flags } from "../flags.ts"
import { failing, folder, on } from "./kit.ts"

const node = process.execPath

/** Runs code with node. */
const running = (root: string, code: string, options: Partial<Tools.ShellOptions> = {}) =>
  on(Tools.shell({ root, allow: [node], ...options }))("run_command", { program: node, args: ["-e", code] })

const isAlive = (pid: number): boolean => {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

/** Waits for a process to be gone. */
const gone = (pid: number) =>
  Effect.promise(async () => {
    for (let i = 0; i < 100 && isAlive(pid); i++) await setTimeout(20)
    return !isAlive(pid)
  })

/** Waits for a file with a number. */
const pidIn = (path: string) =>
  Effect.promise(async () => {
    for (let i = 0; i < 500 && !(existsSync(path) && readFileSync(path, "utf8") !== ""); i++) await setTimeout(20)
    return Number(readFileSync(path, "utf8"))
  })

describe("a command", () => {
  it.live("gives its exit code and what it printed", () =>
    Effect.gen(function* () {
      const root = yield* folder
      const code = `console.log("grün"); console.error("rot"); process.exitCode = 3`
      assert.deepStrictEqual(yield* running(root, code), {
        ended: "exited",
        exitCode: 3,
        stdout: "grün\n",
        stderr: "rot\n"
      })
      assert.deepInclude(yield* running(root, `process.kill(process.pid, "SIGUSR2"); setTimeout(() => {}, 9000)`), {
        exitCode: null,
        signal: "SIGUSR2"
      })
    })
  )

  it.live("gets its arguments as they are, no input, and no variables but a few", () =>
    Effect.gen(function* () {
      const root = yield* folder
      yield* Effect.acquireRelease(
        Effect.sync(() => (process.env["COGITO_SECRET"] = "secret")),
        () => Effect.sync(() => delete process.env["COGITO_SECRET"])
      )
      const shell = Tools.shell({ root, allow: [node], env: { GIVEN: "yes" } })
      const code = `
        const input = require("node:fs").readFileSync(0, "utf8")
        console.log(JSON.stringify([process.argv.slice(1), input, Object.keys(process.env).sort()]))`
      const args = ["$(touch made)", "; touch made", "*", "a\nb", "$HOME", "--flag", ""]
      const { stdout } = yield* on(shell)("run_command", { program: node, args: ["-e", code, "--", ...args] })
      const [given, input, names] = JSON.parse(stdout) as [unknown, unknown, ReadonlyArray<string>]
      assert.deepStrictEqual([given, input], [args, ""])
      assert.deepStrictEqual(
        names.filter((name) => !["PATH", "LANG", "LC_ALL", "TZ"].includes(name)),
        ["GIVEN"]
      )
      assert.isFalse(existsSync(join(root, "made")))
    })
  )

  it.live("gets the variables that it is given in the place of those of the program", () =>
    Effect.gen(function* () {
      const root = yield* folder
      const env = { PATH: root, LANG: "C.test" }
      const { stdout } = yield* running(root, "console.log(process.env.PATH, process.env.LANG)", { env })
      assert.strictEqual(stdout, `${root} C.test\n`)
    })
  )

  it.live("runs in the folder, or in one within it, and nowhere else", () =>
    Effect.gen(function* () {
      const root = yield* folder
      const outside = yield* folder
      mkdirSync(join(root, "sub"))
      symlinkSync(outside, join(root, "link"))
      const where = (path?: string) =>
        on(Tools.shell({ root, allow: [node] }))("run_command", {
          program: node,
          args: ["-p", "process.cwd()"],
          ...(path === undefined ? {} : { folder: path })
        })
      assert.strictEqual((yield* where()).stdout.trim(), realpathSync(root))
      assert.strictEqual((yield* where("sub")).stdout.trim(), join(realpathSync(root), "sub"))
      for (const path of ["..", "link", "/", "sub/../.."]) assert.match(yield* failing(where(path)), /^Refused/, path)
      assert.match(yield* failing(where("none")), /^NotFound: There is no "none"\. There are: link, sub\./)
    })
  )

  it.live("runs only if it is allowed", () =>
    Effect.gen(function* () {
      const root = yield* folder
      const shell = Tools.shell({
        root,
        allow: ["git log", ([program, ...args]) => program === node && args[0] === "--version"]
      })
      const run = (program: string, ...args: ReadonlyArray<string>) => on(shell)("run_command", { program, args })
      assert.strictEqual((yield* run(node, "--version")).stdout.trim(), process.version)
      for (const [program, ...args] of [
        ["git"],
        ["gitk", "log"],
        ["git", "logs"],
        ["git", "-c", "x=y", "log"],
        ["git log"],
        ["/usr/bin/git", "log"],
        ["./git", "log"],
        [node, "-e", "1"],
        ["sh", "-c", "git log"]
      ] as ReadonlyArray<readonly [string, ...ReadonlyArray<string>]>) {
        assert.strictEqual(
          yield* failing(run(program, ...args)),
          `Refused: ${JSON.stringify([program, ...args].join(" "))} may not be run. Allowed are: git log, some others, by their arguments.`
        )
      }
    })
  )

  it.live("is allowed by its words, whatever white space surrounds them", () =>
    Effect.gen(function* () {
      const root = yield* folder
      const run = (allow: string, ...args: ReadonlyArray<string>) =>
        on(Tools.shell({ root, allow: [allow] }))("run_command", { program: "node", args })
      for (const allow of ["node  --version", " node --version", "node --version ", "node\t--version\n"]) {
        assert.strictEqual((yield* run(allow, "--version")).stdout.trim(), process.version)
        assert.match(yield* failing(run(allow, "-e", "1")), /^Refused: .* Allowed are: node --version\.$/)
      }
    })
  )

  it.live("is not allowed by a promise, which is no decision", () =>
    Effect.gen(function* () {
      const root = yield* folder
      const allow = (async () => false) as unknown as () => boolean
      const run = on(Tools.shell({ root, allow: [allow] }))("run_command", { program: node, args: ["--version"] })
      assert.match(yield* failing(run), /^Refused: .* may not be run/)
    })
  )

  it.live("fails if there is no such program, or its arguments are invalid", () =>
    Effect.gen(function* () {
      const root = yield* folder
      const shell = Tools.shell({ root, allow: [() => true] })
      const run = (program: string, ...args: ReadonlyArray<string>) =>
        failing(on(shell)("run_command", { program, args }))
      assert.strictEqual(yield* run("no-such-program"), `NotFound: There is no program "no-such-program".`)
      assert.match(yield* run(node, "a\0b"), /^Failed: .* could not be started \(ERR_INVALID_ARG_VALUE\)\.$/)
      assert.match(yield* run(""), /^Failed: .* could not be started/)
      assert.match(yield* run(node, "x".repeat(10_000_000)), /^Failed: .* could not be started/)
      writeFileSync(join(root, "file"), "no program")
      assert.match(yield* run("./file"), /^Failed: .* could not be started \(EACCES\)\.$/)
    })
  )
})

describe("a command that does not end", () => {
  it.live("is ended after its time, with what it printed", () =>
    Effect.gen(function* () {
      const root = yield* folder
      const done = yield* running(root, "setInterval(() => {}, 1000)", { timeout: "200 millis" })
      assert.deepInclude(done, { ended: "timeout", exitCode: null, signal: "SIGTERM" })
    })
  )

  it.live("is ended when the call is interrupted, with what it has started, also if that ignores SIGTERM", () =>
    Effect.gen(function* () {
      const root = yield* folder
      const inner = `
        process.on("SIGTERM", () => {})
        require("node:fs").writeFileSync("inner", String(process.pid))
        setInterval(() => {}, 1000)`
      const code = `
        process.on("SIGTERM", () => require("node:fs").writeFileSync("asked", "1"))
        require("node:child_process").spawn(process.execPath, ["-e", ${JSON.stringify(inner)}], { stdio: "inherit" })
        require("node:fs").writeFileSync("outer", String(process.pid))
        setInterval(() => {}, 1000)`
      const fiber = yield* Effect.forkChild(running(root, code))
      const outerPid = yield* pidIn(join(root, "outer"))
      const innerPid = yield* pidIn(join(root, "inner"))
      yield* Fiber.interrupt(fiber)
      assert.isFalse(isAlive(outerPid))
      assert.isTrue(yield* gone(innerPid))
      assert.isTrue(existsSync(join(root, "asked")))
    })
  )

  it.live("may tidy up when it is asked to end", () =>
    Effect.gen(function* () {
      const root = yield* folder
      const code = `
        const { writeFileSync } = require("node:fs")
        process.on("SIGTERM", () => { writeFileSync("tidied", "up"); process.exit(0) })
        setInterval(() => {}, 1000)
        writeFileSync("pid", String(process.pid))`
      const fiber = yield* Effect.forkChild(running(root, code))
      yield* pidIn(join(root, "pid"))
      yield* Fiber.interrupt(fiber)
      assert.strictEqual(readFileSync(join(root, "tidied"), "utf8"), "up")
    })
  )

  it.live("leaves nothing in the background, and is not waited for because of what has left its group", () =>
    Effect.gen(function* () {
      const root = yield* folder
      const inner = (name: string) =>
        `require("node:fs").writeFileSync(${JSON.stringify(name)}, String(process.pid)); setInterval(() => {}, 1000)`
      const code = `
        const { spawn } = require("node:child_process")
        const { existsSync } = require("node:fs")
        spawn(process.execPath, ["-e", ${JSON.stringify(inner("behind"))}], { stdio: "inherit" }).unref()
        spawn(process.execPath, ["-e", ${JSON.stringify(inner("away"))}], { stdio: "inherit", detached: true }).unref()
        console.log("started")
        const wait = setInterval(() => {
          if (existsSync("behind") && existsSync("away")) process.exit(0)
        }, 10)`
      const done = yield* running(root, code, { timeout: "20 seconds" })
      assert.deepInclude(done, { ended: "exited", exitCode: 0, stdout: "started\n" })
      assert.isTrue(yield* gone(yield* pidIn(join(root, "behind"))))
      process.kill(yield* pidIn(join(root, "away")), "SIGKILL")
    })
  )
})

describe("a command that prints much", () => {
  it.live("has the middle of its output left out", () =>
    Effect.gen(function* () {
      const root = yield* folder
      const done = yield* running(root, `process.stdout.write("a".repeat(5) + "ü".repeat(1_000_000) + "z".repeat(5))`, {
        characters: 10
      })
      assert.deepStrictEqual(done, {
        ended: "exited",
        exitCode: 0,
        stdout: "aaaaa\n[… 1000000 characters were left out …]\nzzzzz",
        stderr: ""
      })
      // as many characters as fit by default, and one more
      const usual = yield* running(
        root,
        `process.stdout.write("a".repeat(6000)); process.stderr.write("b".repeat(6001))`
      )
      const half = "b".repeat(3000)
      assert.deepStrictEqual(
        [usual.stdout, usual.stderr],
        ["a".repeat(6000), `${half}\n[… 1 characters were left out …]\n${half}`]
      )
    })
  )

  it.live("is ended if it does not stop", () =>
    Effect.gen(function* () {
      const root = yield* folder
      const code = `const flood = () => { while (process.stdout.write("x".repeat(65536))); process.stdout.once("drain", flood) }; flood()`
      const done = yield* running(root, code, { maxBytes: 1_000_000 })
      assert.strictEqual(done.ended, "output")
      assert.isBelow(done.stdout.length, 6100)
    })
  )

  it.live("is ended if its two outputs are too much together", () =>
    Effect.gen(function* () {
      const root = yield* folder
      const code = `process.stdout.write("x".repeat(6000)); process.stderr.write("y".repeat(6000))`
      assert.strictEqual((yield* running(root, code, { maxBytes: 12_000 })).ended, "exited")
      const staying = `${code}; setInterval(() => {}, 1000)`
      assert.strictEqual((yield* running(root, staying, { maxBytes: 11_999, timeout: "20 seconds" })).ended, "output")
    })
  )
})

describe("the tool for commands", () => {
  it("needs commands that are allowed, and limits in range", () => {
    assert.throws(() => Tools.shell({ root: ".", allow: [] }), /allows no command/)
    assert.throws(() => Tools.shell({ root: ".", allow: ["git", " "] }), /allow.* has no words/)
    assert.throws(() => Tools.shell({ root: ".", allow: ["git"], timeout: 0 }), /time above 0/)
    assert.throws(() => Tools.shell({ root: ".", allow: ["git"], timeout: Infinity }), /finite time above 0/)
    const timeout = "nonsense" as "1 second"
    assert.throws(() => Tools.shell({ root: ".", allow: ["git"], timeout }), /Tools\.shell needs .* as timeout/)
    assert.throws(() => Tools.shell({ root: ".", allow: ["git"], characters: 0.5 }), /whole number/)
  })

  it.live("asks an agent's user before each command", () =>
    Effect.gen(function* () {
      const root = yield* folder
      const shell = Tools.shell({ root, allow: [node] })
      const agent = Agent.make("admin", {
        instructions: "You look after a machine.",
        triage: false,
        toolkit: shell.toolkit
      })
      const model = Testing.scripted([
        Testing.calls([{ name: "run_command", params: { program: node, args: ["-p", "1 + 1"] } }]),
        "Two."
      ])
      const program = Effect.gen(function* () {
        const thought = yield* Thought.make("sum", { message: "What is 1 + 1?" })
        const error = yield* Effect.flip(Pipeline.run(agent, thought, { durable: { id: "run" } }))
        assert.ok(error._tag === "Suspended")
        assert.include(error.waits[0]?.prompt, `"args":["-p","1 + 1"]`)
        yield* Pipeline.answer("run", "admin.approval", { approved: true })
        yield* Pipeline.resume(agent, "run")
      })
      yield* Effect.provide(program, Layer.mergeAll(model.layer, shell.layer, Testing.memory))
      assert.deepStrictEqual(
        model.requests[1]?.messages.at(-1)?.results?.map(({ text }) => text),
        [`{"ended":"exited","exitCode":0,"stdout":"2\\n","stderr":""}`]
      )
    })
  )
})

describe("a command whose program ends before it", () => {
  const all = ["SIGINT", "SIGHUP", "SIGKILL"] as const
  const program = (root: string) => `
    import { Effect, Stream } from "effect"
    import { Tools } from "cogito/tools"
    const shell = Tools.shell({ root: ${JSON.stringify(root)}, allow: [process.execPath] })
    const code = 'require("node:fs").writeFileSync("pid", String(process.pid)); setInterval(() => {}, 1000)'
    process.on("SIGUSR2", () => process.exit(0))
    const call = Effect.flatMap(shell.toolkit, (handlers) =>
      Effect.flatMap(handlers.handle("run_command", { program: process.execPath, args: ["-e", code] }), Stream.runDrain))
    await Effect.runPromise(Effect.provide(call, shell.layer))`

  // a program that a signal ends can do nothing about it, whichever signal it is
  const signals = process.env["COGITO_KILL_ROUNDS"] === undefined ? (["SIGKILL"] as const) : all
  for (const name of [...signals, "SIGUSR2"] as const) {
    const how = name === "SIGUSR2" ? "with process.exit" : `by ${name}`
    it.live.skipIf(process.platform === "win32")(`is ended too, if the program ends ${how}`, () =>
      Effect.gen(function* () {
        const root = yield* folder
        const args = [...flags, "--input-type=module", "--eval", program(root)]
        const parent = spawn(node, args, { cwd: join(import.meta.dirname, "..", ".."), stdio: "inherit" })
        const ended = once(parent, "exit")
        const pid = yield* pidIn(join(root, "pid"))
        parent.kill(name)
        yield* Effect.promise(() => ended)
        assert.isTrue(yield* gone(pid))
      })
    )
  }

  it.live("listens to the end of the process only while it runs", () =>
    Effect.gen(function* () {
      const root = yield* folder
      const before = process.listenerCount("exit")
      const code = `require("node:fs").writeFileSync("pid", String(process.pid)); setInterval(() => {}, 1000)`
      const two = yield* Effect.forkChild(Effect.all([running(root, code), running(root, code)], { concurrency: 2 }))
      yield* pidIn(join(root, "pid"))
      assert.strictEqual(process.listenerCount("exit"), before + 1)
      yield* Fiber.interrupt(two)
      assert.strictEqual(process.listenerCount("exit"), before)
    })
  )
})
