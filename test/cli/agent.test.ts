/** `cogito agent`, in a process of its own where keys and signals count: what is typed, what it shows, what the model was sent, and how it ends. */
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { prefill } from "../pglite/prefilled.ts"
import { cogito, type Ended, start, type Started, terminals, typing, until } from "./cogito.ts"
import { keepOpen } from "./keptOpen.ts"

const folder = mkdtempSync(join(tmpdir(), "cogito-agent-"))
const at = (name: string) => join(folder, name)
const desk = join(import.meta.dirname, "desk.ts")
// the module of the agent reads it, in this process and in others
process.env["COGITO_TEST_OPEN"] = at("open")
const env = { OPENAI_API_KEY: "", ANTHROPIC_API_KEY: "" }
const place = ["--data-dir", at("memory")]
const around = { command: "agent" as const, env }

beforeAll(() => prefill(at("memory")), 120_000)
afterAll(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }))
keepOpen()

const text = (...lines: ReadonlyArray<string>) => lines.map((line) => `${line}\n`).join("")

/** The program to its end, in this process, given these lines. */
const chat = (lines: ReadonlyArray<string>, ...args: ReadonlyArray<string>): Promise<Ended> =>
  cogito([desk, ...place, ...args], { ...around, input: text(...lines) })

const begin = (...args: ReadonlyArray<string>) => start([desk, ...place, ...args], around)

/** The messages of each request, as `--debug requests` has them. */
const sentIn = ({ stderr }: Pick<Ended, "stderr">): ReadonlyArray<ReadonlyArray<string>> =>
  Array.from(stderr.matchAll(/^request: (.*)$/gm), ([, json = ""]) =>
    JSON.parse(json)
      .messages.filter(({ role }: { role: string }) => role !== "system")
      .map(({ results, role, text }: { role: string; text: string; results?: ReadonlyArray<{ text: string }> }) => {
        const said = /<note (\d+) key="message"[^>]*>\n([\s\S]*?)\n<\/note \1>/.exec(text)?.[2]
        return `${role}: ${results === undefined ? (said ?? text) : results.map((one) => one.text).join(" ")}`
      })
  )

/** The session that it names at its end. */
const sessionOf = ({ stderr }: Pick<Ended, "stderr">): string =>
  /^Session (\S+)\. Go on with: /m.exec(stderr)?.[1] ?? ""

