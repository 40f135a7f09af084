import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Layer } from "effect"
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync
} from "node:fs"
import { join } from "node:path"
import { Pipeline, Thought } from "cogito"
import { Agent } from "cogito/agent"
import { Testing } from "cogito/testing"
import { Tools } from "cogito/tools"
import { called, failing, folder, on } from "./kit.ts"

const kit = Effect.map(folder, (root) => ({ root, files: Tools.files({ root }) }))

describe("reading files", () => {
  it.live("gives the lines of a text, and says how to go on", () =>
    Effect.gen(function* () {
      const { files, root } = yield* kit
      writeFileSync(join(root, "a.txt"), "one\ntwo\nthree\n")
      const read = (params: { offset?: number; lines?: number }) => on(files)("read_file", { path: "a.txt", ...params })
      assert.strictEqual(yield* read({}), `Lines 1 to 3 of 3 of "a.txt":\none\ntwo\nthree`)
      assert.strictEqual(yield* read({ lines: 1 }), `Lines 1 to 1 of 3 of "a.txt"; go on with offset 2:\none`)
      assert.strictEqual(yield* read({ offset: 3 }), `Lines 3 to 3 of 3 of "a.txt":\nthree`)
      assert.strictEqual(yield* failing(read({ offset: 4 })), `NotFound: "a.txt" has only 3 lines.`)
      assert.match(yield* failing(read({ offset: 0 })), /^Invalid/)
      writeFileSync(join(root, "empty"), "")
      assert.strictEqual(yield* on(files)("read_file", { path: "./empty" }), `"./empty" is empty.`)
    })
  )

  it.live("stops at its limit of characters, also within one line", () =>
    Effect.gen(function* () {
      const { root } = yield* kit
      const files = Tools.files({ root, characters: 10 })
      writeFileSync(join(root, "a"), "12345\n12345\n12345")
      writeFileSync(join(root, "long"), "x".repeat(1_000_000))
      assert.strictEqual(
        yield* on(files)("read_file", { path: "a" }),
        `Lines 1 to 1 of 3 of "a"; go on with offset 2:\n12345`
      )
      assert.strictEqual(
        yield* on(files)("read_file", { path: "long" }),
        `Lines 1 to 1 of 1 of "long":\nxxxxxxxxxx[… 999990 more characters]`
      )
    })
  )

  it.live("names files that exist instead of a missing one", () =>
    Effect.gen(function* () {
      const { files, root } = yield* kit
      assert.strictEqual(
        yield* failing(on(files)("read_file", { path: "a.md" })),
        `NotFound: There is no "a.md". There is nothing.`
      )
      mkdirSync(join(root, "sub"))
      writeFileSync(join(root, "b.md"), "b")
      writeFileSync(join(root, ".secret"), "b")
      for (const path of ["a.md", "x/y/z.md", "b.md/c"]) {
        assert.strictEqual(
          yield* failing(on(files)("read_file", { path })),
          `NotFound: There is no "${path}". There are: b.md, sub.`
        )
      }
      assert.strictEqual(
        yield* failing(on(files)("read_file", { path: "sub/c.md" })),
        `NotFound: There is no "sub/c.md". There is nothing in "sub".`
      )
    })
  )

  it.live("refuses what is no text, is too large, or is no file", () =>
    Effect.gen(function* () {
      const { root } = yield* kit
      const files = Tools.files({ root, maxBytes: 100 })
      writeFileSync(join(root, "nul"), "a\0b")
      writeFileSync(join(root, "latin1"), Buffer.from([0x66, 0xfc, 0x72]))
      writeFileSync(join(root, "large"), "x".repeat(101))
      mkdirSync(join(root, "sub"))
      const read = (path: string) => failing(on(files)("read_file", { path }))
      assert.strictEqual(yield* read("nul"), `NotText: "nul" is not a text in UTF-8.`)
      assert.strictEqual(yield* read("latin1"), `NotText: "latin1" is not a text in UTF-8.`)
      assert.strictEqual(yield* read("large"), `TooLarge: "large" has 101 bytes, and at most 100 can be read.`)
      assert.strictEqual(yield* read("sub"), `Invalid: "sub" is a folder, not a file.`)
      assert.strictEqual(yield* read("."), "Invalid: This is the folder itself: name a file in it.")
    })
  )

  it.live("lists files, and finds text", () =>
    Effect.gen(function* () {
      const { files, root } = yield* kit
      mkdirSync(join(root, "sub/deep"), { recursive: true })
      mkdirSync(join(root, "node_modules"))
      mkdirSync(join(root, ".git"))
      for (const path of ["b.md", "sub/a.md", "sub/deep/c.md", "node_modules/d.md", ".git/e.md"]) {
        writeFileSync(join(root, path), `first\nA needle in ${path}`)
      }
      const listed = (params: { path?: string; deep?: boolean }) => on(files)("list_files", params)
      assert.deepStrictEqual(yield* listed({}), { paths: ["b.md", "node_modules/", "sub/"], more: false })
      assert.deepStrictEqual((yield* listed({ path: "sub", deep: true })).paths, [
        "sub/a.md",
        "sub/deep/",
        "sub/deep/c.md"
      ])
      assert.deepStrictEqual((yield* listed({ deep: true })).paths, [
        "b.md",
        "node_modules/",
        "sub/",
        "sub/a.md",
        "sub/deep/",
        "sub/deep/c.md"
      ])
      assert.deepStrictEqual(yield* on(Tools.files({ root, entries: 1 }))("list_files", {}), {
        paths: ["b.md"],
        more: true
      })
      const found = (params: { text: string; path?: string; ignoreCase?: boolean }) => on(files)("find_text", params)
      assert.deepStrictEqual(yield* found({ text: "needle", path: "sub/deep" }), {
        matches: [{ path: "sub/deep/c.md", line: 2, text: "A needle in sub/deep/c.md" }],
        more: false
      })
      assert.deepStrictEqual(
        (yield* found({ text: "needle" })).matches.map(({ path }) => path),
        ["b.md", "sub/a.md", "sub/deep/c.md"]
      )
      assert.deepStrictEqual((yield* found({ text: "NEEDLE", path: "b.md" })).matches, [])
      assert.strictEqual((yield* found({ text: "NEEDLE", path: "b.md", ignoreCase: true })).matches.length, 1)
      assert.match(yield* failing(found({ text: "" })), /^Invalid/)
      assert.match(yield* failing(found({ text: "x", path: "none" })), /^NotFound/)
    })
  )

  it.live("shows of a long line what is around the match", () =>
    Effect.gen(function* () {
      const { files, root } = yield* kit
      writeFileSync(join(root, "a"), `${"x".repeat(500_000)}needle${"y".repeat(500_000)}`)
      const { matches } = yield* on(files)("find_text", { text: "needle" })
      assert.isBelow(matches[0]?.text.length ?? 0, 310)
      assert.include(matches[0]?.text, "xneedley")
    })
  )

  it.live("shows a line of 300 characters whole, and marks only an end that is left out", () =>
    Effect.gen(function* () {
      const { files, root } = yield* kit
      const shown = (before: number, after: number) =>
        Effect.gen(function* () {
          writeFileSync(join(root, "a"), `${"x".repeat(before)}needle${"y".repeat(after)}`)
          const { matches } = yield* on(files)("find_text", { text: "needle" })
          return matches.map(({ text }) => text)
        })
      const [x, y] = ["x".repeat(100), "y".repeat(194)]
      assert.deepStrictEqual(yield* shown(194, 100), [`${"x".repeat(194)}needle${"y".repeat(100)}`])
      assert.deepStrictEqual(yield* shown(101, 194), [`…${x}needle${y}`])
      assert.deepStrictEqual(yield* shown(101, 195), [`…${x}needle${y}…`])
      assert.deepStrictEqual(yield* shown(100, 195), [`${x}needle${y}…`])
    })
  )
})

