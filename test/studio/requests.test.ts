/** Requests of an unusual form: bodies in pieces or as long as they may be, types with parameters, ids with slashes. */
import { assert, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { request as send } from "node:http"
import { setTimeout } from "node:timers/promises"
import { Testing } from "../../src/testing/index.ts"
import { begin, type Desk, model, open, refund } from "./desk.ts"

const runId = "shop/orders 7%2F"

/** Sends an answer in pieces, each on its own, and returns the status. */
const post = (desk: Desk, pieces: ReadonlyArray<Uint8Array | string>, type = "application/json") =>
  new Promise<number>((resolve, reject) => {
    const { hostname, pathname, port } = new URL("data/answers", desk.address)
    const headers = { cookie: desk.cookie, origin: desk.address.origin, "content-type": type }
    const sent = send({ hostname, port, path: pathname, method: "POST", headers, agent: false }, (response) => {
      response.resume()
      resolve(response.statusCode ?? 0)
    })
    sent.once("error", reject)
    void (async () => {
      for (const piece of pieces) {
        sent.write(piece)
        await setTimeout(10)
      }
      sent.end()
    })()
  })

it("the studio reads whole answers of its own type, and any id", () =>
  Effect.gen(function* () {
    yield* begin(refund, { id: runId, text: "The kite came broken." })
    const desk = yield* open
    yield* Effect.promise(async () => {
      const path = `data/runs/${encodeURIComponent(runId)}`
      const before = JSON.parse((await desk.get(path)).body)
      assert.strictEqual(before.focus.runId, runId)
      assert.strictEqual((await desk.get(`data/runs/${runId}`)).status, 404)

      const { frame } = before.runs[0].waits.find(({ key }: { readonly key: string }) => key === "amount")
      const answer = Buffer.from(JSON.stringify({ runId, frame, value: 12, by: "Zoë" }))
      const at = answer.indexOf("ë") + 1
      for (const type of ["text/plain; application/json", "text/plain", "application/jsonp", ""]) {
        assert.strictEqual(await post(desk, [answer], type), 415, type)
      }
      assert.strictEqual(
        await post(desk, [answer.subarray(0, at), answer.subarray(at)], "application/json; charset=utf-8"),
        200
      )
      const { runs } = JSON.parse((await desk.get(path)).body)
      const answered = runs[0].waits.find((wait: { readonly frame: string }) => wait.frame === frame)
      assert.deepInclude(answered, { answer: '{"value":12}', answeredBy: "Zoë" })

      // no answer, but read as a whole
      const longest = JSON.stringify("é".repeat(499_999))
      assert.strictEqual(Buffer.byteLength(longest), 1_000_000)
      assert.strictEqual(await post(desk, [longest]), 400)
      assert.strictEqual(await post(desk, [`${longest} `]), 413)
    })
  }).pipe(Effect.scoped, Effect.provide(Layer.merge(model.layer, Testing.memory)), Effect.runPromise))