describe("cogito agent, given lines", { timeout: 300_000 }, () => {
  it("answers them in turn, and says how to go on with the session", async () => {
    const ended = await chat(
      ["hello", "", "order 17", "order 0", "one\\", "  two\\\\", "three", "/nonsense", "exit", "never"],
      "--debug",
      "requests"
    )
    assert.strictEqual(ended.code, 0, ended.stderr)
    assert.strictEqual(
      ended.stdout,
      text(
        `You said "hello", message 2.`,
        `[call] order {"number":17}`,
        `[result] order {"item":"kite 17"}`,
        `It says: {"item":"kite 17"}`,
        `[call] order {"number":0}`,
        "[failed] order There is no order 0.",
        "It says: There is no order 0.",
        String.raw`You said "one\n  two\\\nthree", message 12.`
      )
    )
    assert.include(ended.stderr, `cogito: There is no command "/nonsense". /help lists those that there are.`)
    const id = sessionOf(ended)
    assert.include(
      ended.stderr,
      `Session ${id}. Go on with: npx cogito agent ${desk} --resume ${id} ${place.join(" ")}\n`
    )
    assert.deepStrictEqual(sentIn(ended)[2], [
      "user: hello",
      `assistant: You said "hello", message 2.`,
      "user: order 17",
      "assistant: ",
      `tool: {"item":"kite 17"}`
    ])

    const more = await chat(["and now?"], "--resume", id)
    assert.strictEqual(more.stdout, text(`You said "and now?", message 14.`))
    assert.strictEqual(sessionOf(more), id)
  })

  it("takes pasted lines as they are", async () => {
    const ended = await chat(["/paste", "  exit", "exit", "", "a\\", "/undo", "/submit", "/paste", " ", "/submit"])
    assert.strictEqual(ended.code, 0, ended.stderr)
    assert.strictEqual(ended.stdout, text(String.raw`You said "  exit\nexit\n\na\\\n/undo", message 2.`))
  })

  it("sends nothing of a message whose end is missing", async () => {
    for (const lines of [["/paste", "hello"], ["hello\\"]]) {
      const ended = await chat(lines, "--json")
      assert.strictEqual(ended.code, 1)
      assert.match(ended.stderr, /^cogito: The input ended .*, so the \w+ was not sent: .*\n$/)
      assert.deepStrictEqual(
        ended.stdout
          .trim()
          .split("\n")
          .map((line) => JSON.parse(line).event),
        ["Session"]
      )
    }
  })

  it("goes back before the last message, also in another process", async () => {
    const first = await chat(["one", "two", "/undo", "three"], "--debug", "requests")
    assert.strictEqual(first.code, 0, first.stderr)
    assert.match(first.stderr, /^cogito: Back before "two"\. The session is now [0-9a-f-]{36}\.$/m)
    const last = [`user: one`, `assistant: You said "one", message 2.`, "user: three"]
    assert.deepStrictEqual(sentIn(first).at(-1), last)
    const again = await chat(["/undo", "/undo", "/undo", "four"], "--resume", sessionOf(first), "--debug", "requests")
    assert.deepStrictEqual(sentIn(again), [["user: four"]])
    assert.include(again.stderr, "cogito: There is no message to undo.\n")
    assert.notStrictEqual(sessionOf(again), sessionOf(first))
    // the session that was left is still there
    const left = await chat(["five"], "--resume", sessionOf(first))
    assert.strictEqual(left.stdout, text(`You said "five", message 6.`))
  })

  it("names the calls that stay done when it goes back, unless their tools only read", async () => {
    const first = await chat(["order 17", "refund 2 and 3", "n", "y", "/undo", "/undo"], "--interactive")
    assert.strictEqual(first.code, 0, first.stderr)
    const lines = first.stderr.split("\n").filter((line) => /^cogito: (?:Back|What)/.test(line))
    assert.match(lines[0] ?? "", /^cogito: Back before "refund 2 and 3"\./)
    assert.strictEqual(lines[1], "cogito: What these calls have done stays: refund.")
    assert.match(lines[2] ?? "", /^cogito: Back before "order 17"\./)
    assert.lengthOf(lines, 3)
  })

  it("says how to find a session if it is given the id of none", async () => {
    const unknown = await chat(["hello"], "--resume", "chat-1")
    assert.deepStrictEqual([unknown.code, unknown.stdout], [1, ""])
    assert.match(
      unknown.stderr,
      /^cogito: There is no session "chat-1" in this scope\. The program prints the id .*\n$/
    )

    const first = await chat(["hello"])
    const { stdout } = await cogito(["list", "--json", "--limit", "1", ...place], { command: "runs" })
    const ofRun = await chat(["hello"], "--resume", JSON.parse(stdout).runs[0].id)
    assert.deepStrictEqual([ofRun.code, ofRun.stdout], [1, ""])
    const id = sessionOf(first)
    assert.include(ofRun.stderr, `This is a run of the session ${id}: go on with --resume ${id}.\n`)
  })

  it("prints one JSON event a line", async () => {
    const ended = await chat(["order 17"], "--json")
    const events = ended.stdout
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line))
    assert.deepStrictEqual(
      events.map(({ event }) => event).filter((event, i, all) => event !== all[i - 1]),
      ["Session", "CallStarted", "CallDelta", "Round", "Called", "Returned", "Text", "Round", "Done", "Ended"]
    )
    assert.deepInclude(
      events.find(({ event }) => event === "Called"),
      { name: "order", params: { number: 17 } }
    )
    const [{ thoughtId }] = events
    assert.deepInclude(events.at(-2), { thoughtId, answer: `It says: {"item":"kite 17"}` })
    assert.strictEqual(events.at(-1).command, `npx cogito agent ${desk} --resume ${thoughtId} ${place.join(" ")}`)
    assert.strictEqual(ended.stderr, "")
  })

  it("prints the notes and what the model saw", async () => {
    const ended = await chat(["order 17"], "--debug", "state, context")
    assert.include(ended.stderr, `state: message #1 from user\n  | order 17\n`)
    assert.include(
      ended.stderr,
      `context: 4 messages; tools: order, refund, wait, pay, stuck\nsystem:\n  | You answer at a desk.`
    )
    assert.include(ended.stderr, `assistant:\n  calls order with {"number":17}\n`)
    assert.include(ended.stderr, `tool:\n  result of order: {"item":"kite 17"}\n`)
  })

  it("ends at a failure, unless somebody can read it", async () => {
    const ended = await chat(["fail", "hello"])
    assert.deepStrictEqual([ended.code, ended.stdout], [1, ""])
    assert.match(ended.stderr, /^cogito: house \(m-1\): too busy.*$/m)
    // the message can be tried again later
    const later = await chat(["/continue"], "--resume", sessionOf(ended))
    assert.deepStrictEqual([later.code, sessionOf(later)], [1, sessionOf(ended)])
    assert.include(later.stderr, "cogito: The last message has failed. /continue tries again.\n")
    const announced = await chat(["fail", "/continue", "hello"], "--interactive")
    assert.deepStrictEqual([announced.code, announced.stdout], [0, text(`You said "hello", message 4.`)])
    assert.lengthOf(announced.stderr.match(/too busy.* \/continue tries again\.$/gm) ?? [], 2)
  })
})

