import { assert, describe, it } from "@effect/vitest"
import { Effect, Option, Tracer } from "effect"
import { inToolSpan } from "../../src/agent/calls/toolSpan.ts"
import { watcherOf } from "../../src/agent/rounds/watching.ts"
import { Content, type Redact } from "../../src/run/content.ts"

interface Watching {
  readonly text: (delta: string) => Effect.Effect<void>
  readonly part: (part: object) => Effect.Effect<void>
  readonly discarded: Effect.Effect<void>
  readonly stopped: Effect.Effect<void>
}

describe("what a model writes in a round", () => {
  it.effect("is passed on as it arrives, and each call is announced once", () =>
    Effect.gen(function* () {
      const told: Array<object> = []
      const left: Array<object> = []
      const into = (list: Array<object>) => (event: object) => Effect.sync(() => void list.push(event))
      const watcher: any = watcherOf({ tell: into(told), leave: into(left) }, 2, new Set())
      const { discarded, part, stopped, text } = yield* watcher.begin() as Effect.Effect<Watching>
      const call = (id: string, delta: string) => part({ _tag: "Call", id, name: "weather", delta })
      yield* text("Let me ")
      yield* text("")
      yield* part({ _tag: "Reasoning", delta: "Hm" })
      yield* call("a", "")
      yield* call("a", '{"city":')
      yield* call("b", "{}")
      yield* call("a", '"Ulm"}')
      yield* call("a", "")
      yield* discarded
      const started = told.filter((event: any) => event._tag === "CallStarted").map((event: any) => event.id)
      assert.lengthOf(new Set(started), 2)
      const [a, b] = started
      assert.deepStrictEqual(told, [
        { _tag: "Text", round: 2, delta: "Let me " },
        { _tag: "Reasoning", round: 2, delta: "Hm" },
        { _tag: "CallStarted", round: 2, id: a, name: "weather" },
        { _tag: "CallDelta", round: 2, id: a, delta: '{"city":' },
        { _tag: "CallStarted", round: 2, id: b, name: "weather" },
        { _tag: "CallDelta", round: 2, id: b, delta: "{}" },
        { _tag: "CallDelta", round: 2, id: a, delta: '"Ulm"}' },
        { _tag: "Discarded", round: 2 }
      ])
      // an interrupted round does not wait for its reader
      assert.deepStrictEqual(left, [])
      yield* stopped
      assert.deepStrictEqual(left, [{ _tag: "Discarded", round: 2 }])
    })
  )
})

describe("the span of a tool", () => {
  const call = { id: "call_1", name: "look", params: '{"at":"home"}' }
  const plain = {
    "gen_ai.operation.name": "execute_tool",
    "gen_ai.tool.name": "look",
    "gen_ai.tool.type": "function",
    "gen_ai.tool.call.id": "call_1"
  }
  /** The attributes of the span in which the tool ran. */
  const attributes = (redact: Redact | undefined, handling: Effect.Effect<unknown> = Effect.void) =>
    Effect.gen(function* () {
      let span: Option.Option<Tracer.Span> = Option.none()
      const handled = Effect.tap(Effect.currentSpan, (current) => {
        span = Option.some(current)
        return handling
      })
      yield* inToolSpan(call, Effect.as(Effect.orDie(handled), "at home"), (outcome) => `is ${outcome}`).pipe(
        Effect.provideService(Content, redact),
        Effect.withTracer(Tracer.make({ span: (options) => new Tracer.NativeSpan(options) }))
      )
      return Object.fromEntries(Option.getOrThrow(span).attributes)
    })

  it.effect("has the arguments and the result only if the program records content, after redaction", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* attributes(undefined), plain)
      const seen: Array<readonly [string, string]> = []
      const redact: Redact = (text, where) => {
        seen.push([text, where])
        return text.replace("home", "…")
      }
      assert.deepStrictEqual(yield* attributes(redact), {
        ...plain,
        "gen_ai.tool.call.arguments": '{"at":"…"}',
        "gen_ai.tool.call.result": "is at …"
      })
      assert.deepStrictEqual(seen, [
        ['{"at":"home"}', "gen_ai.tool.call.arguments"],
        ["is at home", "gen_ai.tool.call.result"]
      ])
    })
  )
})
