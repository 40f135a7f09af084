import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Logger, Schema } from "effect"
import { Memory, Pipeline, Thought } from "../../src/index.ts"
import { Studio } from "../../src/studio/index.ts"
import { Testing } from "../../src/testing/index.ts"
import { begin, type Desk, model, open, refund, sent } from "./desk.ts"

const canary = "CANARY"
const services = Layer.merge(model.layer, Testing.memory)

/** Texts of which none may leave the studio without the token. */
const planted = begin(refund, { id: `run-${canary}`, intent: `intent ${canary}`, text: `note ${canary}` })

const within = <A>(use: (desk: Desk) => Promise<A>) =>
  Effect.gen(function* () {
    const id = yield* planted
    const desk = yield* open
    return yield* Effect.promise(() => use(desk).then((value) => ({ value, id })))
  }).pipe(Effect.scoped, Effect.provide(services), Effect.runPromise)

const paths = [
  "",
  "runs",
  "thoughts",
  "questions",
  "search?q=note",
  "data/runs",
  "data/thoughts",
  "data/questions",
  "data/search?q=note",
  `data/runs/run-${canary}`,
  "nothing"
]

describe("the studio without its token", () => {
  it("answers nothing but 403 and 404, and says nothing of the memory", async () => {
    await within(async ({ address, cookie }) => {
      const [name = "", token = ""] = cookie.split("=")
      const wrong = `${token.slice(0, -1)}${token.endsWith("A") ? "B" : "A"}`
      const lies = [{}, { cookie: `${name}=${wrong}` }, { cookie: `${name}=` }, { cookie: `other=${token}` }]
      for (const path of paths) {
        for (const headers of lies) {
          for (const method of ["GET", "POST", "PUT", "HEAD"]) {
            const got = await sent(new URL(path, address.href.split("?")[0]), { method, headers })
            assert.strictEqual(got.status, 403, `${method} ${path}`)
            assert.notInclude(JSON.stringify(got), canary)
            assert.isUndefined(got.headers["set-cookie"])
          }
        }
        // outside of the folder of the pages there is nothing at all, token or not
        const elsewhere = await sent(new URL(`/${path}`, address), { headers: { cookie } })
        assert.strictEqual(elsewhere.status, 404)
        assert.notInclude(JSON.stringify(elsewhere), canary)
      }
    })
  })

  it("does not take the token of another page than the first, or a wrong one", async () => {
    await within(async ({ address }) => {
      const { search } = address
      assert.strictEqual((await sent(new URL(`runs${search}`, address))).status, 403)
      assert.strictEqual((await sent(new URL(`data/runs${search}`, address))).status, 403)
      assert.strictEqual((await sent(new URL("?token=", address))).status, 403)
      assert.strictEqual((await sent(new URL(`?token=${"A".repeat(43)}`, address))).status, 403)
      assert.strictEqual((await sent(new URL(search, address), { method: "POST" })).status, 403)
    })
  })

  it("listens on the loopback address only, with an address of its own each time", async () => {
    const first = await within(async ({ address }) => address)
    const second = await within(async ({ address }) => address)
    assert.strictEqual(first.value.hostname, "127.0.0.1")
    assert.notStrictEqual(first.value.pathname, second.value.pathname)
    assert.notStrictEqual(first.value.search, second.value.search)
    assert.isAtLeast(first.value.search.length, "?token=".length + 43)
    await sent(first.value).then(
      () => assert.fail("it still listens"),
      (error: unknown) => assert.match(String(error), /ECONNREFUSED/)
    )
  })
})

