/** A list of sources that are in other thoughts, with the commands for their reports. */
import type { NoteReport } from "../../src/report/model.ts"
import { foreignOf } from "./sources.ts"
import { useShared } from "./parts.tsx"
import { counted, short, shown } from "./words.ts"

const most = 20

export const ForeignSources = ({ notes }: { readonly notes: ReadonlyArray<NoteReport> }) => {
  const { view } = useShared()
  const { named, others } = foreignOf(view, notes)
  if (named.length === 0 && others === 0) return null
  return (
    <div class="foreign">
      {named.length === 0 ? null : (
        <>
          <p class="hint">
            {counted(named.length, "source")} in thoughts that are not in this report. The commands, with the options
            that name the memory, write their reports:
          </p>
          <ul>
            {named.slice(0, most).map(({ content, key, noteId, thoughtId }) => (
              <li key={noteId}>
                <b>{shown(key)}</b> {shown(short(content, 120))}
                <code>npx cogito report {shown(thoughtId)} --out source.html</code>
              </li>
            ))}
          </ul>
          {named.length > most ? <p class="hint">and {named.length - most} more</p> : null}
        </>
      )}
      {others === 0 ? null : (
        <p class="hint">
          {counted(others, named.length === 0 ? "source" : "other source")} in thoughts that are not in this report, and
          that no search in it names: <code>npx cogito memory search</code> finds a note and its thought by its text.
        </p>
      )}
    </div>
  )
}
