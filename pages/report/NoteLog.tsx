/** All notes, with a search. Only the rows in sight are in the document, so that ten thousand notes are no burden. */
import { useEffect, useMemo, useRef, useState } from "preact/hooks"
import type { NoteReport } from "../../src/report/model.ts"
import { answerOf, laidOut } from "../../src/text/answer.ts"
import { Marked, Section, useShared } from "./parts.tsx"
import { clock, counted, moment, number, short, shown } from "./words.ts"

const rowHeight = 58
const around = 8

interface Indexed {
  readonly note: NoteReport
  readonly lower: string
}

/** The lower-case text of each note, made once. */
const indexOf = (notes: ReadonlyArray<NoteReport>): ReadonlyArray<Indexed> =>
  notes.map((note) => ({
    note,
    lower: `${note.key}\n${note.source}\n${note.step}\n${note.content}`.toLowerCase()
  }))

/** The part of a text around the first word that is found. */
const excerpt = (text: string, words: ReadonlyArray<string>): string => {
  const lower = text.toLowerCase()
  const at = words.map((word) => lower.indexOf(word)).filter((at) => at > 60)
  return at.length === 0 || lower.length !== text.length
    ? text.slice(0, 600)
    : `…${text.slice(Math.min(...at) - 40, Math.min(...at) + 400)}`
}

const RowView = ({
  at,
  count,
  note,
  words
}: {
  readonly note: NoteReport
  readonly at: number
  readonly count: number
  readonly words: ReadonlyArray<string>
}) => {
  const { open } = useShared()
  const text = words.length === 0 ? answerOf(note).headline : short(shown(excerpt(note.content, words)), 200)
  return (
    <li class="note-row" style={{ top: `${at * rowHeight}px` }} aria-setsize={count} aria-posinset={at + 1}>
      <button type="button" data-item data-note={note.id} onClick={() => open({ _tag: "note", id: note.id })}>
        <span class="seq">{note.seq}</span>
        <span class="note-main">
          <span class="note-line">
            <b>
              <Marked text={shown(note.key)} words={words} />
            </b>
            <span class="kind">{shown(note.source)}</span>
            {note.trust === "trusted" ? <span class="badge quiet">trusted</span> : null}
            {note.redactedMillis === undefined ? null : <span class="badge warn">redacted</span>}
          </span>
          <span class="note-text">
            <Marked text={note.redactedMillis === undefined ? text : "The text was removed."} words={words} />
          </span>
        </span>
        <span class="cell">{clock(note.createdMillis)}</span>
      </button>
    </li>
  )
}

/** Every note whole, for paper. */
const Printed = ({ notes }: { readonly notes: ReadonlyArray<NoteReport> }) => (
  <ol class="printed">
    {notes.map((note) => (
      <li key={note.id}>
        <p>
          <b>
            {note.seq} {shown(note.key)}
          </b>{" "}
          {shown(note.source)} · {shown(note.step)} · {note.trust} · {moment(note.createdMillis)}
        </p>
        <pre>{note.redactedMillis === undefined ? shown(laidOut(note.content)) : "redacted"}</pre>
      </li>
    ))}
  </ol>
)

export const NoteLog = ({ isPrinting }: { readonly isPrinting: boolean }) => {
  const { view } = useShared()
  const [query, setQuery] = useState("")
  const [top, setTop] = useState(0)
  const [height, setHeight] = useState(520)
  const box = useRef<HTMLDivElement>(null)
  const index = useMemo(() => indexOf(view.notes), [view])
  const words = useMemo(
    () =>
      query
        .toLowerCase()
        .split(/\s+/)
        .filter((word) => word !== ""),
    [query]
  )
  const found = useMemo(
    () => (words.length === 0 ? index : index.filter(({ lower }) => words.every((word) => lower.includes(word)))),
    [index, words]
  )
  useEffect(() => {
    if (box.current !== null) setHeight(box.current.clientHeight)
  }, [])
  const first = Math.max(0, Math.floor(top / rowHeight) - around)
  const last = Math.min(found.length, Math.ceil((top + height) / rowHeight) + around)
  return (
    <Section id="notes" title="Notes">
      <div class="search">
        <label for="search">Search the notes</label>
        <input
          id="search"
          type="search"
          placeholder="Key, source, step or text"
          autocomplete="off"
          spellcheck={false}
          value={query}
          onInput={(event) => {
            setQuery(event.currentTarget.value)
            setTop(0)
            if (box.current !== null) box.current.scrollTop = 0
          }}
        />
        <span class="found" role="status">
          {words.length === 0
            ? counted(index.length, "note")
            : `${number(found.length)} of ${counted(index.length, "note")}`}
        </span>
      </div>
      {isPrinting ? (
        <Printed notes={found.map(({ note }) => note)} />
      ) : (
        <div
          class="note-list"
          ref={box}
          tabIndex={0}
          role="region"
          aria-label="List of notes"
          style={{ height: `${Math.min(520, Math.max(1, found.length) * rowHeight + 2)}px` }}
          onScroll={(event) => setTop(event.currentTarget.scrollTop)}
        >
          {found.length === 0 ? <p class="hint none">No note has all of these words.</p> : null}
          <ol style={{ height: `${found.length * rowHeight}px` }}>
            {found.slice(first, last).map(({ note }, at) => (
              <RowView key={note.id} note={note} at={first + at} count={found.length} words={words} />
            ))}
          </ol>
        </div>
      )}
    </Section>
  )
}