describe("an approval", { timeout: 300_000 }, () => {
  it("ends the program where nobody can be asked, and can be given later", async () => {
    const ended = await chat(["order 17", "refund 17", "hello"])
    assert.strictEqual(ended.code, 4)
    assert.include(ended.stdout, `[call] refund {"number":17}\n`)
    assert.notInclude(ended.stdout, "[result] refund")
    const [, command = ""] = /^ +npx cogito runs (answer .*)$/m.exec(ended.stderr) ?? []
    const [, words = ""] = /then go on with: npx cogito agent (.*)$/m.exec(ended.stderr) ?? []
    // nobody has answered yet
    assert.strictEqual((await cogito(words.split(" "), around)).code, 4)
    const answered = await cogito([...command.split(" "), "--by", "jane"], { command: "runs" })
    assert.strictEqual(answered.code, 0, answered.stderr)
    const resumed = await cogito(words.split(" "), around)
    assert.strictEqual(resumed.code, 0, resumed.stderr)
    assert.match(resumed.stdout, /\[result\] refund "Order 17 was refunded\."\nIt says: Order 17 was refunded\.\n$/)
  })

  it("is typed: yes, no with a reason, other parameters", async () => {
    const ended = await chat(
      [
        "refund 1",
        "y",
        "refund 2",
        "",
        "n too old",
        "refund 3",
        "e",
        "{",
        '{"number":"x"}',
        '{"number":4}',
        "refund 5",
        "e",
        "",
        "n",
        "bye"
      ],
      "--interactive",
      "--debug",
      "requests"
    )
    assert.strictEqual(ended.code, 0, ended.stderr)
    assert.strictEqual(
      ended.stdout,
      text(
        `[call] refund {"number":1}`,
        `[result] refund "Order 1 was refunded."`,
        "It says: Order 1 was refunded.",
        `[call] refund {"number":2}`,
        `[denied] refund Not approved: too old`,
        `It says: Not approved: too old`,
        `[call] refund {"number":3}`,
        `[call] refund {"number":4}`,
        `[result] refund "Order 4 was refunded."`,
        String.raw`It says: A person has approved other parameters: «{"number":4}»`,
        "Order 4 was refunded.",
        `[call] refund {"number":5}`,
        "[denied] refund Not approved.",
        "It says: Not approved.",
        `You said "bye", message 18.`
      )
    )
    assert.include(ended.stderr, `May the agent «desk» call refund with «{"number":1}»?`)
    const again = "Give the parameters again, or an empty line to go back to the question."
    assert.include(ended.stderr, `cogito: That is not JSON. ${again}\n`)
    assert.match(ended.stderr, /^cogito: The answer does not fit: .*number.*\. Give the parameters again, .*$/m)
    assert.include(sentIn(ended).at(-1)?.join("\n"), "tool: Not approved: too old")
  })

  it("is not given by a text that only begins like a yes, which is a reason as a whole", async () => {
    const reasons = ["yesterday was too late", "nobody knows it", "no need to pay twice", "No, too late", "No"]
    const lines = [...reasons.flatMap((reason) => ["refund 1", reason]), "refund 2", "YES"]
    const ended = await chat(lines, "--interactive")
    assert.strictEqual(ended.code, 0, ended.stderr)
    assert.deepStrictEqual(
      ended.stdout.split("\n").filter((line) => /^\[(?:denied|result)\]/.test(line)),
      [
        "[denied] refund Not approved: yesterday was too late",
        "[denied] refund Not approved: nobody knows it",
        "[denied] refund Not approved: no need to pay twice",
        "[denied] refund Not approved: too late",
        "[denied] refund Not approved.",
        `[result] refund "Order 2 was refunded."`
      ]
    )
  })

  it("is given by --yes, which says so", async () => {
    const ended = await chat(["refund 1"], "--yes")
    assert.strictEqual(ended.code, 0, ended.stderr)
    assert.include(ended.stderr, "cogito: --yes: EVERY CALL OF A TOOL IS APPROVED WITHOUT ASKING.\n")
    assert.include(ended.stderr, "[approved] refund\n")
    assert.include(ended.stdout, `[result] refund "Order 1 was refunded."`)
  })

  it("is an event of its own, with who has answered", async () => {
    const ended = await chat(["refund 1", "y"], "--interactive", "--json")
    const events = ended.stdout
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line))
    const asked = events.find(({ event }) => event === "Asked")
    const answered = events.filter(({ event }) => event === "Answered")
    assert.lengthOf(answered, 1)
    const { runId, ...rest } = answered[0]
    assert.match(runId, /^chat-\w+$/)
    const about = { key: "desk.approval", frame: "/desk/approval refund", callId: asked.id }
    assert.deepStrictEqual(rest, { event: "Answered", ...about, by: "terminal" })
    const question = events[events.indexOf(answered[0]) - 1]
    assert.deepInclude(question, { event: "Question", runId, ...about, prompt: asked.prompt, reads: "answer" })
  })

  it("is preceded by an event for each line that is read, which says what the line must be", async () => {
    const ended = await chat(["refund 3", "", "e", "{", '{"number":4}'], "--interactive", "--json")
    const events = ended.stdout
      .trimEnd()
      .split("\n")
      .map((line): any => JSON.parse(line))
    assert.deepStrictEqual(
      events.flatMap(({ event, problem, reads }) => (event === "Question" ? [[reads, problem]] : [])),
      [
        ["answer", undefined],
        ["answer", undefined],
        ["params", undefined],
        ["params", "That is not JSON."]
      ]
    )
  })

  it("of agents and steps behind tools is an event too, in the order of the calls", async () => {
    const module = join(import.meta.dirname, "branches.ts")
    const ended = await cogito([module, ...place, "--interactive", "--json"], {
      ...around,
      input: text("go", "y", "y", "y")
    })
    assert.strictEqual(ended.code, 0, ended.stderr)
    const events = ended.stdout
      .trimEnd()
      .split("\n")
      .map((line): any => JSON.parse(line))
    const announced = events.flatMap(({ callId, event, frame, key, prompt }) =>
      event === "Question" || event === "Answered" ? [{ event, key, frame, callId, prompt }] : []
    )
    for (let i = 0; i < announced.length; i += 2) {
      const { prompt: _, ...about } = announced[i]!
      assert.deepStrictEqual(announced[i + 1], { ...about, event: "Answered", prompt: undefined })
    }
    const questions = announced.flatMap(({ event, frame }) => (event === "Question" ? [frame] : []))
    const [refund, cancel] = ["refund", "cancel"].map((name) => `/head/ask_clerk/clerk/approval ${name}`)
    assert.sameMembers(questions, ["/head/ask_person/check/sure", refund, cancel])
    assert.isBelow(questions.indexOf(refund), questions.indexOf(cancel))
  })

  it("waits if the program is ended at its question", async () => {
    for (const word of ["exit", " quit "]) {
      const ended = await chat(["refund 1", word, "never"], "--interactive")
      assert.strictEqual(ended.code, 4)
      assert.strictEqual(ended.stdout, text(`[call] refund {"number":1}`))
      assert.include(ended.stderr, `--resume ${sessionOf(ended)}`)
    }
  })

  it("that was given is kept when the person leaves at the next one, which alone stays open", async () => {
    const asked = async (...answers: ReadonlyArray<string>) => {
      const ended = await chat(["refund 1 and 2", ...answers, "exit"], "--interactive", "--json")
      assert.strictEqual(ended.code, 4)
      const events = ended.stdout
        .trimEnd()
        .split("\n")
        .map((line): any => JSON.parse(line))
      const calls = new Map(events.flatMap((one) => (one.event === "Called" ? [[one.id, one.params.number]] : [])))
      const { questions } = events.find(({ event }) => event === "Waiting")
      const words = (command: string, name: string) => command.replace(`npx cogito ${name} `, "").split(" ")
      return {
        open: questions.map(({ schema }: any) => calls.get(schema["x-call"].id)),
        answer: words(questions[0].command, "runs"),
        goOn: words(events.find(({ event }) => event === "Ended").command, "agent")
      }
    }
    assert.deepStrictEqual((await asked()).open, [1, 2])
    const { answer, goOn, open } = await asked("y")
    assert.deepStrictEqual(open, [2])
    const answered = await cogito(answer, { command: "runs" })
    assert.strictEqual(answered.code, 0, answered.stderr)
    const resumed = await cogito(goOn, around)
    assert.strictEqual(resumed.code, 0, resumed.stderr)
    assert.include(resumed.stdout, "It says: Order 1 was refunded. Order 2 was refunded.\n")
  })

  it("that the input ends before waits", async () => {
    const ended = await chat(["refund 1"], "--interactive", "--json")
    assert.strictEqual(ended.code, 4)
    const waiting = ended.stdout.split("\n").flatMap((line) => (line.includes('"Waiting"') ? [JSON.parse(line)] : []))
    assert.lengthOf(waiting, 1)
    assert.match(waiting[0].questions[0].command, /^npx cogito runs answer chat-\w+ desk\.approval yes --data-dir /)
  })
})

