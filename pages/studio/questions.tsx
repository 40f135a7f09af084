/** What runs wait for, with forms for the answers. */
import { useEffect, useRef, useState } from "preact/hooks"
import type { Question, QuestionsPage } from "../../src/studio/model.ts"
import { AnswerForm } from "./answer.tsx"
import { useData } from "./data.ts"
import { shown } from "../report/words.ts"
import { Empty, Status, When } from "./parts.tsx"
import { to } from "./place.ts"

const Asked = ({ onDone, question }: { readonly question: Question; readonly onDone: () => void }) => {
  const { createdMillis, key, prompt, runId } = question
  return (
    <article class="question">
      <h2>{shown(key)}</h2>
      <p class="hint">
        Run <a href={to(["runs", runId])}>{shown(runId)}</a>, since <When millis={createdMillis} />
      </p>
      {prompt === "" ? (
        <p class="hint">A redaction has removed the text of this question. Its run asks it again when it is resumed.</p>
      ) : (
        <>
          <p class="prompt">{shown(prompt)}</p>
          <AnswerForm question={question} onDone={onDone} />
        </>
      )}
    </article>
  )
}

/** The questions of all runs, or of one. Nothing at all if a run has none. */
export const Questions = ({ runId }: { readonly runId?: string }) => {
  const loaded = useData<QuestionsPage>(to(["data", "questions"], { run: runId }), () => 2000)
  const [done, setDone] = useState<string>()
  const { refresh, value } = loaded
  const said = useRef<HTMLParagraphElement>(null)
  // the form goes away, and the focus with it: it goes to the message, before the questions that are left
  useEffect(() => {
    if (done !== undefined) said.current?.focus()
  }, [done])
  const answered = ({ key, runId }: Question) => {
    setDone(`“${key}” of the run “${runId}” is answered. The run goes on when its program resumes it.`)
    refresh()
  }
  return (
    <>
      {runId === undefined ? <h1>Questions</h1> : null}
      <p class="done" role="status" tabIndex={-1} ref={said}>
        {done === undefined ? null : shown(done)}
      </p>
      {runId === undefined || loaded.failure !== undefined ? <Status loaded={loaded} /> : null}
      {value?.questions.length === 0 && runId === undefined ? <Empty>No run waits for an answer.</Empty> : null}
      {value?.questions.map((question) => (
        <Asked key={`${question.runId} ${question.frame}`} question={question} onDone={() => answered(question)} />
      ))}
      {value?.isCut === true ? <Empty>There are more questions: these are the oldest ones.</Empty> : null}
    </>
  )
}
