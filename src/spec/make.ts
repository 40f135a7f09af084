import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type { Memory, MemoryError } from "../Memory.ts"
import type * as Note from "../Note.ts"
import type * as CircuitBreaker from "../CircuitBreaker.ts"
import type * as Pipeline from "../Pipeline.ts"
import type * as RateLimiter from "../RateLimiter.ts"
import type * as Primitive from "../Primitive.ts"
import type { Provider, ProviderError } from "../Provider.ts"
import type * as Step from "../Step.ts"
import type * as Synapse from "../Synapse.ts"
import { buildStep } from "./build.ts"
import { type Document, type Read, readDocument } from "./document/document.ts"
import { remember } from "./text/encode.ts"
import { checkDeclared, type Declared } from "./io.ts"
import { type Limits, noting } from "./model/limits.ts"
import { capped } from "./model/problems.ts"
import type { Any, Registry } from "./model/registry.ts"
import { type Problem, SpecError } from "./model/SpecError.ts"

/**
 * The errors of the built-in steps that documents can have, besides those of registered code.
 *
 * @category errors
 */
export type BuiltIn =
  | ProviderError
  | MemoryError
  | Synapse.ResponseError
  | Synapse.InvalidItems
  | Primitive.NoNotes
  | Primitive.CheckpointNotFound
  | Pipeline.BranchesFailed<unknown>
  | Step.TimeoutError
  | Pipeline.GateClosed
  | Pipeline.NoneAccepted
  | RateLimiter.RateLimited
  | CircuitBreaker.CircuitOpen

/**
 * The notes that a pipeline reads and writes, for its type.
 *
 * **Details**
 *
 * `reads` has handles of the notes that it may read, `writes` of those that it always writes. Both are checked when it
 * is built. Other notes that it writes are not in its type.
 *
 * @category models
 */
export interface BuildOptions<
  In extends ReadonlyArray<Note.Handle<any, any>> = ReadonlyArray<Note.Handle<any, any>>,
  Out extends ReadonlyArray<Note.Handle<any, any>> = ReadonlyArray<Note.Handle<any, any>>
> {
  readonly reads?: In
  readonly writes?: Out
}

/** The notes of handles, by key. */
type NotesOf<H extends ReadonlyArray<Note.Handle<any, any>>> = {
  readonly [P in H[number] as P extends Note.Handle<infer K, any> ? K : never]: P extends Note.Handle<any, infer A>
    ? A
    : never
}

/** The services that the built-in steps need, besides those of registered code. */
type Needs<B> = Provider | Memory | (B extends true ? Pipeline.Supervisor : never)

/**
 * The step of a document: what it reads and writes as the options say, with the errors and services of the built-in steps and
 * of registered code.
 *
 * @category models
 */
export type Built<
  E,
  R,
  B,
  In extends ReadonlyArray<Note.Handle<any, any>>,
  Out extends ReadonlyArray<Note.Handle<any, any>>
> = Step.Step<NotesOf<In>, NotesOf<Out>, BuiltIn | E, Needs<B> | R>

/**
 * Builds the step of a document.
 *
 * **Details**
 *
 * - Without `reads` and `writes`, the type of the step shows no notes: read them with `Thought.read`.
 * - With them, the step is as typed as one written in code. It is an error if it reads another note, does not always
 *   write one of these, or writes it with another schema.
 * - Errors of its parts, such as two steps that write the same key, are reported with the path of the node.
 *
 * Fails with `SpecError`.
 *
 * **Example** (A pipeline from YAML)
 *
 * ```ts
 * import assert from "node:assert/strict"
 * import { Effect, Layer, Schema } from "effect"
 * import { Note, Pipeline, Synapse, Thought } from "cogito"
 * import { Spec } from "cogito/spec"
 * import { Testing } from "cogito/testing"
 *
 * const registry = Spec.registry()
 * const spam = Note.handle("spam", Synapse.Decision)
 * const text = `
 * cogito: 1
 * name: mail
 * step:
 *   type: retry
 *   name: patient
 *   step: { type: decide, key: spam, question: Is this spam? }
 * `
 * const model = Testing.scripted([{ decision: true, confidence: 0.9, reasoning: ["It sells."] }])
 *
 * const program = Effect.gen(function*() {
 *   const step = yield* Spec.build(registry, yield* Spec.decode(registry, text), { writes: [spam] })
 *   const done = yield* Pipeline.run(step, yield* Thought.make("sort mail", { message: "Buy now!" }))
 *   assert.equal(done.get("spam").decision, true)
 * })
 *
 * await Effect.runPromise(program.pipe(Effect.provide(Layer.merge(model.layer, Testing.memory))))
 * ```
 *
 * @category building
 */
export const build = <
  E,
  R,
  B extends boolean,
  const In extends ReadonlyArray<Note.Handle<any, any>> = readonly [],
  const Out extends ReadonlyArray<Note.Handle<any, any>> = readonly []
>(
  registry: Registry<E, R, B>,
  document: Document,
  options: BuildOptions<In, Out> = {}
): Effect.Effect<Built<E, R, B, In, Out>, SpecError> =>
  Effect.suspend(
    () =>
      Effect.fromResult(
        Result.mapError(
          Result.flatMap(readDocument(registry, document), (read) => buildRead(registry, read, options, noting())),
          (problems) => new SpecError({ problems })
        )
      )
    // its reads and writes were checked; its errors and needs follow from what documents can contain
  ) as Effect.Effect<Built<E, R, B, In, Out>, SpecError>

/** Builds the step of a document for a thought that exists: what it may read is known there, and is not declared. */
export const buildUndeclared = (registry: Any, document: Document): Effect.Effect<Step.Any, SpecError> =>
  Effect.suspend(() =>
    Effect.fromResult(
      Result.mapBoth(
        Result.flatMap(readDocument(registry, document), (read) => buildStep(registry, read, noting())),
        { onSuccess: ({ step }) => step, onFailure: (problems) => new SpecError({ problems }) }
      )
    )
  )

/** Builds a document that was read, checks its declared reads and writes, and remembers the document of the step. */
export const buildRead = (
  registry: Any,
  read: Read,
  declared: Declared,
  limits: Limits
): Result.Result<Step.Any, readonly [Problem, ...Array<Problem>]> =>
  Result.flatMap(buildStep(registry, read, limits), (built) => {
    const [first, ...others] = capped(checkDeclared(registry, read, built, declared))
    // a copy, because a registered step does not belong to the document
    return first === undefined
      ? Result.succeed(remember({ ...built.step }, read.document))
      : Result.fail([first, ...others])
  })
