/** Limits the number of failures around a failure. */
import type { Failure } from "../../run/failure.ts"
import { isLeftOut, leftOut } from "../../step/runtime/FailuresLeftOut.ts"

const mostFailures = 100
const mostDepth = 10

/** A failure whose lists are still being filled. */
interface Copy extends Failure {
  readonly before: Array<Failure>
  readonly beside: Array<Failure>
}

/**
 * The failure with at most 100 others before and beside it, nested ones included: the nearest first, and at most
 * `inList` in one list. An entry has the number of failures left out of each list.
 */
export const bounded = (failure: Failure, inList = Infinity): Failure => {
  let left = mostFailures
  const whole = copy(failure)
  // grows during the iteration, so that each level is complete before the next
  const levels = [{ from: failure, to: whole, depth: 0 }]
  for (const { depth, from, to } of levels) {
    const most = depth < mostDepth ? inList : 0
    for (const side of ["before", "beside"] as const) {
      const all = from[side]
      const entries = all.map(copy)
      let end = 0
      for (let listed = 0; end < all.length; end++) {
        const [one, entry] = [all[end], entries[end]]
        if (one === undefined || entry === undefined) break
        if (isLeftOut(one)) continue
        if (left === 0 || listed === most) break
        left--
        listed++
        levels.push({ from: one, to: entry, depth: depth + 1 })
      }
      // avoids two such entries in a row
      const last = all[end - 1]
      if (end < all.length && last !== undefined && isLeftOut(last)) end--
      to[side].push(...entries.slice(0, end))
      if (end < all.length) to[side].push(leftOut([], all.slice(end)))
    }
  }
  return whole
}

const copy = ({ cause, durationMillis, path }: Failure): Copy => ({
  path,
  cause,
  durationMillis,
  before: [],
  beside: []
})
