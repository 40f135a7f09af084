/** Small parts that the sections share. */
import { type ComponentChildren, createContext } from "preact"
import { useContext } from "preact/hooks"
import type { NoteReport } from "../../src/report/model.ts"
import type { Target, View } from "./model.ts"
import { partsOf } from "./exchanges.ts"
import { percent, shown } from "./words.ts"

/** What every section can reach: the view, and how to open something at the side. */
export interface Shared {
  readonly view: View
  readonly open: (target: Target) => void
}

const SharedContext = createContext<Shared | undefined>(undefined)
export const SharedProvider = SharedContext.Provider
export const useShared = (): Shared => {
  const shared = useContext(SharedContext)
  if (shared === undefined) throw new Error("A section is outside the page.")
  return shared
}

export const Section = ({
  children,
  id,
  lead,
  title
}: {
  readonly id: string
  readonly title: string
  readonly lead?: ComponentChildren
  readonly children: ComponentChildren
}) => (
  <section id={id} aria-labelledby={`${id}-title`}>
    <h2 id={`${id}-title`}>{title}</h2>
    {lead === undefined ? null : <p class="lead">{lead}</p>}
    {children}
  </section>
)

export const Pill = ({ children, tone }: { readonly tone: string; readonly children: ComponentChildren }) => (
  <span class={`pill ${tone}`}>{children}</span>
)

/** A note by its key; opens it. */
const NoteLink = ({ isNew = false, note }: { readonly note: NoteReport; readonly isNew?: boolean }) => {
  const { open } = useShared()
  return (
    <button type="button" class={`note-link${isNew ? " new" : ""}`} onClick={() => open({ _tag: "note", id: note.id })}>
      {shown(note.key)}
    </button>
  )
}

export const NoteLinks = ({
  isNew = false,
  notes
}: {
  readonly notes: ReadonlyArray<NoteReport>
  readonly isNew?: boolean
}) => (
  <span class="note-links">
    {notes.map((note) => (
      <NoteLink key={note.id} note={note} isNew={isNew} />
    ))}
  </span>
)

/** The text of a message. Notes in it stand in frames of their own. */
export const MessageText = ({ text }: { readonly text: string }) => (
  <div class="message-text">
    {partsOf(text).map((part, at) =>
      part._tag === "text" ? (
        <pre key={at}>{shown(part.text)}</pre>
      ) : (
        <div key={at} class="quoted">
          <span class="quoted-key">{shown(part.key)}</span>
          <pre>{shown(part.text)}</pre>
        </div>
      )
    )}
  </div>
)

/** Shares as bars, the largest first. */
export const Shares = ({
  limit = 6,
  shares
}: {
  readonly shares: ReadonlyArray<readonly [string, number]>
  readonly limit?: number
}) => (
  <ul class="shares">
    {shares.slice(0, limit).map(([label, share], at) => (
      <li key={label} class={at === 0 ? "first" : ""}>
        <span class="share-label">{shown(label)}</span>
        <span class="share-track" aria-hidden="true">
          <span style={{ width: `${Math.max(0, Math.min(1, share)) * 100}%` }} />
        </span>
        <span class="share-value">{percent(share)}</span>
      </li>
    ))}
    {shares.length > limit ? <li class="more">and {shares.length - limit} more</li> : null}
  </ul>
)

/** A marked text: the words that a search looks for. */
export const Marked = ({ text, words }: { readonly text: string; readonly words: ReadonlyArray<string> }) => {
  if (words.length === 0) return <>{text}</>
  const lower = text.toLowerCase()
  // a few characters change their length in lower case; then nothing is marked
  if (lower.length !== text.length) return <>{text}</>
  const parts: Array<ComponentChildren> = []
  let from = 0
  while (from < text.length) {
    let [at, size] = [-1, 0]
    for (const word of words) {
      const found = lower.indexOf(word, from)
      if (found !== -1 && (at === -1 || found < at)) [at, size] = [found, word.length]
    }
    if (at === -1) break
    parts.push(text.slice(from, at), <mark key={at}>{text.slice(at, at + size)}</mark>)
    from = at + size
  }
  return (
    <>
      {parts}
      {text.slice(from)}
    </>
  )
}
