import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Schema } from "effect"
import { Note, Pipeline, Step, Thought } from "cogito"
import { Spec } from "cogito/spec"
import { Testing } from "cogito/testing"

const message = Note.handle("message", Schema.String)
const registry = Spec.registry({
  steps: { count: Step.make("count", { schema: Schema.Finite, run: () => 1 }) },
  readers: { isLong: Note.from(message, (text) => text.length > 3), words: Note.from(message, (text) => text) },
  functions: { log: () => Effect.void },
  schemas: { Ticket: Schema.Struct({ customer: Schema.String }) },
  providers: {}
})

const decide = { type: "decide", key: "spam", question: "Is this spam?" }
const sequence = (...steps: ReadonlyArray<unknown>) => ({ type: "sequence", name: "all", steps })
const document = (step: unknown, others: object = {}) => ({ cogito: 1, name: "mail", step, ...others })

/** Paths and messages of the problems, one a line. */
const problems = (input: unknown, given: Spec.Registry<unknown, unknown> = registry) =>
  Effect.map(Effect.flip(Spec.decode(given, input)), (error) =>
    error.problems.map(({ message, path }) => `${path}: ${message}`)
  )

/** What is refused, where, and with which words. */
const table: ReadonlyArray<readonly [name: string, input: unknown, expected: ReadonlyArray<string>]> = [
  ["no object", 3, [": Write an object, { cogito: 1, name, step }, not 3."]],
  ["nothing", "", [": The document is empty. Write { cogito: 1, name, step }."]],
  [
    "an empty object",
    {},
    [
      "cogito: This is missing. Add it: 1. It is the version of the format.",
      "name: Write the name of the pipeline as text, not nothing.",
      "step: This is missing. Add it: the step that the pipeline is."
    ]
  ],
  ["another version", { ...document(decide), cogito: 2 }, ["cogito: Write 1, not 2. It is the version of the format."]],
  [
    "an unknown field",
    document(decide, { step2: decide }),
    ['step2: A document has no option "step2". Did you mean "step"?']
  ],
  [
    "a step that is a text",
    document("decide"),
    ['step: Write a step, { type: … } or { use: "<name>" }, not a text of 6 characters.']
  ],
  [
    "a share beyond 1",
    document(sequence({ type: "seek", key: "found", query: "x", minSimilarity: 1.5 })),
    ["step.steps[0].minSimilarity: Write a number from 0 to 1, not 1.5."]
  ],
  ["a step that is a list", document([decide]), ['step: Write a step, { type: … } or { use: "<name>" }, not a list.']],
  [
    "an empty step",
    document({}),
    ['step: This step has no type: add one, such as type: "sequence", or { use: "<name>" }.']
  ],
  [
    "an unknown type",
    document(sequence(decide, { ...decide, type: "decid" })),
    ['step.steps[1].type: There is no type of step "decid". Did you mean "decide"?']
  ],
  ["a type that is no text", document({ type: 3 }), ["step.type: Write the type as text, not 3."]],
  [
    "use and type together",
    document({ use: "count", type: "decide" }),
    ['step.type: A step that is used has no option "type". The options are "use".']
  ],
  [
    "a step that is neither defined nor registered",
    document({ use: "cuont" }),
    ['step.use: There is no definition and no registered step "cuont". Did you mean "count"?']
  ],
  [
    "a use without a name",
    document({ use: 3 }),
    ["step.use: Write the name of a definition or a registered step, not 3."]
  ],
  [
    "an unknown option",
    document({ ...decide, qestion: "?" }),
    ['step.qestion: The type "decide" has no option "qestion". Did you mean "question"?']
  ],
  [
    "a missing option",
    document({ type: "decide", key: "spam" }),
    ["step.question: This is missing. Add it: The question."]
  ],
  [
    "an option that is null",
    document({ ...decide, question: null }),
    ['step.question: Write text, or { reader: "<name>" }, not null.']
  ],
  [
    "an empty text",
    document({ ...decide, question: "" }),
    ['step.question: Write text, or { reader: "<name>" }, not an empty text.']
  ],
  [
    "a reader that is not registered",
    document({ ...decide, question: { reader: "wrods" } }),
    ['step.question.reader: There is no reader "wrods" in the registry. Did you mean "words"?']
  ],
  [
    "a reader with an option",
    document({ ...decide, question: { reader: "words", of: "message" } }),
    ["step.question.of: There is no such option: remove it."]
  ],
  [
    "a condition that is a text",
    document({ type: "filter", name: "long", when: "isLong", step: decide }),
    ['step.when: Write { reader: "<name>" }, not a text of 6 characters.']
  ],
  [
    "a schema in place of its name",
    document({ type: "analyze", key: "ticket", schema: { customer: "string" }, prompt: "Extract" }),
    ["step.schema: Write the name of a registered schema, not an object."]
  ],
  [
    "a function that is not registered",
    document({ type: "tap", name: "look", run: { function: "lgo" } }),
    ['step.run.function: There is no function "lgo" in the registry. Did you mean "log"?']
  ],
  [
    "a schema that is not registered",
    document({ type: "analyze", key: "ticket", prompt: "Extract", schema: "ticket" }),
    ['step.schema: There is no schema "ticket" in the registry. Did you mean "Ticket"?']
  ],
  [
    "a provider when there is none",
    document({ ...decide, provider: "big" }),
    ['step.provider: There is no provider "big" in the registry. There are no registered providers.']
  ],
  [
    "a name that every object has",
    document({ ...decide, question: { reader: "constructor" } }),
    [
      'step.question.reader: There is no reader "constructor" in the registry. The registered readers are "isLong", "words".'
    ]
  ],
  [
    "a step that every object has",
    document({ type: "toString" }),
    /^step\.type: There is no type of step "toString"\. The types are "decide"/
  ],
  [
    "a count below the least",
    document({ type: "retry", name: "r", step: decide, times: -1 }),
    ["step.times: Write a whole number from 0, not -1."]
  ],
  [
    "a count that is no whole number",
    document({ type: "retry", name: "r", step: decide, times: 1.5 }),
    ["step.times: Write a whole number from 0, not 1.5."]
  ],
  [
    "a duration in a unit that there is not",
    document({ type: "timeout", name: "t", step: decide, duration: "5 secs" }),
    ['step.duration: Write a duration such as "250 millis", "30 seconds" or "1 minute", not a text of 6 characters.']
  ],
  [
    "a duration below zero",
    document({ type: "timeout", name: "t", step: decide, duration: "-5 seconds" }),
    ['step.duration: Write a duration such as "250 millis", "30 seconds" or "1 minute", not a text of 10 characters.']
  ],
  [
    "a duration that is a number",
    document({ type: "timeout", name: "t", step: decide, duration: 5 }),
    ['step.duration: Write a duration such as "250 millis", "30 seconds" or "1 minute", not 5.']
  ],
  [
    "a choice that there is not",
    document({ type: "concurrent", name: "c", branches: { a: decide }, conflicts: "first" }),
    ['step.conflicts: Write "error" or "last" or "namespace", not a text of 5 characters.']
  ],
  [
    "nested options",
    document({ ...decide, sampling: { temperature: -1, heat: 1 }, view: { recent: -1 } }),
    [
      "step.view.recent: Write a whole number from 0, not -1.",
      "step.sampling.heat: There is no such option: remove it.",
      "step.sampling.temperature: Write a number from 0, not -1."
    ]
  ],
  ["no branches", document({ type: "race", name: "r", branches: [] }), ["step.branches[0]: This is missing: add it."]],
  [
    "branches of another form",
    document({ type: "race", name: "r", branches: 3 }),
    ["step.branches: Write a list of steps, or steps by name, not 3."]
  ],
  [
    "a problem deep inside",
    document(
      sequence(
        decide,
        { use: "count" },
        {
          type: "switch",
          name: "by team",
          on: { reader: "words" },
          branches: { billing: { type: "retry", name: "r", step: { type: "decide", key: "x" } } },
          default: "pass"
        }
      )
    ),
    ["step.steps[2].branches.billing.step.question: This is missing. Add it: The question."]
  ],
  [
    "a branch whose name is no plain word",
    document({ type: "race", name: "r", branches: { "a b": { type: "decide", key: "x" } } }),
    ['step.branches["a b"].question: This is missing. Add it: The question.']
  ],
  [
    "a route",
    document({ type: "discern", key: "d", question: "?", routes: { a: { when: "x", step: { type: "decid" } }, b: 3 } }),
    [
      'step.routes.a.step.type: There is no type of step "decid". Did you mean "decide"?',
      'step.routes.b: Write a step, { type: … } or { use: "<name>" }, not 3.'
    ]
  ],
  [
    "definitions in a circle",
    document(decide, {
      definitions: {
        a: { use: "b" },
        b: sequence(decide, { use: "c" }),
        c: { type: "retry", name: "again", step: { use: "a" } }
      }
    }),
    ['definitions.a: This definition refers to itself: "a" → "b" → "c" → "a". Remove the cycle.']
  ],
  [
    "a definition of itself",
    document(decide, { definitions: { a: { use: "a" } } }),
    ['definitions.a: This definition refers to itself: "a" → "a". Remove the cycle.']
  ],
  [
    "a definition under the name of a registered step",
    document(decide, { definitions: { count: decide } }),
    ['definitions.count: "count" is the name of a registered step as well: rename the definition.']
  ],
  [
    "definitions that are a list",
    document(decide, { definitions: [decide] }),
    ["definitions: Write steps by name, not a list."]
  ],
  [
    "a definition that is wrong and not used",
    document(decide, { definitions: { a: { type: "decide", key: "x" } } }),
    ["definitions.a.question: This is missing. Add it: The question."]
  ],
  [
    "a step in the background without leave",
    document({ type: "scaffold", name: "later", step: decide }),
    [
      "step: A scaffold runs in the background: make the registry with { background: true } and provide Pipeline.supervisor."
    ]
  ],
  [
    "a value that JSON cannot say",
    document({ ...decide, repairs: Number.NaN }),
    ["step.repairs: Write a finite number, not NaN."]
  ],
  [
    "a function",
    document({ ...decide, question: () => "?" }),
    ["step.question: Write plain data: text, numbers, true, false, null, lists and objects."]
  ],
  [
    "half a text of JSON",
    '{ "cogito": 1, "name": "m',
    /^: This is not valid JSON: a text is malformed at line 1, column 24\. Correct it there\.$/
  ],
  [
    "half a text of YAML",
    "cogito: 1\nstep: { type: decide",
    /^: This is not valid YAML: Expected ',' .* Correct it there\. Put texts with/
  ],
  [
    "a YAML tab",
    "cogito: 1\nstep:\n\ttype: decide",
    /^: This is not valid YAML: Tabs cannot .* at line 3\. Correct it there\./
  ],
  ["a YAML key twice", "cogito: 1\ncogito: 1", /^: This is not valid YAML: Duplicate key 'cogito'/]
].map(([name, input, expected]) => [name, input, expected] as never)

