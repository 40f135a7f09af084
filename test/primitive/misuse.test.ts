import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { Note, Pipeline, Primitive, Step } from "cogito"

const text = Note.handle("text", Schema.String)
const question = "Go on?"
const prompt = "Sum it up."
const decide = Primitive.decide("inner", { question })
const source = { source: text, refine: "Shorten it.", criteria: "It is short." }
const branches = [Step.make("a", { run: Effect.void })] as const
const blank = " "

const samplings = [{ temperature: -1 }, { temperature: Infinity }, { maxTokens: 0 }, { maxTokens: 1.5 }]
const limits = [0, 1.5, NaN]

/** Each builds a step named "it". */
const misuses: Readonly<Record<string, ReadonlyArray<() => unknown>>> = {
  decide: [
    () => Primitive.decide("it", { question: blank }),
    () => Primitive.decide("it", { question, repairs: -1 }),
    () => Primitive.decide("it", { question, introspect: { prompt: blank } }),
    ...samplings.flatMap((sampling) => [
      () => Primitive.decide("it", { question, sampling }),
      () => Primitive.decide("it", { question, introspect: { sampling } })
    ])
  ],
  reflect: [
    () => Primitive.reflect("it", { prompt: blank }),
    ...samplings.map((sampling) => () => Primitive.reflect("it", { sampling }))
  ],
  recall: [
    () => Primitive.recall("it", { thought: "" }),
    () => Primitive.recall("it", { thought: { traceId: "" } }),
    () => Primitive.recall("it", { thought: "t", prompt: blank }),
    ...samplings.map((sampling) => () => Primitive.recall("it", { thought: "t", sampling }))
  ],
  compress: [
    () => Primitive.compress("it", { prompt: blank }),
    ...samplings.map((sampling) => () => Primitive.compress("it", { sampling }))
  ],
  compact: [
    () => Pipeline.compact(Pipeline.sequence("it", [decide]), { prompt: blank }),
    ...samplings.map((sampling) => () => Pipeline.compact(Pipeline.sequence("it", [decide]), { sampling }))
  ],
  introspect: [
    () => Pipeline.introspect(Pipeline.sequence("it", [decide]), { prompt: blank }),
    ...samplings.map((sampling) => () => Pipeline.introspect(Pipeline.sequence("it", [decide]), { sampling }))
  ],
  seek: [
    () => Primitive.seek("it", { query: "" }),
    () => Primitive.seek("it", { query: "q", summarize: { prompt: blank } }),
    ...samplings.map((sampling) => () => Primitive.seek("it", { query: "q", summarize: { sampling } })),
    ...[...limits, 501].map((limit) => () => Primitive.seek("it", { query: "q", limit }))
  ],
  survey: [
    () => Primitive.survey("it", { query: "" }),
    () => Primitive.survey("it", { query: "q", summarize: { prompt: blank } }),
    ...[...limits, 101].map((limit) => () => Primitive.survey("it", { query: "q", limit }))
  ],
  amplify: [
    () => Primitive.amplify("it", { ...source, refine: blank }),
    () => Primitive.amplify("it", { ...source, criteria: blank }),
    () => Primitive.amplify("it", { ...source, repairs: -1 }),
    ...samplings.flatMap((sampling) => [
      () => Primitive.amplify("it", { ...source, sampling }),
      () => Primitive.amplify("it", { ...source, checkSampling: sampling })
    ])
  ],
  converge: [
    () => Primitive.converge("it", { branches, prompt: blank }),
    ...samplings.map((sampling) => () => Primitive.converge("it", { branches, prompt, sampling }))
  ],
  restore: [() => Primitive.restore("it", { from: "" }), () => Primitive.restore("it", { from: { checkpoint: "" } })]
}

describe("a step is refused when it is built", () => {
  for (const [kind, builds] of Object.entries(misuses)) {
    it(`as ${kind}, with a message that names it`, () => {
      for (const build of builds) assert.throws(build, /The step "it" (needs|has) /, String(build))
    })
  }

  it("with a name that is blank or has line breaks", () => {
    const named: ReadonlyArray<(name: string) => unknown> = [
      (name) => Primitive.reset(name),
      (name) => Primitive.truncate(name),
      (name) => Primitive.forget(name),
      (name) => Primitive.restore(name, { from: "t" }),
      (name) => Primitive.checkpoint(name)
    ]
    for (const build of named) {
      assert.throws(() => build(" "), /1 to 200 characters.*" "/)
      assert.throws(() => build("a\nb"), /1 to 200 characters.*"a\\nb"/)
    }
  })

  it("as a converge with a branch that switches to another thought", () => {
    const onward = [
      Primitive.checkpoint("onward"),
      Primitive.restore("onward", { from: "t" }),
      Primitive.forget("onward")
    ]
    for (const step of onward) {
      const away = Pipeline.sequence("deep", [Pipeline.sequence("deeper", [step])])
      assert.throws(
        () => Primitive.converge("it", { branches: { away, a: branches[0] }, prompt }),
        new RegExp(`The step "it" has a ${step.node.kind} in its branch "away"`)
      )
    }
  })
})

it("a step is built with the least and the most that its options take", () => {
  const sampling = { temperature: 0, maxTokens: 1 }
  const query = Note.from(text, (value) => value)
  const built = [
    Primitive.decide("it", { question: query, sampling, repairs: 0, introspect: { sampling } }),
    Primitive.seek("it", { query, limit: 500, summarize: { sampling } }),
    Primitive.survey("it", { query: "q", limit: 100 }),
    Primitive.seek("it", { query: "q", limit: 1 })
  ]
  assert.deepStrictEqual(
    built.map(({ name }) => name),
    ["it", "it", "it", "it"]
  )
})
