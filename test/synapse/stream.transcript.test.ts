import { it } from "@effect/vitest"
import { Effect, Fiber, Schema, Stream } from "effect"
import { TestClock } from "effect/testing"
import { Provider, Synapse } from "cogito"
import { transcribe } from "../transcript.ts"
import { watching } from "./watched.ts"

interface Tree {
  readonly name: string
  readonly parts: ReadonlyArray<Tree>
}
const Tree = Schema.Struct({
  name: Schema.String,
  parts: Schema.Array(Schema.suspend((): Schema.Codec<Tree> => Tree))
})

class Person extends Schema.Class<Person>("Person")({ name: Schema.String, age: Schema.Int }) {}

const Wide = Schema.Struct({
  flag: Schema.Boolean,
  none: Schema.NullOr(Schema.String),
  count: Schema.Finite,
  kind: Schema.Literals(["round", "square"]),
  when: Schema.DateTimeUtcFromString,
  tags: Schema.Array(Schema.String.check(Schema.isMinLength(2))),
  pair: Schema.Tuple([Schema.String, Schema.Int]),
  inner: Schema.Struct({ text: Schema.String, more: Schema.optionalKey(Schema.Array(Schema.Int)) }),
  open: Schema.Record(Schema.String, Schema.Int),
  either: Schema.Union([Schema.String, Schema.Int])
})
const wide = {
  flag: true,
  none: null,
  count: -12.5e1,
  kind: "square",
  when: "2026-02-03T04:05:06.000Z",
  tags: ["ab", 'de"f\\g\n\u00e9\u{1F600}'],
  pair: ["left", 7],
  inner: { text: "in", more: [2, 1] },
  open: { b: 2, a: 1 },
  either: "one"
}

const extract = <A>(schema: Schema.Codec<A, any>, options: object = {}) =>
  Synapse.extract(schema, { prompt: "Extract", ...options })

const mood = {
  overall: "mixed",
  confidence: 0.6,
  scores: { positive: 0.3, negative: 0.5, neutral: 0.2 },
  emotions: ["worry"],
  reasoning: ["Both."]
}

/** What is told before the answer is read as a whole. */
const whileWritten = (parts: string): string => parts.replace(/\n(?:discarded|done)[^]*$/, "")

