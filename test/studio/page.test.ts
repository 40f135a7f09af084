import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { Deferred, Effect, Layer, ManagedRuntime, Schema } from "effect"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Memory, Pipeline, Step, Thought } from "../../src/index.ts"
import { PgliteMemory } from "../../src/pglite/index.ts"
import { Studio } from "../../src/studio/index.ts"
import { Testing } from "../../src/testing/index.ts"
import { faultsOf } from "../browser/axe.ts"
import { missing } from "../browser/chromium.ts"
import { spawned } from "../cli/cogito.ts"
import { prefill } from "../pglite/prefilled.ts"
import { hostileTexts } from "../report/reports.ts"
import { openStudio, type Opened } from "./browser.ts"
import { begin, model, refund } from "./desk.ts"

const folder = mkdtempSync(join(tmpdir(), "cogito-studio-"))
const dataDir = join(folder, "memory")
const timeout = 180_000

const hostileText = hostileTexts.join("\n")
const hostileName = `"><img src=x onerror="window.hacked = 9">`

/** Every kind of form. */
const forms = Pipeline.concurrent("forms", [
  Pipeline.waitFor("flag", { schema: Schema.Boolean, prompt: "Really?" }),
  Pipeline.waitFor("colour", { schema: Schema.Literals(["red", "green"]), prompt: "Which colour?" }),
  Pipeline.waitFor("size", { schema: Schema.Int, prompt: "Which size?" }),
  Pipeline.waitFor("words", { schema: Schema.String, prompt: "What do we say?" }),
  Pipeline.waitFor("address", {
    schema: Schema.Struct({
      town: Schema.String,
      zip: Schema.optionalKey(Schema.Finite),
      paid: Schema.Boolean,
      by: Schema.Literals(["post", "van"])
    }),
    prompt: "Where to?"
  }),
  Pipeline.waitFor("list", { schema: Schema.Array(Schema.Finite), prompt: "Which numbers?" })
])

/** Asks something hostile. */
const trap = Pipeline.waitFor(hostileName, {
  schema: Schema.Struct({ [hostileName]: Schema.Literals([hostileName, "other"]) }),
  prompt: hostileText
})

const slow = Effect.map(Deferred.make<void>(), (opened) => ({
  opened,
  step: Pipeline.sequence("slow", [
    Step.make("first", { schema: Schema.Int, run: () => 1 }),
    Step.make("second", { schema: Schema.Int, run: () => Effect.as(Deferred.await(opened), 2) })
  ])
}))

