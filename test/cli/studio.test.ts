import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Memory, Pipeline } from "../../src/index.ts"
import { PgliteMemory } from "../../src/pglite/index.ts"
import { PostgresMemory } from "../../src/postgres/index.ts"
import { prefill } from "../pglite/prefilled.ts"
import * as Server from "../postgres/server.ts"
import { Studio } from "../../src/studio/index.ts"
import { Testing } from "../../src/testing/index.ts"
import { begin, model, refund, sent } from "../studio/desk.ts"
import { cogito, start, until } from "./cogito.ts"

const planted = Effect.provide(begin(refund, { id: "refund-17", text: "order 17" }), model.layer)

/** The address that the program has printed, and the cookie of a browser that opens it. */
const opened = async (studio: Awaited<ReturnType<typeof start>>) => {
  await until("it prints its address", () => studio.stdout().endsWith("\n"), studio)
  const address = new URL(studio.stdout().trim())
  const cookie = (await sent(address)).headers["set-cookie"]?.[0]?.split(";")[0] ?? ""
  const get = async (path: string) => JSON.parse((await sent(new URL(path, address), { headers: { cookie } })).body)
  const answer = (frame: string, value: unknown) =>
    sent(new URL("data/answers", address), {
      method: "POST",
      headers: { cookie, origin: address.origin, "content-type": "application/json" },
      body: JSON.stringify({ runId: "refund-17", frame, value, by: "jane" })
    })
  return { address, answer, get }
}

/** What the command does with every memory. */
const behaves = (place: () => ReadonlyArray<string>, answers: () => Promise<ReadonlyArray<string>>) => {
  it("serves runs, searches and answers until Ctrl-C, and prints its address once", async () => {
    const studio = await start(place(), { command: "studio" })
    const { address, answer, get } = await opened(studio)
    assert.match(address.href, /^http:\/\/127\.0\.0\.1:\d+\/[\w-]+\/\?token=[\w-]{43}$/)
    assert.strictEqual((await sent(new URL("data/runs", address))).status, 403)
    const { runs } = await get("data/runs")
    assert.deepInclude(runs[0], { id: "refund-17", status: "waiting" })
    const { arms, matches } = await get("data/search?q=order%2017")
    assert.deepStrictEqual([arms.vector, arms.lexical, matches[0].content], ["none", "ok", "order 17"])
    assert.strictEqual((await answer("/refund/people/amount", 49.9)).status, 200)
    assert.strictEqual((await answer("/refund/people/amount", 50)).status, 409)
    studio.process.kill("SIGINT")
    const { code, stderr, stdout } = await studio.ended
    assert.strictEqual(code, 130)
    assert.strictEqual(stdout, `${address.href}\n`)
    assert.include(stderr, "Whoever has it can read the memory and answer questions.")
    assert.notInclude(stderr, "token=")
    assert.deepStrictEqual(await answers(), ["49.9 by jane"])
  })
}

const answersOf = Effect.gen(function* () {
  const waiting = yield* Pipeline.waiting()
  assert.deepStrictEqual(
    waiting.map(({ key }) => key),
    ["ok"]
  )
  const { ledger } = yield* Memory.Memory
  const stored = yield* ledger.load("refund-17")
  return (stored?.waits ?? []).flatMap(({ answer, answeredBy = "" }) =>
    answer === undefined ? [] : [`${String(JSON.parse(answer).value)} by ${answeredBy}`]
  )
})

describe("cogito studio on a folder", { timeout: 120_000 }, () => {
  const folder = mkdtempSync(join(tmpdir(), "cogito-studio-"))
  const dataDir = join(folder, "memory")
  const within = <A, E>(effect: Effect.Effect<A, E, Memory.Memory>) =>
    Effect.runPromise(Effect.provide(effect, PgliteMemory.layer({ dataDir, embedder: "none" })))
  beforeAll(async () => {
    await prefill(dataDir)
    await within(planted)
  })
  afterAll(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }))

  behaves(
    () => ["--data-dir", dataDir],
    () => within(answersOf)
  )

  it("says which port is in use, and which are none", async () => {
    const ready = Promise.withResolvers<string>()
    const other = Effect.gen(function* () {
      yield* Layer.build(Studio.layer({ onReady: ready.resolve }))
      const { port } = new URL(yield* Effect.promise(() => ready.promise))
      const { code, stderr } = yield* Effect.promise(() =>
        cogito(["--data-dir", dataDir, "--port", port], { command: "studio" })
      )
      assert.strictEqual(code, 1)
      assert.include(stderr, `cogito: Another program listens on port ${port} of 127.0.0.1`)
    })
    await Effect.runPromise(Effect.scoped(other).pipe(Effect.provide(Testing.memory)))
    for (const port of ["0", "65536"]) {
      const { code, stderr } = await cogito(["--data-dir", dataDir, "--port", port], { command: "studio" })
      assert.strictEqual(code, 2)
      assert.include(stderr, "--port must be a whole number from 1 to 65535")
    }
    // these ports are valid, and only the memory is missing
    for (const port of ["1", "65535"]) {
      const { code, stderr } = await cogito(["--data-dir", join(folder, "none"), "--port", port], { command: "studio" })
      assert.strictEqual(code, 1)
      assert.include(stderr, "The folder holds no memory")
    }
  })
})

describe.skipIf(!Server.available)("cogito studio on a server", { timeout: 120_000 }, () => {
  let server: Server.Server
  let url = ""
  const within = <A, E>(effect: Effect.Effect<A, E, Memory.Memory>) =>
    Effect.runPromise(Effect.provide(effect, PostgresMemory.layer({ url, scope: "shop", embedder: "none" })))
  beforeAll(async () => {
    server = Server.start()
    url = await Server.migrated(server)
    await within(planted)
  })
  afterAll(() => server.stop())

  behaves(
    () => ["--scope", "shop", "--database-url", url],
    // the program is a process of its own beside the studio
    () => within(answersOf)
  )
})
