/** Which memory a command uses, and which embedder it searches with. */
import { afterAll, assert, describe, it } from "@effect/vitest"
import { ConfigProvider, Effect, Fiber, Option, Stream } from "effect"
import { mkdtempSync, readdirSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { PassThrough } from "node:stream"
import { linesOf } from "../../src/cli/memory/archive.ts"
import { asBefore, searchable, wordsOnly } from "../../src/cli/memory/embedder.ts"
import { orFolder, scopeOf } from "../../src/cli/memory/place.ts"
import { exitCode, run } from "../../src/cli/program.ts"
import { Store } from "../../src/index.ts"
import { writtenBy } from "./agent/written.ts"

const none = { databaseUrl: Option.none<string>(), dataDir: Option.none<string>() }
const url = "postgres://somebody@localhost/x"

const withVariable = <A, E>(value: string | undefined, work: Effect.Effect<A, E>) =>
  Effect.provideService(
    work,
    ConfigProvider.ConfigProvider,
    ConfigProvider.fromEnv({ env: value === undefined ? {} : { DATABASE_URL: value } })
  )

describe("the memory of a command", () => {
  it.effect("is the default folder unless an option or DATABASE_URL names another memory", () =>
    Effect.gen(function* () {
      const named = { ...none, dataDir: Option.some("mine") }
      const server = { ...none, databaseUrl: Option.some(url) }
      const byDefault = { ...none, dataDir: Option.some("default") }
      for (const [place, variable, found] of [
        [none, undefined, byDefault],
        [none, "", byDefault],
        // the command reads the server from the variable later
        [none, url, none],
        [named, undefined, named],
        [named, url, named],
        [server, undefined, server]
      ] as const) {
        assert.deepStrictEqual(yield* withVariable(variable, orFolder(place, "default")), found)
      }
    })
  )

  it.effect("has a default scope in a folder, but needs a named one on a server", () =>
    Effect.gen(function* () {
      const scope = (given: string | undefined, place: Partial<typeof none>, variable?: string) =>
        withVariable(
          variable,
          Effect.match(scopeOf({ ...none, ...place, scope: Option.fromUndefinedOr(given) }), {
            onSuccess: (found) => found,
            onFailure: ({ message }) => message
          })
        )
      const folder = { dataDir: Option.some("mine") }
      const server = { databaseUrl: Option.some(url) }
      const unnamed = "This memory may have several tenants: name the one to use with --scope."
      assert.strictEqual(yield* scope(undefined, folder), "local")
      assert.strictEqual(yield* scope(undefined, folder, url), "local")
      assert.strictEqual(yield* scope("acme", folder), "acme")
      assert.strictEqual(yield* scope("", folder), unnamed)
      assert.strictEqual(yield* scope("acme", server), "acme")
      assert.strictEqual(yield* scope(undefined, server), unnamed)
      assert.strictEqual(yield* scope("", server), unnamed)
      assert.strictEqual(yield* scope("acme", {}, url), "acme")
      assert.strictEqual(yield* scope(undefined, {}, url), unnamed)
      assert.strictEqual(
        yield* scope("acme", {}, "hunter2").pipe(Effect.map((text) => text.split(" is ")[0])),
        "The variable DATABASE_URL"
      )
      assert.match(yield* scope("acme", {}), /^Name the memory: /)
      assert.strictEqual(
        yield* scope("acme", { ...folder, ...server }),
        "Name one memory: --database-url or --data-dir, not both."
      )
      assert.match(yield* scope("acme", { dataDir: Option.some(" ") }), /^--data-dir is empty: /)
    })
  )
})

describe("the embedder of a command", () => {
  it.effect(
    "is absent if no embedder has made vectors, and a notice says so unless --embedder none or --json is set",
    () =>
      Effect.gen(function* () {
        const store = yield* Store.makeInMemory
        const opened: Array<string | undefined> = []
        yield* asBefore(store, "s", (why) => {
          opened.push(why)
          return wordsOnly(store, "s")
        })
        assert.deepStrictEqual(opened, [undefined])
        const said = (json: boolean, choice: "default" | "none") =>
          Effect.map(writtenBy(searchable(store, "s", { choice, json })), ({ stderr, stdout }) => {
            assert.strictEqual(stdout, "")
            return stderr
          })
        const why = "Searching by words only: no embedder has opened this memory. --embedder local embeds its notes.\n"
        assert.deepStrictEqual(
          yield* Effect.all([said(false, "default"), said(true, "default"), said(false, "none"), said(true, "none")]),
          [why, "", "", ""]
        )
      }).pipe(Effect.scoped)
  )
})

describe("an import on a terminal", () => {
  const folder = mkdtempSync(join(tmpdir(), "cogito-typed-"))
  afterAll(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }))

  /** The exit code and the output of a command while standard input is a terminal on which nobody types. */
  const saying = (...args: ReadonlyArray<string>) =>
    Effect.suspend(() => {
      const stdin = Object.assign(new PassThrough(), { isTTY: true })
      const real = Object.getOwnPropertyDescriptor(process, "stdin") ?? {}
      Object.defineProperty(process, "stdin", { configurable: true, value: stdin })
      let code = -1
      const work = Effect.exit(run(["memory", ...args])).pipe(
        Effect.flatMap((exit) => exitCode(exit, undefined)),
        Effect.tap((found) => Effect.sync(() => void (code = found)))
      )
      return Effect.map(writtenBy(work), ({ stderr, stdout }) => [code, stdout, stderr]).pipe(
        Effect.ensuring(Effect.sync(() => Object.defineProperty(process, "stdin", real)))
      )
    })

  it.effect("needs a file name, and does not wait for somebody to type", () =>
    Effect.gen(function* () {
      const place = ["--data-dir", join(folder, "memory")]
      assert.deepStrictEqual(yield* saying("import", ...place), [
        2,
        "",
        "cogito: Name the file of the archive, or pipe one to the standard input.\n"
      ])
      assert.deepStrictEqual(yield* saying("import", join(folder, "archive.jsonl"), ...place), [
        1,
        "",
        "cogito: The archive cannot be read: check the file's name and rights.\n"
      ])
      assert.deepStrictEqual(readdirSync(folder), [])
    })
  )
})

