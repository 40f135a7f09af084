import { Effect, Schema } from "effect"
import { Note, Pipeline, Primitive, Step, Thought } from "cogito"
import { same } from "../same.ts"
import { equal, message, type Program } from "./program.ts"

// One step, reader or branch or another, as a setting decides. Each program runs with both settings.

const subject = Note.handle("subject", Schema.String)
const size = Step.make("size", { schema: Schema.Finite, run: Note.from(message, (text) => text.length) })
const title = Step.make("title", { schema: Schema.String, run: Note.from(subject, (text) => text.toUpperCase()) })
const plain = Step.make("plain", { schema: Schema.String, run: () => "plain" })

const begun = Thought.make("triage", { message: "I was charged 2 times", subject: "Charged twice" })

type Both = { readonly message: string; readonly subject: string }

/** Runs a program with both values of a setting. */
const withBoth = <E, R>(program: (flag: boolean) => Effect.Effect<void, E, R>): Effect.Effect<void, E, R> =>
  Effect.forEach([true, false], program, { discard: true })

export const unions = {
  "a branch that may be absent": withBoth((flag) =>
    Effect.gen(function* () {
      const step = Pipeline.concurrent("look", { plain, ...(flag ? { title } : {}) })
      same<Step.Out<typeof step>, { readonly plain: string; readonly title?: string }>(true)
      const done = yield* Pipeline.run(step, yield* begun)
      equal([done.get("plain"), done.get("title")], ["plain", flag ? "CHARGED TWICE" : undefined])
    })
  ),
  "one record of branches or another": withBoth((flag) =>
    Effect.gen(function* () {
      const step = Pipeline.concurrent("look", flag ? { size } : { title }, { conflicts: "namespace" })
      same<Step.In<typeof step>, Both>(true)
      same<Step.Out<typeof step>, { readonly "size.size"?: number; readonly "title.title"?: string }>(true)
      const done = yield* Pipeline.run(step, yield* begun)
      equal([done.get("size.size"), done.get("title.title")], flag ? [21, undefined] : [undefined, "CHARGED TWICE"])
    })
  ),
  "one record of routes or another": withBoth((flag) =>
    Effect.gen(function* () {
      const routes: { readonly a: typeof size } | { readonly b: typeof title } = flag ? { a: size } : { b: title }
      const step = Primitive.discern("route", { question: "Which?", routes })
      same<Step.In<typeof step>, Both>(true)
      const done = yield* Pipeline.run(step, yield* begun)
      const label: "a" | "b" = done.get("route").primary
      equal(
        [label, done.get("size"), done.get("title")],
        flag ? ["a", 21, undefined] : ["b", undefined, "CHARGED TWICE"]
      )
    })
  ),
  "one record to switch between or another": withBoth((flag) =>
    Effect.gen(function* () {
      const branches: { readonly a: typeof size } | { readonly b: typeof title } = flag ? { a: size } : { b: title }
      const step = Pipeline.switch("route", { on: (): string => "b", branches, default: plain })
      same<Step.In<typeof step>, Both>(true)
      same<Step.Out<typeof step>, { readonly size?: number; readonly title?: string; readonly plain?: string }>(true)
      const done = yield* Pipeline.run(step, yield* begun)
      equal([done.get("plain"), done.get("title")], flag ? ["plain", undefined] : [undefined, "CHARGED TWICE"])
    })
  ),
  "one reader or another": withBoth((flag) =>
    Effect.gen(function* () {
      const when = flag ? Note.from(message, (text) => text !== "") : Note.from(subject, (text) => text === "")
      const step = Pipeline.filter("if", { when, step: plain })
      same<Step.In<typeof step>, Both>(true)
      equal((yield* Pipeline.run(step, yield* begun)).get("plain"), flag ? "plain" : undefined)
    })
  ),
  "a function or a reader": withBoth((flag) =>
    Effect.gen(function* () {
      const run = flag ? () => "fixed" : Note.from(subject, (text) => text)
      const step = Step.make("text", { schema: Schema.String, run })
      same<Step.In<typeof step>, { readonly subject: string }>(true)
      equal((yield* Pipeline.run(step, yield* begun)).get("text"), flag ? "fixed" : "Charged twice")
    })
  ),
  "a text or a reader": withBoth((flag) =>
    Effect.gen(function* () {
      const question = flag ? "Is this urgent?" : Note.from(message, (text) => `Is this urgent: ${text}?`)
      const step = Primitive.decide("urgent", { question })
      same<Step.In<typeof step>, { readonly message: string }>(true)
      equal((yield* Pipeline.run(step, yield* begun)).get("urgent").decision, true)
    })
  ),
  "one step or another inside a connector": withBoth((flag) =>
    Effect.gen(function* () {
      const step = Pipeline.sequence("all", [plain, Step.retry(flag ? size : title, { times: 1 })])
      same<typeof step, Step.Step<Both, { readonly plain: string; readonly size?: number; readonly title?: string }>>(
        true
      )
      const done = yield* Pipeline.run(step, yield* begun)
      equal([done.get("size"), done.get("title")], flag ? [21, undefined] : [undefined, "CHARGED TWICE"])
    })
  ),
  "a step that may be absent from a sequence": withBoth((flag) =>
    Effect.gen(function* () {
      const after = Step.make("after", { schema: Schema.String, run: Note.from(plain, (text) => `${text}!`) })
      const step = Pipeline.sequence("all", [plain, ...(flag ? [title] : []), size, after])
      same<Step.In<typeof step>, Both>(true)
      same<
        Step.Out<typeof step>,
        { readonly plain: string; readonly title?: string; readonly size: number; readonly after: string }
      >(true)
      const done = yield* Pipeline.run(step, yield* begun)
      equal(
        [done.get("title"), done.get("size"), done.get("after")],
        [flag ? "CHARGED TWICE" : undefined, 21, "plain!"]
      )
    })
  ),
  "steps that may be absent before all others": withBoth((flag) =>
    Effect.gen(function* () {
      const steps = flag ? ["a", "b"].map((key) => plain.pipe(Step.named(key))) : []
      const step = Pipeline.sequence(
        "all",
        [
          ...steps,
          size,
          Pipeline.tap(
            "look",
            Note.from(size, () => {})
          )
        ],
        {
          overwrite: true
        }
      )
      same<Step.In<typeof step>, { readonly message: string }>(true)
      const done = yield* Pipeline.run(step, yield* begun)
      equal([done.get("plain"), done.get("size")], [flag ? "plain" : undefined, 21])
    })
  ),
  "a step that may replace a note by another type": withBoth((flag) =>
    Effect.gen(function* () {
      const words = Step.make("message", { schema: Schema.Finite, run: Note.from(message, (text) => text.length) })
      const either = Note.handle("message", Schema.Union([Schema.String, Schema.Finite]))
      const kind = Step.make("kind", { schema: Schema.String, run: Note.from(either, (one) => typeof one) })
      const step = Pipeline.sequence("all", [...(flag ? [words] : []), kind])
      same<Step.In<typeof step>, { readonly message: string }>(true)
      const done = yield* Pipeline.run(step, yield* begun)
      equal(done.get("kind"), flag ? "number" : "string")
    })
  ),
  "a branch that may be absent from a list": withBoth((flag) =>
    Effect.gen(function* () {
      const step = Pipeline.concurrent("look", [plain, ...(flag ? [title] : []), size])
      same<Step.Out<typeof step>, { readonly plain: string; readonly title?: string; readonly size: number }>(true)
      const done = yield* Pipeline.run(step, yield* begun)
      equal([done.get("plain"), done.get("title"), done.get("size")], ["plain", flag ? "CHARGED TWICE" : undefined, 21])
    })
  ),
  "branches by names that a list gives": Effect.gen(function* () {
    const letter = <const K extends string>(key: K) => Step.make(key, { schema: Schema.String, run: () => key })
    const step = Pipeline.concurrent("look", Object.fromEntries((["x", "y"] as const).map((key) => [key, letter(key)])))
    same<Step.Out<typeof step>, { readonly x?: string; readonly y?: string }>(true)
    const done = yield* Pipeline.run(step, yield* begun)
    equal([done.get("x"), done.get("y")], ["x", "y"])
  })
} satisfies Readonly<Record<string, Program>>
