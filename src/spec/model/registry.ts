import type * as Schema from "effect/Schema"
import { RegistryTypeId } from "../../arguments/kinds.ts"
import { taking } from "../../arguments/taking.ts"
import { quoted } from "../../text/legible.ts"
import { schemaOf } from "../../schema/schemaOf.ts"
import type * as Note from "../../Note.ts"
import type { Shape as ProviderShape } from "../../Provider.ts"
import type * as Step from "../../Step.ts"

/**
 * Identifies a registry.
 *
 * @category symbols
 */
export const TypeId = RegistryTypeId

/**
 * The code that documents may use, by name.
 *
 * **Details**
 *
 * - `steps`: for `{ use }`
 * - `readers`: for texts, conditions and choices
 * - `functions`: for handlers, updates and effects
 * - `schemas`: for analyze
 * - `handles`: for notes that no step of the document writes
 * - `providers`: for single steps
 * - `background`: whether scaffold is allowed; the steps then need its service
 *
 * @category models
 */
export interface RegistryOptions {
  readonly steps?: Readonly<Record<string, Step.Any>>
  readonly readers?: Readonly<Record<string, Note.Reader<any, any, any, any>>>
  readonly functions?: Readonly<Record<string, (...args: ReadonlyArray<any>) => any>>
  readonly schemas?: Readonly<Record<string, Note.AnySchema<any>>>
  readonly handles?: ReadonlyArray<Note.Handle<any, any>>
  readonly providers?: Readonly<Record<string, ProviderShape>>
  readonly background?: boolean
}

/** The values of an option, also if it is optional. */
type Values<O, F extends keyof RegistryOptions> = O extends unknown
  ? F extends keyof O
    ? ValuesOf<NonNullable<O[F]>>
    : never
  : never
type ValuesOf<T> = T extends unknown ? T[keyof T] : never

/** Whether background steps may be allowed. */
type BackgroundOf<O> = O extends unknown
  ? "background" extends keyof O
    ? true extends O["background"]
      ? true
      : false
    : false
  : never

/** Turns `any` into `unknown`. */
type Known<T> = 0 extends 1 & T ? unknown : T

/** The errors of the registered code. */
export type ErrorsOf<O> = Known<
  Step.Err<Values<O, "steps">> | ReaderErr<Values<O, "readers">> | Step.Runnable.Err<Values<O, "functions">>
>

/** The services that the registered code needs. */
export type NeedsOf<O> = Known<
  Step.Req<Values<O, "steps">> | ReaderReq<Values<O, "readers">> | Step.Runnable.Req<Values<O, "functions">>
>

type ReaderErr<F> = F extends Note.Reader<any, any, infer E, any> ? E : never
type ReaderReq<F> = F extends Note.Reader<any, any, any, infer R> ? R : never

/**
 * The code that documents may use. `E` is how it fails and `R` what it needs; both are in the type of every pipeline
 * built with it.
 *
 * @category models
 */
export interface Registry<out E, out R, out Background extends boolean = boolean> {
  readonly [TypeId]: {
    readonly _E: () => E
    readonly _R: () => R
    readonly _Background: () => Background
  }
  readonly steps: ReadonlyMap<string, Step.Any>
  readonly readers: ReadonlyMap<string, Note.Reader<any, any, any, any>>
  readonly functions: ReadonlyMap<string, (...args: ReadonlyArray<any>) => any>
  readonly schemas: ReadonlyMap<string, Schema.Codec<any, any>>
  /** By key. */
  readonly handles: ReadonlyMap<string, Note.Handle<string, any>>
  readonly providers: ReadonlyMap<string, ProviderShape>
  readonly background: boolean
}

/**
 * Any registry.
 *
 * @category models
 */
export type Any = Registry<unknown, unknown>

/**
 * Declares the code that documents may use.
 *
 * **Details**
 *
 * A document contains only names; the code behind them is registered here. A registered step is used as it is. A reader
 * computes a text, a condition or a choice from notes. A function handles, updates or observes.
 *
 * **Example** (A condition and a step of one's own)
 *
 * ```ts
 * import assert from "node:assert/strict"
 * import { Schema } from "effect"
 * import { Note, Step } from "cogito"
 * import { Spec } from "cogito/spec"
 *
 * const message = Note.handle("message", Schema.String)
 * const registry = Spec.registry({
 *   steps: { length: Step.make("length", { schema: Schema.Finite, run: Note.from(message, (text) => text.length) }) },
 *   readers: { isLong: Note.from(message, (text) => text.length > 100) }
 * })
 *
 * assert.deepEqual([...registry.readers.keys()], ["isLong"])
 * ```
 *
 * @category constructors
 */
export const registry = taking("Spec.registry", {
  options: 0,
  optional: true,
  known: ["background", "functions", "handles", "providers", "readers", "schemas", "steps"]
})(<const O extends RegistryOptions = {}>(options: O = {} as O): Registry<ErrorsOf<O>, NeedsOf<O>, BackgroundOf<O>> => {
  const given: RegistryOptions = options
  return {
    // type parameters have no values
    [TypeId]: variance as never,
    steps: byName(given.steps),
    readers: byName(given.readers),
    functions: byName(given.functions),
    schemas: new Map(
      Object.entries(given.schemas ?? {}).map(([name, schema]) => [
        name,
        schemaOf(`The registered schema ${quoted(name)}`, schema)
      ])
    ),
    handles: new Map((given.handles ?? []).map((handle) => [handle.key as string, handle])),
    providers: byName(given.providers),
    background: given.background === true
  }
})

const variance = {}

/** A map by name: names of built-in object properties are not found in it. */
const byName = <A>(record: Readonly<Record<string, A>> = {}): ReadonlyMap<string, A> => new Map(Object.entries(record))
