/** The pipeline as a graph, with the way that the run took. */
import type { ComponentChildren } from "preact"
import type { OutlineNode, RunRecord, StepRecord } from "../../src/report/model.ts"
import { Section, useShared } from "./parts.tsx"
import { shown } from "./words.ts"

/** Kinds whose children are alternatives, or run beside each other. Any other kind runs them one after the other. */
const beside = new Set(["concurrent", "race", "contest", "switch", "discern", "fallback", "converge"])

/** Kinds that have no frame: their children stand in their place. */
const inline = new Set(["andThen"])

type State = "taken" | "running" | "failed" | "waiting" | "skipped"

interface Placed {
  readonly node: OutlineNode
  readonly x: number
  readonly y: number
  readonly width: number
  readonly height: number
  readonly state: State
  readonly steps: ReadonlyArray<StepRecord>
}

interface Edge {
  readonly from: readonly [number, number]
  readonly to: readonly [number, number]
  readonly isTaken: boolean
  /** Whether it ends at the lower edge of a frame, where another one begins. */
  readonly isEnd?: boolean
}

const size = { width: 176, height: 46, gap: 26, pad: 14, title: 26 }

interface Laid {
  readonly width: number
  readonly height: number
  /** Places everything, with the left upper corner at these coordinates, and returns the points where arrows end and begin. */
  readonly place: (x: number, y: number) => { readonly tops: ReadonlyArray<Port>; readonly ends: ReadonlyArray<Port> }
}

interface Port {
  readonly at: readonly [number, number]
  readonly isTaken: boolean
}

/** The steps by path, with those of runs in the background in the place where they were dispatched. */
const byPathOf = (root: OutlineNode, run: RunRecord, runs: ReadonlyArray<RunRecord>) => {
  const byPath = Map.groupBy(run.steps, ({ path }) => path.join("/"))
  const behind = runs.filter(({ parent }) => parent?.relation === "background" && parent.runId === run.id)
  const add = ({ children, kind, path }: OutlineNode): void => {
    for (const child of children) {
      if (kind === "scaffold") {
        for (const { steps } of behind.filter(({ pipeline }) => pipeline === child.name)) {
          for (const step of steps) {
            const place = [path, ...step.path].join("/")
            byPath.set(place, [...(byPath.get(place) ?? []), step])
          }
        }
      }
      add(child)
    }
  }
  add(root)
  return byPath
}

const layOut = (root: OutlineNode, run: RunRecord, runs: ReadonlyArray<RunRecord>) => {
  const boxes: Array<Placed> = []
  const frames: Array<Placed> = []
  const edges: Array<Edge> = []
  const byPath = byPathOf(root, run, runs)

  const stepsOf = (node: OutlineNode): ReadonlyArray<StepRecord> => byPath.get(node.path) ?? []
  const stateOf = (node: OutlineNode): State => {
    const steps = stepsOf(node)
    if (steps.length === 0)
      return inline.has(node.kind) && node.children.some((child) => stateOf(child) !== "skipped") ? "taken" : "skipped"
    const last = steps.at(-1)?.outcome
    // a step that leaves out what is inside it completes as well
    if (
      node.children.length > 0 &&
      last === "completed" &&
      node.children.every((child) => stateOf(child) === "skipped")
    )
      return "skipped"
    return last === "failed" ? "failed" : last === "waiting" || last === "running" ? last : "taken"
  }

  const connect = (ends: ReadonlyArray<Port>, tops: ReadonlyArray<Port>): void => {
    for (const end of ends)
      for (const top of tops) edges.push({ from: end.at, to: top.at, isTaken: end.isTaken && top.isTaken })
  }

  const column = (nodes: ReadonlyArray<OutlineNode>): Laid => {
    const all = nodes.map(measure)
    const width = Math.max(size.width, ...all.map((one) => one.width))
    const height = all.reduce((sum, one) => sum + one.height, 0) + size.gap * Math.max(0, all.length - 1)
    return {
      width,
      height,
      place: (x, y) => {
        let top = y
        let ends: ReadonlyArray<Port> = []
        let tops: ReadonlyArray<Port> = []
        for (const [at, one] of all.entries()) {
          const placed = one.place(x + (width - one.width) / 2, top)
          if (at === 0) tops = placed.tops
          else connect(ends, placed.tops)
          // the way goes past what was left out
          const passed = placed.ends.every(({ isTaken }) => !isTaken) && ends.some(({ isTaken }) => isTaken)
          ends = passed
            ? placed.ends.map((end) => ({ ...end, isTaken: ends.some(({ isTaken }) => isTaken) }))
            : placed.ends
          top += one.height + size.gap
        }
        return { tops, ends }
      }
    }
  }

  const row = (nodes: ReadonlyArray<OutlineNode>): Laid => {
    const all = nodes.map(measure)
    const width = all.reduce((sum, one) => sum + one.width, 0) + size.gap * Math.max(0, all.length - 1)
    const height = Math.max(...all.map((one) => one.height))
    return {
      width,
      height,
      place: (x, y) => {
        let left = x
        const placed = all.map((one) => {
          const result = one.place(left, y)
          left += one.width + size.gap
          return result
        })
        return { tops: placed.flatMap(({ tops }) => tops), ends: placed.flatMap(({ ends }) => ends) }
      }
    }
  }

  const measure = (node: OutlineNode): Laid => {
    if (inline.has(node.kind)) return column(node.children)
    if (node.children.length === 0) {
      return {
        width: size.width,
        height: size.height,
        place: (x, y) => {
          const state = stateOf(node)
          boxes.push({ node, x, y, width: size.width, height: size.height, state, steps: stepsOf(node) })
          const isTaken = state !== "skipped"
          return {
            tops: [{ at: [x + size.width / 2, y], isTaken }],
            ends: [{ at: [x + size.width / 2, y + size.height], isTaken }]
          }
        }
      }
    }
    const inside = beside.has(node.kind) ? row(node.children) : column(node.children)
    const width = inside.width + 2 * size.pad
    const height = inside.height + size.title + 2 * size.pad
    return {
      width,
      height,
      place: (x, y) => {
        const state = stateOf(node)
        frames.push({ node, x, y, width, height, state, steps: stepsOf(node) })
        const { ends, tops } = inside.place(x + size.pad, y + size.title + size.pad)
        const isTaken = state !== "skipped"
        // within the frame the arrows begin at its edge
        for (const top of tops)
          edges.push({ from: [top.at[0], y + size.title], to: top.at, isTaken: isTaken && top.isTaken })
        for (const end of ends)
          edges.push({ from: end.at, to: [end.at[0], y + height], isTaken: isTaken && end.isTaken, isEnd: true })
        const middle = x + width / 2
        return { tops: [{ at: [middle, y], isTaken }], ends: [{ at: [middle, y + height], isTaken }] }
      }
    }
  }

  const laid = measure(root)
  laid.place(1, 1)
  return { boxes, edges, frames, width: laid.width + 2, height: laid.height + 2 }
}

