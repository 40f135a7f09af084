/** Calls and results, typed by the tools of an agent. */
import type * as Tool from "effect/ai/Tool"

/**
 * A call, typed by the tools: the name tells which parameters it has.
 *
 * @category models
 */
export type Called<Tools extends Record<string, Tool.Any>> = {
  readonly [N in keyof Tools & string]: {
    readonly id: string
    readonly name: N
    readonly params: Tool.Parameters<Tools[N]>
  }
}[keyof Tools & string]

/**
 * The result of a call, typed by the tools.
 *
 * @category models
 */
export type Returned<Tools extends Record<string, Tool.Any>> = {
  readonly [N in keyof Tools & string]: {
    readonly id: string
    readonly name: N
    readonly result: Tool.Success<Tools[N]>
  }
}[keyof Tools & string]
