/** What constructors say of arguments that no compiler has checked. */
import { hasProperty } from "effect/Predicate"
import * as Schema from "effect/Schema"
import { vendorOf } from "./standardSchema.ts"
import { TypeId } from "./step.ts"

interface Taken {
  /** Which argument the options are, from 0. */
  readonly options: number
  /** Whether they may be left out. */
  readonly optional?: boolean
  /** Options that there must be. */
  readonly needs?: ReadonlyArray<string>
  /** Options that are texts and not empty. */
  readonly texts?: ReadonlyArray<string>
  /** Options that are steps. */
  readonly steps?: ReadonlyArray<string>
}

const ordinals = ["first", "second", "third"]

const kindOf = (value: unknown): string => {
  if (value === undefined || value === null) return "none"
  if (Schema.isSchema(value) || vendorOf(value) !== undefined) return "a schema"
  if (hasProperty(value, TypeId)) return "a step"
  if (Array.isArray(value)) return "an array"
  return typeof value === "object" ? "an object" : `a ${typeof value}`
}

const isOptions = (value: unknown): value is Readonly<Record<string, unknown>> => kindOf(value) === "an object"

const refuse = (owner: string, what: string): never => {
  throw new Error(`${owner} needs ${what}.`)
}

/** The constructor, which throws an error that says what it needs where it is given something else. */
export const taking =
  (owner: string, { needs = [], optional = false, options, steps = [], texts = [] }: Taken) =>
  // the arguments are any constructor's
  <F extends (...args: ReadonlyArray<any>) => unknown>(make: F): F =>
    ((...args: ReadonlyArray<unknown>) => {
      const given = args[options]
      if (!(optional && given === undefined)) {
        if (!isOptions(given)) {
          return refuse(owner, `its options, an object, as the ${ordinals[options]} argument: it has ${kindOf(given)}`)
        }
        for (const name of needs) {
          if (given[name] === undefined || given[name] === null) refuse(owner, `the option ${name}: it has none`)
        }
        for (const name of texts) {
          const text = given[name]
          if (typeof text !== "string") refuse(owner, `a text as the option ${name}: it has ${kindOf(text)}`)
          if (text === "") refuse(owner, `a text that is not empty as the option ${name}`)
        }
        for (const name of steps) {
          if (!hasProperty(given[name], TypeId))
            refuse(owner, `a step as the option ${name}: it has ${kindOf(given[name])}`)
        }
      }
      return make(...args)
      // it takes and gives what the constructor does
    }) as F
