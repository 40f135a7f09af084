/** What each call was sent, with what was new, and what it answered. */
import { decisionsOf, type Exchange, exchangesOf, type Message } from "./exchanges.ts"
import { laidOut } from "../../src/text/answer.ts"
import { MessageText, NoteLinks, Section, Shares, useShared } from "./parts.tsx"
import { counted, lasted, shown, usedMoney, usedTokens } from "./words.ts"

const MessageView = ({ isNew, message }: { readonly message: Message; readonly isNew: boolean }) => (
  <div class={`message ${message.role}${isNew ? " new" : ""}`}>
    <p class="role">
      {message.role}
      {isNew ? <span class="badge">new</span> : null}
      {message.notes.length === 0 ? null : (
        <NoteLinks notes={message.notes} isNew={isNew && message.role !== "assistant"} />
      )}
    </p>
    <MessageText text={message.text} />
  </div>
)

const sourceOf = ({ call, source }: Exchange): string => {
  if (source === "request") return ""
  if (source === "conversation") {
    return call === undefined ? "" : "The run did not keep its requests. These messages are from the conversation."
  }
  return call?.kind === "decide"
    ? "A native decision adds no message to the conversation. It saw the conversation so far and the new notes."
    : "The run did not keep its requests, and the conversation does not have this one."
}

const Reply = ({ exchange: { call, reply } }: { readonly exchange: Exchange }) => {
  if (call?.failure !== undefined) return <p class="failure">{shown(call.failure)}</p>
  if (reply === undefined) return <p class="hint">The answer was not kept.</p>
  const decisions = call?.kind === "decide" && call.answer !== undefined ? decisionsOf(call.answer) : []
  if (decisions.length === 0) return <pre>{shown(laidOut(reply))}</pre>
  return (
    <>
      {decisions.map(({ name, shares }) => (
        <div key={name} class="decision">
          <p class="share-title">{shown(name)}</p>
          <Shares shares={shares.toSorted((a, b) => b[1] - a[1])} />
        </div>
      ))}
    </>
  )
}

const ExchangeView = ({ exchange }: { readonly exchange: Exchange }) => {
  const { before, call, fresh, isRepair, name, newNotes, path } = exchange
  const about = [
    call?.model,
    call === undefined ? undefined : lasted(call.startedMillis, call.endedMillis),
    call === undefined ? undefined : usedTokens(call),
    call === undefined ? undefined : usedMoney(call),
    call?.sampling
  ].filter((text) => text !== undefined && text !== "")
  const source = sourceOf(exchange)
  const shownNotes = new Set([...newNotes, ...[...before, ...fresh].flatMap(({ notes }) => notes)])
  return (
    <details class="card exchange">
      <summary data-item>
        <span class="card-title">{shown(name)}</span>
        {call?.kind === "decide" ? <span class="badge quiet">native decision</span> : null}
        {isRepair ? <span class="badge warn">repair</span> : null}
        {call !== undefined && call.attempt > 1 ? <span class="badge warn">{call.attempt} attempts</span> : null}
        {call !== undefined && call.state !== "answered" ? <span class="badge warn">{call.state}</span> : null}
        <span class={`card-new${newNotes.length === 0 ? " nothing" : ""}`}>
          {counted(shownNotes.size, "note")}, {newNotes.length === 0 ? "nothing" : newNotes.length} new
        </span>
        <span class="card-about">{shown(about.join(" · "))}</span>
      </summary>
      <div class="card-body">
        <p class="crumbs">{shown(path.join(" / "))}</p>
        {newNotes.length === 0 ? null : (
          <p class="new-notes">
            <span>New in view</span> <NoteLinks notes={newNotes} isNew />
          </p>
        )}
        {source === "" ? null : <p class="hint">{source}</p>}
        {before.length === 0 ? null : (
          <details class="before">
            <summary>{counted(before.length, "message")} already in view</summary>
            {before.map((message, at) => (
              <MessageView key={at} message={message} isNew={false} />
            ))}
          </details>
        )}
        {fresh.map((message, at) => (
          <MessageView key={at} message={message} isNew />
        ))}
        <div class="message reply">
          <p class="role">answer</p>
          <Reply exchange={exchange} />
        </div>
      </div>
    </details>
  )
}

export const Calls = () => {
  const { view } = useShared()
  const exchanges = exchangesOf(view)
  return (
    <Section
      id="calls"
      title="What each call was sent"
      lead="A call shows the notes that the model has not seen yet. What an earlier call showed is folded."
    >
      {exchanges.length === 0 ? <p class="hint">No model was called.</p> : null}
      {exchanges.map((exchange, at) => (
        <ExchangeView key={at} exchange={exchange} />
      ))}
    </Section>
  )
}
