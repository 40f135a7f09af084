/**
 * What the offline model takes for long texts in unusual forms, and how that grows with their length.
 *
 * Each text is read at two lengths, the second four times the first: a time that grows in proportion to the length is four times as
 * long. Run it with `npm run bench:long-texts`; `-- names base64` reads only these texts, and a number is the first length.
 */
import { Effect, Schema } from "effect"
import { Provider } from "cogito"
import { Local } from "cogito/local"
import { texts } from "./longTexts/texts.ts"
import { print } from "./memory/compare.ts"

const given = process.argv.slice(2)
const first = Number(given.find((one) => /^\d+$/u.test(one)) ?? 11_250)
const named = Object.keys(texts).filter((name) => given.includes(name))

const order = Schema.Struct({
  customer: Schema.NullOr(Schema.String),
  date: Schema.NullOr(Schema.String),
  amount: Schema.NullOr(Schema.Finite),
  email: Schema.NullOr(Schema.String),
  tags: Schema.Array(Schema.String)
})
const { schema } = Schema.toJsonSchemaDocument(order)

const taskOf = (input: string): Provider.Task => ({
  kind: "custom",
  instruction: "Extract the order.",
  context: [],
  questions: [{ _tag: "Predicate", name: "urgent", question: "Is this urgent?" }],
  input
})

const extraction = (provider: Provider.Shape, input: string) => {
  const task = { ...taskOf(input), questions: [], output: { name: "order", instructions: "", jsonSchema: schema } }
  return provider.complete({ messages: [], sampling: {}, phase: "reason", task })
}

const decision = (provider: Provider.Shape, input: string) =>
  provider.decide?.({ messages: [], task: taskOf(input) }) ?? Effect.void

const secondsOf = (work: Effect.Effect<unknown, unknown>) =>
  Effect.gen(function* () {
    const start = performance.now()
    yield* Effect.exit(work)
    return ((performance.now() - start) / 1000).toFixed(2).padStart(9)
  })

await Effect.runPromise(
  Effect.gen(function* () {
    const provider = yield* Provider.Provider
    // the first call starts the threads of the encoder
    yield* Effect.exit(extraction(provider, "Anna paid 3 euros."))
    yield* Effect.exit(decision(provider, "Anna paid 3 euros."))
    print(`seconds at ${first} and ${4 * first} characters: an extraction, and a decision`)
    for (const name of named.length > 0 ? named : Object.keys(texts)) {
      const cells: Array<string> = []
      for (const call of [extraction, decision]) {
        for (const length of [first, 4 * first]) {
          cells.push(yield* secondsOf(call(provider, texts[name]?.(length) ?? "")))
        }
      }
      print(`${name.padEnd(14)}${cells.join("")}`)
    }
  }).pipe(Effect.provide(Local.extractive))
)
