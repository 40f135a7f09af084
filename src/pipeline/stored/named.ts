/** Which step `from` of a rerun means. */
import type { StoredRun } from "../../memory/model/Ledger.ts"
import type * as Step from "../../step/runtime/model.ts"
import { quoted } from "../../text/legible.ts"
import { steps } from "../draw/steps.ts"
import { asFirst, firstFrame, framesAround, isNamed, isPassing, nameIn } from "../durable/frame.ts"

/** Whether only a run knows what is inside a step. */
const isOpen = ({ kind, layout }: Step.Node): boolean => layout === "calls" || isPassing(kind)

/**
 * Throws if `from` is neither a step of the pipeline nor a frame of the run. Without the run, throws only if no run could have such a
 * frame.
 */
export const refuseUnknown = (step: Step.Any, from: string, stored?: StoredRun): void => {
  /** Frames of the steps of the pipeline, and whether what is inside them is known only to a run. */
  const known = new Map<string, boolean>()
  const names = new Set<string>()
  for (const { node, path } of steps(step)) {
    const frame = firstFrame(path)
    if (isNamed(frame, from)) return
    names.add(node.name)
    known.set(frame, isOpen(node) || known.get(frame) === true)
  }
  const isAgain = known.has(asFirst(`/${from.replace(/^\//, "")}`))
  if (stored === undefined && (isAgain || [...known.values()].includes(true))) return
  const { calls = [], steps: entered = [], waits = [] } = stored ?? {}
  const frames = new Set([...calls, ...entered, ...waits].flatMap(({ frame }) => framesAround(frame)))
  for (const frame of frames) {
    if (!isStillThere(known, frame)) continue
    if (isNamed(frame, from)) return
    if (!known.has(asFirst(frame))) names.add(nameIn(frame))
  }
  const all = Array.from(names, quoted).join(", ")
  throw new Error(`The pipeline ${quoted(step.name)} has no step ${quoted(from)} for \`from\`: it has ${all}.`)
}

/** Whether the pipeline has the step of a frame, or may have it inside a step that only a run knows. */
const isStillThere = (known: ReadonlyMap<string, boolean>, frame: string): boolean => {
  if (frame === "") return false
  const first = asFirst(frame)
  if (known.has(first)) return true
  const around = framesAround(first).find((one) => known.has(one))
  return around !== undefined && known.get(around) === true
}