describe("writing files", () => {
  it.live("creates a file with its folders, but none that is there", () =>
    Effect.gen(function* () {
      const { files, root } = yield* kit
      assert.strictEqual(yield* on(files)("create_file", { path: "a/b/c.md", text: "grün" }), `"a/b/c.md" was created.`)
      assert.strictEqual(readFileSync(join(root, "a/b/c.md"), "utf8"), "grün")
      assert.strictEqual(
        yield* failing(on(files)("create_file", { path: "a/b/c.md", text: "" })),
        `Conflict: "a/b/c.md" is there already.`
      )
      assert.match(yield* failing(on(files)("create_file", { path: "a/b/c.md/d", text: "" })), /^Invalid/)
      assert.strictEqual(readFileSync(join(root, "a/b/c.md"), "utf8"), "grün")
    })
  )

  it.live("replaces a file as a whole, with its permissions, and leaves nothing else behind", () =>
    Effect.gen(function* () {
      const { files, root } = yield* kit
      writeFileSync(join(root, "run.sh"), "old", { mode: 0o750 })
      // what the umask takes from new files
      writeFileSync(join(root, "shared"), "old")
      chmodSync(join(root, "shared"), 0o666)
      yield* on(files)("write_file", { path: "run.sh", text: "new" })
      yield* on(files)("edit_file", { path: "shared", old: "old", new: "new" })
      yield* on(files)("write_file", { path: "sub/new", text: "new" })
      assert.strictEqual(readFileSync(join(root, "run.sh"), "utf8"), "new")
      assert.strictEqual(statSync(join(root, "run.sh")).mode & 0o777, 0o750)
      assert.strictEqual(statSync(join(root, "shared")).mode & 0o777, 0o666)
      assert.deepStrictEqual(readdirSync(root).toSorted(), ["run.sh", "shared", "sub"])
      assert.match(yield* failing(on(files)("write_file", { path: "sub", text: "" })), /^Invalid/)
    })
  )

  it.live("refuses a text that a file would not hold as it is", () =>
    Effect.gen(function* () {
      const { files, root } = yield* kit
      writeFileSync(join(root, "a"), "one")
      const half = "\ud83d"
      for (const write of [
        on(files)("write_file", { path: "b", text: half }),
        on(files)("create_file", { path: "b", text: `two ${half}` }),
        on(files)("edit_file", { path: "a", old: "one", new: half })
      ]) {
        assert.match(yield* failing(write), /^Invalid: .*half of a character/)
      }
      yield* on(files)("write_file", { path: "a", text: "\ud83d\ude00" })
      assert.deepStrictEqual(readdirSync(root), ["a"])
      assert.strictEqual(readFileSync(join(root, "a"), "utf8"), "\ud83d\ude00")
    })
  )

  it.live("edits the only place of a text", () =>
    Effect.gen(function* () {
      const { files, root } = yield* kit
      writeFileSync(join(root, "a"), "one two two $& aaa")
      writeFileSync(join(root, "crlf"), "one\r\ntwo")
      const edit = (old: string, next: string, path = "a") => on(files)("edit_file", { path, old, new: next })
      yield* edit("one", "$&$1")
      assert.strictEqual(readFileSync(join(root, "a"), "utf8"), "$&$1 two two $& aaa")
      assert.match(yield* failing(edit("two", "three")), /^Conflict: .*more than once/)
      assert.match(yield* failing(edit("aa", "b")), /^Conflict: .*more than once/)
      assert.match(yield* failing(edit("four", "three")), /^Conflict: .*does not stand/)
      assert.match(yield* failing(edit("one\ntwo", "three", "crlf")), /^Conflict: .*\\r\\n/)
      // other line breaks would not help
      assert.match(yield* failing(edit("one\nthree", "two", "crlf")), /^Conflict: .*Read it again/)
      assert.match(yield* failing(edit("", "three")), /^Invalid/)
      assert.match(yield* failing(edit("two", "two")), /^Invalid/)
    })
  )

  it.live("loses no edit of those that are made at the same time", () =>
    Effect.gen(function* () {
      const { files, root } = yield* kit
      writeFileSync(join(root, "a"), Array.from({ length: 20 }, (_, i) => `<${i}>`).join(""))
      const edits = Effect.forEach(
        Array.from({ length: 20 }, (_, i) => i),
        (i) => called(files.toolkit, "edit_file", { path: "a", old: `<${i}>`, new: `[${i}]` }),
        { concurrency: "unbounded" }
      )
      yield* Effect.provide(edits, files.layer)
      assert.strictEqual(readFileSync(join(root, "a"), "utf8"), Array.from({ length: 20 }, (_, i) => `[${i}]`).join(""))
    })
  )

  it.live("loses no edit of those that several kits and layers make at the same time", () =>
    Effect.gen(function* () {
      const { files, root } = yield* kit
      mkdirSync(join(root, "sub"))
      writeFileSync(join(root, "sub/a"), Array.from({ length: 20 }, (_, i) => `<${i}>`).join(""))
      const other = Tools.files({ root: join(root, "sub") })
      yield* Effect.forEach(
        Array.from({ length: 20 }, (_, i) => i),
        (i) => {
          const edit = { old: `<${i}>`, new: `[${i}]` }
          // each call builds the layer again, as requests to a server may
          return i % 2 === 0
            ? on(files)("edit_file", { path: "sub/a", ...edit })
            : on(other)("edit_file", { path: "a", ...edit })
        },
        { concurrency: "unbounded" }
      )
      const all = Array.from({ length: 20 }, (_, i) => `[${i}]`).join("")
      assert.strictEqual(readFileSync(join(root, "sub/a"), "utf8"), all)
    })
  )

  it.live("refuses a change of a file that another program changes meanwhile", () =>
    Effect.gen(function* () {
      const { files, root } = yield* kit
      for (const call of [
        on(files)("edit_file", { path: "a", old: "one", new: "two" }),
        on(files)("write_file", { path: "a", text: "two" })
      ]) {
        writeFileSync(join(root, "a"), "one")
        const change = yield* Effect.forkChild(failing<unknown, unknown, never>(call))
        // the draft is there for several turns of the event loop before it takes the place of the file
        while (!readdirSync(root).some((name) => name.startsWith(".cogito-"))) {
          yield* Effect.promise(() => new Promise((resolve) => setImmediate(resolve)))
        }
        writeFileSync(join(root, "a"), "one and more")
        assert.match(yield* Fiber.join(change), /^Conflict: Another program has changed "a" meanwhile/)
        assert.strictEqual(readFileSync(join(root, "a"), "utf8"), "one and more")
        assert.deepStrictEqual(readdirSync(root), ["a"])
      }
    })
  )

  it.live("leaves a file that may only be read as it is", () =>
    Effect.gen(function* () {
      const { files, root } = yield* kit
      writeFileSync(join(root, "a"), "one", { mode: 0o444 })
      for (const call of [
        on(files)("edit_file", { path: "a", old: "one", new: "two" }),
        on(files)("write_file", { path: "a", text: "two" })
      ]) {
        assert.strictEqual(yield* failing<unknown, unknown, never>(call), `Refused: "a" may only be read.`)
      }
      assert.strictEqual(readFileSync(join(root, "a"), "utf8"), "one")
      assert.deepStrictEqual(readdirSync(root), ["a"])
    })
  )

  it.live("removes a file, an empty folder, and a link but not its target", () =>
    Effect.gen(function* () {
      const { files, root } = yield* kit
      mkdirSync(join(root, "full"))
      mkdirSync(join(root, "empty"))
      writeFileSync(join(root, "full/a"), "a")
      symlinkSync("full/a", join(root, "link"))
      const remove = (path: string) => on(files)("remove_file", { path })
      yield* remove("link")
      assert.isTrue(existsSync(join(root, "full/a")))
      assert.match(yield* failing(remove("full")), /^Conflict: .*not empty/)
      yield* remove("full/a")
      yield* remove("empty")
      assert.deepStrictEqual(readdirSync(root), ["full"])
      assert.strictEqual(yield* failing(remove("none")), `NotFound: There is no "none".`)
      assert.match(yield* failing(remove(".")), /^Invalid/)
    })
  )

  it.live("refuses a text that is too large", () =>
    Effect.gen(function* () {
      const { root } = yield* kit
      const files = Tools.files({ root, maxBytes: 3 })
      writeFileSync(join(root, "a"), "abc")
      for (const call of [
        on(files)("create_file", { path: "b", text: "üü" }),
        on(files)("write_file", { path: "a", text: "abcd" }),
        on(files)("edit_file", { path: "a", old: "a", new: "aa" })
      ]) {
        assert.match(yield* failing<unknown, unknown, never>(call), /^TooLarge/)
      }
      assert.deepStrictEqual(readdirSync(root), ["a"])
      assert.strictEqual(readFileSync(join(root, "a"), "utf8"), "abc")
    })
  )
})