it.effect("what a stream shows of an answer while it is written", () => {
  const { pieces } = watching()
  const yes = Synapse.binary({ question: "Is it?" })
  const said = { decision: true, confidence: 0.5, reasoning: ["a", "b"] }
  const text = JSON.stringify(wide)
  const cut = (answer: string | object, length: number) =>
    pieces(extract(Wide, { repairs: 0 }), "a text", [answer], { pieceLength: length })
  const read = (schema: Schema.Codec<any, any>, answer: string | object, pieceLength = 3) =>
    pieces(extract(schema, { repairs: 0 }), "x", [answer], { pieceLength })
  return transcribe("stream", {
    "A provider that does not stream": pieces(yes, "one", [said]),
    "A yes/no question in pieces of seven letters": pieces(yes, "two", [said], { pieceLength: 7 }),
    "Every kind of field, in pieces of two letters": cut(text, 2),
    "Every kind of field, in one piece": cut(text, 10_000),
    "A list with an item that does not fit": cut(
      JSON.stringify({ ...wide, tags: ["ab", "c", "de"], when: "today" }),
      60
    ),
    "Spaces, line breaks, and prose and thinking before and after": cut(
      `<think>{"flag": false}</think> Here it is {not yet: \n`,
      5
    ),
    "Thinking with braces, then the answer with spaces": Effect.map(
      read(
        Schema.Struct({ a: Schema.String, b: Schema.Int }),
        '<think id="1">{ "a": "no" }</think>\nHere: { "a" : "y\\u0065s" ,\n\t"b" : 12 } done {"a":"z"}',
        4
      ),
      ({ parts }) => whileWritten(parts)
    ),
    "Escapes of every kind, cut within": read(
      Schema.Struct({ a: Schema.String }),
      '{"a":"\\b\\f\\n\\r\\t\\"\\\\\\/\\u00e9\\ud83d\\ude00"}',
      1
    ),
    "A tree": read(
      Tree,
      {
        name: "root",
        parts: [
          { name: "left", parts: [] },
          { name: "right", parts: [{ name: "leaf", parts: [] }] }
        ]
      },
      9
    ),
    "A class": read(Person, { name: "Ada", age: 36 }),
    "A list at the top": read(Schema.Array(Schema.Int), { value: [31, 1, 22] }),
    "A text at the top": read(Schema.String, { value: "Some words." }),
    "A choice at the top": read(Schema.Literals(["left", "right"]), { value: "right" }),
    "A union of objects": read(
      Schema.Union([
        Schema.Struct({ kind: Schema.Literal("a"), one: Schema.String }),
        Schema.Struct({ kind: Schema.Literal("b"), two: Schema.Int })
      ]),
      { value: { kind: "b", two: 2 } },
      6
    ),
    "An open record": read(Schema.Record(Schema.String, Schema.String), { b: "two", a: "one" }, 6),
    "A number is there only with its last digit": read(
      Schema.Struct({ n: Schema.Finite, m: Schema.Int }),
      '{"n":-0.5e+2,"m":10}',
      1
    ),
    "A category whose second one is null is told at the end": pieces(
      Synapse.classification({ question: "Which?", categories: ["a", "b"] }),
      "three",
      [{ primary: "b", secondary: null, confidence: 0.5, reasoning: ["c"] }],
      { pieceLength: 12 }
    ),
    "A ranking of items on one line, and of one with several lines, which is told at the end": Effect.all([
      pieces(
        Synapse.ranking({ criteria: "size" }),
        ["b", "a"],
        [{ ranked: ["a", "b"], confidence: 0.5, reasoning: ["c"] }],
        {
          pieceLength: 8
        }
      ),
      pieces(
        Synapse.ranking({ criteria: "size" }),
        ["b\nb", "a"],
        [{ ranked: ["a", "b b"], confidence: 0.5, reasoning: ["c"] }],
        {
          pieceLength: 8
        }
      )
    ]),
    "A feeling": pieces(Synapse.sentiment(), "four", [mood], { pieceLength: 11 }),
    "An answer that goes back": pieces(yes, "five", [{ decision: "perhaps", confidence: 0.5 }, said], {
      pieceLength: 13
    }),
    "An answer that is refused for good": pieces(
      Synapse.binary({ question: "Is it?", repairs: 0 }),
      "six",
      [{ decision: "perhaps" }],
      {
        pieceLength: 5
      }
    ),
    "What is no JSON: a name twice, a bare word, a control character, a wrong bracket": Effect.forEach(
      [
        '{"a":"x","a":"y"}',
        '{"a":nul}',
        '{"a":"x\u0001"}',
        '{"a":["x"}',
        '{a:"x"}',
        '{"a" "x"}',
        '{"a":"\\x"}',
        '{"a":"\\u12g4"}'
      ],
      (answer) => Effect.map(read(Schema.Struct({ a: Schema.String }), answer, 4), ({ parts }) => whileWritten(parts))
    ),
    "A native answer has nothing but its end": pieces(yes, "seven", [], {
      decide: () => [{ _tag: "Predicate", name: "decision", probability: 0.9 }],
      pieceLength: 4
    }),
    "A stream that ends without its answer": pieces(yes, "eight", [], {
      provider: (own) => ({ ...own, stream: () => Stream.make({ _tag: "Text", delta: '{"deci' }) })
    }),
    "A stream that fails in its middle": pieces(yes, "nine", [], {
      provider: (own) => ({
        ...own,
        stream: () =>
          Stream.concat(
            Stream.make({ _tag: "Text" as const, delta: '{"decision":tr' }),
            Stream.fail(
              new Provider.ProviderError({
                provider: "p",
                model: "m",
                reason: { _tag: "Connection", message: "cut off" },
                usage: { inputTokens: 4 }
              })
            )
          )
      })
    }),
    "A reader that stops early": Effect.gen(function* () {
      const told: Array<unknown> = []
      const run = Synapse.stream(yes, "ten").pipe(
        Stream.take(2),
        Stream.runForEach((part) => Effect.sync(() => told.push(part)))
      )
      const slow: Provider.Shape = Provider.make({
        name: "slow",
        model: "m",
        capabilities: {},
        complete: () => Effect.never,
        stream: () =>
          Stream.fromIterable(["{", '"decision":', "true,"]).pipe(
            Stream.mapEffect((delta) => Effect.delay(Effect.succeed({ _tag: "Text" as const, delta }), "1 second")),
            Stream.ensuring(Effect.sync(() => told.push("the stream is over")))
          )
      })
      const fiber = yield* Effect.forkChild(Effect.provideService(run, Provider.Provider, slow))
      yield* TestClock.adjust("10 seconds")
      yield* Fiber.join(fiber)
      return told
    })
  })
})
