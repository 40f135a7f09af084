import { assert, layer, vi } from "@effect/vitest"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { writeFileSync } from "node:fs"
import { createServer } from "node:net"
import { join } from "node:path"
import { PgliteMemory } from "cogito/pglite"
import { tickets } from "../../examples/support-triage/tickets.ts"
import { prefill } from "../pglite/prefilled.ts"
import { completion, reply, serve } from "../openai/server.ts"
import { soon } from "../soon.ts"
import { here } from "./here.ts"
import { type Ended, folder, model, run, start } from "./triage.ts"

const timeout = 180_000
vi.setConfig({ testTimeout: timeout })

/** A folder for notes within another, ready to be used. */
const prefilled = (cwd: string, name: string) =>
  Effect.as(
    Effect.promise(() => prefill(join(cwd, name))),
    name
  )

/** A folder to work in, where four of the example's tickets have been triaged. */
class Triaged extends Context.Service<Triaged, { readonly cwd: string; readonly first: Ended }>()("test/Triaged") {
  static readonly layer = Layer.effect(
    Triaged,
    Effect.gen(function* () {
      const cwd = yield* folder
      yield* prefilled(cwd, ".cogito/triage")
      return { cwd, first: yield* here(["--limit", "4", "--json"], { cwd }) }
    })
  )
}

const objects = (text: string): ReadonlyArray<any> =>
  text
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line))

/** It says in one line why, after one for each ticket that it finished. */
const assertFails = (ended: Ended, code: number, line: RegExp, finished: ReadonlyArray<string> = []) => {
  assert.strictEqual(ended.code, code, ended.stderr)
  const lines = ended.stderr.trimEnd().split("\n")
  assert.match(lines.pop() ?? "", line)
  assert.deepStrictEqual(lines.map(timeless), finished)
}

const timeless = (line: string) => line.replace(/ in \d+\.\d s$/, "")

/** A port of this machine where nobody listens. */
const closedPort = Effect.callback<number>((resume) => {
  const server = createServer().listen(0, "127.0.0.1", () => {
    const address = server.address()
    server.close(() => resume(Effect.succeed(typeof address === "object" && address !== null ? address.port : 0)))
  })
})

