import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Spec } from "cogito/spec"

const step = { type: "decide", key: "spam", question: "Is this spam?" }
const json = JSON.stringify({ cogito: 1, name: "mail", step })
const yaml = "cogito: 1\nname: mail\nstep: { type: decide, key: spam, question: Is this spam? }\n"

/** A folder with the files, removed afterwards. */
const folder = (files: Readonly<Record<string, string>>) =>
  Effect.acquireRelease(
    Effect.sync(() => {
      const path = mkdtempSync(join(tmpdir(), "cogito-spec-"))
      for (const [name, text] of Object.entries(files)) writeFileSync(join(path, name), text)
      return path
    }),
    (path) => Effect.sync(() => rmSync(path, { recursive: true }))
  )

describe("Spec.load", () => {
  it.live("reads JSON and YAML by the extension, in any case [C737] [C740]", () =>
    Effect.gen(function* () {
      const names = ["a.json", "a.JSON", "a.yaml", "a.yml", "a.YmL"]
      const path = yield* folder(
        Object.fromEntries(names.map((name) => [name, name.toLowerCase().endsWith("json") ? json : yaml]))
      )
      for (const name of names) {
        assert.deepStrictEqual(yield* Spec.load(Spec.registry(), join(path, name)), { cogito: 1, name: "mail", step })
      }
    }).pipe(Effect.scoped)
  )

  it.live("says which file is wrong, and what is wrong with it [C738]", () =>
    Effect.gen(function* () {
      const path = yield* folder({
        "a.json": yaml,
        "b.yaml": "step: [",
        "c.toml": yaml,
        noextension: yaml,
        "d.json": json.replace("decide", "decode")
      })
      mkdirSync(join(path, "e.json"))
      writeFileSync(join(path, "g.json"), Buffer.from(json.replace("spam?", "caf\u00e9?"), "latin1"))
      const why = (name: string) =>
        Effect.map(Effect.flip(Spec.load(Spec.registry(), join(path, name))), (error) => {
          assert.strictEqual(error.source, join(path, name))
          return error.message.replaceAll(path, "")
        })
      assert.match(yield* why("a.json"), /^\/a\.json has a problem:\n- This is not valid JSON: /)
      assert.match(yield* why("b.yaml"), /^\/b\.yaml has a problem:\n- This is not valid YAML: /)
      assert.match(yield* why("c.toml"), /There is no format "\.toml"\. Use \.json, \.yaml or \.yml\./)
      assert.match(yield* why("noextension"), /There is no format without an extension\. Use/)
      assert.match(yield* why("d.json"), /step\.type: There is no type of step "decode"/)
      assert.match(yield* why("e.json"), /This cannot be read: EISDIR/)
      assert.match(yield* why("f.json"), /This cannot be read: ENOENT/)
      assert.match(yield* why("g.json"), /This cannot be read: it is not valid UTF-8: save it as UTF-8\./)
    }).pipe(Effect.scoped)
  )
})
