import { assert, describe, it } from "@effect/vitest"
import { Cause, Effect, Exit, Layer, ManagedRuntime, Schema } from "effect"
import * as Core from "cogito"
import { Anthropic } from "cogito/anthropic"
import { EffectAi } from "cogito/effect-ai"
import { Local } from "cogito/local"
import { OpenAi } from "cogito/openai"
import { Persisted } from "cogito/persistence"
import { PgliteMemory } from "cogito/pglite"
import { PostgresMemory } from "cogito/postgres"
import { Reranker } from "cogito/rerank"
import { Spec } from "cogito/spec"
import { Testing } from "cogito/testing"
import { Tokenizer } from "cogito/tokenizer"

// What somebody sees who has no compiler: every function that is exported, with nonsense in each place. It works, or says in
// a sentence of ours what it needs; it never lets a TypeError of JavaScript through.

const { Pipeline, Step, Thought } = Core

const facades: Readonly<Record<string, object>> = {
  ...Core,
  Anthropic,
  EffectAi,
  Local,
  OpenAi,
  Persisted,
  PgliteMemory,
  PostgresMemory,
  Reranker,
  Spec,
  Testing,
  Tokenizer
}

/** Keys of services: classes that nobody calls. */
const services = new Set<unknown>([
  Core.Embedder.Embedder,
  Core.Memory.Memory,
  Core.Pipeline.Supervisor,
  Core.Provider.Provider
])

/** What they give is not run: it would open files, folders or connections. */
const notRun = /^(?:PgliteMemory|PostgresMemory|Persisted|Spec|Provider\.(?:record|replay))\b/

/** Errors and other models are classes with a schema, which says itself what it needs. */
const isModel = (member: unknown): boolean => Schema.isSchema(member) || /^class\b/.test(String(member))

const functions = Object.entries(facades).flatMap(([facade, members]) =>
  Object.entries(members).flatMap(([name, member]: [string, unknown]) =>
    typeof member === "function" && !services.has(member) && !isModel(member)
      ? [[`${facade}.${name}`, member as (...args: ReadonlyArray<unknown>) => unknown] as const]
      : []
  )
)

const step = Step.make("s", { run: Effect.void })
const schema = Schema.Struct({ a: Schema.String })
const thought = Effect.runSync(Thought.make("t", { a: "x" }))
const session = thought.session
const layer = Testing.memory

const nonsense: ReadonlyArray<unknown> = [undefined, null, 42, "x", {}, [], () => 1]
const sensible: ReadonlyArray<unknown> = ["k", step, schema, thought, session, layer, [step], { step }]

const calls: ReadonlyArray<ReadonlyArray<unknown>> = [
  [],
  ...nonsense.map((one) => [one]),
  ...[...nonsense, ...sensible].flatMap((first) => nonsense.map((second) => [first, second])),
  ...nonsense.flatMap((first) => sensible.map((second) => [first, second])),
  ...sensible.flatMap((first) => nonsense.flatMap((second) => [null, {}].map((third) => [first, second, third]))),
  ...sensible.flatMap((first) => sensible.flatMap((second) => nonsense.map((third) => [first, second, third]))),
  ["k", [undefined]],
  ["k", { a: undefined, b: {} }],
  ["k", { question: "q", categories: null, routes: null }],
  ["k", { items: 3, criteria: "c" }],
  [{ prompt: "p" }, schema],
  [schema, schema, undefined],
  [session, { role: "user" }, 0]
]

const said = (error: unknown): string => (error instanceof Error ? `${error.name}: ${error.message}` : String(error))

const isRaw = (error: unknown): boolean =>
  [TypeError, RangeError, ReferenceError, SyntaxError].some((kind) => error instanceof kind) ||
  /Cannot (?:read|destructure|convert|use)|is not (?:a function|iterable|an object|a constructor)/.test(said(error))

/** Runs effects on a memory. */
type Runtime = ManagedRuntime.ManagedRuntime<Layer.Success<typeof Testing.memory>, unknown>

/** What it fails with, when it is run, in the order of its causes. */
const failuresOf = async (runtime: Runtime, made: unknown): Promise<ReadonlyArray<unknown>> => {
  if (made instanceof Promise) {
    return made.then(
      () => [],
      (error: unknown) => [error]
    )
  }
  const effect = Layer.isLayer(made)
    ? Effect.scoped(Layer.build(made as Layer.Layer<unknown>))
    : Effect.isEffect(made)
      ? made
      : typeof made === "object" && made !== null && Step.TypeId in made
        ? Pipeline.run(made as Core.Step.Step<{}, {}>, thought)
        : Effect.void
  const bounded = Effect.timeoutOption(effect, "5 seconds")
  // what else it needs is missing, and that is said
  const exit = await runtime.runPromiseExit(bounded as Effect.Effect<unknown>)
  if (Exit.isSuccess(exit)) return []
  const error: unknown = Cause.squash(exit.cause)
  return [error, error instanceof Error ? error.cause : undefined]
}

const shown = (value: unknown): string =>
  value === step
    ? "step"
    : value === thought
      ? "thought"
      : typeof value === "object"
        ? JSON.stringify(value)
        : typeof value

describe("an exported function that is called with nonsense works or says what it needs", () => {
  it("finds the functions", () => {
    assert.isAbove(functions.length, 180)
    for (const name of ["Step.andThen", "Note.from", "Pipeline.runPromise", "OpenAi.layer", "Session.truncate"]) {
      assert.isTrue(
        functions.some(([one]) => one === name),
        name
      )
    }
  })

  for (const [name, call] of functions) {
    it(`as ${name}`, async () => {
      const raw = new Set<string>()
      const runtime: Runtime = ManagedRuntime.make(Layer.fresh(Testing.memory))
      const look = async (args: ReadonlyArray<unknown>, make: () => unknown): Promise<unknown> => {
        const report = (errors: ReadonlyArray<unknown>): void => {
          for (const error of errors.filter(isRaw)) raw.add(`${name}(${args.map(shown).join(", ")}) ${said(error)}`)
        }
        try {
          const made = make()
          if (!notRun.test(name)) report(await failuresOf(runtime, made))
          return typeof made === "function" ? made : undefined
        } catch (error) {
          report([error])
          return undefined
        }
      }
      for (const args of calls) {
        const made = await look(args, () => call(...args))
        // meant for a pipe, or a function that was made
        if (made === undefined || args.includes(made)) continue
        const next = made as (value: unknown) => unknown
        for (const value of [undefined, "x", {}, step]) await look([...args, "…", value], () => next(value))
      }
      await runtime.dispose()
      assert.deepStrictEqual([...raw].slice(0, 5), [], `${raw.size} calls end in an error that is not ours`)
    })
  }
})
