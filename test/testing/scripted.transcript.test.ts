import { it } from "@effect/vitest"
import { Effect, Stream } from "effect"
import { Embedder, Memory, Provider, Thought } from "cogito"
import { Testing } from "cogito/testing"
import { transcribe } from "../transcript.ts"

const request = (kind: string): Provider.Request => ({
  messages: [{ role: "user", text: `text of ${kind}` }],
  task: { kind, instruction: "Do it", questions: [], context: [] },
  phase: "introspect",
  sampling: { temperature: 0.3 }
})
const failure = new Provider.ProviderError({
  provider: "p",
  model: "m",
  reason: { _tag: "Overloaded", message: "busy" },
  usage: { inputTokens: 9 }
})
const outcome = <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.exit(effect)

/** Every call of a script, in order, as it ended, and what was left after it. */
const played = (model: Testing.Scripted, kinds: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    const calls = yield* Effect.forEach(kinds, (kind) =>
      Effect.map(outcome(model.provider.complete(request(kind))), (result) => ({ result, left: model.remaining() }))
    )
    const { capabilities, model: name, name: provider, decide } = model.provider
    return {
      provider,
      name,
      capabilities,
      decides: decide !== undefined,
      calls,
      requests: model.requests,
      decisions: model.decisions
    }
  })
const streamed = (model: Testing.Scripted, kind: string) =>
  outcome(Stream.runCollect(model.provider.stream(request(kind))))

it.effect("what the published helpers for tests do", () =>
  transcribe<unknown, never>("scripted", {
    "A queue of every kind of reply, and one call too many": Effect.suspend(() =>
      played(
        Testing.scripted([
          "a text",
          { b: 1 },
          failure,
          Effect.succeed({ c: 2 }),
          Effect.fail(failure),
          Effect.succeed("d"),
          []
        ]),
        ["k1", "k2", "k3", "k4", "k5", "k6", "k7", "k8"]
      )
    ),
    "A function, which has no reply to one kind": Effect.suspend(() =>
      played(
        Testing.scripted(({ phase, task }) => (task.kind === "k2" ? undefined : `${task.kind} ${phase}`)),
        ["k1", "k2", "k3"]
      )
    ),
    "Every option": Effect.suspend(() =>
      played(
        Testing.scripted(["x"], {
          name: "own name",
          model: "own model",
          capabilities: {
            seed: false,
            temperature: "never",
            efforts: ["low"],
            contextTokens: 7,
            prices: { input: 1, output: 2, asOf: "2026-01-01" }
          },
          usage: { inputTokens: 3, outputTokens: 4 },
          pieceLength: 2,
          decide: () => []
        }),
        ["k1"]
      )
    ),
    "Pieces of two, of as many as there are, of more, and of none": Effect.forEach(
      [2, 5, 6, undefined],
      (pieceLength) =>
        streamed(
          Testing.scripted(["abcde"], {
            usage: { outputTokens: 1 },
            ...(pieceLength !== undefined && { pieceLength })
          }),
          "k1"
        )
    ),
    "Streams of an empty text, of a failure, and after the last reply": Effect.forEach(
      [[""], [failure], []],
      (script) => streamed(Testing.scripted(script, { pieceLength: 3 }), "k2")
    ),
    "Decisions, which are recorded: a list, an effect, and a failure": Effect.gen(function* () {
      const answer: Provider.Answer = { _tag: "Predicate", name: "a", probability: 0.25 }
      const ways = [() => [answer], () => Effect.succeed([answer]), () => Effect.fail(failure)]
      return yield* Effect.forEach(ways, (decide) => {
        const model = Testing.scripted([], { decide, usage: { inputTokens: 6 } })
        const { messages, task } = request("k3")
        const decided = model.provider.decide?.({ messages, task }) ?? Effect.die("no decisions")
        return Effect.map(outcome(decided), (result) => ({
          result,
          decisions: model.decisions,
          requests: model.requests
        }))
      })
    }),
    "The layer is the provider": Effect.suspend(() => {
      const model = Testing.scripted(["by the layer"])
      return Effect.flatMap(Provider.Provider, (provider) =>
        Effect.map(provider.complete(request("k4")), (response) => ({ response, same: provider === model.provider }))
      ).pipe(Effect.provide(model.layer))
    }),
    "Options that it has not": Effect.exit(Effect.sync(() => Testing.scripted([], { modle: "x" } as never))),
    "Ids count up, and begin anew in each layer": Effect.gen(function* () {
      const two = Effect.all([Thought.make("one", { message: "a" }), Thought.make("two")]).pipe(
        Effect.map((all) => all.map(({ id, traceId }) => [id, traceId].join(" ").replaceAll("-", "_")))
      )
      return [yield* Effect.provide(two, Testing.ids), yield* Effect.provide(two, Testing.ids)]
    }),
    "The embedder counts words": Effect.gen(function* () {
      const { embedMany, ...rest } = yield* Embedder.Embedder
      const vectors = yield* embedMany(["one two two", "Two, ONE: two!", "", "?!", "été 12"])
      const shown = vectors.map((vector) =>
        Array.from(vector, (value, i) => [i, Number(value.toFixed(4))] as const).filter(([, value]) => value !== 0)
      )
      return { ...rest, vectors: shown }
    }).pipe(Effect.provide(Testing.embedder)),
    "The memory begins empty each time": Effect.gen(function* () {
      const stored = Effect.gen(function* () {
        const memory = yield* Memory.Memory
        return Object.keys(memory).length > 0
      })
      return [yield* Effect.provide(stored, Testing.memory), yield* Effect.provide(stored, Testing.memory)]
    })
  })
)