const words = { taken: "ran", running: "running", failed: "failed", waiting: "waits", skipped: "not taken" } as const

const Node = ({ isFrame, placed }: { readonly placed: Placed; readonly isFrame: boolean }): ComponentChildren => {
  const { open, view } = useShared()
  const { height, node, state, steps, width, x, y } = placed
  // a step of a run in the background is shown with that run
  const last = steps.findLast((step) => view.run?.steps.includes(step))
  const place = { left: `${x}px`, top: `${y}px`, width: `${width}px`, height: `${isFrame ? size.title : height}px` }
  const content = (
    <>
      <b>{shown(node.name)}</b>
      <span>
        {shown(node.kind)}
        {steps.length > 1 ? ` ×${steps.length}` : ""}
        <i class="hidden">, {words[state]}</i>
      </span>
    </>
  )
  return last === undefined ? (
    <div class={`node ${isFrame ? "title" : "box"} ${state}`} style={place} title={shown(node.asks ?? node.name)}>
      {content}
    </div>
  ) : (
    <button
      type="button"
      data-item
      class={`node ${isFrame ? "title" : "box"} ${state}`}
      style={place}
      onClick={() => open({ _tag: "step", frame: last.frame })}
    >
      {content}
    </button>
  )
}

const curve = ({ from: [x1, y1], to: [x2, y2] }: Edge): string => {
  const bend = (y2 - y1) / 2
  return `M${x1},${y1} C${x1},${y1 + bend} ${x2},${y2 - bend} ${x2},${y2}`
}

export const Graph = () => {
  const { view } = useShared()
  const { run } = view
  if (run?.outline === undefined) return null
  const { boxes, edges, frames, height, width } = layOut(run.outline, run, view.report.runs)
  return (
    <Section
      id="pipeline"
      title="Pipeline"
      lead="The steps of the pipeline, and the way that this run took through them."
    >
      <div class="scroll" tabIndex={0} role="region" aria-label="Graph of the pipeline">
        <div class="graph" style={{ width: `${width}px`, height: `${height}px` }}>
          {frames.map((frame, at) => (
            <div
              key={at}
              class={`frame ${frame.state}`}
              style={{
                left: `${frame.x}px`,
                top: `${frame.y}px`,
                width: `${frame.width}px`,
                height: `${frame.height}px`
              }}
            />
          ))}
          <svg width={width} height={height} aria-hidden="true">
            <defs>
              <marker id="arrow" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="6" markerHeight="6" orient="auto">
                <path d="M0,0.5 L8,4 L0,7.5 z" />
              </marker>
            </defs>
            {edges.map((edge, at) => (
              <path
                key={at}
                d={curve(edge)}
                class={edge.isTaken ? "taken" : "skipped"}
                {...(edge.isTaken && edge.isEnd !== true ? { "marker-end": "url(#arrow)" } : {})}
              />
            ))}
          </svg>
          {[
            ...frames.map((placed) => ({ placed, isFrame: true })),
            ...boxes.map((placed) => ({ placed, isFrame: false }))
          ]
            .toSorted((a, b) => a.placed.y - b.placed.y || a.placed.x - b.placed.x)
            .map(({ isFrame, placed }, at) => (
              <Node key={at} placed={placed} isFrame={isFrame} />
            ))}
        </div>
      </div>
      <p class="legend" aria-hidden="true">
        <span class="swatch taken" /> ran <span class="swatch failed" /> failed <span class="swatch waiting" /> waits{" "}
        <span class="swatch running" /> running <span class="swatch skipped" /> not taken
      </p>
    </Section>
  )
}
