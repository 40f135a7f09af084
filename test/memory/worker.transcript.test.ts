/** When and what the worker of a memory embeds in the background: every call and every look, with its time. */
import { it } from "@effect/vitest"
import { Cause, Clock, Duration, Effect, Exit, Fiber, Layer, Option, Predicate, Random, Scope } from "effect"
import { TestClock } from "effect/testing"
import type { Store } from "cogito"
import { Embedder, Memory, Thought } from "cogito"
import { Testing } from "cogito/testing"
import { makeInMemory as makeStore } from "../../src/memory/inMemory/store.ts"
import { transcribe } from "../transcript.ts"
import { moody } from "./embedder.ts"

const broken = new Memory.MemoryError({ reason: { _tag: "Connection", message: "The store is away." } })

/** A memory whose embedder and store write down what they are asked. */
const opened = (more: Partial<Embedder.Shape> = {}, shared?: Store.Store) =>
  Effect.gen(function* () {
    const events: Array<string> = []
    const told = (event: string) =>
      Effect.map(Clock.currentTimeMillis, (now) => {
        const at = now === 0 ? "at once" : Duration.format(Duration.millis(now))
        events.push(`${at}: ${event}`)
      })
    const store = shared ?? (yield* makeStore)
    const { embedder, mood } = yield* moody(more)
    const state = { away: "", mood }
    const asked = <A, R>(what: string, ask: Effect.Effect<A, Memory.MemoryError, R>, shown: (answer: A) => string) =>
      Effect.suspend(() => (state.away === what ? Effect.andThen(told(`${what} fails`), broken) : ask)).pipe(
        Effect.tap((answer) => told(`${what}${shown(answer)}`))
      )
    const watched: Store.Store = {
      ...store,
      spaces: asked("look at spaces", store.spaces, () => ""),
      pending: (space, page) =>
        asked("look", store.pending(space, page), (found) => {
          const after = page.after === undefined ? "" : `, after another`
          return ` for ${page.limit}${after}: ${found.length} found`
        }),
      putVectors: (scope, space, vectors) =>
        asked("store", store.putVectors(scope, space, vectors), () => ` ${vectors.length} for ${scope}`)
    }
    const telling: Embedder.Shape = {
      ...embedder,
      embedMany: (texts) =>
        Effect.tapCause(
          Effect.andThen(
            told(
              `embed ${texts.length > 4 ? `${texts.length} texts from ${texts[0]?.replace(/\d+/, "…")}` : texts.join(", ")}`
            ),
            embedder.embedMany(texts)
          ),
          (cause) => told(`not embedded, ${Option.isSome(Cause.findErrorOption(cause)) ? "an error" : "a defect"}`)
        )
    }
    const scope = yield* Scope.make()
    const memory = yield* Memory.make({ store: watched, scope: "local" }).pipe(
      Effect.provideService(Embedder.Embedder, telling),
      Scope.provide(scope)
    )
    return {
      store,
      state,
      memory,
      remember: (notes: Readonly<Record<string, string>>) =>
        Effect.flatMap(Thought.make("remember", notes), memory.commit),
      /** What is told while this goes on, for so long. */
      during: (time: Duration.Input, begun: Effect.Effect<unknown, unknown> = Effect.void) =>
        Effect.gen(function* () {
          events.length = 0
          const fiber = yield* Effect.forkChild(Effect.exit(begun))
          for (let turn = 0; turn < 50; turn++) yield* Effect.yieldNow
          yield* TestClock.adjust(time)
          const ended = fiber.pollUnsafe()
          const exit = ended === undefined ? undefined : yield* Fiber.join(fiber)
          const given = exit !== undefined && Exit.isSuccess(exit) ? exit.value : exit
          return {
            given:
              exit === undefined ? "it still waits" : Predicate.hasProperty(given, Thought.TypeId) ? undefined : given,
            told: [...events]
          }
        }),
      close: Scope.close(scope, Exit.void)
    }
  })

