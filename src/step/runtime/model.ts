/** What a step is. */
import type * as Effect from "effect/Effect"
import type { Pipeable } from "effect/Pipeable"
import { StepTypeId } from "../../arguments/kinds.ts"
import type { All, Alone, Either, Writes } from "../../thought/types.ts"
import type * as Note from "../../thought/Note.ts"
import type { Failing, Interruptible, Needing, Settled } from "../../thought/settled.ts"
import type { Thought } from "../../thought/model.ts"

/**
 * Identifies a step.
 *
 * @category symbols
 */
export const TypeId = StepTypeId

/**
 * What a step is, as data: for outlines and diagrams.
 *
 * @category models
 */
export interface Node {
  readonly name: string
  /** `"decide"`, `"sequence"`, … */
  readonly kind: string
  /** Keys that it reads, as far as they are known before it runs. */
  readonly reads: ReadonlyArray<string>
  /** Keys that it writes or may write, those of its children included. */
  readonly writes: ReadonlyArray<string>
  /** Those of `writes` that are written whenever the step succeeds. */
  readonly surely: ReadonlyArray<string>
  /** Those of `writes` that it reads first and puts a new value of in their place. */
  readonly updates?: ReadonlyArray<string>
  readonly children: ReadonlyArray<Node>
  /** What a connector was told: counts, durations, names of choices. */
  readonly settings?: Readonly<Record<string, string | number | boolean>>
  /** The question or task, where it is a fixed text. */
  readonly asks?: string
  /** Set when it reviews its answer only if a `Pipeline.introspect` around it requests it. */
  readonly introspects?: "default"
  /** Set when it continues with another thought than the one it was given: no branch beside others may contain it. */
  readonly leaves?: true
  /**
   * Set when it runs something once the thought is stored, on a thought of its own: what reads the keys of `reads`, or what
   * may read anything.
   */
  readonly afterCommit?: "reads" | "anything"
  /** Set when it waits for an answer from outside the run: a step that may cut it off must not contain it. */
  readonly waits?: true
  /** Set when it has no place of its own in paths, outlines of failures and chains: only its children have. */
  readonly transparent?: true
  /** How a diagram shows its children. Default: one after the other, in a frame. */
  readonly layout?: Layout
}

/**
 * How a diagram shows the children of a step.
 *
 * - `"row"`: one after the other; a pipeline that is a row needs no frame.
 * - `"inline"`: as if they stood in the place of the step.
 * - `"calls"`: by dotted arrows, since the step calls them as its code says or does not wait for them.
 * - `Beside`: from where they part to where they meet: a circle with this text, or a step of its own.
 * - `Choice`: by arrows with these labels (default: the names of the children), one past them, and one to a failure.
 *
 * @category models
 */
export type Layout =
  | "row"
  | "inline"
  | "calls"
  | { readonly _tag: "Beside"; readonly meet: string; readonly inStep?: true }
  | {
      readonly _tag: "Choice"
      readonly shape?: "diamond" | "hexagon"
      readonly labels?: ReadonlyArray<string>
      readonly past?: string | undefined
      readonly fails?: string
    }

/**
 * A step that reads the notes `In` and adds the notes `Out`; an optional key of `Out` may be added or not.
 *
 * @category models
 */
export interface Step<in In, out Out, out E = never, out R = never> extends Pipeable {
  readonly [TypeId]: {
    readonly _In: (_: In) => void
    readonly _Out: () => Out
    readonly _E: () => E
    readonly _R: () => R
    /** For the library only: `Pipeline.run` is the typed way. */
    readonly run: (thought: Thought<any>) => Effect.Effect<Thought<any>, any, any>
  }
  readonly name: string
  readonly node: Node
}

/**
 * A step that writes one note, and the typed handle of that note.
 *
 * @category models
 */
export interface Keyed<in out K extends string, out A, in In, out E = never, out R = never>
  extends Step<In, Writes<K, A>, E, R>, Note.Handle<K, A> {}

/**
 * Any step.
 *
 * @category models
 */
export type Any = Step<any, any, any, any>

/**
 * The notes that a step reads. Of a union of steps, those that any of them reads.
 *
 * @category types
 */
export type In<S> = Alone<S> extends true ? InOf<S> : All<InOf<S>>

type InOf<S> = S extends { readonly [TypeId]: { readonly _In: (_: infer I) => void } } ? I : never

/**
 * The notes that a step adds. Of a union of steps, those that any of them adds, optional unless each of them does.
 *
 * @category types
 */
export type Out<S> = Alone<S> extends true ? OutOf<S> : Either<OutOf<S>>

type OutOf<S> = S extends { readonly [TypeId]: { readonly _Out: () => infer O } } ? O : never

/**
 * How a step fails.
 *
 * @category types
 */
export type Err<S> = S extends { readonly [TypeId]: { readonly _E: () => infer E } } ? E : never

/**
 * What a step needs.
 *
 * @category types
 */
export type Req<S> = S extends { readonly [TypeId]: { readonly _R: () => infer R } } ? R : never

// ----------------------------------------------------------------------------------------------------- custom steps

/**
 * What `make` runs: a reader, a function of the thought, or an effect.
 *
 * A function returns a value, a promise or an effect. Its second argument has a `signal`, which is aborted if the step is
 * interrupted. If the promise rejects, the step fails with that error.
 *
 * A function says which notes it reads by the type of its parameter, `Thought<{ readonly ticket: Ticket }>`; without a
 * type it reads none.
 *
 * @category models
 */
export type Runnable<A = any> =
  | Note.Reader<any, A, any, any>
  | Effect.Effect<A, any, any>
  | ((thought: Thought<any>, given: Interruptible) => A | PromiseLike<A> | Effect.Effect<A, any, any>)

type ReadBy<F> =
  F extends Note.Reader<infer I, any, any, any>
    ? I
    : F extends (thought: Thought<infer I>, given: any) => any
      ? 0 extends 1 & I
        ? {}
        : unknown extends I
          ? {}
          : I
      : {}

/**
 * What something runnable reads, fails with and needs.
 *
 * @category types
 */
export declare namespace Runnable {
  /** The notes that it reads. Of a union, those that any member reads. */
  type In<F> = Alone<F> extends true ? ReadBy<F> : All<ReadBy<F>>
  /** What it gives. */
  type Value<F> =
    F extends Note.Reader<any, infer A, any, any>
      ? A
      : F extends Effect.Effect<infer A, any, any>
        ? A
        : F extends (...args: any) => infer B
          ? Settled<B>
          : never
  /** How it fails. */
  type Err<F> =
    F extends Note.Reader<any, any, infer E, any>
      ? E
      : F extends Effect.Effect<any, infer E, any>
        ? E
        : F extends (...args: any) => infer B
          ? Failing<B>
          : never
  /** What it needs. */
  type Req<F> =
    F extends Note.Reader<any, any, any, infer R>
      ? R
      : F extends Effect.Effect<any, any, infer R>
        ? R
        : F extends (...args: any) => infer B
          ? Needing<B>
          : never
}

/**
 * What a step of one's own has shown a model.
 *
 * `notes` are notes of the thought, `text` is the message that showed them: with `Thought.render` they stand in it as in a
 * request of the library.
 *
 * @category models
 */
export interface Shown {
  readonly notes: ReadonlyArray<Note.Note>
  readonly text: string
}

/**
 * Says, of the thought that a step was given, what the step shows a model.
 *
 * @category models
 */
export type Shows = (thought: Thought<any>) => Shown
