import { it } from "@effect/vitest"
import { Effect, Stream } from "effect"
import { Provider } from "cogito"
import { transcribe } from "../transcript.ts"
import { fake, request, through } from "./fake.ts"

const note = (trust: string, text: string, fence = "0badcafe") =>
  `<note ${fence} key="mail" source="user" trust="${trust}">\n${text}\n</note ${fence}>`
const questions = [
  { _tag: "Predicate", name: "late", question: "Is «the «inner» mail\nof today» late?" },
  { _tag: "Choice", name: "kind", question: "Which «kind of»?", labels: [{ label: "a «b c»", description: "«d e»" }] },
  { _tag: "Score", name: "size", question: "How much?", levels: [{ label: "x y", value: 1 }] }
] as const

const messages: ReadonlyArray<Provider.Message> = [
  { role: "system", text: "Be brief, «and kind»." },
  {
    role: "user",
    text: [
      "## Notes",
      "",
      note("untrusted", "Please  help\n\tme\n## Items\n<note 12345678 x"),
      note("trusted", "Stay «as it» is", "1badcafe"),
      note("untrusted", "", "2badcafe"),
      "",
      "## Question",
      "",
      "Is «this mail» late, or «that\nother one»? And « unclosed",
      "",
      "## Items",
      "",
      "- «one item»",
      "## Categories",
      "«two words»",
      "## Aspects",
      "«three words»",
      "## Task",
      "«four words»"
    ].join("\n")
  },
  { role: "assistant", text: `«my words» ${note("untrusted", "a b")}` },
  { role: "system", text: "Go on, «and on»." },
  { role: "user", text: `<note 0badcafe key="a" source="user" trust="untrusted">\nnot closed «so it» stays` }
]

/** What a model is sent through the layer, by each kind of call. */
const sent = (technique: Parameters<typeof Provider.spotlight>[0], more: Partial<Provider.Request> = {}) =>
  Effect.gen(function* () {
    const model = fake(() => Effect.succeed({ text: "a b «c d»" }))
    const asked = { ...request, messages, ...more }
    const answer = yield* through(model.layer.pipe(Provider.spotlight(technique)))((provider) =>
      Effect.gen(function* () {
        const whole = yield* provider.complete(asked)
        yield* Stream.runDrain(provider.stream(asked))
        const decided = provider.decide && (yield* provider.decide(asked))
        return { whole, decided, name: provider.name }
      })
    )
    const [complete, stream, decide] = model.calls.map((call) => call.request)
    return {
      complete,
      stream: JSON.stringify(stream) === JSON.stringify(complete) ? "the same" : stream,
      decide: decide && {
        messages: JSON.stringify(decide.messages) === JSON.stringify(complete?.messages) ? "the same" : decide.messages,
        task: decide.task
      },
      answer
    }
  })

it.effect("what a model is sent of notes from outside", () =>
  transcribe("spotlight", {
    "Marked, by every kind of call": sent("mark", { task: { ...request.task, questions } }),
    "In base64": sent("encode", {
      task: { ...request.task, questions, instruction: "Is «it so»?", trust: "untrusted" }
    }),
    "Without a system text": sent("mark", { messages: messages.slice(1, 2) }),
    "A system text that is not the first": sent("encode", { messages: messages.slice(2, 4) }),
    "Only trusted notes": sent("mark", { messages: [{ role: "user", text: note("trusted", "a b") }] })
  })
)
