import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { Note, Pipeline, Primitive, Session, Step, Synapse, Thought } from "cogito"
import { Agent } from "cogito/agent"
import { Tools } from "cogito/tools"

// An option whose name has a letter too many is refused with the correct name.

const step = Step.make("s", { run: Effect.void })
const schema = Schema.Struct({ a: Schema.String })
const thought = Effect.runSync(Thought.make("t", { a: "x" }))
const handle = Note.handle("a", Schema.String)

type Given = Readonly<Record<string, unknown>>

const own = (owner: object, name: string): ((...args: ReadonlyArray<unknown>) => unknown) =>
  Reflect.get(owner, name) as never

/** The function with its options after these arguments. */
const after =
  (owner: object, ...before: ReadonlyArray<unknown>) =>
  (name: string) =>
  (given: Given) =>
    own(owner, name)(...before, given)

const details = "context examples constraints sampling"
const asked = `${details} via reasons repairs parsing`
const primitive = "via reasons repairs parsing introspect view compact provider sampling"

const options: ReadonlyArray<
  readonly [facade: string, of: (name: string) => (given: Given) => unknown, Readonly<Record<string, string>>]
> = [
  [
    "Synapse",
    after(Synapse),
    {
      binary: `question criteria ${asked}`,
      classification: `question categories criteria ${asked}`,
      ranking: `criteria top ${asked}`,
      sentiment: `question aspects criteria ${asked}`,
      transform: `prompt style maxLength criteria repairs parsing ${details}`
    }
  ],
  [
    "Synapse",
    after(Synapse, schema),
    {
      analyze: `prompt focus criteria repairs parsing ${details}`,
      extract: `prompt criteria repairs parsing ${details}`
    }
  ],
  ["Synapse", after(Synapse, schema, schema), { convert: `prompt rules criteria repairs parsing ${details}` }],
  [
    "Primitive",
    after(Primitive, "k"),
    {
      amplify: "source refine criteria rounds checkSampling via reasons repairs parsing compact provider sampling",
      make: `question kind schema instructions native reads ${primitive}`,
      reset: "system note release",
      truncate: "first last threshold release"
    }
  ],
  ["Session", after(Session, thought.session), { truncate: "first last release" }],
  ["Step", after(Step, "k"), { make: "run schema shows trust" }],
  [
    "Step",
    after(Step, step),
    {
      backoff: "name times base factor cap jitter schedule while",
      budget: "name budget calls tokens usd time onShort",
      circuitBreaker: "name breaker failures reset successes counts",
      enrich: "name report",
      rateLimit: "name limiter limit per burst onExceeded",
      retry: "name times while",
      workerLimit: "name pool workers"
    }
  ],
  ["Thought", after(Thought, "t", { a: "x" }), { make: "traceId taskId parent trust" }],
  ["Thought", after(Thought, thought, handle, "x"), { write: "metadata source derivedFrom trust" }],
  ["Thought", after(Thought, thought), { fork: "traceId checkpoint hide session" }],
  ["Pipeline", after(Pipeline, step), { compact: "turns tokens keep summaryKey prompt onFailure provider sampling" }],
  ["Pipeline", after(Pipeline, "k", [step]), { concurrent: "conflicts minSuccesses report concurrency" }],
  [
    "Agent",
    after(Agent, "a"),
    {
      make: "instructions toolkit output key prepare policy documents sampling provider triage limits approval select effort"
    }
  ],
  ["Agent", after(Agent, "profile", schema), { document: "limits provider of" }],
  [
    "Tools",
    after(Tools),
    {
      files: "root readonly hidden ignore maxBytes characters entries matches",
      shell: "root allow env timeout characters maxBytes",
      scrape: "ask searches allow timeout maxBytes characters links redirects",
      search: "search name description limit characters",
      retrieve: "name description limit characters documents embedder find",
      recall: "name description limit characters task thoughts filter"
    }
  ]
]

describe("every option is known by its name:", () => {
  it.each(
    options.flatMap(([facade, of, functions]) =>
      Object.entries(functions).map(([name, names]) => [`${facade}.${name}`, of(name), names.split(" ")] as const)
    )
  )("%s", (owner, make, names) => {
    for (const name of names) {
      assert.throws(() => make({ [`${name}_`]: 1 }), `${owner} has no option "${name}_". Did you mean "${name}"?`)
    }
  })
})
