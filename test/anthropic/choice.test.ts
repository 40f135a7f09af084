/** What calls say of the tools that a model may or must call. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import type { Request } from "cogito/Provider"
import { tools } from "../calls/asking.ts"
import { message, reply, request, succeed } from "./server.ts"

const named = { tool: "weather" }
const cases: ReadonlyArray<readonly [string, Pick<Request, "toolChoice" | "parallelCalls">, object | undefined]> = [
  ["nothing", {}, undefined],
  ["that one may be called", { toolChoice: "auto" }, undefined],
  ["that several may be called at a time", { parallelCalls: true }, undefined],
  ["one at a time", { parallelCalls: false }, { type: "auto", disable_parallel_tool_use: true }],
  ["that one must be called", { toolChoice: "required" }, { type: "any" }],
  ["that several must be called", { toolChoice: "required", parallelCalls: true }, { type: "any" }],
  [
    "that one must be called, and no more",
    { toolChoice: "required", parallelCalls: false },
    { type: "any", disable_parallel_tool_use: true }
  ],
  ["that this one must be called", { toolChoice: named }, { type: "tool", name: "weather" }],
  [
    "that this one must be called, once",
    { toolChoice: named, parallelCalls: false },
    { type: "tool", name: "weather", disable_parallel_tool_use: true }
  ],
  ["that none may be called", { toolChoice: "none" }, { type: "none" }],
  ["that none may be called, not even one", { toolChoice: "none", parallelCalls: false }, { type: "none" }]
]

const sent = (rest: Partial<Request>) =>
  Effect.map(
    succeed(reply(200, message("Fine.")), {}, request(rest)),
    ({ server }): Readonly<Record<string, unknown>> => server.recorded[0]?.body ?? {}
  )

describe("a choice of tools", () => {
  it.effect.each(cases)("says %s", ([, choice, expected]) =>
    Effect.gen(function* () {
      const body = yield* sent({ tools, ...choice })
      assert.deepStrictEqual(body["tool_choice"], expected)
      assert.isDefined(body["tools"])
    })
  )

  it.effect("says nothing where there are no tools", () =>
    Effect.gen(function* () {
      for (const choice of [{}, { parallelCalls: false }, { toolChoice: "none" }] as const) {
        const body = yield* sent({ tools: [], ...choice })
        assert.notProperty(body, "tool_choice")
        assert.notProperty(body, "tools")
      }
    })
  )
})
