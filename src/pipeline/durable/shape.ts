/** The recorded form of a pipeline, used to detect changes. */
import * as Effect from "effect/Effect"
import { canonicalJson } from "../../schema/canonicalJson.ts"
import type * as Step from "../../step/runtime/model.ts"
import { statedIn } from "../../step/runtime/stated.ts"
import type { PipelineShape } from "../../run/journal.ts"
import { cut } from "../../text/legible.ts"
import { fingerprint } from "../draw/fingerprint.ts"
import { line } from "../draw/outline.ts"
import { steps } from "../draw/steps.ts"
import { PipelineChanged } from "./errors.ts"

/** A step: its path, its line in the outline, and its node as JSON. */
type Line = readonly [path: string, text: string, fields: string]

const linesOf = (step: Step.Any): ReadonlyArray<Line> =>
  Array.from(steps(step), ({ node, path }): Line => {
    const { afterCommit: _, children, layout: _layout, leaves: _leaves, transparent: _transparent, ...own } = node
    const schema = statedIn(node)
    const fields = { ...own, ...(schema === undefined ? {} : { schema }), children: children.map(({ name }) => name) }
    return [path.join("/"), line(node), canonicalJson(fields)]
  })

const known = new WeakMap<Step.Node, PipelineShape>()

export const shapeOf = (step: Step.Any): Effect.Effect<PipelineShape> =>
  Effect.suspend(() => {
    const shape = known.get(step.node)
    if (shape !== undefined) return Effect.succeed(shape)
    return Effect.map(fingerprint(step), (hash) => {
      const made = { pipeline: step.name, fingerprint: hash, outline: JSON.stringify(linesOf(step)) }
      known.set(step.node, made)
      return made
    })
  })

/** How a step differs from another one with the same line in the outline. */
const differing = (fields: string, others: string): string => {
  const [own, other] = [JSON.parse(fields), JSON.parse(others)] as ReadonlyArray<Readonly<Record<string, unknown>>>
  const names = Object.keys({ ...own, ...other }).filter(
    (name) => canonicalJson(own?.[name]) !== canonicalJson(other?.[name])
  )
  return names.map((name) => `${name} ${cut(canonicalJson(own?.[name]) ?? "none", mostText)}`).join(", ")
}

/** In code points. */
const mostText = 200

/** The first difference between the recorded pipeline of a run and this one, or undefined if they are equal. */
export const changed = (
  runId: string,
  before: PipelineShape,
  step: Step.Any
): Effect.Effect<PipelineChanged | undefined> =>
  Effect.map(shapeOf(step), (now) => {
    if (before.fingerprint === now.fingerprint) return undefined
    const old = JSON.parse(before.outline) as ReadonlyArray<Line>
    const after = JSON.parse(now.outline) as ReadonlyArray<Line>
    const isSame = (i: number) => old[i]?.[0] === after[i]?.[0] && old[i]?.[2] === after[i]?.[2]
    // a connector differs if what is inside it does: the steps inside say more
    const places = Array.from({ length: Math.max(old.length, after.length) }, (_, i) => i).filter((i) => !isSame(i))
    const isAround = (i: number, other: number) => isWithin(old[i], old[other]) || isWithin(after[i], after[other])
    const at = places.find((i) => !places.some((other) => other > i && isAround(i, other))) ?? 0
    const [was, is] = [old[at], after[at]]
    const nothing = "no such step"
    const [frame = before.pipeline] = is ?? was ?? []
    const isSameLine = was !== undefined && is !== undefined && was[1] === is[1] && was[0] === is[0]
    return new PipelineChanged({
      runId,
      frame,
      before: isSameLine ? differing(was[2], is[2]) : (was?.[1] ?? nothing),
      now: isSameLine ? differing(is[2], was[2]) : (is?.[1] ?? nothing)
    })
  })

const isWithin = (outer: Line | undefined, inner: Line | undefined): boolean =>
  outer !== undefined && inner?.[0].startsWith(`${outer[0]}/`) === true

/** The kinds of the steps of a recorded pipeline. */
export const kindsIn = ({ outline }: Pick<PipelineShape, "outline">): ReadonlySet<unknown> =>
  new Set((JSON.parse(outline) as ReadonlyArray<Line>).map(([, , fields]) => (JSON.parse(fields) as Step.Node).kind))
