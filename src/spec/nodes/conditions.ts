import * as Schema from "effect/Schema"
import * as Pipeline from "../../Pipeline.ts"
import type * as Step from "../../Step.ts"
import { define, type Definition } from "../model/define.ts"
import { maybe, Name, option, words } from "../model/parts.ts"

const name = option("Name of the step.", Name)

const filter = define("filter", {
  description: "Runs a step only when a condition holds.",
  fields: (parts) => ({
    name,
    when: option("The condition: a reader of true or false.", parts.condition),
    step: option("The step.", parts.node),
    otherwise: maybe("The step when the condition does not hold.", parts.node)
  }),
  build: ({ name, ...options }) => Pipeline.filter(name, options)
})

/** What a reader may give is not in a document: that there is a branch for it is seen when it runs. */
type Unchecked = (name: string, options: unknown) => Step.Any

const switching = define("switch", {
  description: "Runs the branch whose label a reader gives.",
  fields: (parts) => ({
    name,
    on: option("A reader of the label.", parts.textReader),
    branches: option(
      "Steps by label.",
      Schema.Record(Schema.String, parts.node).annotate({ expected: "an object of steps by label" })
    ),
    default: maybe(
      'The step for any other label, or "pass" to go on without one.',
      Schema.Union([Schema.Literal("pass"), parts.node]).annotate({ expected: 'a step, or "pass"' })
    )
  }),
  build: ({ name, ...options }) => (Pipeline.switch as unknown as Unchecked)(name, options)
})

const gate = define("gate", {
  description: 'Goes on, goes on without the step, or fails, as a reader says "pass", "skip" or "fail".',
  fields: (parts) => ({
    name,
    check: option('A reader of "pass", "skip" or "fail".', parts.reader),
    step: maybe("The step behind the gate.", parts.node),
    reason: maybe("Why it is closed, for the error.", words)
  }),
  build: ({ name, ...options }) => (Pipeline.gate as unknown as Unchecked)(name, options)
})

/** Steps that look at notes before they go on. */
export const conditions: ReadonlyArray<Definition> = [filter, switching, gate]
