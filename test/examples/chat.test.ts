/** The example to talk to, as `npx cogito agent` runs it. */
import { afterAll, assert, it } from "@effect/vitest"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { root } from "../../scripts/run.ts"
import { prefill } from "../pglite/prefilled.ts"
import { spawned } from "../cli/cogito.ts"

const folder = mkdtempSync(join(tmpdir(), "cogito-chat-"))
afterAll(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }))

it("examples/chat/shop.ts looks an order up, and asks before it refunds it", { timeout: 180_000 }, async () => {
  await prefill(join(folder, "memory"))
  const ended = await spawned(
    [join(root, "examples", "chat", "shop.ts"), "--data-dir", join(folder, "memory"), "--interactive"],
    {
      command: "agent",
      env: { OPENAI_API_KEY: "", ANTHROPIC_API_KEY: "" },
      input: "Hello\nWhere is order 17?\nRefund order 17, please.\nyes\n"
    }
  )
  assert.strictEqual(ended.code, 0, ended.stderr)
  assert.strictEqual(
    ended.stdout,
    [
      "Which order is it about? For example: Where is order 17?",
      `[call] order {"number":17}`,
      `[result] order {"item":"kite","eur":12,"delivered":true}`,
      `I have found this: {"item":"kite","eur":12,"delivered":true}`,
      `[call] refund {"number":17}`,
      `[result] refund "Order 17 was refunded."`,
      "I have found this: Order 17 was refunded.",
      ""
    ].join("\n")
  )
  assert.include(ended.stderr, "May the agent «shop» call refund with «")
})