const many = (count: number, name = "n") =>
  Object.fromEntries(Array.from({ length: count }, (_, i) => [`key ${i}`, `${name}${i}`]))

/** Leaves notes without vectors, as a process does that ends too early. */
const leave = Effect.fnUntraced(function* (store: Store.Store, notes: Readonly<Record<string, string>>) {
  const other = yield* opened({}, store)
  other.state.mood.fails = () => "for now"
  yield* other.remember(notes)
  yield* other.close
})

const scenario = <E>(run: Effect.Effect<unknown, E>) =>
  run.pipe(Random.withSeed("worker"), Effect.provide([Layer.fresh(Testing.ids), TestClock.layer()]), Effect.orDie)

it.effect("when the worker of a memory embeds and looks", () =>
  transcribe("worker", {
    "Nothing to do for a day, then something that another process left, then nothing again": scenario(
      Effect.gen(function* () {
        const { close, during, store } = yield* opened()
        const quiet = yield* during("1 day")
        yield* leave(store, { a: "apples", b: "pears" })
        const found = yield* during("2 days")
        const after = yield* during("3 hours")
        yield* close
        return [quiet, found, after]
      })
    ),
    "An embedder that is out of order, in order, and out of order again": scenario(
      Effect.gen(function* () {
        const { close, during, memory, remember, state } = yield* opened()
        yield* during(0, memory.embedPending)
        state.mood.fails = () => "for now"
        const first = yield* during("4 minutes", remember({ a: "apples" }))
        state.mood.fails = () => undefined
        const healed = yield* during("1 minute")
        const pending = yield* memory.pending
        state.mood.fails = () => "for now"
        const again = yield* during("10 seconds", remember({ a: "pears" }))
        state.mood.fails = () => undefined
        // the next commit shows that it is in order again
        const next = yield* during("1 second", remember({ a: "plums" }))
        const done = yield* during("20 minutes")
        yield* close
        return [first, healed, pending, again, next, done]
      })
    ),
    "Notes that fail for good, one by one, and a defect": scenario(
      Effect.gen(function* () {
        const { close, during, memory, remember, state } = yield* opened()
        yield* during(0, memory.embedPending)
        state.mood.fails = (texts) => (texts.includes("pears") ? "for good" : undefined)
        const good = yield* during("1 minute", remember({ a: "apples", b: "pears", c: "plums", d: "apples" }))
        const asked = yield* during("1 minute", memory.embedPending)
        state.mood.fails = (texts) => (texts.includes("pears") ? "by defect" : undefined)
        const defect = yield* during("1 minute", memory.embedPending)
        const quiet = yield* during("3 hours")
        const searched = yield* during(
          "2 minutes",
          Effect.map(memory.search("apples"), ({ arms }) => arms)
        )
        yield* close
        return [good, asked, defect, quiet, searched]
      })
    ),
    "One text that is refused for now, and fewer at once after it": scenario(
      Effect.gen(function* () {
        const { close, during, memory, remember, state } = yield* opened()
        yield* during(0, memory.embedPending)
        state.mood.fails = (texts) => (texts.includes("pears") ? "for now" : undefined)
        const first = yield* during(0, remember({ a: "apples", b: "pears", c: "plums", d: "cherries" }))
        const second = yield* during(0, remember({ a: "figs", b: "dates", c: "limes", d: "grapes" }))
        const again = yield* during("5 seconds")
        yield* close
        return [first, second, again]
      })
    ),
    "A store that is away: when looking, when storing, and when what is in use is looked at": scenario(
      Effect.gen(function* () {
        const { close, during, memory, remember, state } = yield* opened()
        yield* during(0, memory.embedPending)
        const all: Array<unknown> = []
        for (const away of ["look", "store", "look at spaces"]) {
          state.away = away
          all.push({
            away,
            commit: yield* during("2 seconds", remember({ a: `${away} a`, b: `${away} b` })),
            asked: yield* during("3 seconds", memory.embedPending)
          })
          state.away = ""
          all.push({ back: yield* during("1 minute"), pending: yield* memory.pending })
        }
        yield* close
        return all
      })
    ),
    "What is left of another process, seen by a search": scenario(
      Effect.gen(function* () {
        const { close, during, memory, store } = yield* opened()
        yield* during(0, memory.embedPending)
        yield* leave(store, { a: "apples" })
        const arms = Effect.map(memory.search("apples"), (found) => found.arms)
        const seen = yield* during("20 seconds", arms)
        // asked again, it is no sooner
        const again = yield* during("25 seconds", arms)
        const soon = yield* during("2 minutes")
        const last = yield* during(0, arms)
        yield* close
        return [seen, again, soon, last]
      })
    ),
    "More than a page was left, and a page is newer than the rest": scenario(
      Effect.gen(function* () {
        const { close, during, memory, store } = yield* opened()
        yield* during(0, memory.embedPending)
        yield* leave(store, many(300, "old "))
        yield* during("250 seconds")
        yield* leave(store, many(5, "new "))
        const first = yield* during("2 minutes")
        const pending = yield* memory.pending
        const second = yield* during("15 minutes")
        yield* close
        return [first, pending, second, yield* memory.pending]
      })
    ),
    "More notes than find a place, of two scopes": scenario(
      Effect.gen(function* () {
        const { close, during, memory, remember, state } = yield* opened()
        yield* during(0, memory.embedPending)
        state.mood.gate.closeUnsafe()
        const big = yield* during(0, Memory.withScope("big")(remember(many(5000, "big "))))
        const small = yield* during(0, remember({ a: "apples", b: "pears" }))
        const waiting = yield* during(
          "6 seconds",
          Effect.map(memory.search("apples"), (found) => found.arms)
        )
        yield* state.mood.gate.open
        const embedded = yield* during("1 second", memory.flush)
        const left = yield* Memory.withScope("big")(memory.pending)
        yield* close
        return [big, small, waiting, embedded, left]
      })
    ),
    "Waiting for notes of which the last is alone in its page": scenario(
      Effect.gen(function* () {
        const words = yield* Effect.provide(Embedder.Embedder, Testing.embedder)
        const { close, during, memory, remember } = yield* opened({
          embedMany: (texts) => Effect.delay(words.embedMany(texts), "1 second")
        })
        yield* during(0, memory.embedPending)
        const early = yield* during("2500 millis", Effect.andThen(remember(many(257)), memory.flush))
        const late = yield* during("1 second", memory.flush)
        yield* close
        return [early, late]
      })
    ),
    Closed: scenario(
      Effect.gen(function* () {
        const { close, during, memory, remember, state, store } = yield* opened()
        yield* during(0, memory.embedPending)
        yield* remember({ a: "apples" })
        const closing = yield* during("1 second", close)
        const late = yield* during("1 second", remember({ b: "pears" }))
        const asked = yield* during("1 second", memory.embedPending)
        const after = yield* opened({}, store)
        const taken = yield* after.during("1 second")
        yield* after.close
        return [closing, late, asked, taken, state.mood.calls]
      })
    ),
    "Long notes in parts, shorter after a refusal, given up with what was paid for": scenario(
      Effect.gen(function* () {
        const count = (text: string) => text.split(" ").length
        const { close, during, memory, remember, state } = yield* opened({ maxTokens: 4, countTokens: count })
        yield* during(0, memory.embedPending)
        state.mood.fails = (texts) => (texts.some((text) => count(text.trim()) > 2) ? "for good" : undefined)
        const halved = yield* during(
          "1 second",
          remember({ a: "one two three four five six seven eight", b: "nine ten" })
        )
        state.mood.fails = (texts) => (texts.some((text) => text.includes("bad")) ? "for good" : undefined)
        const failing = yield* during("1 second", remember({ c: "alpha beta gamma delta bad bad bad bad", d: "  " }))
        state.mood.fails = () => undefined
        const again = yield* during("1 second", memory.embedPending)
        yield* close
        return [halved, failing, again]
      })
    )
  })
)
