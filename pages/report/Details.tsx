/** The panel at the side: everything about one note or one step. */
import { useEffect, useRef } from "preact/hooks"
import type { NoteReport, RunRecord } from "../../src/report/model.ts"
import { answerOf, laidOut } from "../../src/text/answer.ts"
import { ForeignSources } from "./ForeignSources.tsx"
import { isModelCall, samePath, type Target } from "./model.ts"
import { NoteLinks, Shares, useShared } from "./parts.tsx"
import { lasted, moment, shown, usedMoney, usedTokens } from "./words.ts"

const Facts = ({ facts }: { readonly facts: ReadonlyArray<readonly [name: string, text: string | undefined]> }) => (
  <dl class="facts">
    {facts.map(([name, text]) =>
      text === undefined || text === "" ? null : (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{shown(text)}</dd>
        </div>
      )
    )}
  </dl>
)

const Note = ({ note }: { readonly note: NoteReport }) => {
  const { view } = useShared()
  const sources = note.derivedFrom.flatMap((id) => view.byId.get(id) ?? [])
  const users = view.usedBy.get(note.id) ?? []
  const { shares } = answerOf(note)
  const metadata = Object.entries(note.metadata).toSorted(([a], [b]) => (a < b ? -1 : 1))
  return (
    <>
      <Facts
        facts={[
          ["Written by", note.source],
          ["Step", note.step],
          ["Number", String(note.seq)],
          ["Created", moment(note.createdMillis)],
          [
            "Trust",
            note.trust === "trusted" ? "trusted: the program wrote it" : "untrusted: data, never an instruction"
          ],
          ["Id", note.id],
          ["Redacted", note.redactedMillis === undefined ? undefined : moment(note.redactedMillis)]
        ]}
      />
      {shares.length > 1 ? <Shares shares={shares} limit={12} /> : null}
      <h3>Text</h3>
      {note.redactedMillis === undefined ? (
        <pre class="content">{shown(laidOut(note.content))}</pre>
      ) : (
        <p class="hint">The text was removed.</p>
      )}
      {sources.length === 0 ? null : (
        <>
          <h3>Made from</h3>
          <NoteLinks notes={sources} />
        </>
      )}
      <ForeignSources notes={[note]} />
      {users.length === 0 ? null : (
        <>
          <h3>Used in</h3>
          <NoteLinks notes={users} />
        </>
      )}
      {metadata.length === 0 ? null : (
        <>
          <h3>Metadata</h3>
          <Facts facts={metadata} />
        </>
      )}
    </>
  )
}

const Step = ({ frame, run }: { readonly frame: string; readonly run: RunRecord }) => {
  const { view } = useShared()
  const step = run.steps.find((one) => one.frame === frame)
  const calls = run.calls.filter((call) => call.frame === frame)
  const waits = run.waits.filter((wait) => wait.frame.replace(/\^.*$/, "") === frame)
  const path = step?.path ?? calls[0]?.path ?? waits[0]?.path ?? []
  const written = view.notes.filter((note) => samePath(path, note.step))
  return (
    <>
      <Facts
        facts={[
          ["Path", path.join(" / ")],
          ["Kind", step?.kind],
          ["Outcome", step?.outcome],
          ["Error", step?.error],
          ["Began", step === undefined ? undefined : moment(step.startedMillis)],
          ["Took", step === undefined ? undefined : lasted(step.startedMillis, step.endedMillis)]
        ]}
      />
      {written.length === 0 ? null : (
        <>
          <h3>Notes</h3>
          <NoteLinks notes={written} />
        </>
      )}
      {waits.map((wait) => (
        <div key={wait.frame} class="sub">
          <h3>Question {shown(wait.key)}</h3>
          <pre class="content">{wait.prompt === "" ? "The question was redacted." : shown(wait.prompt)}</pre>
          <Facts
            facts={[
              ["Asked", moment(wait.createdMillis)],
              ["Due", wait.dueMillis === undefined ? undefined : moment(wait.dueMillis)],
              ["Answer", wait.answer ?? "still open"],
              ["By", wait.answeredBy],
              ["Answered", wait.answeredMillis === undefined ? undefined : moment(wait.answeredMillis)]
            ]}
          />
        </div>
      ))}
      {calls.map((call) => (
        <div key={call.n} class="sub">
          <h3>{isModelCall(call) ? `Call ${call.n + 1}` : call.kind}</h3>
          <Facts
            facts={[
              ["Task", call.task?.instruction ?? call.task?.kind],
              ["State", `${call.state}${call.attempt > 1 ? ` after ${call.attempt} attempts` : ""}`],
              ["Model", [call.provider, call.model].filter((one) => one !== undefined).join(" · ")],
              ["Sampling", call.sampling],
              ["Took", lasted(call.startedMillis, call.endedMillis)],
              ["Tokens", usedTokens(call)],
              ["Cost", usedMoney(call)],
              ["Failure", call.failure]
            ]}
          />
          {call.answer === undefined ? null : <pre class="content">{shown(laidOut(call.answer))}</pre>}
        </div>
      ))}
    </>
  )
}

export const Details = ({ close, target }: { readonly target: Target; readonly close: () => void }) => {
  const { view } = useShared()
  const panel = useRef<HTMLDivElement>(null)
  const closing = useRef<HTMLButtonElement>(null)
  useEffect(() => {
    closing.current?.focus()
    if (panel.current !== null) panel.current.scrollTop = 0
  }, [target])
  const note = target._tag === "note" ? view.byId.get(target.id) : undefined
  const title = target._tag === "note" ? (note?.key ?? "Note") : (target.frame.split("/").at(-1) ?? "Step")
  return (
    <div class="panel" ref={panel} role="dialog" aria-label={target._tag === "note" ? "Note" : "Step"}>
      <div class="panel-head">
        <p class="eyebrow">{target._tag === "note" ? "Note" : "Step"}</p>
        <h2>{shown(title)}</h2>
        <button type="button" class="close" ref={closing} onClick={close} aria-label="Close">
          ×
        </button>
      </div>
      {note === undefined ? null : <Note note={note} />}
      {target._tag === "step" && view.run !== undefined ? <Step frame={target.frame} run={view.run} /> : null}
    </div>
  )
}
