import { assert, describe, it } from "@effect/vitest"
import { Memory, Provider } from "cogito"
import { Cogito } from "cogito/promise"
import { Testing } from "cogito/testing"
import { Effect, type Layer } from "effect"
import { listen, service } from "../../examples/http-service/service.ts"

const replies = (kind: string) =>
  kind === "analyze"
    ? { customer: "Jane Doe", issue: "charged twice" }
    : { decision: true, confidence: 1, reasoning: ["it says so"] }

const tenants = new Map([
  ["acme-key", "acme"],
  ["globex-key", "globex"]
])

/** The service on a port of its own, and what it logs. */
const started = async (layer: Layer.Layer<Provider.Provider>, graceMillis = 60_000) => {
  const lines: Array<string> = []
  const ai = Cogito.make([layer, Memory.layerInMemory(), Testing.embedder])
  const { server, stop } = service({ ai, tenants, graceMillis, log: (line) => lines.push(line) })
  const url = `http://127.0.0.1:${await listen(server, 0)}`
  const ask = (
    options: {
      readonly key?: string
      readonly accept?: string
      readonly signal?: AbortSignal
      readonly body?: string
    } = {}
  ) =>
    fetch(`${url}/triage`, {
      method: "POST",
      headers: {
        connection: "close",
        authorization: options.key ?? "acme-key",
        ...(options.accept === undefined ? {} : { accept: options.accept })
      },
      body: options.body ?? JSON.stringify({ message: "I was charged twice! Jane Doe" }),
      ...(options.signal === undefined ? {} : { signal: options.signal })
    })
  return { ask, lines, stop, url }
}

const scripted = () => Testing.scripted((request) => replies(request.task.kind), { pieceLength: 8 })

/** A model that hangs until it is told to answer. */
const gated = () => {
  const gate = Promise.withResolvers<void>()
  const called = Promise.withResolvers<void>()
  const released = Promise.withResolvers<void>()
  const layer = Provider.layer({
    name: "gated",
    model: "gated",
    complete: ({ task }) =>
      Effect.promise(() => {
        called.resolve()
        return gate.promise
      }).pipe(
        Effect.onInterrupt(() => Effect.sync(() => released.resolve())),
        Effect.as({ text: JSON.stringify(replies(task.kind)), usage: {} })
      )
  })
  return { called: called.promise, layer, open: gate.resolve, released: released.promise }
}

describe("examples/http-service.ts", () => {
  it("answers in JSON, keeps tenants apart, and logs what each request costs", async () => {
    const { ask, lines, stop, url } = await started(scripted().layer)
    const response = await ask()
    assert.strictEqual(response.status, 200)
    const body = (await response.json()) as { readonly urgent: boolean; readonly ticket: unknown }
    assert.deepStrictEqual([body.urgent, body.ticket], [true, { customer: "Jane Doe", issue: "charged twice" }])
    const found = async (key: string) => {
      const got = await fetch(`${url}/search?q=charged`, { headers: { connection: "close", authorization: key } })
      return ((await got.json()) as ReadonlyArray<unknown>).length
    }
    assert.isAbove(await found("acme-key"), 0)
    assert.strictEqual(await found("globex-key"), 0)
    assert.deepStrictEqual(lines, ["acme: 2 calls, 0.0000 USD"])
    await stop()
  })

  it("streams events", async () => {
    const { ask, stop } = await started(scripted().layer)
    const response = await ask({ accept: "text/event-stream" })
    const text = await response.text()
    assert.match(text, /^event: Text\ndata: \{.*"kind":"analyze"/)
    assert.match(text, /event: Partial\ndata: .*"key":"ticket"/)
    assert.match(text, /event: Done\ndata: \{"id":"[0-9a-f-]{36}"\}\n\n$/)
    await stop()
  })

  it("refuses what it does not know, and says nothing of the texts", async () => {
    const { ask, lines, stop, url } = await started(Testing.scripted(["secret", "secret"]).layer)
    assert.strictEqual((await ask({ key: "none" })).status, 401)
    assert.strictEqual((await ask({ body: "{}" })).status, 400)
    assert.strictEqual((await ask({ body: "no JSON" })).status, 400)
    assert.strictEqual((await ask({ body: JSON.stringify({ message: "x".repeat(200_000) }) })).status, 413)
    assert.strictEqual((await fetch(`${url}/health`, { headers: { connection: "close" } })).status, 200)
    const response = await ask()
    assert.strictEqual(response.status, 502)
    assert.deepStrictEqual(await response.json(), { message: "The request has failed." })
    assert.notInclude(lines.join("\n"), "secret")
    await stop()
  })

  it("ends the run of a client that leaves", async () => {
    const { called, layer, released } = gated()
    const { ask, lines, stop } = await started(layer)
    const leaving = new AbortController()
    const asked = ask({ signal: leaving.signal }).catch((error: unknown) => error)
    await called
    leaving.abort()
    await released
    assert.strictEqual(((await asked) as Error).name, "AbortError")
    await stop()
    assert.include(lines.join("\n"), "the client has left")
  })

  it("waits for running requests at its end, and refuses new ones", async () => {
    const { called, layer, open } = gated()
    const { ask, stop } = await started(layer)
    const asked = ask()
    await called
    const stopped = stop()
    const refused: unknown = await ask().catch((error: unknown) => error)
    assert.instanceOf(refused, TypeError)
    open()
    assert.strictEqual((await asked).status, 200)
    await stopped
  })

  it("aborts requests that take too long at its end", async () => {
    const { called, layer, released } = gated()
    const { ask, stop } = await started(layer, 1)
    const asked = ask()
    await called
    await stop()
    await released
    assert.strictEqual((await asked).status, 500)
  })
})
