/** The answers of the steps: values, how sure they are, and what was corrected. */
import type { NoteReport } from "../../src/report/model.ts"
import { answerOf } from "../../src/text/answer.ts"
import { coercionsOf, exchangesOf } from "./exchanges.ts"
import { samePath } from "./model.ts"
import { Section, Shares, useShared } from "./parts.tsx"
import { percent, shown } from "./words.ts"

const AnswerView = ({
  note,
  repairs,
  retries
}: {
  readonly note: NoteReport
  readonly repairs: number
  readonly retries: number
}) => {
  const { open } = useShared()
  const { confidence, fields, from, headline, matches, reasoning, shares } = answerOf(note)
  const coercions = coercionsOf(note)
  const { cached, effort, model, temperature } = note.metadata
  const settings = [
    model,
    temperature === undefined ? undefined : `temperature ${temperature}`,
    effort === undefined ? undefined : `effort ${effort}`
  ]
  return (
    <li class="card answer">
      <button type="button" class="answer-head" data-item onClick={() => open({ _tag: "note", id: note.id })}>
        <span class="key">{shown(note.key)}</span>
        <span class="kind">{shown(note.source)}</span>
      </button>
      {note.redactedMillis !== undefined ? (
        <p class="hint">This note is redacted.</p>
      ) : (
        <>
          <p class={confidence === undefined ? "answer-text" : "answer-value"}>{headline}</p>
          {confidence === undefined ? null : (
            <p class="confidence">
              <span class="meter" aria-hidden="true">
                <span style={{ width: `${confidence * 100}%` }} />
              </span>
              {percent(confidence)} {from === undefined ? "" : <em>{from}</em>}
            </p>
          )}
          {shares.length > 1 ? <Shares shares={shares} limit={5} /> : null}
          {fields.length > 0 && confidence === undefined && fields.length < 12 ? (
            <dl class="fields">
              {fields.map(([name, text]) => (
                <div key={name}>
                  <dt>{name}</dt>
                  <dd>{text.length > 240 ? `${text.slice(0, 240)}…` : text}</dd>
                </div>
              ))}
            </dl>
          ) : null}
          {matches.length === 0 ? null : (
            <ul class="matches">
              {matches.slice(0, 4).map(({ similarity, text }, at) => (
                <li key={at}>
                  <span>{similarity === undefined ? "" : similarity.toFixed(2)}</span>
                  {text}
                </li>
              ))}
              {matches.length > 4 ? <li class="hint">and {matches.length - 4} more</li> : null}
            </ul>
          )}
          {reasoning.length === 0 ? null : (
            <ul class="reasons">
              {reasoning.slice(0, 3).map((reason, at) => (
                <li key={at}>{reason}</li>
              ))}
            </ul>
          )}
        </>
      )}
      <p class="badges">
        {repairs > 0 ? (
          <span class="badge warn">{repairs === 1 ? "1 answer rejected" : `${repairs} answers rejected`}</span>
        ) : null}
        {retries > 0 ? <span class="badge warn">{retries === 1 ? "1 retry" : `${retries} retries`}</span> : null}
        {coercions.map((kind) => (
          <span key={kind} class="badge warn">
            corrected: {shown(kind)}
          </span>
        ))}
        {cached === "true" ? <span class="badge quiet">from the cache</span> : null}
        <span class="hint">{shown(settings.filter((one) => one !== undefined).join(", "))}</span>
      </p>
    </li>
  )
}

export const Answers = () => {
  const { view } = useShared()
  const answers = view.notes.filter(({ step }) => step !== "")
  if (answers.length === 0) return null
  const exchanges = exchangesOf(view)
  const repairsOf = (note: NoteReport) =>
    exchanges.filter(({ isRepair, path }) => isRepair && samePath(path, note.step)).length
  const retriesOf = (note: NoteReport) =>
    (view.run?.calls ?? [])
      .filter(({ path, state }) => samePath(path, note.step) && state !== "due")
      .reduce((all, { attempt }) => all + attempt - 1, 0)
  const shown = answers.slice(-200)
  return (
    <Section
      id="answers"
      title="Answers"
      lead="What the steps wrote. A confidence is measured if the provider reports probabilities, and stated if the model says it."
    >
      {shown.length < answers.length ? (
        <p class="hint">
          The last {shown.length} of {answers.length} answers.
        </p>
      ) : null}
      <ul class="answers">
        {shown.map((note) => (
          <AnswerView key={note.id} note={note} repairs={repairsOf(note)} retries={retriesOf(note)} />
        ))}
      </ul>
    </Section>
  )
}
