import * as Step from "../../Step.ts"
import { define, type Definition } from "../model/define.ts"
import { maybe, Name, option, type Parts, words } from "../model/parts.ts"

const around = (parts: Parts) => ({
  name: option("Name of the step.", Name),
  step: option("The step that may fail.", parts.node)
})

/** Whether there is a `when` decides how it can fail, which a document does not say. */
type Unchecked = (step: Step.Any, other: Step.Any, options: unknown) => Step.Any

const handle = define("handle", {
  description: "Tells a function of a failure, which stays one.",
  fields: (parts) => ({
    ...around(parts),
    handler: option("The function of the failure and the thought.", parts.function)
  }),
  build: ({ handler, name, step }) => Step.handle(step, handler, { name })
})

const recover = define("recover", {
  description: "Runs another step, on the thought from before, when one fails.",
  fields: (parts) => ({
    ...around(parts),
    with: option("The other step.", parts.node),
    when: maybe("A function of the error: whether to recover from it.", parts.function)
  }),
  build: ({ step, with: other, ...options }) => (Step.recover as Unchecked)(step, other, options)
})

const enrich = define("enrich", {
  description: "Runs a step that is optional: when it fails, the thought goes on without it.",
  fields: (parts) => ({ ...around(parts), report: maybe("Key of a note about the failure.", words) }),
  build: ({ step, ...options }) => Step.enrich(step, options)
})

/** Steps for when others fail. */
export const failures: ReadonlyArray<Definition> = [handle, recover, enrich]
