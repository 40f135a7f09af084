import { layer } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { Local } from "cogito/local"
import { transcribe } from "../transcript.ts"
import { decided, output, questions, texts, written } from "./asked.ts"

const Unit = Schema.Finite.check(Schema.isBetween({ minimum: 0, maximum: 1 }))
const text = texts["an angry customer"] ?? ""
const ask = (name: string) => questions.filter((question) => question.name === name)
const closed = (names: ReadonlyArray<string>, schema: Schema.Codec<any, any>) =>
  written({
    kind: "decide",
    instruction: "What is it?",
    input: text,
    questions: names.flatMap(ask),
    output: output(schema)
  })
const note = (text: string, more: object = {}) => ({
  id: "n",
  key: "message",
  text,
  source: "user",
  step: "",
  trust: "untrusted" as const,
  fresh: true,
  ...more
})

layer(Local.extractive)("the offline provider", (it) => {
  it.effect("what it answers to closed questions", () =>
    transcribe("answers", {
      ...Object.fromEntries(Object.entries(texts).map(([name, input]) => [`About ${name}`, decided(input)])),
      "A text without words, without letters, and questions without labels": Effect.all([
        decided("", questions.slice(0, 6)),
        decided("?!", questions.slice(0, 1)),
        decided(text, [{ _tag: "Choice", name: "none", question: "?", labels: [] }]),
        decided(text, [{ _tag: "Score", name: "none", question: "?", levels: [] }]),
        decided(text, [{ _tag: "Choice", name: "one", question: "?", labels: [{ label: "only" }] }]),
        decided(text, [])
      ]),
      "In words, without a form": written({ kind: "decide", input: text, questions: questions.slice(0, 13) }),
      "In the form of a decision": closed(
        ["severe"],
        Schema.Struct({
          severe: Schema.Boolean,
          decision: Schema.Boolean,
          confidence: Unit,
          reasoning: Schema.Array(Schema.String),
          why: Schema.optionalKey(Schema.String)
        })
      ),
      "In the form of a category, with a second one or null": Effect.all([
        closed(
          ["kind"],
          Schema.Struct({
            primary: Schema.Literals(["billing", "technical", "feedback"]),
            secondary: Schema.NullOr(Schema.Literals(["billing", "technical", "feedback"])),
            confidence: Unit,
            explanation: Schema.String,
            distribution: Schema.Record(Schema.String, Unit)
          })
        ),
        closed(
          ["emotion"],
          Schema.Struct({
            primary: Schema.String,
            secondary: Schema.Array(Schema.String),
            emotions: Schema.Array(Schema.String)
          })
        ),
        closed(
          ["kind"],
          Schema.Struct({
            scores: Schema.Array(Schema.Struct({ label: Schema.String, share: Unit })),
            ranking: Schema.Array(Schema.String)
          })
        )
      ]),
      "In the form of a feeling, with scores, emotions and aspects": closed(
        ["sentiment", "emotion", "aspect:support"],
        Schema.Struct({
          sentiment: Schema.Literals(["positive", "negative", "neutral", "mixed"]),
          scores: Schema.Struct({ positive: Unit, negative: Unit, neutral: Unit }),
          emotions: Schema.Array(Schema.String),
          aspects: Schema.Struct({ support: Schema.String }),
          reasoning: Schema.Array(Schema.String)
        })
      ),
      "Scores, and their order": closed(
        ["scale", "scored"],
        Schema.Struct({
          scale: Schema.Finite,
          scored: Schema.Int,
          order: Schema.Array(Schema.String),
          confidence: Unit,
          reason: Schema.String
        })
      ),
      "A form that the answer does not fit": Effect.all([
        closed(["scale"], Schema.Struct({ scale: Schema.Finite.check(Schema.isGreaterThan(20)) })),
        closed(["kind"], Schema.Struct({ kind: Schema.String.check(Schema.isPattern(/^\d{9}$/)) }))
      ]),
      "What it works on: the input, else the first notes, else those of steps, but not what was looked up":
        Effect.forEach(
          [
            { input: "The cat sleeps.", context: [note("The dog barks.")] },
            { context: [note("The dog barks."), note("The bird sings.", { step: "a/b", source: "decide" })] },
            {
              context: [
                note("It was found.", { step: "a", source: "seek", found: true }),
                note("The bird sings.", { step: "a", source: "decide" }),
                note("Also found.", { step: "b", source: "survey", found: true })
              ]
            },
            { context: [note('{"a":"The fish swims.","b":[1,"The frog jumps."],"c":{"d":null}}'), note(" ")] },
            { context: [note('{"a": not json')] },
            { context: [note("It was found.", { step: "a", source: "seek", found: true })] },
            {}
          ],
          (more) => written({ kind: "reflect", wants: "summary", instruction: "Sum it up", ...more })
        )
    })
  )
})