layer(Triaged.layer, { timeout })("npm run triage", (it) => {
  it.effect("answers every question about every ticket", () =>
    Effect.gen(function* () {
      const { code, stderr, stdout } = (yield* Triaged).first
      assert.strictEqual(code, 0, stderr)
      const reports = objects(stdout)
      assert.deepStrictEqual(
        reports.map(({ message, number }) => [number, message]),
        tickets.slice(0, 4).map((message, index) => [index + 1, message])
      )
      for (const { answers, modelCalls } of reports) {
        assert.hasAllKeys(answers, ["ticket", "history", "category", "mood", "escalate", "summary"])
        assert.strictEqual(modelCalls, 5)
      }
      assert.deepStrictEqual(
        reports.map(({ answers }) => answers.category.primary),
        ["billing", "technical", "account", "shipping"]
      )
      assert.strictEqual(reports[0].answers.ticket.customer, "Dana Fox")
    })
  )

  it.effect("says on standard error, a plain line each, which tickets are finished when that is no terminal", () =>
    Effect.gen(function* () {
      const { stderr } = (yield* Triaged).first
      assert.match(stderr, /^(?:[1-4]: answered in \d+\.\d s\n){4}$/)
    })
  )

  it.effect("goes on when nobody reads standard error", () =>
    Effect.gen(function* () {
      const { cwd } = yield* Triaged
      const server = yield* model()
      const args = ["--provider", "openai", "--model", "m", "--base-url", server.baseUrl, "--limit", "2", "--json"]
      const data = yield* prefilled(cwd, "deaf")
      const { code, stdout } = yield* run([...args, "--data", data], { cwd, deaf: true })
      assert.strictEqual(code, 0)
      assert.lengthOf(objects(stdout), 2)
    })
  )

  it.effect("gives the same answers in another folder", () =>
    Effect.gen(function* () {
      const { cwd, first } = yield* Triaged
      const data = yield* prefilled(cwd, "again")
      const again = yield* here(["--limit", "1", "--json", "--data", data], { cwd })
      assert.strictEqual(again.code, 0, again.stderr)
      const nameless = (text: string) =>
        text.replaceAll(/"thoughtId":"[^"]*"/g, "").replaceAll(/"traceId":"(ticket-\d+)-\w+"/g, "$1")
      const answered = nameless(again.stdout)
      assert.lengthOf(objects(again.stdout), 1)
      assert.isTrue(nameless(first.stdout).startsWith(answered), answered)
    })
  )

  it.effect("finds the tickets of an earlier run, and asks the model nothing about an empty one", () =>
    Effect.gen(function* () {
      const { cwd, first } = yield* Triaged
      const stdin = '{"text":"You have debited my card two times, I want one payment back"}\n\n"  "\n'
      const { code, stderr, stdout } = yield* here(["--file", "-", "--json"], { cwd, stdin })
      assert.strictEqual(code, 0, stderr)
      const [paraphrase, empty] = objects(stdout)
      assert.strictEqual(paraphrase.answers.history[0].traceId, objects(first.stdout)[0].traceId)
      assert.strictEqual(empty.modelCalls, 0)
      assert.match(empty.empty, /no text/)
      const { code: traced, stdout: log } = yield* here(["--trace", empty.traceId, "--json"], { cwd })
      assert.strictEqual(traced, 0)
      assert.deepStrictEqual(
        JSON.parse(log).notes.map(({ content, key }: { content: string; key: string }) => [key, content]),
        [
          ["message", "  "],
          ["empty", empty.empty]
        ]
      )
    })
  )

  it.effect("says which tickets are not read, in which language, and goes on", () =>
    Effect.gen(function* () {
      const { cwd } = yield* Triaged
      const stdin =
        [
          "Wo bleibt mein Sofa? Ich warte seit vier Wochen.",
          "??",
          "Je n'ai pas reçu ma facture.",
          "Ingen svarar när jag ringer er."
        ].join("\n") + "\nThe page shows an error since noon.\n"
      const { code, stderr, stdout } = yield* here(["--file", "-", "--format", "text"], { cwd, stdin })
      assert.strictEqual(code, 0, stderr)
      const words = stdout.replaceAll(/\s+/g, " ")
      for (const language of ["German", "French", "Swedish"]) assert.include(words, `note Not read: ${language}. `)
      assert.match(words, /category technical/)
      assert.match(words, /note The ticket has no text, /)
      assert.match(stdout, /^5 tickets \(3 not read\) · /m)
      assert.match(stderr, /^1: not read in /m)
    })
  )

  it.effect("prints a ticket's whole log by its trace id", () =>
    Effect.gen(function* () {
      const { cwd, first } = yield* Triaged
      const { message, thoughtId, traceId } = objects(first.stdout)[2]
      const { code, stderr, stdout } = yield* here(["--trace", traceId], { cwd })
      assert.strictEqual(code, 0, stderr)
      for (const key of ["message", "ticket", "history", "category", "mood", "escalate", "escalate_summary"]) {
        assert.match(stdout, new RegExp(`^\\d ${key}$`, "m"))
      }
      assert.include(stdout, thoughtId)
      assert.include(stdout.replaceAll(/\s+/g, " "), message)
    })
  )

  it.effect("prints to a pipe 80 columns wide, without colour, and says what answers", () =>
    Effect.gen(function* () {
      const { cwd } = yield* Triaged
      const nasty = `\u001b[2J\u001b[31mHelp \u202egnol\u202c ${"x".repeat(200)}`
      const csv = `text,who\n"Where is my parcel, it does not move",me\n"${nasty}",you\n`
      writeFileSync(join(cwd, "tickets.csv"), csv)
      const { code, stderr, stdout } = yield* here(["--file", "tickets.csv"], { cwd })
      assert.strictEqual(code, 0, stderr)
      assert.notInclude(stderr, "\u001b")
      const lines = stdout.split("\n")
      assert.match(lines[0] ?? "", /^Provider: extractive .*not an LLM/)
      for (const steering of ["\u001b", "\u202e", "\u202c"]) assert.notInclude(stdout, steering)
      assert.include(stdout, "[U+001B][31mHelp [U+202E]gnol[U+202C]")
      assert.isAtMost(Math.max(...lines.slice(1).map((line) => line.length)), 80)
      assert.match(stdout, /similar +0\.\d\d ticket-4-\w+ /)
      assert.match(
        stdout,
        /2 tickets · 10 model calls · tokens: not reported · \d+\.\d s\nReport: npx cogito report ticket-2-\w+ --data-dir \S+ > t\.html\n$/
      )
    })
  )

  it.effect("asks a server of the OpenAI kind, and says how sure it is and what it cost", () =>
    Effect.gen(function* () {
      const { cwd } = yield* Triaged
      const server = yield* model()
      writeFileSync(join(cwd, "tickets"), "I WAS CHARGED TWICE\n")
      const args = ["--file", "tickets", "--provider", "openai", "--model", "m", "--base-url", server.baseUrl]
      const { code, stderr, stdout } = yield* here(args, { cwd })
      assert.strictEqual(code, 0, stderr)
      assert.match(stdout, /^Provider: openai \(m\)\. /)
      assert.match(stdout, /^ {2}category +billing \(0\.41, low\)$/m)
      assert.match(stdout, /^ {2}escalate +YES \(0\.90\): It is severe\.$/m)
      assert.match(stdout, /1 ticket · 5 model calls · tokens: 60 in, 35 out/)
      assert.lengthOf(server.recorded, 5)
    })
  )

  it.effect("stops on Ctrl-C with whole steps stored and nothing after them", () =>
    Effect.gen(function* () {
      const { cwd } = yield* Triaged
      const server = yield* model(6)
      const data = yield* prefilled(cwd, "stopped")
      const args = ["--provider", "openai", "--model", "m", "--base-url", server.baseUrl, "--data", data, "--json"]
      const child = yield* start(args, { cwd })
      for (let call = 0; call < 7; call++) yield* server.arrived
      yield* child.interrupt
      const ended = yield* child.ended
      assertFails(ended, 130, /^triage: stopping\. All answers so far are stored; press Ctrl-C again/, ["1: answered"])
      yield* server.closed
      const [done, ...others] = objects(ended.stdout)
      assert.lengthOf(others, 0)
      const store = yield* PgliteMemory.makeStore({ dataDir: join(cwd, data) })
      const keys = (traceId: string) =>
        Effect.map(store.load("local", { traceId }), (stored) => stored?.notes.map(({ key }) => key))
      const whole = ["message", "ticket", "history", "category", "mood", "escalate", "escalate_summary"]
      assert.deepStrictEqual(yield* keys(done.traceId), whole)
      assert.deepStrictEqual(yield* keys(done.traceId.replace("ticket-1", "ticket-2")), whole.slice(0, 3))
    })
  )

  it.effect("exits at once on a second Ctrl-C, though the folder is not given back", () =>
    Effect.gen(function* () {
      const { cwd } = yield* Triaged
      const server = yield* model(0)
      const data = yield* prefilled(cwd, "stuck")
      // as on a file system that does not answer any more
      const stuck = `import fs from "node:fs"; import { syncBuiltinESMExports } from "node:module"
        const { writeFile } = fs.promises
        fs.promises.writeFile = (path, ...rest) => path.endsWith("released")
          ? new Promise(() => setInterval(() => {}, 1_000_000)) : writeFile(path, ...rest)
        syncBuiltinESMExports()`
      const env = { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(stuck)}` }
      const args = ["--provider", "openai", "--model", "m", "--base-url", server.baseUrl, "--data", data]
      const child = yield* start(args, { cwd, env })
      yield* server.arrived
      yield* child.interrupt
      yield* child.said("stopping.")
      yield* server.closed
      assert.isTrue(yield* child.running)
      yield* child.interrupt
      const ended = yield* soon("it exits at the second Ctrl-C")(child.ended)
      assertFails(ended, 130, /^triage: stopping\. All answers so far are stored; press Ctrl-C again/)
    })
  )

  it.effect("says in one line what is wrong", () =>
    Effect.gen(function* () {
      const { cwd } = yield* Triaged
      assertFails(yield* run(["--fast"], { cwd }), 2, /^triage: there is no option --fast\. .*--help/)
      assertFails(yield* here(["--provider", "openai"], { cwd }), 1, /^triage: there is no API key: set OPENAI_API_KEY/)
      assertFails(yield* here(["--trace", "ticket-9"], { cwd }), 1, /^triage: \S+ has no such ticket/)
      const nowhere = yield* here(["--replay", "nowhere.json"], { cwd })
      assertFails(nowhere, 1, /^triage: --replay nowhere\.json: cannot replay nowhere\.json: /)
      assertFails(yield* here(["--record", "."], { cwd }), 1, /^triage: --record \.: cannot write the recording /)
      const baseUrl = `http://127.0.0.1:${yield* closedPort}/v1`
      const unreachable = yield* here(["--provider", "openai", "--model", "m", "--base-url", baseUrl], { cwd })
      assertFails(unreachable, 1, /^triage: stopped, as ticket 1 failed at ticket: .*ECONNREFUSED.*--base-url/)
    })
  )

  it.effect("reports tickets that fail, and stops when one fails after the other", () =>
    Effect.gen(function* () {
      const { cwd } = yield* Triaged
      const server = yield* serve(reply(200, completion("I would rather not.")))
      const ended = yield* here(["--provider", "openai", "--model", "m", "--base-url", server.baseUrl], { cwd })
      assertFails(ended, 1, /^triage: stopped, as ticket 3 failed at ticket: .*\(as did the 2 before\)/, [
        "1: failed",
        "2: failed"
      ])
      assert.lengthOf(ended.stdout.match(/^ {2}failed +at ticket: /gm) ?? [], 2)
    })
  )

  it.effect("says who has the folder open", () =>
    Effect.gen(function* () {
      const { cwd } = yield* Triaged
      yield* PgliteMemory.makeStore({ dataDir: join(cwd, ".cogito", "triage") })
      const ended = yield* run(["--limit", "1"], { cwd })
      assertFails(ended, 1, new RegExp(`^triage: --data \\.cogito/triage: .*process ${process.pid}`))
      assert.strictEqual(ended.stdout, "")
    })
  )

  it.effect("lists its options", () =>
    Effect.gen(function* () {
      const { cwd } = yield* Triaged
      const { code, stdout } = yield* here(["--help"], { cwd })
      assert.strictEqual(code, 0)
      const flags = ["provider", "model", "base-url", "data", "file", "format", "limit", "json", "trace", "help"]
      for (const flag of flags) assert.match(stdout, new RegExp(`^ {2}--${flag} `, "m"))
      assert.include(stdout, '"low"')
    })
  )
})
