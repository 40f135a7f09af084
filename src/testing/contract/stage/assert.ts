/** Assertions for the tests of contracts. A failure says what was expected. */
import nodeAssert from "node:assert/strict"
import { inspect, isDeepStrictEqual } from "node:util"

const check = (holds: boolean, what: string, message: string | undefined): void => {
  if (!holds) throw new nodeAssert.AssertionError({ message: message === undefined ? what : `${message}: ${what}` })
}

/** A message as the last argument, if there is one. */
const optional = (message: string | undefined): [] | [Error] =>
  message === undefined ? [] : [new nodeAssert.AssertionError({ message })]

const said = (value: unknown): string => inspect(value)

/** Whether both lists have the same values, in any order. */
const sameMembers = (actual: ReadonlyArray<unknown>, expected: ReadonlyArray<unknown>): boolean => {
  const left = [...expected]
  for (const value of actual) {
    const index = left.indexOf(value)
    if (index < 0) return false
    left.splice(index, 1)
  }
  return left.length === 0
}

/** Whether a value has more parts than a message can show. */
const isLarge = (value: unknown): boolean => {
  let left = 1000
  const isOver = (part: unknown): boolean =>
    --left < 0 || (typeof part === "object" && part !== null && Object.values(part).some(isOver))
  return isOver(value)
}

/** The first field or item in which two values differ. */
const firstDifference = (actual: unknown, expected: unknown): readonly [string, unknown, unknown] | undefined => {
  if (typeof actual !== "object" || typeof expected !== "object" || actual === null || expected === null)
    return undefined
  const [left, right]: ReadonlyArray<Readonly<Record<string, unknown>>> = [{ ...actual }, { ...expected }]
  const key = Object.keys({ ...left, ...right }).find((key) => !isDeepStrictEqual(left?.[key], right?.[key]))
  return key === undefined ? undefined : [key, left?.[key], right?.[key]]
}

/**
 * Fails if two values differ. Of large values the message has the first part that differs, as Node's own compares all lines of
 * both, which takes minutes and gigabytes for thousands of rows.
 */
const sameValues = (actual: unknown, expected: unknown, message?: string): void => {
  if (isDeepStrictEqual(actual, expected)) return
  if (message === undefined && (isLarge(actual) || isLarge(expected))) {
    const [key, left, right] = firstDifference(actual, expected) ?? []
    if (key === undefined) return check(false, "large values are not of the same kind", message)
    if (isLarge(left) || isLarge(right)) return sameValues(left, right)
    return check(false, `${said(left)} is not ${said(right)}`, `at ${key}`)
  }
  nodeAssert.deepStrictEqual(actual, expected, ...optional(message))
}

export const assert = {
  fail: (message: string): never => {
    throw new nodeAssert.AssertionError({ message })
  },
  strictEqual: (actual: unknown, expected: unknown, message?: string): void =>
    message === undefined
      ? nodeAssert.strictEqual(actual, expected)
      : check(Object.is(actual, expected), `${said(actual)} is not ${said(expected)}`, message),
  deepStrictEqual: sameValues,
  isTrue: (value: unknown, message?: string): void => nodeAssert.strictEqual(value, true, ...optional(message)),
  isFalse: (value: unknown, message?: string): void => nodeAssert.strictEqual(value, false, ...optional(message)),
  isUndefined: (value: unknown, message?: string): void =>
    nodeAssert.strictEqual(value, undefined, ...optional(message)),
  isDefined: (value: unknown, message?: string): void =>
    nodeAssert.notStrictEqual(value, undefined, ...optional(message)),
  isAbove: (value: number, bound: number, message?: string): void =>
    check(value > bound, `${value} is not above ${bound}`, message),
  isAtLeast: (value: number, bound: number, message?: string): void =>
    check(value >= bound, `${value} is less than ${bound}`, message),
  isAtMost: (value: number, bound: number, message?: string): void =>
    check(value <= bound, `${value} is more than ${bound}`, message),
  isBelow: (value: number, bound: number, message?: string): void =>
    check(value < bound, `${value} is not below ${bound}`, message),
  approximately: (value: number, expected: number, delta: number, message?: string): void =>
    check(Math.abs(value - expected) <= delta, `${value} is not within ${delta} of ${expected}`, message),
  include: (whole: string | ReadonlyArray<string>, part: string | undefined, message?: string): void =>
    check(part !== undefined && whole.includes(part), `${said(whole)} does not hold ${said(part)}`, message),
  notInclude: (whole: string | ReadonlyArray<string>, part: string | undefined, message?: string): void =>
    check(part === undefined || !whole.includes(part), `${said(whole)} holds ${said(part)}`, message),
  sameMembers: (actual: ReadonlyArray<unknown>, expected: ReadonlyArray<unknown>, message?: string): void =>
    check(sameMembers(actual, expected), `${said(actual)} has not the members of ${said(expected)}`, message)
}