describe.skipIf(missing !== undefined)("the studio of a program in Chromium", { timeout }, () => {
  const ready = Promise.withResolvers<string>()
  // as a program does, whose supervisor goes on with what is answered
  const program = Layer.merge(
    Studio.layer({ onReady: ready.resolve }),
    Pipeline.supervisor({ resume: { steps: [refund, forms], every: "200 millis" } })
  )
  const memory = Layer.suspend(() => PgliteMemory.layer({ dataDir })).pipe(Layer.provide(Testing.embedder))
  const runtime = ManagedRuntime.make(Layer.provideMerge(program, Layer.merge(memory, model.layer)))
  const run = runtime.runPromise
  let studio: Opened

  beforeAll(async () => {
    await prefill(dataDir)
    await run(
      Effect.gen(function* () {
        yield* begin(refund, { id: "refund-17", text: "The chair arrived broken. Order 17" })
        yield* begin(forms, { id: "forms-1", text: "many questions" })
        yield* begin(trap, { id: hostileName, intent: hostileName, text: hostileText })
        yield* Effect.flatMap(Memory.Memory, ({ flush }) => flush)
      })
    )
    studio = await openStudio(await ready.promise)
  }, timeout)

  afterAll(async () => {
    await studio.page.close()
    await runtime.dispose()
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
  })

  it("opens with the runs, and removes the token from its address", async () => {
    await studio.shows("refund-17")
    assert.notInclude(await studio.page.evaluate<string>("location.href"), "token")
    // nothing that the page can read has it
    assert.strictEqual(await studio.page.evaluate("document.cookie"), "")
    const row: string = await studio.page.evaluate(
      `[...document.querySelectorAll("tbody tr")].find((row) => row.innerText.includes("refund-17")).innerText`
    )
    assert.match(row, /^refund-17\s+refund\s+waiting\s/)
    assert.match(row, /\s1\s+9 in, 3 out\s+\$0\s/)
    for (const place of ["/refund/people/ok", "/refund/people/amount"]) assert.include(row, place)
  })

  const pages = [
    ["runs", "refund-17"],
    ["runs?status=failed", "No run is failed."],
    ["thoughts", "refund an order"],
    ["questions", "May we refund"],
    ["search", "What to look for"],
    ["search?q=broken%20chair", "The chair arrived broken"],
    ["runs/refund-17", "May we refund"],
    [`runs/${encodeURIComponent(hostileName)}`, hostileName]
  ] as const

  it.each(pages)("has no serious fault for axe-core in either theme: %s", async (path, text) => {
    await studio.go(path)
    await studio.shows(text)
    for (const [scheme, rules] of [
      ["light", "all"],
      ["dark", "colours"]
    ] as const) {
      await studio.page.prefer(scheme)
      assert.deepStrictEqual(await faultsOf(studio.page, { rules }), [], `${path} ${scheme}`)
    }
  })

  it("shows hostile texts, names and prompts as they are, without effect", async () => {
    for (const path of [
      "runs",
      "thoughts",
      "questions",
      "search?q=hacked",
      `runs/${encodeURIComponent(hostileName)}`
    ]) {
      await studio.go(path)
      await studio.shows(hostileName)
      assert.isTrue(await studio.page.evaluate("globalThis.hacked === undefined"), path)
      const markup = await studio.page.evaluate(
        `document.querySelectorAll("main img, main script, main iframe, main [onerror]").length`
      )
      assert.strictEqual(markup, 0, path)
    }
    await studio.go("questions")
    await studio.shows("safe[U+202E]txet desrever[U+202C]")
    const origin = await studio.page.evaluate<string>("location.origin")
    assert.deepStrictEqual(
      studio.page.requests.filter((url) => !url.startsWith(origin) && url !== "data:,"),
      []
    )
    assert.deepStrictEqual(studio.page.problems, [])
  })

  it("searches, and shows the score of each arm", async () => {
    await studio.go("search")
    await studio.page.write("broken chair")
    await studio.page.press("Enter")
    await studio.shows("Searched by meaning, and by words.")
    await studio.shows("The chair arrived broken. Order 17")
    const scores: string = await studio.page.evaluate(
      `[...document.querySelectorAll(".matches > li")].find((one) => one.innerText.includes("broken"))
        .querySelector(".scores").innerText.replaceAll("\\n", " ")`
    )
    assert.match(scores, /^score \d+\.\d{3} by meaning \d\.\d{3} \(no\. \d+\) by words \d\.\d{3} \(no\. \d+\)$/)
  })

  it("says in which way it could not search", async () => {
    await studio.go("search?q=of+the")
    await studio.shows("Searched by meaning.")
    assert.include(await studio.text(), "Not by words: the query has none that say anything.")
  })

  it("has a form for every kind of answer, which says what does not fit", async () => {
    await studio.go("runs/forms-1")
    await studio.shows("Which numbers?")
    const kinds: Array<string> = await studio.page.evaluate(`[...document.querySelectorAll(".question")].map((one) =>
      one.querySelector("h2").innerText + ": " + [...one.querySelectorAll("form :is(input, select, textarea, button)")]
        .map((field) => field.type + " " + (field.labels?.[0]?.innerText.trim() || field.innerText).replace(/ \\(optional; .*/, "")).join(", "))`)
    assert.sameMembers(kinds, [
      "flag: text Your name, submit Yes, submit No",
      "colour: radio red, radio green, text Your name, submit Answer",
      "size: text Answer, text Your name, submit Answer",
      "words: textarea Answer, text Your name, submit Answer",
      "address: textarea town, text zip (optional), radio yes, radio no, radio post, radio van, text Your name, submit Answer",
      "list: textarea Answer, as JSON, text Your name, submit Answer"
    ])
    const formOf = (key: string) =>
      `[...document.querySelectorAll(".question")].find((one) => one.querySelector("h2").innerText === "${key}")`
    const answer = (key: string, set: string) =>
      studio.page.evaluate(
        `(() => { const form = ${formOf(key)}.querySelector("form"); ${set}; form.querySelector("button").click() })()`
      )
    await answer("list", `form.querySelector("textarea").value = "[1, 2"`)
    await studio.shows("This is not JSON")
    await answer("list", `form.querySelector("textarea").value = '["one"]'`)
    await studio.shows('The answer does not fit: "0": expected number.')
    await answer("list", `form.querySelector("textarea").value = "[1, 2]"`)
    await studio.shows("“list” of the run “forms-1” is answered.")
    await answer("size", `form.querySelector("input").value = "many"`)
    await studio.shows("“many” is not a number.")
    await answer("size", `form.querySelector("input").value = "1.5"`)
    await studio.shows("The answer does not fit: expected an integer.")
    await answer("size", `form.querySelector("input").value = "42"`)
    await studio.shows("“size” of the run “forms-1” is answered.")
    await answer("colour", `form.querySelectorAll("input[type=radio]")[1].click()`)
    await studio.shows("“colour” of the run “forms-1” is answered.")
    await answer("words", `form.querySelector("textarea").value = "x".repeat(1_100_000)`)
    await studio.shows("The answer is too large.")
    await answer("words", `form.querySelector("textarea").value = "hello"`)
    await studio.shows("“words” of the run “forms-1” is answered.")
    await answer(
      "address",
      `form.querySelector("textarea").value = "Lyon"; for (const at of [0, 3]) form.querySelectorAll("input[type=radio]")[at].click()`
    )
    await studio.shows("“address” of the run “forms-1” is answered.")
    await answer("flag", "")
    // the supervisor goes on with it, and the page notices
    await studio.shows(/Completed\s/)
    const done = await run(
      Effect.gen(function* () {
        const [run] = yield* Pipeline.runs({ status: "completed" })
        return yield* Memory.load(run?.end?.thoughtId ?? "")
      })
    )
    assert.deepStrictEqual(
      Object.fromEntries(
        Thought.notes(done)
          .filter(({ step }) => step !== "")
          .map(({ content, key }) => [key, content])
      ),
      {
        flag: "true",
        colour: "green",
        size: "42",
        words: "hello",
        address: '{"town":"Lyon","paid":true,"by":"van"}',
        list: "[1,2]"
      }
    )
  })

  it("is used with the keyboard alone: an approval is given, and the run goes on", async () => {
    await studio.go("questions")
    await studio.shows("May we refund")
    await studio.tabTo("Yes")
    await studio.page.press("Enter")
    await studio.shows("“ok” of the run “refund-17” is answered.")
    await studio.tabTo("Answer")
    await studio.page.write("49.9")
    await studio.page.press("Tab")
    await studio.page.write("jane")
    await studio.page.press("Enter")
    await studio.shows("“amount” of the run “refund-17” is answered.")
    await studio.go("runs/refund-17")
    await studio.shows(/Completed\s/)
    const done = await run(
      Effect.gen(function* () {
        const stored = yield* Effect.flatMap(Memory.Memory, ({ ledger }) => ledger.load("refund-17"))
        return yield* Memory.load(stored?.run.end?.thoughtId ?? "")
      })
    )
    assert.strictEqual(done.note("amount")?.content, "49.9")
    assert.deepStrictEqual(JSON.parse(done.note("ok")?.content ?? ""), { approved: true })
    assert.include(JSON.stringify(done.note("amount")), "jane")
  })

  it("follows a run while it goes on", async () => {
    await run(
      Effect.gen(function* () {
        const { opened, step } = yield* slow
        yield* Effect.forkDetach(begin(step, { id: "slow-1", text: "wait" }))
        yield* Effect.promise(async () => {
          await studio.go("runs")
          await studio.shows("slow-1")
          await studio.go("runs/slow-1")
          await studio.shows("Running")
        })
        yield* Deferred.succeed(opened, undefined)
        yield* Effect.promise(() => studio.shows(/Completed\s/))
        assert.strictEqual(yield* Effect.promise(() => studio.page.evaluate("globalThis.before")), undefined)
      })
    )
  })

  it("the folder of the program is closed to commands, which say how it shows itself", async () => {
    for (const command of ["studio", "watch"] as const) {
      const { code, stderr, stdout } = await spawned(["--data-dir", dataDir], { command })
      assert.deepStrictEqual([code, stdout], [1, ""])
      assert.match(
        stderr,
        new RegExp(
          `^cogito: The memory's directory is open in process ${process.pid} on .*Studio\\.layer\\(\\{ port: 4100 \\}\\) of cogito/studio\\.\\n$`
        )
      )
    }
  })

  it("says when the program has ended", async () => {
    await studio.go("runs")
    await studio.shows("slow-1")
    await runtime.dispose()
    await studio.shows("The studio does not answer")
    // what it has shown stays
    assert.include(await studio.text(), "slow-1")
  })
})
