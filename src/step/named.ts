import { checkText } from "../arguments/checked.ts"
import * as kinds from "../arguments/kinds.ts"
import { taking } from "../arguments/taking.ts"
import { around, piped, wrap, type Wrapped } from "./runtime/make.ts"
import { TypeId } from "./runtime/model.ts"
import type * as Step from "./runtime/model.ts"

/**
 * Gives a step a name, for paths, spans and diagrams.
 *
 * **Details**
 *
 * Use it if two steps would have the same name. In paths the step itself is one level deeper; its notes and its handle
 * stay. Throws if the name is blank.
 *
 * **Example** (The same connector twice)
 *
 * ```ts
 * import assert from "node:assert/strict"
 * import { Primitive, Step } from "cogito"
 *
 * const spam = Primitive.decide("spam", { question: "Is this spam?" }).pipe(Step.retry(), Step.named("patient"))
 *
 * assert.equal(spam.name, "patient")
 * assert.equal(spam.key, "spam")
 * ```
 *
 * @category connectors
 */
export const named: {
  (name: string): <S extends Step.Any>(self: S) => Wrapped<S, Step.Err<S>, Step.Req<S>>
  <S extends Step.Any>(self: S, name: string): Wrapped<S, Step.Err<S>, Step.Req<S>>
} = piped(
  taking("Step.named", { args: [kinds.step, kinds.text] })((self: Step.Any, name: string): any => {
    checkText("Step.named", "the name", name)
    return wrap(self, around(self.node, name, "named"), self[TypeId].run)
  })
)