describe("Ctrl-C", { timeout: 300_000 }, () => {
  const say = (child: Started, ...lines: ReadonlyArray<string>) => child.process.stdin.write(text(...lines))
  const cancel = async (child: Started, shown: string) => {
    const before = child.stderr().split("cogito: Cancelled.").length
    await until(shown, () => child.stdout().includes(shown) || child.stderr().includes(shown), child)
    child.process.kill("SIGINT")
    await until("it was cancelled", () => child.stderr().split("cogito: Cancelled.").length > before, child)
  }

  it("cancels a call that hangs, and a question, after which the chat goes on; at the prompt it ends the program when it is pressed twice", async () => {
    const child = await begin("--interactive", "--debug", "requests,state")
    say(child, "pay 5")
    await cancel(child, "[call] pay")
    say(child, "hello")
    await until("it answers", () => child.stderr().includes("state: answer #5 "), child)
    say(child, "refund 1")
    await cancel(child, "May the agent «desk» call refund")
    say(child, "hello", "/paste", "never sent")
    await until("it answers again", () => child.stderr().includes("state: answer #10 "), child)
    const press = async (shown: string) => {
      child.process.kill("SIGINT")
      await until(shown, () => child.stderr().includes(shown), child)
    }
    await press("cogito: The message was dropped.")
    await press("cogito: Press Ctrl-C again to end, or type exit.")
    child.process.kill("SIGINT")
    const ended = await child.ended
    assert.strictEqual(ended.code, 130, ended.stderr)
    assert.notStrictEqual(sessionOf(ended), "")
    // the chat has ended, and is not stopped from outside
    assert.notInclude(ended.stderr, "cogito: Stopping.")
    assert.deepStrictEqual(ended.stderr.match(/It is not known whether these calls .*$/gm), [
      "It is not known whether these calls were carried out: pay. /continue goes on with it; another message gives it up."
    ])
    assert.match(ended.stderr, /^cogito: The run chat-\w+ was given up\.$/m)
    const unknown =
      "tool: It is not known whether this was carried out: it was cancelled. Find out before you call the tool again."
    const paid = ["user: pay 5", "assistant: ", unknown, "assistant: (cancelled)", "user: hello"]
    const sent = sentIn(ended)
    assert.deepStrictEqual(sent[1], paid)
    assert.deepStrictEqual(sent.at(-1), [
      ...paid,
      `assistant: You said "hello", message 6.`,
      "user: refund 1",
      "assistant: ",
      "tool: It was not carried out: nobody has approved it.",
      "assistant: (cancelled)",
      "user: hello"
    ])
    const { stdout } = await cogito(["list", "--json", "--limit", "4", ...place], { command: "runs" })
    assert.deepStrictEqual(
      JSON.parse(stdout).runs.map(({ error, status }: { error?: string; status: string }) => [status, error]),
      [1, 2].flatMap(() => [
        ["completed", undefined],
        ["failed", "Cancelled"]
      ])
    )
  })

  it("cancels a model that hangs, and /continue goes on with the message; it ends the program at once when a call does not end", async () => {
    const child = await begin("--debug", "requests")
    say(child, "think")
    await cancel(child, "request: ")
    say(child, "wait 3")
    await cancel(child, "[call] wait")
    writeFileSync(at("open"), "")
    say(child, "/continue", "/continue", "stuck 1")
    await until("it calls", () => child.stderr().includes("The handler has begun."), child)
    rmSync(at("open"))
    child.process.kill("SIGINT")
    await until("it says so", () => child.stderr().includes("Press Ctrl-C again to end the program at once."), child)
    child.process.kill("SIGINT")
    const ended = await child.ended
    assert.strictEqual(ended.code, 130, ended.stderr)
    // what was shown before is not shown again
    assert.strictEqual(
      ended.stdout,
      text(
        `[call] wait {"number":3}`,
        `[result] wait "Waited for 3."`,
        "It says: Waited for 3.",
        `[call] stuck {"number":1}`
      )
    )
    assert.include(ended.stderr, "cogito: There is nothing to go on with.\n")
    assert.deepStrictEqual(sentIn(ended)[1], ["user: think", "assistant: (cancelled)", "user: wait 3"])
    assert.lengthOf(sentIn(ended), 4)
  })

  it("leaves a run that --resume goes on with, and so does SIGTERM, also during the first message", async () => {
    const child = await begin()
    say(child, "wait 8")
    await until("it calls", () => child.stdout().includes("[call] wait"), child)
    child.process.kill("SIGTERM")
    const ended = await child.ended
    assert.strictEqual(ended.code, 143)
    const { stdout } = await cogito(["list", "--json", "--limit", "1", ...place], { command: "runs" })
    assert.strictEqual(sessionOf(ended), JSON.parse(stdout).runs[0].thoughtId)
    const resumed = await begin("--resume", sessionOf(ended))
    await cancel(resumed, "[call] wait")
    resumed.process.stdin.end()
    const { code, stderr } = await resumed.ended
    assert.strictEqual(code, 0, stderr)
    writeFileSync(at("open"), "")
    const last = await chat(["hello"], "--resume", sessionOf(ended))
    rmSync(at("open"))
    assert.strictEqual(last.code, 0, last.stderr)
    assert.strictEqual(
      last.stdout,
      text(
        `[call] wait {"number":8}`,
        `[result] wait "Waited for 8."`,
        "It says: Waited for 8.",
        `You said "hello", message 6.`
      )
    )
  })
})

