/** Ways out of the folder of the tools for files. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { execFileSync } from "node:child_process"
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync
} from "node:fs"
import { join } from "node:path"
import { setImmediate } from "node:timers/promises"
import { Tools } from "cogito/tools"
import { called, failing, folder, on } from "./kit.ts"

/** A root beside a folder with a secret. */
const stage = Effect.map(folder, (top) => {
  const root = join(top, "root")
  const outside = join(top, "outside")
  mkdirSync(root)
  mkdirSync(outside)
  writeFileSync(join(outside, "secret"), "the secret")
  writeFileSync(join(root, "inside"), "harmless")
  return { top, root, outside, files: Tools.files({ root }) }
})

describe("a path that leads out", () => {
  it.live("is refused as it stands", () =>
    Effect.gen(function* () {
      const { files, outside, top } = yield* stage
      for (const path of [
        "../outside/secret",
        "x/../../outside/secret",
        join(outside, "secret"),
        "..",
        "inside/../..",
        "/"
      ]) {
        for (const call of [
          on(files)("read_file", { path }),
          on(files)("write_file", { path, text: "x" }),
          on(files)("create_file", { path: `${path}/new`, text: "x" }),
          on(files)("remove_file", { path }),
          on(files)("list_files", { path }),
          on(files)("find_text", { path, text: "secret" })
        ]) {
          assert.match(yield* failing<unknown, unknown, never>(call), /^Refused/, path)
        }
      }
      assert.deepStrictEqual(readdirSync(top).toSorted(), ["outside", "root"])
      assert.deepStrictEqual(readdirSync(outside), ["secret"])
    })
  )

  it.live("is only a strange name when it is encoded, and no name when it has a NUL or no end", () =>
    Effect.gen(function* () {
      const { files, outside } = yield* stage
      const read = (path: string) => failing(on(files)("read_file", { path }))
      for (const path of [
        "%2e%2e/outside/secret",
        "..%2foutside%2fsecret",
        "..\\outside\\secret",
        "．．/outside/secret"
      ]) {
        assert.match(yield* read(path), /^(NotFound|Refused)/, path)
      }
      assert.match(yield* read("inside\0.md"), /^Invalid/)
      assert.match(yield* read("a".repeat(300)), /^Invalid: .* has too long a name/)
      assert.match(yield* read("a/".repeat(5000)), /^Invalid/)
      assert.match(yield* failing(on(files)("create_file", { path: "a".repeat(256), text: "" })), /^Invalid/)
      assert.deepStrictEqual(readdirSync(outside), ["secret"])
    })
  )

  it.live("is refused by a link, of a file, of a folder, or of what is to be created", () =>
    Effect.gen(function* () {
      const { files, outside, root } = yield* stage
      symlinkSync("../outside/secret", join(root, "file"))
      symlinkSync(outside, join(root, "folder"))
      symlinkSync("../outside/new", join(root, "dangling"))
      symlinkSync("folder", join(root, "twice"))
      symlinkSync("loop", join(root, "loop"))
      for (const path of ["file", "folder/secret", "twice/secret", "loop"]) {
        assert.match(yield* failing(on(files)("read_file", { path })), /^Refused/, path)
        assert.match(yield* failing(on(files)("edit_file", { path, old: "the", new: "no" })), /^Refused/, path)
        assert.match(yield* failing(on(files)("write_file", { path, text: "x" })), /^Refused/, path)
      }
      for (const path of ["folder/new", "twice/new", "folder/a/b"]) {
        assert.match(yield* failing(on(files)("create_file", { path, text: "x" })), /^Refused/, path)
        assert.match(yield* failing(on(files)("write_file", { path, text: "x" })), /^Refused/, path)
      }
      assert.match(yield* failing(on(files)("create_file", { path: "dangling", text: "x" })), /^Conflict/)
      assert.match(yield* failing(on(files)("write_file", { path: "dangling", text: "x" })), /^Conflict/)
      assert.match(yield* failing(on(files)("remove_file", { path: "folder/secret" })), /^Refused/)
      assert.match(yield* failing(on(files)("list_files", { path: "folder" })), /^Refused/)
      assert.deepStrictEqual((yield* on(files)("list_files", { deep: true })).paths, ["inside"])
      assert.deepStrictEqual((yield* on(files)("find_text", { text: "secret" })).matches, [])
      assert.deepStrictEqual(readdirSync(outside), ["secret"])
      assert.strictEqual(readFileSync(join(outside, "secret"), "utf8"), "the secret")
    })
  )

  it.live("is not listed by a link into a folder beside it whose name begins alike", () =>
    Effect.gen(function* () {
      const { files, root } = yield* stage
      const beside = `${root}-secret`
      mkdirSync(beside)
      writeFileSync(join(beside, "hidden"), "the secret")
      symlinkSync(beside, join(root, "folder"))
      symlinkSync(join(beside, "hidden"), join(root, "file"))
      for (const deep of [false, true]) {
        assert.deepStrictEqual((yield* on(files)("list_files", { deep })).paths, ["inside"])
      }
      assert.deepStrictEqual((yield* on(files)("find_text", { text: "secret" })).matches, [])
      assert.match(yield* failing(on(files)("read_file", { path: "file" })), /^Refused/)
      assert.match(yield* failing(on(files)("list_files", { path: "folder" })), /^Refused/)
    })
  )

  it.live("is followed by a link that stays within", () =>
    Effect.gen(function* () {
      const { files, root } = yield* stage
      mkdirSync(join(root, "real"))
      writeFileSync(join(root, "real/a"), "text")
      symlinkSync("real", join(root, "link"))
      assert.include(yield* on(files)("read_file", { path: "link/a" }), "text")
      yield* on(files)("write_file", { path: "link/a", text: "changed" })
      assert.strictEqual(readFileSync(join(root, "real/a"), "utf8"), "changed")
      assert.deepStrictEqual((yield* on(files)("list_files", {})).paths, ["inside", "link/", "real/"])
    })
  )

  it.live("is refused if a name begins with a dot, also behind a link", () =>
    Effect.gen(function* () {
      const { files, root } = yield* stage
      mkdirSync(join(root, ".git"))
      writeFileSync(join(root, ".env"), "KEY=1")
      symlinkSync(".env", join(root, "env"))
      symlinkSync(".git", join(root, "git"))
      for (const path of [".env", "./.env", "env", ".git/config", "git/config"]) {
        assert.match(yield* failing(on(files)("read_file", { path })), /^Refused/, path)
        assert.match(yield* failing(on(files)("write_file", { path, text: "x" })), /^Refused/, path)
      }
      assert.deepStrictEqual((yield* on(files)("find_text", { text: "KEY" })).matches, [])
      assert.include(yield* on(Tools.files({ root, hidden: true }))("read_file", { path: ".env" }), "KEY=1")
    })
  )

  it.live("is not waited for when it is a pipe", () =>
    Effect.gen(function* () {
      const { files, root } = yield* stage
      execFileSync("mkfifo", [join(root, "pipe")])
      assert.match(yield* failing(on(files)("read_file", { path: "pipe" })), /^NotText/)
      assert.deepStrictEqual((yield* on(files)("find_text", { text: "harmless" })).matches.length, 1)
    })
  )

  // elsewhere a folder cannot be held open
  it.live.skipIf(process.platform !== "linux")(
    "is never followed while somebody exchanges a folder for a link that leads out",
    () =>
      Effect.gen(function* () {
        const { files, outside, root } = yield* stage
        const inner = join(root, "sub")
        mkdirSync(inner)
        mkdirSync(join(outside, "empty"))
        writeFileSync(join(inner, "secret"), "harmless")
        const away = join(root, "away")
        const state = { over: false }
        let exchanges = 0
        const tried = (run: () => void): void => {
          try {
            run()
          } catch {
            // the tools may have made a folder meanwhile
          }
        }
        const attack = Effect.promise(async () => {
          while (!state.over) {
            tried(() => {
              renameSync(inner, away)
              symlinkSync(outside, inner)
              exchanges++
            })
            await setImmediate()
            tried(() => {
              rmSync(inner, { recursive: true, force: true })
              renameSync(away, inner)
            })
            await setImmediate()
          }
        })
        const services = yield* Layer.build(files.layer)
        const call: ReturnType<typeof on<Tools.FileTools, Tools.ToolFailed>> = (name, params) =>
          Effect.provideContext(called(files.toolkit, name, params), services)
        const calls = Effect.gen(function* () {
          const texts: Array<string> = []
          for (let i = 0; i < 300; i++) {
            const text = (call: Effect.Effect<string, unknown>) =>
              Effect.catch(call, (error) => Effect.succeed(String(error)))
            const results = yield* Effect.all(
              [
                text(call("read_file", { path: "sub/secret" })),
                text(call("create_file", { path: `sub/new${i}`, text: "x" })),
                text(call("write_file", { path: "sub/other", text: "x" })),
                text(call("edit_file", { path: "sub/secret", old: "the secret", new: "stolen" })),
                text(call("remove_file", { path: "sub/empty" }))
              ],
              { concurrency: "unbounded" }
            )
            texts.push(...results)
          }
          return texts
        }).pipe(Effect.ensuring(Effect.sync(() => (state.over = true))))
        const [texts] = yield* Effect.all([calls, attack], { concurrency: 2 })
        assert.isAbove(exchanges, 100)
        assert.isFalse(texts.some((text) => text.includes("the secret")))
        assert.isTrue(texts.some((text) => text.includes("harmless")))
        assert.deepStrictEqual(readdirSync(outside).toSorted(), ["empty", "secret"])
        assert.strictEqual(readFileSync(join(outside, "secret"), "utf8"), "the secret")
        assert.isTrue(existsSync(join(outside, "empty")))
      })
  )
})
