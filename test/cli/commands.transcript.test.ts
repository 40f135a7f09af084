/** Every command with every flag, in this process: what it prints, and how it ends. */
import { afterAll, it, vi } from "@effect/vitest"
import { Effect, Layer, Stream } from "effect"
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Memory, Pipeline, Primitive, Provider, Synapse, Thought } from "cogito"
import { Testing } from "cogito/testing"
import { exitCode, run } from "../../src/cli/program.ts"
import { prefill } from "../pglite/prefilled.ts"
import { transcribe } from "../transcript.ts"
import { keepOpen } from "./keptOpen.ts"

const folder = mkdtempSync(join(tmpdir(), "cogito-commands-"))
afterAll(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }))
keepOpen()

const at = (name: string) => join(folder, name)
const withoutPlace = (text: string) => text.replaceAll(folder, "<folder>").replaceAll(/^cogito v\d.*/gm, "cogito v…")

/** What a command prints on both outputs, and its exit code. */
const told = (...args: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    const out: Array<string> = []
    const err: Array<string> = []
    const writing = (lines: Array<string>) => (text: unknown, done?: unknown) => {
      lines.push(String(text))
      if (typeof done === "function") done()
      return true
    }
    const spies = [
      vi.spyOn(process.stdout, "write").mockImplementation(writing(out)),
      vi.spyOn(process.stderr, "write").mockImplementation(writing(err))
    ]
    const code = yield* Effect.exit(run(args)).pipe(
      Effect.flatMap((exit) => exitCode(exit, undefined)),
      Effect.ensuring(Effect.sync(() => spies.forEach((spy) => spy.mockRestore())))
    )
    const shown = (lines: ReadonlyArray<string>) => (lines.length === 0 ? undefined : withoutPlace(lines.join("")))
    return { command: withoutPlace(args.join(" ")), code, out: shown(out), err: shown(err) }
  })

const memory = (...args: ReadonlyArray<string>) => told("memory", ...args, "--data-dir", at("memory"))

/** A ticket that was asked about, a fork that goes on without a note, and reports of parcels. */
const planted = Effect.gen(function* () {
  const model = Testing.scripted([{ decision: true, confidence: 0.91, reasoning: ["It is late."] }])
  const start = yield* Thought.make(
    "triage",
    {
      message: {
        content: "The parcel was lost\non its way",
        metadata: { lang: "en", channel: "mail" },
        source: "mail"
      },
      odd: "red \u001b[31mtext \u2028 end",
      secret: { content: "my number is 4711", trust: "trusted" }
    },
    { taskId: "ticket-7", traceId: "trace-7" }
  )
  const done = yield* Pipeline.run(
    Pipeline.sequence("all", [
      Primitive.decide("late", { question: "Is it late?" }),
      Primitive.checkpoint("then"),
      Primitive.forget("without", { drop: ["odd"] })
    ]),
    start
  ).pipe(Effect.provide(model.layer))
  yield* Memory.redact(start.note("secret")!)
  for (const name of ["big", "big", "small"]) {
    yield* Memory.Memory.use((store) =>
      Effect.flatMap(Thought.make("report", { message: `a ${name} parcel was lost` }), store.commit)
    )
  }
  const lines = yield* Stream.runCollect(Memory.exportLines())
  return { archive: `${lines.join("\n")}\n`, first: start.id, last: done.id }
}).pipe(Effect.provide([Testing.memory, Layer.fresh(Testing.ids)]), Effect.orDie)

const recorded = (path: string, question: string) => {
  const error = new Provider.ProviderError({
    provider: "house",
    model: "m-1",
    reason: { _tag: "Overloaded", message: "busy" },
    usage: { inputTokens: 4 }
  })
  const replies = [{ decision: true, confidence: 0.9, reasoning: ["a \u001b[31mred\u001b[0m one"] }, Effect.fail(error)]
  const model = Testing.scripted(replies, { name: "house", model: "m-1", usage: { inputTokens: 9, outputTokens: 3 } })
  const ask = Synapse.binary({ question, sampling: { seed: 5 } })
  return Effect.all([ask("first"), Effect.flip(ask("second"))]).pipe(
    Effect.provide(model.layer.pipe(Provider.record(at(path)))),
    Effect.orDie
  )
}

const all = Effect.fnUntraced(function* (...commands: ReadonlyArray<Effect.Effect<unknown>>) {
  return yield* Effect.all(commands)
})

