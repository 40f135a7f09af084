/** The examples, stopped with Ctrl-C in the middle and started again. */
import { assert, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { join } from "node:path"
import { prefill } from "../pglite/prefilled.ts"
import { spawned } from "../cli/cogito.ts"
import { folder, model, run, start } from "./triage.ts"

const timeout = 600_000

const prefilled = (cwd: string, ...path: ReadonlyArray<string>) => Effect.promise(() => prefill(join(cwd, ...path)))

it.live(
  "npm run triage goes on where Ctrl-C has stopped it, and asks each question once but for the one under way",
  () =>
    Effect.gen(function* () {
      const cwd = yield* folder
      yield* prefilled(cwd, ".cogito", "triage")
      const server = yield* model(6)
      const args = ["--provider", "openai", "--model", "m", "--base-url", server.baseUrl, "--limit", "3"]
      const child = yield* start(args, { cwd })
      yield* child.said("1: answered")
      for (let call = 0; call < 7; call++) yield* server.arrived
      yield* child.interrupt
      const stopped = yield* child.ended
      assert.strictEqual(stopped.code, 130, stopped.stderr)
      assert.notInclude(stopped.stdout, "Going on")

      server.all()
      const ended = yield* run([...args, "--json"], { cwd })
      assert.strictEqual(ended.code, 0, ended.stderr)
      const reports = ended.stdout
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line))
      assert.deepStrictEqual(
        reports.map(({ modelCalls, savedCalls }) => [savedCalls, modelCalls]),
        [
          [5, 0],
          [1, 4],
          [0, 5]
        ]
      )
      assert.include(stopped.stdout, reports[0].traceId)
      // the one that was under way is asked again
      assert.lengthOf(server.recorded, 15 + 1)

      // that job has ended: the same command is a new one
      const anew = yield* run(args, { cwd })
      assert.match(anew.stdout, /^3 tickets · 15 model calls · tokens/m)
      assert.lengthOf(server.recorded, 15 + 1 + 15)
    }).pipe(Effect.scoped),
  timeout
)

it.live(
  "npm run refund-approval goes on after Ctrl-C and after an answer, by the command that it prints",
  () =>
    Effect.gen(function* () {
      const cwd = yield* folder
      const example = "refund-approval.ts"
      yield* prefilled(cwd, "refunds")
      const data = ["--data", "refunds"]
      const child = yield* start([...data, "--slow"], { cwd, example })
      yield* child.said("-> refund, with an apology")
      yield* child.interrupt
      const stopped = yield* child.ended
      assert.strictEqual(stopped.code, 130, stopped.stderr)
      assert.notInclude(stopped.stdout, "Model calls")

      const calls = (text: string) => {
        const [, made = "", saved = ""] = /^Model calls: (\d+) made, (\d+) saved by the ledger\./m.exec(text) ?? []
        return { made: Number(made), saved: Number(saved) }
      }
      const waiting = yield* run(data, { cwd, example })
      assert.strictEqual(waiting.code, 0, waiting.stderr)
      assert.isAtLeast(calls(waiting.stdout).saved, 4)
      assert.isAtLeast(calls(waiting.stdout).made, 1)
      const all = calls(waiting.stdout).made + calls(waiting.stdout).saved
      // four questions about each refund, one about the appeal, and one about the lamp
      assert.strictEqual(all, 14)
      assert.include(waiting.stdout, "Waiting for a person: 1.")

      const [, words = ""] = /^ +npx cogito runs (answer .*)$/m.exec(waiting.stdout) ?? []
      const args = words
        .split(" ")
        .map((word) => (word === "NAME" ? "jane" : word === "refunds" ? join(cwd, word) : word))
      const answered = yield* Effect.promise(() => spawned(args, { command: "runs" }))
      assert.strictEqual(answered.code, 0, answered.stderr)

      const ended = yield* run(data, { cwd, example })
      assert.strictEqual(ended.code, 0, ended.stderr)
      assert.deepStrictEqual(calls(ended.stdout), { made: 0, saved: all })
      assert.include(ended.stdout, "-> approved by jane: refund after return")
      assert.notInclude(ended.stdout, "Waiting")
    }).pipe(Effect.scoped),
  timeout
)