describe("the studio with its token", () => {
  it("gives a cookie for its own pages, and answers with strict headers", async () => {
    await within(async (desk) => {
      const first = await sent(desk.address)
      assert.strictEqual(first.status, 200)
      assert.match(
        first.headers["set-cookie"]?.[0] ?? "",
        new RegExp(`^cogito-studio=[\\w-]{43}; Path=${desk.address.pathname}; HttpOnly; SameSite=Strict$`)
      )
      // the page itself holds nothing of the memory, nor the token
      assert.notInclude(first.body, canary)
      assert.notInclude(first.body, desk.cookie.split("=")[1] ?? "")
      for (const path of paths) {
        const { headers, status } = await desk.get(path)
        assert.strictEqual(status, path === "nothing" ? 404 : 200, path)
        assert.strictEqual(headers["cache-control"], "no-store")
        assert.strictEqual(headers["referrer-policy"], "no-referrer")
        assert.strictEqual(headers["x-content-type-options"], "nosniff")
        assert.isUndefined(headers["access-control-allow-origin"])
        const policy = String(headers["content-security-policy"])
        assert.match(policy, /default-src 'none'; script-src 'sha256-[^']+'; style-src 'sha256-[^']+';/)
        assert.notMatch(policy, /unsafe|\*/)
      }
      assert.include((await desk.get("data/runs")).body, `run-${canary}`)
      assert.include((await desk.get("data/questions")).body, `note ${canary}`)
    })
  })

  it("answers HEAD as GET, without the body", async () => {
    await within(async (desk) => {
      const head = (url: URL, headers = {}) => sent(url, { method: "HEAD", headers })
      const lasting = (headers: object) => ({ ...headers, date: undefined })
      const first = await head(desk.address)
      assert.deepStrictEqual([first.status, first.body], [200, ""])
      assert.strictEqual(first.headers["set-cookie"]?.[0]?.split(";")[0], desk.cookie)
      for (const path of [...paths, "data/nothing"]) {
        const [got, asked] = [await desk.get(path), await head(new URL(path, desk.address), { cookie: desk.cookie })]
        assert.deepStrictEqual([asked.status, asked.body], [got.status, ""], path)
        assert.deepStrictEqual(lasting(asked.headers), lasting(got.headers), path)
        assert.isAbove(Number(asked.headers["content-length"]), 0, path)
      }
    })
  })

  it("refuses requests to another host name, as after DNS rebinding", async () => {
    await within(async (desk) => {
      const { port } = desk.address
      for (const host of [
        "evil.example",
        `evil.example:${port}`,
        "127.0.0.1.evil.example",
        "127.0.0.2",
        "localhost.evil"
      ]) {
        for (const path of paths) {
          const got = await desk.get(path, { host })
          assert.strictEqual(got.status, 403, host)
          assert.notInclude(got.body, canary)
        }
        const { status } = await sent(desk.address, { headers: { host } })
        assert.strictEqual(status, 403, host)
      }
      for (const host of [`localhost:${port}`, `[::1]:${port}`, "127.0.0.1:1"]) {
        assert.strictEqual((await desk.get("data/runs", { host })).status, 200, host)
      }
    })
  })

  it("takes an answer from its own pages only", async () => {
    await Effect.gen(function* () {
      yield* planted
      const desk = yield* open
      const answer = { runId: `run-${canary}`, frame: "/refund/people/amount", value: 49.9 }
      const path = "data/answers"
      const { port } = desk.address
      const foreign = [
        { origin: "https://evil.example" },
        { origin: "null" },
        // another server on this machine is of the same site
        { origin: `http://127.0.0.1:${Number(port) - 1}` },
        { origin: `https://127.0.0.1:${port}` },
        { origin: "" },
        { "sec-fetch-site": "same-site" },
        { "sec-fetch-site": "cross-site" }
      ]
      for (const headers of foreign) {
        const { status } = yield* Effect.promise(() => desk.post(path, answer, headers))
        assert.strictEqual(status, 403, JSON.stringify(headers))
      }
      const address = new URL(path, desk.address)
      const body = JSON.stringify(answer)
      const bare = yield* Effect.promise(() =>
        sent(address, { method: "POST", body, headers: { cookie: desk.cookie } })
      )
      assert.strictEqual(bare.status, 403)
      // what a form of another page could send
      const plain = yield* Effect.promise(() => desk.post(path, answer, { "content-type": "text/plain" }))
      assert.strictEqual(plain.status, 415)
      assert.lengthOf(yield* Pipeline.waiting(), 2)
      const own = yield* Effect.promise(() => desk.post(path, answer, { "sec-fetch-site": "same-origin" }))
      assert.deepStrictEqual([own.status, own.body], [200, '{"done":true}'])
      assert.deepStrictEqual(
        (yield* Pipeline.waiting()).map(({ key }) => key),
        ["ok"]
      )
    }).pipe(Effect.scoped, Effect.provide(services), Effect.runPromise)
  })

  it("changes nothing else", async () => {
    await within(async (desk) => {
      for (const path of ["data/runs", "data/thoughts", `data/runs/run-${canary}`, "", "data/answers/x"]) {
        assert.strictEqual((await desk.post(path, {})).status, 405, path)
      }
      for (const method of ["PUT", "DELETE", "PATCH", "OPTIONS"]) {
        const { status } = await sent(new URL("data/runs", desk.address), { method, headers: { cookie: desk.cookie } })
        assert.strictEqual(status, 405, method)
      }
      const long = await desk.post("data/answers", { value: "x".repeat(1_000_001) })
      assert.strictEqual(long.status, 413)
      for (const path of ["%", "%2e%2e/%2e%2e/etc/passwd", "../../etc/passwd", "data/runs/a/b", "data", "search/x"]) {
        const { status } = await desk.get(path)
        assert.include([404], status, path)
      }
    })
  })
})

