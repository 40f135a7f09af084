import { assert, beforeAll, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { moduleOf, pages } from "../../scripts/pages.ts"
import { root } from "../../scripts/run.ts"
import { sampleReport } from "../../scripts/sampleReport.ts"
import { Report } from "../../src/report/index.ts"
import { faultsOf } from "../browser/axe.ts"
import type { Page } from "../browser/devtools.ts"
import { missing } from "../browser/chromium.ts"
import { countOf, opener, textAt } from "./opened.ts"
import { answered, failed, hostile, hostileTexts, native, notDurable, waiting } from "./reports.ts"

/** What the page has loaded beside itself, and what went wrong in it. */
const assertQuiet = (page: Page): void => {
  assert.deepStrictEqual(page.problems, [])
  assert.deepStrictEqual(
    page.requests.filter((url) => !url.startsWith("file:///") || !url.endsWith(".html")),
    []
  )
  assert.lengthOf(page.requests, 1)
}

describe("the bundled page", () => {
  it.each(pages)("of $folder is made from its sources: npm run pages makes it again", async (page) => {
    assert.isTrue((await moduleOf(page)) === readFileSync(join(root, page.module), "utf8"))
  })
})

describe("Report.html", () => {
  it.effect("refuses what is no report of this format", () =>
    Effect.gen(function* () {
      const report = yield* notDurable
      const others: ReadonlyArray<unknown> = [
        {},
        { format: "cogito-report/1" },
        { ...report, format: "cogito-report/2" },
        { ...report, runs: undefined },
        { ...report, thoughts: [] }
      ]
      for (const other of others)
        assert.throws(
          () => Report.html(other as Report.RunReport),
          /^Report\.html needs a report of the format "cogito-report\/1", as Report\.collect returns it, .*but got an object/
        )
      assert.match(Report.html(JSON.parse(JSON.stringify(report))), /^<!doctype html>/)
    })
  )

  it.effect("is one file that allows its own script and nothing else", () =>
    Effect.gen(function* () {
      const html = Report.html(yield* hostile)
      const policy = /http-equiv="content-security-policy" content="([^"]*)"/.exec(html)?.[1] ?? ""
      assert.match(policy, /^default-src 'none'; script-src 'sha256-[^']+'; style-src 'sha256-[^']+';/)
      assert.notInclude(policy, "unsafe")
      // its own elements are all that there are: data and script
      assert.lengthOf([...html.matchAll(/<script/gi)], 2)
      assert.lengthOf([...html.matchAll(/<\/script/gi)], 2)
      for (const text of hostileTexts) assert.notInclude(html, text)
      assert.notMatch(html, /[\u2028\u2029\u202e\u2066]/)
    })
  )
})

