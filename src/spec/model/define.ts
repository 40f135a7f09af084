/** What a type of node is: its options, what they are when they are left out, and the step that they make. */
import type * as Schema from "effect/Schema"
import type * as Note from "../../Note.ts"
import type * as Step from "../../Step.ts"
import type { Limits } from "./limits.ts"
import type { Parts } from "./parts.ts"

/** Where a node is built. */
export interface Site {
  /** Names of the steps around it, itself last. */
  readonly names: ReadonlyArray<string>
  readonly limits: Limits
}

export interface Definition {
  readonly type: string
  readonly description: string
  readonly fields: (parts: Parts) => Schema.Struct.Fields
  /** Options that may be left out, and what they are then. */
  readonly defaults: Readonly<Record<string, unknown>>
  readonly build: (options: never, site: Site) => Step.Any
  /** The handle of the note that the step writes under its key, whatever steps are inside it. */
  readonly handle?: (options: never) => Note.Handle<any, any>
}

/** A type of node. */
export const define = <F extends Schema.Struct.Fields>(
  type: string,
  definition: {
    readonly description: string
    readonly fields: (parts: Parts) => F
    readonly defaults?: Readonly<Record<string, unknown>>
    readonly build: (options: Schema.Struct.Type<F>, site: Site) => Step.Any
    readonly handle?: (options: Schema.Struct.Type<F>) => Note.Handle<any, any>
  }
): Definition => ({ defaults: {}, ...definition, type })