describe("Spec.decode refuses", () => {
  for (const [name, input, expected] of table) {
    it.effect(`${name} [C717] [C738] [C748] [C751] [C771]`, () =>
      Effect.gen(function* () {
        const found = yield* problems(input)
        if (Array.isArray(expected)) assert.deepStrictEqual(found, expected)
        else assert.match(found.join("\n"), expected as unknown as RegExp)
      })
    )
  }
})

describe("Spec.decode", () => {
  it.effect("reports all problems at once, each with its path, and counts them [C716] [C752] [C774]", () =>
    Effect.gen(function* () {
      const error = yield* Effect.flip(
        Spec.decode(
          registry,
          document(
            sequence(
              { type: "decide", key: "a", question: { reader: "nobody" } },
              { type: "timeout", name: "t", duration: "soon", step: { type: "decide", key: "b" } },
              { use: "nothing" }
            ),
            { extra: true, definitions: { a: { use: "b" } } }
          )
        )
      )
      assert.strictEqual(error._tag, "SpecError")
      assert.deepStrictEqual(
        error.problems.map(({ path }) => path),
        [
          "extra",
          "definitions.a.use",
          "step.steps[0].question.reader",
          "step.steps[1].step.question",
          "step.steps[1].duration",
          "step.steps[2].use"
        ]
      )
      assert.match(error.message, /^The document has 6 problems:\n- extra: /)
    })
  )

  it.effect("keeps the place of the schema, also when a pipeline is written again", () =>
    Effect.gen(function* () {
      const written = document(decide, { $schema: "./pipeline.schema.json" })
      const read = yield* Spec.decode(registry, written)
      assert.deepStrictEqual<unknown>(read, written)
      assert.deepStrictEqual(yield* Spec.decode(registry, JSON.stringify(read)), read)
      assert.deepStrictEqual(Spec.encode(yield* Spec.build(registry, read)), read)
    })
  )

  it.effect("reads JSON and YAML alike, with anchors, merges and comments [C737] [C739] [C743] [C775]", () =>
    Effect.gen(function* () {
      const json = JSON.stringify(
        document(
          sequence(
            { type: "retry", name: "one", step: decide },
            { type: "retry", name: "two", times: 5, step: { type: "decide", key: "angry", question: "Is this angry?" } }
          )
        )
      )
      const yaml = `
        # sorts the mail
        cogito: 1
        name: mail
        step:
          type: sequence
          name: all
          steps:
            - &patient
              type: retry
              name: one
              step: { type: decide, key: spam, question: Is this spam? }
            - <<: *patient
              name: two
              times: 5
              step:
                type: decide
                key: angry
                question: "Is this angry?"
      `
      const read = yield* Spec.decode(registry, json)
      assert.deepStrictEqual(yield* Spec.decode(registry, yaml.replace(/^ {8}/gm, "")), read)
      assert.deepStrictEqual(yield* Spec.decode(registry, json, { format: "yaml" }), read)
      assert.deepStrictEqual(yield* Spec.decode(registry, JSON.parse(json)), read)
    })
  )

  it.effect("gives the canonical form: ordered, without defaults, with whole durations [C744] [C747]", () =>
    Effect.gen(function* () {
      const read = yield* Spec.decode(registry, {
        step: {
          duration: "120 seconds",
          step: {
            times: 2,
            step: { via: "auto", question: "?", key: "k", repairs: 1, type: "decide" },
            name: "r",
            type: "retry"
          },
          name: "t",
          type: "timeout"
        },
        definitions: { b: { use: "count" }, a: { use: "count" } },
        name: "mail",
        cogito: 1
      })
      assert.strictEqual(
        JSON.stringify(read),
        JSON.stringify({
          cogito: 1,
          name: "mail",
          definitions: { a: { use: "count" }, b: { use: "count" } },
          step: {
            type: "timeout",
            name: "t",
            step: { type: "retry", name: "r", step: { type: "decide", key: "k", question: "?" } },
            duration: "2 minutes"
          }
        })
      )
    })
  )

  it.effect("lets a reference be repeated, in a row and in branches [C753] [C754]", () =>
    Effect.gen(function* () {
      const read = yield* Spec.decode(
        registry,
        document(
          {
            type: "sequence",
            name: "all",
            overwrite: true,
            steps: [
              { use: "spam" },
              { use: "spam" },
              { type: "race", name: "either", branches: { a: { use: "spam" }, b: { use: "spam" } } }
            ]
          },
          { definitions: { spam: decide } }
        )
      )
      const step = yield* Spec.build(registry, read)
      assert.strictEqual([...Pipeline.steps(step)].filter(({ node }) => node.kind === "decide").length, 4)
    })
  )

  it.effect("refuses a name that would be a prototype, and pollutes none", () =>
    Effect.gen(function* () {
      const texts = [
        '{"cogito":1,"name":"m","__proto__":{"polluted":1},"step":{"use":"count"}}',
        '{"cogito":1,"name":"m","definitions":{"__proto__":{"use":"count"}},"step":{"use":"count"}}',
        '{"cogito":1,"name":"m","step":{"type":"race","name":"r","branches":{"__proto__":{"use":"count"}}}}',
        "cogito: 1\nname: m\n__proto__: { polluted: 1 }\nstep: { use: count }",
        "cogito: 1\nname: m\nstep: { type: race, name: r, branches: { __proto__: { use: count } } }"
      ]
      for (const text of texts) {
        const found = yield* problems(text)
        assert.match(found.join(), /"__proto__" cannot be a name: use another one\./)
      }
      assert.strictEqual(({} as { polluted?: number }).polluted, undefined)
    })
  )

  it.effect("keeps names such as constructor as they are", () =>
    Effect.gen(function* () {
      const read = yield* Spec.decode(
        registry,
        document(
          { type: "race", name: "r", branches: { constructor: { use: "toString" } } },
          {
            definitions: { toString: decide }
          }
        )
      )
      const step = yield* Spec.build(registry, read)
      assert.deepStrictEqual(
        step.node.children.map(({ name }) => name),
        ["constructor"]
      )
    })
  )

  const nested = (depth: number): unknown => {
    let step: unknown = { use: "count" }
    for (let i = 0; i < depth; i++) step = { type: "enrich", name: `e${i}`, step }
    return document(step)
  }

  it.effect("builds and runs five hundred steps inside each other", () =>
    Effect.gen(function* () {
      const read = yield* Spec.decode(registry, JSON.stringify(nested(500)))
      const step = yield* Spec.build(registry, read)
      assert.strictEqual([...Pipeline.steps(step)].length, 501)
      const done = yield* Pipeline.run(step, yield* Thought.make("go deep"))
      assert.strictEqual(done.note("count")?.content, "1")
    }).pipe(Effect.provide(Layer.merge(Testing.memory, Testing.scripted([]).layer)))
  )

  it.effect("refuses what is nested beyond all measure, in words", () =>
    Effect.gen(function* () {
      assert.match((yield* problems(nested(3_000))).join(), /nested more than 1000 levels deep\. Make it flatter\./)
      assert.match((yield* problems(`step: ${"[".repeat(1_900)}`)).join(), /This is not valid YAML/)
      assert.match((yield* problems(`{"step": ${"[".repeat(100_000)}`)).join(), /This is not valid JSON/)
      const circle: Record<string, unknown> = {}
      circle["step"] = circle
      assert.match((yield* problems(circle)).join(), /nested more than 1000 levels deep/)
    })
  )

  it.effect("bounds what aliases and definitions multiply", () =>
    Effect.gen(function* () {
      const lines = ["cogito: 1", "name: bomb", "a0: &a0 [x, x, x, x, x, x, x, x, x, x]"]
      for (let i = 1; i < 12; i++)
        lines.push(`a${i}: &a${i} [${Array.from({ length: 10 }, () => `*a${i - 1}`).join(", ")}]`)
      const found = yield* problems(lines.join("\n"))
      assert.match(found.join("\n"), /more than 100000 values\. Aliases that repeat each other may be why/)

      const definitions: Record<string, unknown> = { d0: decide }
      for (let i = 1; i < 20; i++) {
        const use = { use: `d${i - 1}` }
        definitions[`d${i}`] = { type: "sequence", name: `s${i}`, overwrite: true, steps: [use, use] }
      }
      assert.match(
        (yield* problems(document({ use: "d19" }, { definitions }))).join("\n"),
        /definitions\.d13: This is a pipeline of more than 10000 steps\. Use definitions less often\./
      )
    })
  )

  it.effect("handles definitions that use each other a thousand deep, and refuses more", () =>
    Effect.gen(function* () {
      const chain = (length: number, nested: number) => {
        const definitions: Record<string, unknown> = { d0: { use: "count" } }
        for (let i = 1; i < length; i++) {
          let step: unknown = { use: `d${i - 1}` }
          for (let j = 0; j < nested; j++) step = { type: "enrich", name: `e${i} ${j}`, step }
          definitions[`d${i}`] = step
        }
        return document({ use: `d${length - 1}` }, { definitions })
      }
      const step = yield* Spec.build(registry, yield* Spec.decode(registry, chain(999, 1)))
      const done = yield* Pipeline.run(step, yield* Thought.make("go deep"))
      assert.strictEqual(done.note("count")?.content, "1")
      assert.match((yield* problems(chain(150, 200))).join("\n"), /Steps are nested more than 1000 deep here/)
      assert.deepStrictEqual(yield* problems(chain(20_000, 0)), [
        "definitions: There are more than 1000 definitions. Split the document."
      ])
    }).pipe(Effect.provide(Layer.merge(Testing.memory, Testing.scripted([]).layer)))
  )

  it.effect("refuses a text beyond all measure", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* problems(" ".repeat(2_000_001)), [
        ": The document is longer than 2000000 characters. Divide it."
      ])
    })
  )
})