describe.skipIf(!terminals)("on a terminal", { timeout: 300_000 }, () => {
  it("messages and approvals are typed, keys cancel and end, and those before a question do not answer it", async () => {
    const terminal = await typing([desk, ...place], around)
    try {
      await terminal.type("refund 6\r", "/help shows what you can type.")
      await terminal.type("e\r", "Approve? (y, n, a reason not to, or e to edit the parameters) ")
      // the parameters stand there, and their end is changed
      await terminal.type("\u007f\u007f71}\r", '{"number":6}')
      await terminal.type("wait 1\r", 'It says: A person has approved other parameters: «{"number":71}»')
      await terminal.type("\u0003", "[call] wait")
      await terminal.type("not sent\u0003", "cogito: Cancelled.")
      await terminal.type("slowly 8\r", "not sent")
      // nobody has seen the question yet
      await terminal.type("y\ry", "The model has begun.")
      await terminal.type("", "y\r\ny")
      writeFileSync(at("open"), "")
      await terminal.type("", "cogito: What was typed before this question is dropped.")
      await terminal.type("not now\r", "or e to edit the parameters) ")
      await terminal.type("hello\r", "[denied] refund Not approved: not now")
      await terminal.type("", 'You said "hello"')
      await terminal.type("\u0003", "> \u001b")
      await terminal.type("\u0004", "cogito: Press Ctrl-C again to end, or type exit.")
      assert.strictEqual(await terminal.ended, 0)
      assert.match(terminal.shown(), /Session \S+\. Go on with: npx cogito agent /)
    } finally {
      terminal.kill()
      rmSync(at("open"), { force: true })
    }
  })
})