it.effect(
  "what the commands of a memory print",
  () =>
    Effect.gen(function* () {
      const { archive, first, last } = yield* planted
      writeFileSync(at("archive.jsonl"), archive)
      writeFileSync(at("broken.jsonl"), archive.split("\n").slice(0, 2).join("\n") + "\n{}\n")
      yield* Effect.promise(() => prefill(at("memory")))
      yield* transcribe("memory", {
        "An archive that is stored, again, and one that is broken": all(
          memory("import", at("archive.jsonl")),
          memory("import", at("archive.jsonl"), "--json"),
          memory("import", at("broken.jsonl"))
        ),
        "A thought by its id and by its trace, as text and as JSON, and none": all(
          memory("show", last.toUpperCase()),
          memory("show", "trace-7"),
          memory("show", first, "--json")
        ),
        "Searches by words": all(
          memory("search", "lost parcel", "--embedder", "none"),
          memory("search", "lost parcel", "--limit", "2", "--json"),
          memory("search", "lost parcel", "--task", "ticket-7")
        ),
        "What is stored is verified, exported and looked after": all(
          memory("verify", "--json"),
          memory("export", at("out.jsonl"), "--json"),
          memory("optimize", "--index", "drop")
        ),
        "The file that was exported": Effect.sync(() => {
          const sorted = (text: string) => text.split("\n").toSorted()
          return {
            same: JSON.stringify(sorted(readFileSync(at("out.jsonl"), "utf8"))) === JSON.stringify(sorted(archive))
          }
        })
      })
    }),
  { timeout: 60_000 }
)

it.effect("what commands print that are asked wrongly, of help, and of recordings", () =>
  Effect.gen(function* () {
    vi.stubEnv("DATABASE_URL", "")
    vi.stubEnv("NO_COLOR", "1")
    writeFileSync(at("broken.json"), "{")
    yield* recorded("one.json", "Is it urgent?")
    yield* recorded("same.json", "Is it urgent?")
    yield* recorded("other.json", "Is it really urgent?")
    yield* transcribe("asked", {
      "No memory, two, or none that can be": all(
        told("memory", "verify"),
        told("memory", "show", "x", "--data-dir", ""),
        told("memory", "show", "x", "--data-dir", at("empty"), "--database-url", "postgres://x"),
        told("memory", "show", "x", "--database-url", "postgres://localhost/x"),
        told("memory", "show", "x", "--database-url", "mysql://me:secret@localhost/x", "--scope", "a"),
        told("memory", "search", "x", "--data-dir", at("empty"), "--scope", ""),
        told("memory", "verify", "--data-dir", at("empty")),
        told("memory", "verify", "--data-dir", at("empty"), "--json"),
        told("memory", "show", "x", "--data-dir", at("empty")),
        told("memory", "optimize", "--data-dir", at("empty")),
        told("memory", "export", "--data-dir", at("empty"))
      ),
      "Flags and arguments that there are not, or are wrong": all(
        told("memory", "sho"),
        told("memory", "show"),
        told("memory", "show", "x", "--jsn"),
        told("memory", "search", "x", "--limit", "0"),
        told("memory", "search", "x", "--limit", "501"),
        told("memory", "search", "x", "--limit", "many"),
        told("memory", "search", "x", "--embedder", "best"),
        told("memory", "optimize", "--index", "none"),
        told("replay"),
        told("runs", "answer", "r", "ok", "--data-dir", at("empty")),
        told("runs", "resume", "r", "--data-dir", at("empty")),
        told("runs", "list", "--limit", "0", "--data-dir", at("empty")),
        told("fly")
      ),
      "Help and version": all(
        told("--version"),
        told("--help"),
        told(),
        told("memory"),
        ...["migrate", "search", "show", "export", "import", "optimize", "verify"].map((name) =>
          told("memory", name, "--help")
        ),
        told("agent", "--help"),
        told("runs"),
        ...["list", "show", "check", "start", "answer", "resume", "rerun", "remove"].map((name) =>
          told("runs", name, "--help")
        ),
        told("replay", "--help")
      ),
      "Recordings, listed, one call in full, and as JSON": all(
        told("replay", at("one.json")),
        told("replay", at("one.json"), "--call", "1"),
        told("replay", at("one.json"), "--call", "2"),
        told("replay", at("one.json"), "--call", "3"),
        told("replay", at("one.json"), "--call", "0"),
        told("replay", at("one.json"), "--call", "2", "--json"),
        told("replay", at("broken.json")),
        told("replay", at("nowhere.json"))
      ),
      "Recordings compared": all(
        told("replay", at("one.json"), "--against", at("same.json")),
        told("replay", at("one.json"), "--against", at("same.json"), "--json"),
        told("replay", at("one.json"), "--against", at("other.json")),
        told("replay", at("one.json"), "--against", at("other.json"), "--json"),
        told("replay", at("one.json"), "--against", at("other.json"), "--call", "1")
      )
    })
  }).pipe(Effect.ensuring(Effect.sync(() => vi.unstubAllEnvs())))
)
