import { it } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { Budget, Provider } from "cogito"
import { transcribe } from "../transcript.ts"
import { failing, fake, type Kind, request } from "./fake.ts"
import { type End, model, spent } from "./models.ts"
import { type Scene, watched } from "./watched.ts"

const { task } = request
const output = { name: "form", jsonSchema: { type: "object", title: "t" }, instructions: "Write JSON." }
const tool = { name: "look", description: "Looks", parameters: { type: "object" } }
const question = { _tag: "Predicate", name: "late", question: "Is it late?" } as const
const choice = { _tag: "Choice", name: "kind", question: "Which?", labels: [{ label: "a" }, { label: "b" }] } as const
const note = { id: "1", key: "k", text: "t", source: "user", step: "", trust: "untrusted", fresh: true } as const
const saying = (text: string): Partial<Provider.Request> => ({ messages: [{ role: "user", text }] })
const noted = (fence: string, key = "mail") => saying(`<note ${fence} key="${key}">\nHello\n</note ${fence}>\n<note x`)

interface Rest extends Partial<Scene> {
  readonly of?: ReadonlyArray<Kind>
}

/** Calls of one model through a cache. */
const through = (
  options: NonNullable<Parameters<typeof Provider.cache>[0]> | undefined,
  ends: ReadonlyArray<End>,
  asks: ReadonlyArray<Partial<Provider.Request>>,
  { of, ...rest }: Rest = {}
) =>
  watched(() => {
    const one = model("a", ends)
    return { models: [one], layer: one.layer.pipe(Provider.cache(options)), asks, step: 0, ...rest }
  }, of)

/** How many calls of each kind a model was asked. */
const callsOf = (seen: Readonly<Record<string, unknown>>) =>
  Object.fromEntries(
    Object.entries(seen).map(([names, one]) => [
      names,
      (one as { readonly asked: ReadonlyArray<unknown> }).asked.length
    ])
  )

/** Which of these pairs of requests have one answer, and which have two. */
const pairs = (all: Readonly<Record<string, readonly [Partial<Provider.Request>, Partial<Provider.Request>]>>) =>
  Effect.all(
    Object.fromEntries(
      Object.entries(all).map(([name, [one, two]]) => [
        name,
        Effect.map(through({ always: true }, [{}], [one, two]), callsOf)
      ])
    )
  )
const withTask = (more: Partial<Provider.Request["task"]>) => ({ task: { ...task, ...more } })
const withForm = (more: Partial<typeof output>) => withTask({ output: { ...output, ...more } })

/** A model whose calls take so long that others come while they run. */
const slow = (ends: ReadonlyArray<End>) => {
  const { provider } = model("a", ends)
  const pause = Effect.promise(() => new Promise((resolve) => setTimeout(resolve, 50)))
  return fake((_, asked) => Effect.andThen(pause, provider.complete(asked as Provider.Request)), {
    name: "a",
    model: "a-1"
  })
}
const together = (ends: ReadonlyArray<End>) =>
  watched(() => {
    const one = slow(ends)
    const layer = one.layer.pipe(Provider.cache())
    return { models: [one], layer, asks: [{}, {}, {}], step: 0, apart: "none", anyOrder: true }
  })

/** Calls of which each comes so many milliseconds after the one before. */
const kept = (options: NonNullable<Parameters<typeof Provider.cache>[0]>, times: ReadonlyArray<number>) =>
  watched(() => {
    const one = model("a", [{}])
    let calls = 0
    const around: Scene["around"] = (self) => Effect.andThen(TestClock.adjust(times[calls++] ?? 0), self)
    return {
      models: [one],
      layer: one.layer.pipe(Provider.cache(options)),
      asks: times.map(() => ({})),
      step: 0,
      around
    }
  })

/** What a store is asked and given. */
const stored = (
  options: NonNullable<Parameters<typeof Provider.cache>[0]>,
  found?: Provider.Response | Provider.DecideResponse
) =>
  watched(() => {
    const one = model("a", [{ usd: 0.25, limits: { requests: { limit: 3 } }, sampling: { seed: 4 } }])
    const heard: Array<unknown> = []
    const store: Provider.CacheStore = {
      get: (key) =>
        Effect.as(
          Effect.sync(() => heard.push({ get: key })),
          found
        ),
      set: (key, answer, time) => Effect.sync(() => void heard.push({ set: key, answer, time }))
    }
    const layer = one.layer.pipe(Provider.cache({ ...options, store }))
    return { models: [one], layer, asks: [{}, {}], step: 0, after: Effect.suspend(() => Effect.succeed(heard)) }
  })