describe("the tools of files", () => {
  it("leave the writing ones out on request, also in the types", () => {
    const files = Tools.files({ root: ".", readonly: true })
    assert.deepStrictEqual(Object.keys(files.toolkit.tools), ["read_file", "list_files", "find_text"])
    // @ts-expect-error Property 'write_file' does not exist
    assert.isUndefined(files.toolkit.tools.write_file)
  })

  it("need a root, and limits from 1", () => {
    assert.throws(() => Tools.files({ root: "" }), /non-empty string as the option root/)
    assert.throws(() => Tools.files({ root: ".", maxBytes: 0 }), /whole number from 1 as maxBytes, not 0/)
  })

  it.live("fail to start in a folder that does not exist", () =>
    Effect.gen(function* () {
      const { root } = yield* kit
      for (const path of [join(root, "none"), join(root, "file")]) {
        writeFileSync(join(root, "file"), "")
        const error = yield* Effect.flip(Effect.scoped(Layer.build(Tools.files({ root: path }).layer)))
        assert.strictEqual(error.reason, "NotFound")
      }
    })
  )

  it.live("ask an agent's user before they change a file, and not before they read one", () =>
    Effect.gen(function* () {
      const { files, root } = yield* kit
      writeFileSync(join(root, "todo.md"), "- buy milk")
      const agent = Agent.make("clerk", { instructions: "You keep lists.", triage: false, toolkit: files.toolkit })
      const model = Testing.scripted([
        Testing.calls([
          { name: "create_file", params: { path: "log.md", text: "begun" } },
          { name: "read_file", params: { path: "todo.md" } },
          { name: "read_file", params: { path: "../todo.md" } }
        ]),
        Testing.calls([{ name: "edit_file", params: { path: "todo.md", old: "milk", new: "bread" } }]),
        "Done."
      ])
      const program = Effect.gen(function* () {
        const thought = yield* Thought.make("list", { message: "Bread instead of milk" })
        const error = yield* Effect.flip(Pipeline.run(agent, thought, { durable: { id: "run" } }))
        assert.ok(error._tag === "Suspended")
        assert.include(error.waits[0]?.prompt, "call edit_file with")
        assert.strictEqual(readFileSync(join(root, "log.md"), "utf8"), "begun")
        assert.strictEqual(readFileSync(join(root, "todo.md"), "utf8"), "- buy milk")
        yield* Pipeline.answer("run", "clerk.approval", { approved: true })
        yield* Pipeline.resume(agent, "run")
        assert.strictEqual(readFileSync(join(root, "todo.md"), "utf8"), "- buy bread")
      })
      yield* Effect.provide(program, Layer.mergeAll(model.layer, files.layer, Testing.memory))
      assert.deepStrictEqual(
        model.requests[1]?.messages.at(-1)?.results?.map(({ text }) => text),
        [
          `"log.md" was created.`,
          `Lines 1 to 1 of 1 of "todo.md":\n- buy milk`,
          "The path leads out of the folder: only what is in it can be used."
        ]
      )
    })
  )
})