describe("a text", () => {
  const text = JSON.stringify(document(decide))
  const why = (text: string, format?: Spec.Format) =>
    Effect.map(
      Effect.flip(Spec.decode(registry, text, format === undefined ? {} : { format })),
      ({ message }) => message
    )

  it.effect("may begin with a mark of the order of its bytes", () =>
    Effect.gen(function* () {
      const mark = String.fromCodePoint(0xfeff)
      assert.deepStrictEqual(yield* Spec.decode(registry, mark + text), yield* Spec.decode(registry, text))
    })
  )

  it.effect("in UTF-16 is to be saved as UTF-8", () =>
    Effect.gen(function* () {
      assert.match(yield* why(text.split("").join("\0")), /save it as UTF-8/)
    })
  )

  it.effect("of JSON has each name once in an object, and says where one is again", () =>
    Effect.gen(function* () {
      const twice = '{ "cogito": 1, "name": "x",\n "step": { "type": "decide", "key": "a", "\\u006bey": "b" } }'
      assert.match(yield* why(twice), /a name occurs twice in one object at line 2, column 42\./)
    })
  )

  it.effect("is left out of the error, as it may be a prompt", () =>
    Effect.gen(function* () {
      for (const wrong of [
        '{"cogito":1,"name":"x","step":{"type":"decide","key":"k","question":"SECRET", oops}}',
        '{"cogito":1,"name":"x","step":{"question":SECRET prompt}}',
        '{"cogito":1,"name":"x" "SECRET"}',
        '{"cogito":1,"name":["SECRET"}',
        'cogito: 1\nname: "SECRET" oops\n',
        JSON.stringify(document({ ...decide, introspect: "SECRET" })),
        JSON.stringify(document("SECRET"))
      ]) {
        const told = yield* why(wrong)
        assert.notMatch(told, /SECRET|oops|prompt/)
      }
    })
  )

  it.effect("of YAML has no directives, and so many characters and lines of such a length", () =>
    Effect.gen(function* () {
      assert.match(yield* why("cogito: 1\n%  via: text\n"), /Line 2 begins with %/)
      assert.match(yield* why(`a: [${" ".repeat(2_000)}]`), /Line 1 is longer than 2000 characters/)
      assert.match(yield* why(`a: [\n${"\n".repeat(10_000)}]`), /more than 10000 lines/)
      assert.match(yield* why("a: bcdefghijklm\n".repeat(9_000)), /longer than 100000 characters of YAML/)
    })
  )

  it.effect("that is made to take long does not", () =>
    Effect.gen(function* () {
      const before = performance.now()
      yield* why(`k: [\n${`  b${" ".repeat(1_990)}b,\n`.repeat(49)}]\n`)
      yield* why(`k: [\n${" 1,\n".repeat(9_900)} 2]\n`)
      yield* why(`k: [\n${"\n".repeat(9_900)} 2]\n`)
      assert.isBelow(performance.now() - before, 5_000)
    })
  )

  it.effect("with many problems tells the first hundred, soon", () =>
    Effect.gen(function* () {
      const before = performance.now()
      const definitions = Object.fromEntries(
        Array.from({ length: 1_000 }, (_, i) => [`${i}${"a".repeat(60)}`, decide] as const)
      )
      const steps = Array.from({ length: 9_000 }, (_, i) => ({ use: `${"z".repeat(60)}${i}` }))
      const error = yield* Effect.flip(Spec.decode(registry, document(sequence(...steps), { definitions })))
      assert.strictEqual(error.problems.length, 101)
      assert.match(error.problems.at(-1)?.message ?? "", /^And \d+ more at least\.$/)
      assert.isBelow(performance.now() - before, 5_000)
    })
  )
})