describe("the lines of an archive from the standard input", () => {
  /** Runs work with this standard input. */
  const reading = <A, E>(stdin: PassThrough, work: Effect.Effect<A, E>) =>
    Effect.suspend(() => {
      const real = Object.getOwnPropertyDescriptor(process, "stdin") ?? {}
      Object.defineProperty(process, "stdin", { configurable: true, value: stdin })
      return Effect.ensuring(
        work,
        Effect.sync(() => Object.defineProperty(process, "stdin", real))
      )
    })

  it.live("are complete, however the bytes are split", () => {
    const stdin = new PassThrough()
    const text = Buffer.from("één\r\ntwo\n\nlast 語")
    for (const byte of text) stdin.write(Buffer.from([byte]))
    stdin.end()
    return Effect.map(reading(stdin, Stream.runCollect(linesOf(undefined))), (lines) =>
      assert.deepStrictEqual([...lines], ["één", "two", "", "last 語"])
    )
  })

  it.live("end at once if the import is interrupted while it waits for more", () => {
    const stdin = new PassThrough()
    const lines: Array<string> = []
    return reading(
      stdin,
      Effect.gen(function* () {
        const fiber = yield* Effect.forkChild(
          Stream.runForEach(linesOf(undefined), (line) => Effect.sync(() => void lines.push(line))),
          { startImmediately: true }
        )
        stdin.write("one\ntwo\nthr")
        while (lines.length < 2) yield* Effect.sleep("1 millis")
        yield* Fiber.interrupt(fiber)
        assert.deepStrictEqual([lines, stdin.destroyed], [["one", "two"], true])
      })
    )
  })
})
