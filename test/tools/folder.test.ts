import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs"
import { join, parse, relative } from "node:path"
import { Tools } from "cogito/tools"
import { failing, folder, on } from "./kit.ts"

describe("what is in a folder", () => {
  it.live("is neither listed nor searched in ignored folders, wherever they are", () =>
    Effect.gen(function* () {
      const root = yield* folder
      for (const path of ["node_modules", "sub/node_modules", "build", "sub/build"]) {
        mkdirSync(join(root, path), { recursive: true })
        writeFileSync(join(root, path, "a.md"), "needle")
      }
      const usual = Tools.files({ root })
      assert.deepStrictEqual((yield* on(usual)("list_files", { deep: true })).paths, [
        "build/",
        "node_modules/",
        "sub/",
        "build/a.md",
        "sub/build/",
        "sub/node_modules/",
        "sub/build/a.md"
      ])
      const found = (files: typeof usual, path = ".") =>
        Effect.map(on(files)("find_text", { text: "needle", path }), ({ matches }) => matches.map((one) => one.path))
      assert.deepStrictEqual(yield* found(usual), ["build/a.md", "sub/build/a.md"])
      assert.deepStrictEqual(yield* found(Tools.files({ root, ignore: ["build"] })), [
        "node_modules/a.md",
        "sub/node_modules/a.md"
      ])
      assert.deepStrictEqual(yield* found(usual, "sub/node_modules"), ["sub/node_modules/a.md"])
    })
  )

  it.live("lists links by their targets and does not follow them", () =>
    Effect.gen(function* () {
      const root = yield* folder
      mkdirSync(join(root, "sub"))
      writeFileSync(join(root, "sub/a.md"), "needle")
      symlinkSync(join(root, "sub"), join(root, "to-folder"))
      symlinkSync(join(root, "sub/a.md"), join(root, "to-file"))
      symlinkSync(join(root, "none"), join(root, "to-nothing"))
      const files = Tools.files({ root })
      assert.deepStrictEqual((yield* on(files)("list_files", { deep: true })).paths, [
        "sub/",
        "to-file",
        "to-folder/",
        "sub/a.md"
      ])
      const { matches } = yield* on(files)("find_text", { text: "needle" })
      assert.deepStrictEqual(matches, [{ path: "sub/a.md", line: 1, text: "needle" }])
    })
  )

  it.live("is listed and searched, even if the root is the root of the file system", () =>
    Effect.gen(function* () {
      const root = yield* folder
      writeFileSync(join(root, "a.md"), "needle")
      symlinkSync(join(root, "a.md"), join(root, "to-file"))
      const files = Tools.files({ root: parse(root).root, hidden: true, readonly: true })
      const path = relative(parse(root).root, root).replaceAll("\\", "/")
      assert.deepStrictEqual((yield* on(files)("list_files", { path })).paths, [`${path}/a.md`, `${path}/to-file`])
      for (const name of ["a.md", "to-file"]) {
        const { matches } = yield* on(files)("find_text", { text: "needle", path: `${path}/${name}` })
        assert.deepStrictEqual(matches, [{ path: `${path}/${name}`, line: 1, text: "needle" }])
      }
    })
  )

  it.live("is named up to thirty names, and how many more there are", () =>
    Effect.gen(function* () {
      const root = yield* folder
      const names = Array.from({ length: 33 }, (_, i) => `f${String(i).padStart(2, "0")}`)
      for (const name of names.slice(0, 30)) writeFileSync(join(root, name), "")
      const missing = failing(on(Tools.files({ root }))("read_file", { path: "none" }))
      const thirty = names.slice(0, 30).join(", ")
      assert.strictEqual(yield* missing, `NotFound: There is no "none". There are: ${thirty}.`)
      for (const name of names.slice(30)) writeFileSync(join(root, name), "")
      assert.strictEqual(yield* missing, `NotFound: There is no "none". There are: ${thirty}, and 3 more.`)
    })
  )
})
