/** `cogito agent` on a terminal: keys that are not text. */
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { prefill } from "../pglite/prefilled.ts"
import { terminals, typing } from "./cogito.ts"

const folder = mkdtempSync(join(tmpdir(), "cogito-keys-"))
const at = (name: string) => join(folder, name)
const desk = join(import.meta.dirname, "desk.ts")
const args = [desk, "--data-dir", at("memory")]
const around = {
  command: "agent" as const,
  env: { OPENAI_API_KEY: "", ANTHROPIC_API_KEY: "", COGITO_TEST_OPEN: at("open") }
}

/** The prompt at the beginning of a line that was cleared. */
const prompt = "\u001b[1G\u001b[0J> \u001b[3G"

beforeAll(() => prefill(at("memory")), 120_000)
afterAll(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }))

describe.skipIf(!terminals)("cogito agent on a terminal", { timeout: 300_000 }, () => {
  it("goes on at its prompt and at a question after Ctrl-Z and fg, and leaves a question open before which Ctrl-D was pressed", async () => {
    const terminal = await typing(args, { ...around, isJob: true })
    try {
      await terminal.type("\u001a", `/help shows what you can type.\r\n${prompt}`)
      await terminal.type("", "Stopped")
      await terminal.type("refund 6\r", prompt)
      // the prompt is drawn once
      assert.notInclude(await terminal.type("\u001a", "or e to edit the parameters) "), prompt)
      await terminal.type("", "Stopped")
      await terminal.type("y\r", "or e to edit the parameters) ")
      await terminal.type("slowly 8\r", "It says: Order 6 was refunded.")
      await terminal.type("y\r\u0004", "The model has begun.")
      await terminal.type("", "y\r\n")
      writeFileSync(at("open"), "")
      await terminal.type("", "waits for an answer. Answer with the command above")
      assert.strictEqual(await terminal.ended, 4)
    } finally {
      terminal.kill()
      rmSync(at("open"), { force: true })
    }
  })

  it("ends after the answer during which Ctrl-D was pressed", async () => {
    const terminal = await typing(args, around)
    try {
      await terminal.type("wait 1\r", "/help shows what you can type.")
      await terminal.type("\u0004", "[call] wait")
      writeFileSync(at("open"), "")
      await terminal.type("", "It says: Waited for 1.")
      assert.strictEqual(await terminal.ended, 0)
      assert.match(terminal.shown(), /Session \S+\. Go on with: /)
    } finally {
      terminal.kill()
      rmSync(at("open"), { force: true })
    }
  })

  it("ends when its terminal is closed during a call, and gives the folder back", async () => {
    const terminal = await typing(args, around)
    await terminal.type("wait 1\r", "/help shows what you can type.")
    await terminal.type("", "[call] wait")
    terminal.kill()
    await terminal.ended
    const isReleased = () =>
      readdirSync(at("memory")).some(
        (name) => name.startsWith("lock.") && existsSync(join(at("memory"), name, "released"))
      )
    for (let turn = 0; turn < 500 && !isReleased(); turn++) await new Promise((resolve) => setTimeout(resolve, 20))
    assert.isTrue(isReleased())
  })
})
