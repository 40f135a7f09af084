import { assert, describe, it } from "@effect/vitest"
import { Option } from "effect"
import { execFileSync } from "node:child_process"
import { existsSync } from "node:fs"
import { commandOf } from "../../src/cli/runs/command.ts"

const place = { dataDir: Option.some("my notes"), databaseUrl: Option.none(), scope: Option.none() }
const odd = ["it's $HOME", "'both' sides'", "\\ '\u001b[31m\n", "\u202etxt", "a\u{e0041}b", "\\n"]

describe("a command that is printed", () => {
  it("shows what a terminal would obey as its number", () => {
    const line = commandOf(place, odd)
    assert.strictEqual(
      line,
      String.raw`npx cogito 'it'\''s $HOME' ''\''both'\'' sides'\''' $'\\ \'\U0000001b[31m\U0000000a' $'\U0000202etxt' $'a\U000e0041b' '\n' --data-dir 'my notes'`
    )
  })

  it.skipIf(!existsSync("/bin/bash"))("names the same words to a shell", () => {
    const line = commandOf(place, odd).replace("npx cogito", String.raw`printf '%s\0'`)
    const printed = execFileSync("/bin/bash", ["--norc", "-c", line], { env: { LC_ALL: "C.UTF-8" }, encoding: "utf8" })
    assert.deepStrictEqual(printed.split("\0"), [...odd, "--data-dir", "my notes", ""])
  })

  it("puts words that begin with a dash where they are no flags", () => {
    assert.strictEqual(
      commandOf(place, ["runs", "answer", "-dash", "ok", "yes"], ["--by", "jane"]),
      "npx cogito runs answer --by jane --data-dir 'my notes' -- -dash ok yes"
    )
    assert.strictEqual(
      commandOf(place, ["report", "run-1"], ["--out", "run.html"]),
      "npx cogito report run-1 --out run.html --data-dir 'my notes'"
    )
  })
})
