/** What a type of node is: its options, and the step that they make. */
import type * as Schema from "effect/Schema"
import type { Forms } from "../../arguments/forms.ts"
import { formsOf } from "../../arguments/taking.ts"
import type * as Step from "../../Step.ts"
import type { Limits } from "./limits.ts"

/** Where a node is built. */
export interface Site {
  /** Names of the steps around it, itself last. */
  readonly names: ReadonlyArray<string>
  readonly limits: Limits
}

/** The options of a node with what they stand for. Each was decoded by its form, which has no type. */
export type Options = Readonly<Record<string, unknown>>

export interface Definition {
  readonly type: string
  readonly description: string
  readonly fields: Forms
  readonly build: (options: Options, site: Site) => Step.Any
  /** The schema of the note that the step writes under its key, whatever steps are inside it. */
  readonly holds?: (options: Options) => Schema.Codec<any, any>
}

/** The options of a function that documents can give. */
export const optionsOf = (make: object): Forms => {
  const forms = formsOf(make)
  if (forms === undefined) throw new Error("a function that makes a node says what its options may be")
  return Object.fromEntries(Object.entries(forms).filter(([, { inCode }]) => inCode !== true))
}

/** A function that makes steps. What it is given was decoded by the forms that it declares. */
export const making = (make: object) => make as (...given: ReadonlyArray<unknown>) => Step.Any
