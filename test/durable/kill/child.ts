/**
 * A program with a durable run, as a process of its own: `node child.ts <task> <store> <URL of the model> <run> <folder> <lease>`. `store` is the
 * folder of a database or the URL of a server. What the steps do outside, they write to a file in the folder. Each line of the
 * standard output is a word, and perhaps JSON.
 */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Schedule from "effect/Schedule"
import * as Schema from "effect/Schema"
import { appendFileSync } from "node:fs"
import { join } from "node:path"
import * as Memory from "../../../src/Memory.ts"
import * as Pipeline from "../../../src/Pipeline.ts"
import * as Primitive from "../../../src/Primitive.ts"
import * as Step from "../../../src/Step.ts"
import * as Thought from "../../../src/Thought.ts"
import { OpenAi } from "../../../src/openai/index.ts"

const [task, store = "", model = "", id = "", folder = "", millis = ""] = process.argv.slice(2)

const say = (word: string, json?: unknown) =>
  Effect.sync(() => process.stdout.write(json === undefined ? `${word}\n` : `${word} ${JSON.stringify(json)}\n`))

const asks = (key: string) => Primitive.decide(key, { question: `Is it ${key}?`, via: "text" })

/** Does something outside. */
const does = (what: string) => Effect.sync(() => appendFileSync(join(folder, `${id}.effects`), `${what}\n`))

const step = Pipeline.sequence("all", [
  asks("first"),
  Pipeline.concurrent("both", {
    left: Pipeline.sequence("left", [asks("left1"), asks("left2")]),
    right: Step.retry(asks("right"))
  }),
  Step.once("mail", () => does("once")),
  Step.make("paid", { schema: Schema.Finite, run: Effect.as(does("make"), 12) }),
  asks("last")
])

const lease = Number(millis)
const isBusy = (error: { readonly _tag: string }): boolean => error._tag === "RunBusy"

const notesOf = (thought: Thought.Thought<any>) =>
  Thought.notes(thought).map(({ content, id: noteId, key, seq, step: path }) => [seq, path, key, content, noteId])

const start = Thought.make("work", { message: "Hello" })

const going: Effect.Effect<Thought.Thought<any>, any, any> = Effect.flatMap(start, (thought) =>
  Pipeline.run(step, thought, { durable: { id, lease } })
)

/** Begins the run, or goes on with it as soon as nobody has it. */
const run = Effect.retry(going, { while: isBusy, schedule: Schedule.spaced("20 millis") }).pipe(
  Effect.flatMap((done) => say("done", notesOf(done)))
)

/** Goes on with whatever can go on, until the run has ended. */
const recover = Effect.gen(function* () {
  for (;;) {
    for (const { exit } of yield* Pipeline.resumeAll([step], { lease })) {
      if (exit._tag === "Success") yield* say("done", notesOf(exit.value as Thought.Thought<any>))
    }
    const [known] = yield* Pipeline.runs({ limit: 500 }).pipe(
      Effect.map((runs) => runs.filter((one) => one.id === id && one.status === "completed"))
    )
    if (known !== undefined) return yield* say("over")
    yield* Effect.sleep("20 millis")
  }
})

/** Runs once, and says with which error it ended, if with one. */
const once = going.pipe(
  Effect.matchEffect({
    onFailure: (error) =>
      say("failed", error._tag === "PipelineError" ? [error._tag, error.cause.reason?._tag] : [error._tag]),
    onSuccess: (done) => say("done", notesOf(done))
  })
)

// a program loads the one that it uses
const made = Effect.promise(async () =>
  store.startsWith("postgres:")
    ? (await import("../../../src/postgres/index.ts")).PostgresMemory.makeStore({ url: Redacted.make(store) })
    : (await import("../../../src/pglite/index.ts")).PgliteMemory.makeStore({ dataDir: store })
).pipe(Effect.flatten)
const memory = Layer.effect(
  Memory.Memory,
  Effect.flatMap(made, (opened) => Memory.make({ store: opened, scope: "local", embedder: "none" }))
)
const provider = OpenAi.layer({
  model: "m",
  apiKey: Redacted.make("none"),
  baseUrl: `${model}/${id}/${process.pid}`
})

const tasks = { once, recover, run }
const chosen: Effect.Effect<unknown, any, any> = tasks[task as keyof typeof tasks]
await Effect.runPromise(
  say("started").pipe(Effect.andThen(chosen), Effect.provide(Layer.merge(memory, provider))) as Effect.Effect<unknown>
)