it.effect("caches", () =>
  transcribe("cache", {
    "How many calls are made for pairs of requests that differ": pairs({
      nothing: [{}, {}],
      text: [saying("one"), saying("two")],
      role: [saying("one"), { messages: [{ role: "assistant", text: "one" }] }],
      order: [
        {
          messages: [
            { role: "user", text: "a" },
            { role: "user", text: "b" }
          ]
        },
        {
          messages: [
            { role: "user", text: "b" },
            { role: "user", text: "a" }
          ]
        }
      ],
      "where one message ends": [
        {
          messages: [
            { role: "user", text: "ab" },
            { role: "user", text: "c" }
          ]
        },
        {
          messages: [
            { role: "user", text: "a" },
            { role: "user", text: "bc" }
          ]
        }
      ],
      "fences of notes": [noted("0123abcd"), noted("4567cdef")],
      "keys of notes": [noted("0123abcd"), noted("0123abcd", "post")],
      "fences within a line": [saying("see <note 0123abcd>"), saying("see <note 4567cdef>")],
      kind: [{}, withTask({ kind: "other" })],
      instruction: [{}, withTask({ instruction: "Decide." })],
      input: [{}, withTask({ input: "text" })],
      questions: [withTask({ questions: [question] }), withTask({ questions: [choice] })],
      "words of a question": [
        withTask({ questions: [question] }),
        withTask({ questions: [{ ...question, question: "Is it early?" }] })
      ],
      "order of labels": [
        withTask({ questions: [choice] }),
        withTask({ questions: [{ ...choice, labels: [{ label: "b" }, { label: "a" }] }] })
      ],
      "descriptions of labels": [
        withTask({ questions: [choice] }),
        withTask({ questions: [{ ...choice, labels: [{ label: "a", description: "x" }, { label: "b" }] }] })
      ],
      "notes as data": [{}, withTask({ context: [note] })],
      trust: [{}, withTask({ trust: "untrusted" })],
      form: [{}, withTask({ output })],
      "schema of a form": [withForm({}), withForm({ jsonSchema: { type: "object", title: "u" } })],
      "order of keys in a schema": [withForm({}), withForm({ jsonSchema: { title: "t", type: "object" } })],
      "words for a form": [withForm({}), withForm({ instructions: "Write XML." })],
      "name of a form": [withForm({}), withForm({ name: "sheet" })],
      phase: [{}, { phase: "introspect" }],
      temperature: [{}, { sampling: { temperature: 0.1 } }],
      "no temperature": [{}, { sampling: {} }],
      effort: [{ sampling: { effort: "low" } }, { sampling: { effort: "high" } }],
      maxTokens: [{ sampling: { maxTokens: 5 } }, { sampling: { maxTokens: 6 } }],
      seed: [{ sampling: { seed: 5 } }, { sampling: { seed: 6 } }],
      stop: [{ sampling: { stop: ["a", "b"] } }, { sampling: { stop: ["b", "a"] } }],
      wish: [{ wish: { temperature: 0.3 } }, { wish: { temperature: 0.4 } }],
      tools: [{}, { tools: [tool] }],
      "descriptions of tools": [{ tools: [tool] }, { tools: [{ ...tool, description: "Finds" }] }]
    }),
    "Two models, and two providers": Effect.map(
      Effect.forEach(["a", "b"], (name) =>
        watched(() => {
          const [one, two] = [model(name, [{ text: "one" }]), model("a", [{ text: "two" }], 0, { model: `${name}-2` })]
          const cached = Provider.cache()
          const layer = Provider.fallback([cached(one.layer), cached(two.layer)], { when: () => true })
          return { models: [one, two], layer, asks: [{}, {}], step: 0 }
        })
      ),
      ([a, b]) => ({ a, b })
    ),
    "Which calls are kept": Effect.all(
      Object.fromEntries(
        (["reason", "introspect"] as const).flatMap((phase) =>
          [{}, { temperature: 0 }, { temperature: 0.1 }, { effort: "low" }].map((sampling) => [
            `${phase} ${JSON.stringify(sampling)}`,
            Effect.map(
              through(
                {},
                [{}],
                [
                  { phase, sampling },
                  { phase, sampling }
                ]
              ),
              callsOf
            )
          ])
        )
      )
    ),
    "An answer with all fields": through(
      {},
      [
        {
          text: "whole",
          provider: "b",
          model: "b-9",
          id: "id-9",
          usd: 0.5,
          sampling: { effort: "low" },
          limits: { tokens: { remaining: 3 } }
        }
      ],
      [{}, {}]
    ),
    "Three at once share an answer, and who asked is billed": together([
      { usd: 0.25, limits: { requests: { limit: 3 } } }
    ]),
    "Three at once share a failure": together([
      ["Overloaded", { requestId: "req-1", retryAfter: "3 seconds", cause: new Error("down") }]
    ]),
    "Three at once, whose budgets refuse each of them": watched(() => {
      const one = slow([{}])
      const layer = one.layer.pipe(Provider.cache())
      let calls = 0
      const budgets = [0, 0, 1].map((most) => Budget.make({ calls: most, name: `budget of ${most}` }))
      const around: Scene["around"] = (self) => Provider.withBudget(budgets[calls++] ?? { calls: 9 })(self)
      return { models: [one], layer, asks: [{}, {}, {}], step: 0, apart: "none", anyOrder: true, around }
    }, ["complete"]),
    "An answer is kept for an hour by default": kept({}, [0, 3_599_999, 1]),
    "An answer is kept for its time": kept({ timeToLive: "10 seconds" }, [0, 9999, 1]),
    "A store, which is asked for what is not in memory": stored({ timeToLive: "2 hours" }),
    "A store that has an answer": stored({ capacity: 1 }, { text: "kept", id: "old", usage: { inputTokens: 9 } }),
    "A store that has an answer of the other kind": stored(
      {},
      { answers: [{ _tag: "Refusal", name: "kept" }], usage: {} }
    ),
    "Failures, which are not kept": through(
      {},
      [["Overloaded", spent(3, 4, { requestId: "req-1" })], ["Refused", spent(5, 6)], {}],
      [{}, {}, {}, {}]
    ),
    "A defect, which is not kept": through({}, [new Error("out of order"), {}], [{}, {}, {}]),
    "The least recently used goes first": through(
      { capacity: 2 },
      [{}],
      [saying("one"), saying("two"), saying("one"), saying("three"), saying("one"), saying("two"), saying("three")]
    ),
    "A stream that breaks off": watched(() => {
      const broken = (call: number) => (call === 0 ? failing("Truncated", spent(7, 8)) : undefined)
      const one = model("a", [{}], 0, { broken })
      return { models: [one], layer: one.layer.pipe(Provider.cache()), asks: [{}, {}, {}], step: 0 }
    }, ["stream"]),
    "A stream that its reader leaves": through({}, [{}], [{}, {}], { leaves: 1, of: ["stream"] })
  })
)