describe("the layer of the studio", () => {
  const logged = () => {
    const lines: Array<string> = []
    const logger = Logger.make(({ logLevel, message }) => lines.push(`${logLevel} ${JSON.stringify(message)}`))
    return { lines, layer: Logger.layer([logger]) }
  }

  it("logs its address once, and nothing of the memory when it is used", async () => {
    const { layer, lines } = logged()
    await Effect.gen(function* () {
      yield* planted
      yield* Layer.build(Studio.layer())
      const [first = ""] = lines
      const address = new URL(/http:\S+?(?=")/.exec(first)?.[0] ?? "")
      const cookie = (yield* Effect.promise(() => sent(address))).headers["set-cookie"]?.[0]?.split(";")[0] ?? ""
      for (const path of paths) {
        yield* Effect.promise(() => sent(new URL(path, address), { headers: { cookie } }))
        yield* Effect.promise(() => sent(new URL(path, address)))
      }
      assert.lengthOf(lines, 1)
      assert.match(first, /^Info \["The studio: http:\/\/127\.0\.0\.1:\d+\/[\w-]+\/\?token=[\w-]+"\]$/)
    }).pipe(Effect.scoped, Effect.provide([services, layer]), Effect.runPromise)
    assert.notInclude(lines.join("\n"), canary)
  })

  it("says which port is in use", async () => {
    const error = await Effect.gen(function* () {
      const { address } = yield* open
      const port = Number(address.port)
      return { error: yield* Effect.flip(Layer.build(Studio.layer({ port }))), port }
    }).pipe(Effect.scoped, Effect.provide(services), Effect.runPromise)
    assert.strictEqual(error.error._tag, "StudioError")
    assert.isTrue(error.error.isRetryable)
    assert.include(error.error.message, `Another program listens on port ${error.port} of 127.0.0.1`)
  })

  it("refuses ports and options that do not exist", () => {
    assert.throws(() => Studio.layer({ port: 65_536 }), "Studio.layer needs a port from 0 to 65535, not 65536.")
    assert.doesNotThrow(() => Studio.layer({ port: 65_535 }))
    assert.throws(() => Studio.layer({ port: 1.5 }), "needs a port from 0 to 65535")
    assert.throws(() => Studio.layer({ Port: 1 } as never), /port/)
  })
})

describe("the data of the studio", () => {
  it("has thoughts and runs page by page, the newest first", async () => {
    await Effect.gen(function* () {
      for (let i = 0; i < 30; i++) yield* begin(refund, { id: `run-${i}`, intent: `intent ${i}`, text: `note ${i}` })
      const desk = yield* open
      const read = (path: string) =>
        Effect.map(
          Effect.promise(() => desk.get(path)),
          ({ body }) => JSON.parse(body)
        )
      for (const [page, name] of [
        ["runs", "id"],
        ["thoughts", "intent"]
      ] as const) {
        const first = yield* read(`data/${page}`)
        assert.lengthOf(first[page], 25)
        const { createdMillis, id } = first.next
        const second = yield* read(`data/${page}?after=${id}&created=${createdMillis}`)
        assert.lengthOf(second[page], 5)
        assert.isUndefined(second.next)
        const all = [...first[page], ...second[page]].map((one) => one[name])
        assert.strictEqual(new Set(all).size, 30)
        assert.include(String(all[0]), "29")
      }
      const { runs } = yield* read("data/runs?status=waiting")
      assert.deepInclude(runs[0], { status: "waiting", pipeline: "refund" })
      assert.sameMembers(runs[0].at, ["/refund/people/ok", "/refund/people/amount"])
      assert.deepInclude(runs[0].totals, {
        modelCalls: 1,
        openQuestions: 2,
        usage: { inputTokens: 9, outputTokens: 3 },
        usd: 0
      })
      // each status is a filter
      for (const status of ["pending", "running", "interrupted", "failed"]) {
        assert.deepStrictEqual((yield* read(`data/runs?status=${status}`)).runs, [], status)
      }
      // what is no place in the list counts as left out
      for (const query of ["after=x&created=soon", "after=x&created=1.5", "after=x", "after=x&created=", "created=1"]) {
        assert.lengthOf((yield* read(`data/runs?${query}`)).runs, 25, query)
      }
      const { thoughts } = yield* read("data/thoughts")
      assert.strictEqual(thoughts[0].notes, 2)
    }).pipe(Effect.scoped, Effect.provide(services), Effect.runPromise)
  })

  it("has at most 200 questions, and says whether there are more", async () => {
    await Effect.gen(function* () {
      const desk = yield* open
      const read = Effect.map(
        Effect.promise(() => desk.get("data/questions")),
        ({ body }) => JSON.parse(body)
      )
      // each asks two questions
      for (let i = 0; i < 100; i++) yield* begin(refund, { id: `run-${i}`, text: "note" })
      const all = yield* read
      assert.deepStrictEqual([all.questions.length, all.isCut], [200, false])
      yield* begin(refund, { id: "run-100", text: "note" })
      const most = yield* read
      assert.deepStrictEqual([most.questions.length, most.isCut], [200, true])
    }).pipe(Effect.scoped, Effect.provide(services), Effect.runPromise)
  })

  it("has a run as left when its process has ended without a trace", async () => {
    await Effect.gen(function* () {
      yield* begin(refund, { id: "refund-1", text: "order 17" })
      const { ledger } = yield* Memory.Memory
      yield* ledger.claim("refund-1", { owner: "another process", millis: 60_000, seize: true })
      const desk = yield* open
      const { body } = yield* Effect.promise(() => desk.get("data/runs?status=running"))
      assert.deepInclude(JSON.parse(body).runs[0], { id: "refund-1", status: "left" })
    }).pipe(Effect.scoped, Effect.provide(services), Effect.runPromise)
  })

  it("has the arms of a search, and the scores of each match", async () => {
    await Effect.gen(function* () {
      const memory = yield* Memory.Memory
      yield* memory.commit(yield* Thought.make("shipping", { message: "a parcel was lost on its way" }))
      yield* memory.flush
      const desk = yield* open
      const { body } = yield* Effect.promise(() => desk.get("data/search?q=lost%20parcel"))
      const { arms, matches, query } = JSON.parse(body)
      assert.deepStrictEqual([query, arms], ["lost parcel", { vector: "ok", lexical: "ok", pending: 0 }])
      assert.deepInclude(matches[0], {
        key: "message",
        content: "a parcel was lost on its way",
        intent: "shipping",
        isCut: false
      })
      assert.isAbove(matches[0].score, 0)
      assert.strictEqual(matches[0].lexical.rank, 1)
      assert.isAbove(matches[0].vector.score, 0)
    }).pipe(Effect.scoped, Effect.provide(services), Effect.runPromise)
  })

  it("rejects an invalid port", () => {
    for (const [port, shown] of [
      ["4100", '"4100"'],
      [65_536, "65536"],
      [-1, "-1"]
    ] as const) {
      const message = `Studio.layer needs a port from 0 to 65535, not ${shown}.`
      assert.throws(() => Studio.layer({ port: port as number }), message)
    }
  })

  it("names what does not exist", async () => {
    await within(async (desk) => {
      const none = await desk.get("data/runs/nobody")
      assert.deepStrictEqual(
        [none.status, JSON.parse(none.body).error],
        [404, "There is no run of this id. It may have been removed."]
      )
      assert.strictEqual((await desk.get("data/thoughts/00000000-0000-7000-8000-000000000000")).status, 404)
      const other = await desk.get("data/runs?status=nope")
      assert.strictEqual(other.status, 400)
      assert.include(other.body, "it is one of pending, running, waiting")
      // nothing is below a run
      assert.strictEqual((await desk.get(`data/runs/run-${canary}`)).status, 200)
      assert.strictEqual((await desk.get(`data/runs/run-${canary}/calls`)).status, 404)
    })
  })
})

describe("an answer", () => {
  const ask = (answer: object) =>
    within(async (desk) => {
      const { body, status } = await desk.post("data/answers", { runId: `run-${canary}`, ...answer })
      return [status, JSON.parse(body).error] as const
    }).then(({ value }) => value)

  it("that does not fit is refused with the reason", async () => {
    const [status, error] = await ask({ frame: "/refund/people/amount", value: "much" })
    assert.deepStrictEqual([status, error], [422, "The answer does not fit: expected number."])
    const [, missing] = await ask({ frame: "/refund/people/ok", value: {} })
    assert.strictEqual(missing, 'The answer does not fit: "approved" is missing.')
  })

  it("that is no number is refused as that, and not for the names of numbers that JSON does not have", async () => {
    await Effect.gen(function* () {
      // @effect-diagnostics-next-line schemaNumber:off -- the texts for the numbers that JSON does not have are what is tested
      const rate = Pipeline.waitFor("rate", { schema: Schema.Struct({ of: Schema.Number }), prompt: "How much?" })
      yield* begin(rate, { id: "rate-1", text: "order 17" })
      const desk = yield* open
      const answer = { runId: "rate-1", frame: "/rate", value: { of: "much" } }
      const { body } = yield* Effect.promise(() => desk.post("data/answers", answer))
      assert.strictEqual(JSON.parse(body).error, 'The answer does not fit: "of": expected number.')
    }).pipe(Effect.scoped, Effect.provide(services), Effect.runPromise)
  })

  it("to no question, or of another form, is refused", async () => {
    assert.strictEqual((await ask({ frame: "/refund/nothing", value: 1 }))[0], 404)
    assert.strictEqual((await ask({ value: 1 }))[0], 400)
    assert.strictEqual((await ask({ frame: "", value: 1 }))[0], 400)
    const [status, error] = await ask({ frame: "/refund/people/amount", value: 1, by: "x".repeat(2001) })
    assert.strictEqual(status, 400)
    assert.match(error, /^The answeredBy of a run is longer than 2000 characters/)
  })

  it("counts once", async () => {
    await within(async (desk) => {
      const answer = { runId: `run-${canary}`, frame: "/refund/people/ok", value: { approved: true }, by: "jane" }
      assert.strictEqual((await desk.post("data/answers", answer)).status, 200)
      const second = await desk.post("data/answers", { ...answer, by: "joe" })
      assert.strictEqual(second.status, 409)
      assert.include(JSON.parse(second.body).error, "jane")
    })
  })
})
