/** Which parameter a server refuses, according to its error. */
import { assert, describe, it } from "@effect/vitest"
import { fromSdk } from "../../src/http/failure.ts"
import { endpoint } from "./endpoint.ts"

/** The parameter of a refusal, and whether its value is out of range. */
const refused = (error: object) => {
  const { reason } = fromSdk({ status: 400, ...error }, endpoint, 0)
  return reason._tag === "InvalidRequest" ? [reason.parameter, reason.outOfRange === true] : [reason._tag]
}

describe("the parameter that a refusal names", () => {
  it.each([
    // after the status that an SDK puts in front
    ["400 temperature: Input should be at most 1", "temperature", true],
    ["400 thinking.budget_tokens: Extra inputs are not permitted", "thinking", false],
    ["400 temperature is deprecated", "temperature", false],
    ["temperature: Input should be at most 1", "temperature", true],
    // but not after another number
    ["4000 thinking: no", undefined, false],
    ["40 thinking: no", undefined, false],
    // not so far from the beginning that it may quote the prompt
    [`400 ${"x".repeat(600)} temperature: no`, undefined, false],
    ["400 output_config.effort.level: no", "output_config.effort", false],
    ["400 This model does not support the effort parameter.", "output_config.effort", false],
    ["400 Unsupported parameter: 'reasoning_effort'", "reasoning_effort", false],
    ["400 [{'loc': ('body', 'seed'), 'msg': 'Extra inputs are not permitted'}]", "seed", false],
    ["400 m does not support thinking", "reasoning_effort", false],
    ["400 You are not allowed to request logprobs from this model", "logprobs", false],
    ["400 System role not supported", "system", false],
    ["400 no", undefined, false]
  ])("of %j is %s", (message, parameter, isOut) => {
    assert.deepStrictEqual(refused({ message }), [parameter, isOut])
    // the SDK has the server's own message separately
    assert.deepStrictEqual(refused({ message: "400 status code (no body)", apiMessage: message }), [parameter, isOut])
  })

  it("is the one that the server states, unless it does not support system messages", () => {
    assert.deepStrictEqual(refused({ message: "400 seed: no", param: "stop" }), ["stop", false])
    assert.deepStrictEqual(refused({ message: "400 no", param: "two words" }), [undefined, false])
    assert.deepStrictEqual(refused({ message: "400 system messages are not supported", param: "messages" }), [
      "system",
      false
    ])
    assert.deepStrictEqual(refused({ message: "400 no", param: "stop", code: "array_above_max_length" }), [
      "stop",
      true
    ])
    assert.deepStrictEqual(refused({ status: 404, message: "404 model: house-9" }), ["model", false])
  })
})
