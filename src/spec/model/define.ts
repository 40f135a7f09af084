/** Defines a type of node: its options, and the step that it makes. */
import type * as Schema from "effect/Schema"
import type { Forms } from "../../arguments/forms.ts"
import { formsOf } from "../../arguments/taking.ts"
import type * as Step from "../../Step.ts"
import type { Limits } from "./limits.ts"

/** The place where a node is built. */
export interface Site {
  /** Names of the steps around it; its own name is last. */
  readonly names: ReadonlyArray<string>
  readonly limits: Limits
}

/** The options of a node, with names resolved. Each was decoded by its form, so they have no static type. */
export type Options = Readonly<Record<string, unknown>>

export interface Definition {
  readonly type: string
  readonly description: string
  readonly fields: Forms
  readonly build: (options: Options, site: Site) => Step.Any
  /** The schema of the note that the step writes under its key, whatever steps are inside it. */
  readonly holds?: (options: Options) => Schema.Codec<any, any>
}

/** The options of a function that documents can set. */
export const optionsOf = (make: object): Forms => {
  const forms = formsOf(make)
  if (forms === undefined) throw new Error("a function that makes a node says what its options may be")
  return Object.fromEntries(Object.entries(forms).filter(([, { inCode }]) => inCode !== true))
}

/** A function that makes steps. Its arguments were decoded by the forms that it declares. */
export const making = (make: object) => make as (...given: ReadonlyArray<unknown>) => Step.Any