describe.skipIf(missing !== undefined)("the page of a report in Chromium", () => {
  const openReport = opener()
  let page: Page

  describe("of a completed run and its repetition", () => {
    beforeAll(async () => {
      page = await openReport(await Effect.runPromise(sampleReport()))
    })

    it("says first what the run was for, how it ended, and what it took", async () => {
      assert.strictEqual(await textAt(page, "h1"), "triage a support ticket")
      assert.match(
        await textAt(page, ".outcome"),
        /^Completed\s+The run went through 10 steps, and no step failed\. The model corrected 1 rejected answer\.$/
      )
      const figures = await textAt(page, ".figures")
      for (const figure of ["Model calls\n6", "Tokens\n4,176\n3,672 in, 504 out", "Cost\n$0.014", "Notes\n7"])
        assert.include(figures, figure)
      assert.include(await textAt(page, ".in-short"), "escalate\nyes\n72 %")
      assert.strictEqual(await page.evaluate("document.title"), "triage a support ticket · cogito report")
    })

    it("shows steps, calls and repairs over time", async () => {
      const rows: ReadonlyArray<string> = await page.evaluate(
        `[...document.querySelectorAll(".timeline ol .row")].map((row) => row.innerText.replaceAll("\\n", " "))`
      )
      assert.match(
        rows.find((row) => row.startsWith("ticket")) ?? "",
        /^ticket analyze , completed .+ 612 in, 84 out \$0\.0024$/
      )
      assert.lengthOf(
        rows.filter((row) => row.startsWith("model call repair")),
        1
      )
      const left: ReadonlyArray<number> = await page.evaluate(
        `["ticket", "category", "escalate"].map((name) => document.querySelector('[data-frame$="answers/' + name + '"] .bar').getBoundingClientRect().left)`
      )
      assert.deepStrictEqual(
        left,
        left.toSorted((a, b) => a - b)
      )
    })

    it("marks the notes that a call showed first, and folds what it showed before", async () => {
      await page.evaluate(`for (const one of document.querySelectorAll(".exchange")) one.open = true`)
      const exchanges: ReadonlyArray<string> = await page.evaluate(
        `[...document.querySelectorAll(".exchange")].map((one) => one.innerText)`
      )
      assert.match(exchanges[0] ?? "", /^›?\s*ticket\s+1 note, 1 new[\s\S]*New in view\s*message/)
      assert.match(exchanges[1] ?? "", /category\s+3 notes, 1 new[\s\S]*New in view\s*history[\s\S]*already in view/)
      assert.match(
        exchanges[2] ?? "",
        /category\s+repair[\s\S]*"primary":"payments"[\s\S]*Your answer does not have the form/
      )
      // what is folded is in the document, and not in sight
      const folded = `document.querySelectorAll(".exchange")[1].querySelector(".before .message").checkVisibility()`
      assert.isFalse(await page.evaluate(folded))
      await page.evaluate(`document.querySelectorAll(".exchange")[1].querySelector(".before").open = true`)
      assert.isTrue(await page.evaluate(folded))
      await page.evaluate(`for (const one of document.querySelectorAll("details")) one.open = false`)
    })

    it("shows answers with confidence, where it comes from, shares and corrections", async () => {
      const answers: ReadonlyArray<string> = await page.evaluate(
        `[...document.querySelectorAll(".answer")].map((one) => one.innerText)`
      )
      const of = (key: string) => answers.find((text) => text.startsWith(key)) ?? ""
      assert.match(of("category"), /billing\s+94 %\s+stated[\s\S]*1 answer rejected/)
      assert.match(of("mood"), /negative\s+81 %\s+stated[\s\S]*78 %[\s\S]*corrected: trailing-comma/)
    })

    it("draws the pipeline with the way taken", async () => {
      const label = (name: string) =>
        page.evaluate<string>(
          `[...document.querySelectorAll("#pipeline .node")].find((node) => node.innerText.startsWith(${JSON.stringify(name)})).className`
        )
      assert.strictEqual(await label("escalate"), "node box taken")
      assert.strictEqual(await label("empty"), "node box skipped")
      assert.isAbove(await countOf(page, "#pipeline path.taken"), 5)
      assert.isAbove(await countOf(page, "#pipeline path.skipped"), 0)
    })

    it("shows which note came of which", async () => {
      const columns = await page.evaluate<Record<string, number>>(
        `Object.fromEntries([...document.querySelectorAll("#origins .node")].map((node) => [node.innerText.split("\\n")[0], node.offsetLeft]))`
      )
      assert.isBelow(columns["message"]!, columns["ticket"]!)
      assert.strictEqual(columns["ticket"], columns["history"])
      assert.isBelow(columns["history"]!, columns["category"]!)
    })

    it("names the sources that other thoughts have, and how to get to their reports", async () => {
      const text = await textAt(page, "#origins .foreign")
      assert.match(text, /^1 source in thoughts that are not in this report\./)
      assert.match(
        text,
        /message There are two debits on my bank statement from your shop\.\s+npx cogito report [0-9a-f-]{36} --out source\.html/
      )
      assert.notMatch(text, /no search in it names/)
    })

    it("compares the repetition by key, and shows it when it is chosen", async () => {
      const rows: ReadonlyArray<string> = await page.evaluate(
        `[...document.querySelectorAll(".compare tr.differs")].map((row) => row.innerText)`
      )
      assert.match(rows[0] ?? "", /^escalate\s+yes 72 %\s+no 55 %$/)
      assert.lengthOf(rows, 2)
      const choose = (id: string) =>
        page.evaluate(
          `[...document.querySelectorAll(".run")].find((one) => one.innerText.includes(${JSON.stringify(id)})).click()`
        )
      await choose("repeats ticket-3 from escalate")
      await page.press("x")
      assert.include(await textAt(page, ".in-short"), "escalate\nno\n55 %")
      await choose("\ntriage")
      await page.press("x")
      assert.include(await textAt(page, ".in-short"), "escalate\nyes\n72 %")
    })

    it("is used by the keyboard: j and k, Enter, Escape, / and ?", async () => {
      const focused = () => page.evaluate<string>("document.activeElement.innerText.split(String.fromCharCode(10))[0]")
      await page.evaluate("scrollTo(0, 0); document.activeElement.blur()")
      await page.press("j")
      const first = await focused()
      await page.press("j")
      const second = await focused()
      assert.deepStrictEqual([first, second], ["ticket", "history"])
      await page.press("ArrowDown")
      await page.press("k")
      assert.strictEqual(await focused(), "history")
      const outline = await page.evaluate<string>("getComputedStyle(document.activeElement).outlineStyle")
      assert.strictEqual(outline, "solid")
      await page.press("Enter")
      assert.include(await textAt(page, ".panel"), "Made from\nmessage")
      await page.press("Escape")
      assert.strictEqual(await countOf(page, ".panel"), 0)
      assert.strictEqual(await focused(), "history")
      await page.press("?")
      assert.include(await textAt(page, ".help"), "search the notes")
      await page.press("Escape")
      assert.strictEqual(await countOf(page, ".help"), 0)
      await page.press("/")
      assert.strictEqual(await page.evaluate("document.activeElement.id"), "search")
      await page.write("gold refund?")
      assert.match(await textAt(page, "#notes"), /0 of 7 notes[\s\S]*No note has all of these words\./)
      await page.evaluate(`document.querySelector("#search").select()`)
      await page.write("billing")
      assert.include(await textAt(page, ".found"), "of 7 notes")
      assert.strictEqual(await textAt(page, ".note-row mark"), "billing")
      await page.press("ArrowDown")
      await page.press("Enter")
      assert.include(await textAt(page, ".panel"), "Step\ntriage/has text/answers/category")
      await page.press("Escape")
      await page.evaluate(`document.querySelector("#search").select()`)
      await page.press("Escape")
      await page.evaluate(
        `document.querySelector("#search").value = ""; document.querySelector("#search").dispatchEvent(new Event("input"))`
      )
    })

    it("has both themes, by preference and by its button", async () => {
      const back = () => page.evaluate<string>("getComputedStyle(document.body).backgroundColor")
      await page.prefer("light")
      const light = await back()
      await page.prefer("dark")
      const dark = await back()
      assert.notStrictEqual(dark, light)
      await page.evaluate(`document.querySelector("#theme").click()`)
      assert.strictEqual(await back(), light)
      await page.evaluate(`document.querySelector("#theme").click()`)
      assert.strictEqual(await back(), dark)
      await page.evaluate("delete document.documentElement.dataset.theme")
    })

    it.each([
      ["light", "all"],
      ["dark", "colours"]
    ] as const)("has no serious fault of accessibility when it is %s", async (scheme, rules) => {
      await page.prefer(scheme)
      assert.deepStrictEqual(await faultsOf(page, { rules }), [])
      await page.evaluate(
        `for (const one of document.querySelectorAll("details")) one.open = true; document.querySelectorAll("#notes [data-item]")[3].click()`
      )
      await page.press("x")
      assert.deepStrictEqual(await faultsOf(page, { rules }), [])
      await page.press("Escape")
      await page.press("?")
      assert.deepStrictEqual(await faultsOf(page, { rules }), [])
      await page.press("Escape")
      await page.evaluate(`for (const one of document.querySelectorAll("details")) one.open = false`)
    })

    it("is unfolded on paper, and folded again afterwards", async () => {
      await page.evaluate(`addEventListener("beforeprint", () => { globalThis.printed = [
        document.querySelectorAll("details:not([open])").length,
        document.querySelector(".printed").innerText.includes("annoyance")
      ] })`)
      assert.isAbove((await page.print()).length, 1000)
      assert.deepStrictEqual(await page.evaluate("printed"), [0, true])
      await page.press("x")
      assert.strictEqual(await countOf(page, "details[open], .printed"), 0)
    })

    it("requests nothing, and never breaks its policy", () => assertQuiet(page))
  })

  it("says why a run failed, where, and shows the way to it", async () => {
    page = await openReport(await Effect.runPromise(failed))
    assert.match(
      await textAt(page, ".outcome"),
      /^Failed\s+The step “pays” failed with TillClosed\.[\s\S]*\nThe till is closed until 9 am\./
    )
    await page.evaluate(`document.querySelector(".outcome .link").click()`)
    await page.press("x")
    assert.include(await textAt(page, ".panel"), "Outcome\nfailed")
    assert.strictEqual(await countOf(page, "#pipeline .box.failed"), 1)
    assert.strictEqual(await countOf(page, "#pipeline .box.skipped"), 1)
    assert.deepStrictEqual(await faultsOf(page), [])
    assertQuiet(page)
  })

  it("says what a run waits for", async () => {
    page = await openReport(await Effect.runPromise(waiting))
    assert.match(
      await textAt(page, ".outcome"),
      /^Waiting\s+The step “approved” has waited since .+ UTC for an answer\.[\s\S]*May we refund 49\.90 EUR to Dana\?/
    )
    assert.include(await textAt(page, ".row.wait"), "waits for approved")
    assert.deepStrictEqual(await faultsOf(page), [])
    assertQuiet(page)
  })

  it("says of a run whose question was answered that somebody must resume it", async () => {
    page = await openReport(await Effect.runPromise(answered))
    assert.match(
      await textAt(page, ".outcome"),
      /^Waiting\s+What it waited for was answered\. The run goes on when its program resumes it\./
    )
    assertQuiet(page)
  })

  it("tells the notes of native decisions, which no conversation has", async () => {
    page = await openReport(await Effect.runPromise(native))
    const exchanges: ReadonlyArray<string> = await page.evaluate(
      `[...document.querySelectorAll(".exchange")].map((one) => one.innerText)`
    )
    assert.match(exchanges[0] ?? "", /urgent\s+native decision\s+1 note, 1 new/)
    assert.match(exchanges[1] ?? "", /angry\s+native decision\s+2 notes, 1 new/)
    assertQuiet(page)
  })

  it("says of a run that is not durable what was not kept, and how to keep it", async () => {
    page = await openReport(await Effect.runPromise(notDurable))
    const timeline = await textAt(page, "#timeline")
    assert.include(timeline, "did not keep when steps and calls ran")
    assert.include(timeline, "{ durable: true }")
    assert.strictEqual(await countOf(page, ".exchange"), 2)
    assert.strictEqual(await countOf(page, ".answer"), 2)
    assert.strictEqual(await countOf(page, "#pipeline"), 0)
    assert.deepStrictEqual(await faultsOf(page), [])
    assertQuiet(page)
  })

  it("does not say that a thought had no durable run if runs are left out", async () => {
    const report = await Effect.runPromise(notDurable)
    page = await openReport({ ...report, leftOut: { thoughts: false, runs: true } })
    assert.match(await textAt(page, ".outcome"), /^Without its runs\s[\s\S]*The report leaves out some runs\./)
    const timeline = await textAt(page, "#timeline")
    assert.include(timeline, "leaves out some runs")
    assert.notInclude(timeline, "was not part of a durable run")
    assert.deepStrictEqual(await faultsOf(page), [])
    assertQuiet(page)
  })

  it("shows hostile texts as texts", async () => {
    page = await openReport(await Effect.runPromise(hostile))
    await page.evaluate(
      `for (const one of document.querySelectorAll("details")) one.open = true; document.querySelectorAll("#notes [data-item]")[1].click()`
    )
    await page.press("x")
    assert.strictEqual(await textAt(page, ".panel .content"), hostileTexts[1])
    assert.include(await textAt(page, "h1"), "</title></script><script>")
    const shown = await textAt(page, "body")
    assert.include(shown, `<img src="x" onerror="window.hacked = 3">`)
    // characters that turn the order of others around are shown by number
    assert.include(shown, "safe[U+202E]txet")
    assert.notMatch(shown, /[\u202a-\u202e\u2066-\u2069]/)
    assert.strictEqual(await page.evaluate("typeof window.hacked"), "undefined")
    assert.strictEqual(await countOf(page, "#app script, #app img, #app iframe, #app link, #app a:not([href^='#'])"), 0)
    assertQuiet(page)
  })
})
