/** Which note came of which. */
import { useMemo, useState } from "preact/hooks"
import type { NoteReport } from "../../src/report/model.ts"
import { ForeignSources } from "./ForeignSources.tsx"
import { Section, useShared } from "./parts.tsx"
import { counted, shown } from "./words.ts"

/** How many notes are drawn. */
const most = 80

const size = { width: 130, height: 40, across: 38, down: 14 }

interface Placed {
  readonly note: NoteReport
  readonly x: number
  readonly y: number
}

/** Columns from left to right: a note stands right of all notes that it was made from. */
const columnsOf = (notes: ReadonlyArray<NoteReport>): ReadonlyMap<string, Placed> => {
  const known = new Map<string, NoteReport>(notes.map((note) => [note.id, note]))
  const depths = new Map<string, number>()
  for (const note of notes) {
    const above = note.derivedFrom.filter((id) => known.has(id)).map((id) => depths.get(id) ?? 0)
    depths.set(note.id, above.length === 0 ? 0 : Math.max(...above) + 1)
  }
  const counts = new Map<number, number>()
  return new Map(
    notes.map((note) => {
      const column = depths.get(note.id) ?? 0
      const row = counts.get(column) ?? 0
      counts.set(column, row + 1)
      return [note.id, { note, x: column * (size.width + size.across) + 1, y: row * (size.height + size.down) + 1 }]
    })
  )
}

/** All notes that a note leads to, in one direction. */
const reached = (id: string, next: (id: string) => ReadonlyArray<string>): ReadonlySet<string> => {
  const found = new Set([id])
  const todo = [id]
  for (let one = todo.pop(); one !== undefined; one = todo.pop()) {
    for (const other of next(one)) {
      if (!found.has(other)) {
        found.add(other)
        todo.push(other)
      }
    }
  }
  return found
}

export const Origins = () => {
  const { open, view } = useShared()
  const [pointed, point] = useState<string | undefined>(undefined)
  const linked = view.notes.filter(
    ({ derivedFrom, id }) => derivedFrom.length > 0 || (view.usedBy.get(id)?.length ?? 0) > 0
  )
  const drawn = linked.slice(0, most)
  const placed = useMemo(() => columnsOf(drawn), [view])
  if (drawn.length === 0) return null
  const lit =
    pointed === undefined
      ? undefined
      : new Set([
          ...reached(pointed, (id) => view.byId.get(id)?.derivedFrom ?? []),
          ...reached(pointed, (id) => view.usedBy.get(id)?.map((note) => note.id) ?? [])
        ])
  const all = [...placed.values()]
  const width = Math.max(...all.map(({ x }) => x)) + size.width + 2
  const height = Math.max(...all.map(({ y }) => y)) + size.height + 2
  const edges = all.flatMap((to) =>
    to.note.derivedFrom.flatMap((id) => {
      const from = placed.get(id)
      return from === undefined ? [] : [{ from, to, isLit: lit === undefined || (lit.has(id) && lit.has(to.note.id)) }]
    })
  )
  return (
    <Section
      id="origins"
      title="Which note came of which"
      lead="A note stands to the right of the notes that it was made from. Point at one to see its sources and what was made of it."
    >
      <div class="scroll" tabIndex={0} role="region" aria-label="Graph of the notes">
        <div
          class="graph origins"
          style={{ width: `${width}px`, height: `${height}px` }}
          onMouseLeave={() => point(undefined)}
        >
          <svg width={width} height={height} aria-hidden="true">
            {edges.map(({ from, isLit, to }, at) => {
              const [x1, y1, x2, y2] = [from.x + size.width, from.y + size.height / 2, to.x, to.y + size.height / 2]
              const bend = Math.max(24, (x2 - x1) / 2)
              return (
                <path
                  key={at}
                  d={`M${x1},${y1} C${x1 + bend},${y1} ${x2 - bend},${y2} ${x2},${y2}`}
                  class={isLit ? "taken" : "dim"}
                />
              )
            })}
          </svg>
          {all.map(({ note, x, y }) => (
            <button
              key={note.id}
              type="button"
              data-item
              class={`node box ${lit === undefined || lit.has(note.id) ? "" : "dim"} ${note.trust}`}
              style={{ left: `${x}px`, top: `${y}px`, width: `${size.width}px`, height: `${size.height}px` }}
              onMouseEnter={() => point(note.id)}
              onFocus={() => point(note.id)}
              onBlur={() => point(undefined)}
              onClick={() => open({ _tag: "note", id: note.id })}
            >
              <b>{shown(note.key)}</b>
              <span>
                {shown(note.source)}
                <i class="hidden">, made from {counted(note.derivedFrom.length, "note")}</i>
              </span>
            </button>
          ))}
        </div>
      </div>
      {linked.length > most ? (
        <p class="hint">
          The first {most} of {linked.length} notes. Open any other note to see its sources.
        </p>
      ) : null}
      <ForeignSources notes={drawn} />
    </Section>
  )
}
