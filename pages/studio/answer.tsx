/** The form that answers a question. */
import { useId, useRef, useState } from "preact/hooks"
import type { GivenAnswer, Question } from "../../src/studio/model.ts"
import { send } from "./data.ts"
import { type Field, fieldOf, type Named, notationOf, Unreadable, valueOf, verdictOf } from "./fields.ts"
import { to } from "./place.ts"
import { shown } from "../report/words.ts"
import { When } from "./parts.tsx"

const whole: Named = { name: "", field: { kind: "json" }, required: true }

/** The fields of a form: those of an object, or the answer itself. */
const fieldsOf = (field: Field): ReadonlyArray<Named> =>
  field.kind === "object" ? field.fields : [{ ...whole, field }]

/** The name of a field in the form. One without a name would not be sent. */
const controlOf = (name: string): string => `answer ${name}`

const labelOf = ({ field, name, required }: Named): string => {
  const label = name === "" ? (field.kind === "json" ? "Answer, as JSON" : "Answer") : name
  return required ? label : `${label} (optional)`
}

const Options = ({ field, label, name, required }: Named & { readonly label: string }) => {
  const options =
    field.kind === "choice"
      ? field.values.map((value, index) => [String(index), String(value)] as const)
      : ([
          ["true", "yes"],
          ["false", "no"]
        ] as const)
  return (
    <fieldset>
      <legend>{shown(label)}</legend>
      {options.map(([value, text]) => (
        <label class="option" key={value}>
          <input type="radio" name={controlOf(name)} value={value} required={required} /> {shown(text)}
        </label>
      ))}
    </fieldset>
  )
}

/** Most values that are shown at once, each with a button of its own. */
const mostOptions = 6

const Input = ({ named, schema }: { readonly named: Named; readonly schema: unknown }) => {
  const id = useId()
  const { field, name, required } = named
  const label = labelOf(named)
  const hint = field.kind === "json" && name === "" ? `It must be: ${notationOf(schema)}` : field.hint
  if (field.kind === "boolean" || (field.kind === "choice" && field.values.length <= mostOptions)) {
    return <Options {...named} label={label} />
  }
  const common = {
    id,
    name: controlOf(name),
    required,
    "aria-describedby": hint === undefined ? undefined : `${id}-hint`
  }
  return (
    <div class="field">
      <label for={id}>{shown(label)}</label>
      {field.kind === "choice" ? (
        <select {...common}>
          <option value="">Choose one</option>
          {field.values.map((value, index) => (
            <option key={index} value={index}>
              {String(value)}
            </option>
          ))}
        </select>
      ) : field.kind === "number" ? (
        <input {...common} type="text" inputMode={field.integer ? "numeric" : "decimal"} autoComplete="off" />
      ) : (
        <textarea
          {...common}
          required={required && field.kind === "json"}
          rows={field.kind === "json" ? 4 : 2}
          class={field.kind === "json" ? "code" : undefined}
        />
      )}
      {hint === undefined ? null : (
        <p class="hint" id={`${id}-hint`}>
          {shown(hint)}
        </p>
      )}
    </div>
  )
}

/** What was entered in a field; empty if the form has none of this name. */
const textIn = (data: FormData, name: string): string => {
  const entered = data.get(name)
  return typeof entered === "string" ? entered : ""
}

const nameKey = "cogito-studio-name"

/** The answer that a form has; `verdict` is that of the button which sends it. */
const read = (field: Field, data: FormData, verdict: boolean | undefined): unknown => {
  const about = verdictOf(field)
  if (field.kind !== "object") return verdict ?? valueOf(field, textIn(data, controlOf("")))
  const entries = field.fields.flatMap((named): ReadonlyArray<readonly [string, unknown]> => {
    if (named.name === about?.name) return [[named.name, verdict]]
    const value = valueOf(named.field, textIn(data, controlOf(named.name)))
    return value === undefined || (value === "" && !named.required) ? [] : [[named.name, value]]
  })
  return Object.fromEntries(entries)
}

export const AnswerForm = ({ onDone, question }: { readonly question: Question; readonly onDone: () => void }) => {
  const [failure, setFailure] = useState<string>()
  const [isBusy, setBusy] = useState(false)
  const form = useRef<HTMLFormElement>(null)
  const id = useId()
  const field = fieldOf(question.schema)
  const about = verdictOf(field)
  const submit = async (event: SubmitEvent): Promise<void> => {
    event.preventDefault()
    if (form.current === null || isBusy) return
    const pressed = event.submitter instanceof HTMLButtonElement ? event.submitter.value : ""
    const data = new FormData(form.current)
    const by = textIn(data, "by").trim()
    let value: unknown
    try {
      value = read(field, data, about === undefined ? undefined : pressed === "yes")
    } catch (error) {
      if (!(error instanceof Unreadable)) throw error
      setFailure(error.message)
      return
    }
    sessionStorage.setItem(nameKey, by)
    setBusy(true)
    const { frame, runId } = question
    const given: GivenAnswer = { runId, frame, value, ...(by === "" ? {} : { by }) }
    const refused = await send(to(["data", "answers"]), given)
    setBusy(false)
    setFailure(refused)
    if (refused === undefined) onDone()
  }
  const inputs = fieldsOf(field).filter(({ name }) => about === undefined || name !== (about.name ?? ""))
  return (
    <form
      class="answering"
      ref={form}
      onSubmit={(event) => void submit(event)}
      aria-label={`Answer to ${question.key}`}
    >
      {inputs.map((named) => (
        <Input key={named.name} named={named} schema={question.schema} />
      ))}
      <div class="field">
        <label for={`${id}-by`}>Your name (optional; the notes of the run say it)</label>
        <input
          id={`${id}-by`}
          name="by"
          type="text"
          autoComplete="name"
          defaultValue={sessionStorage.getItem(nameKey) ?? ""}
        />
      </div>
      {failure === undefined ? null : (
        <p class="trouble" role="alert">
          {shown(failure)}
        </p>
      )}
      <div class="buttons">
        {about === undefined ? (
          <button type="submit" disabled={isBusy}>
            Answer
          </button>
        ) : (
          <>
            <button type="submit" value="yes" class="yes" disabled={isBusy}>
              Yes
            </button>
            <button type="submit" value="no" class="no" disabled={isBusy}>
              No
            </button>
          </>
        )}
      </div>
      {question.dueMillis === undefined ? null : (
        <p class="hint">
          Without an answer the run goes on at <When millis={question.dueMillis} />.
        </p>
      )}
    </form>
  )
}
