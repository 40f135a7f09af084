/** A search for notes, with how each arm found them. */
import type { SearchItem, SearchPage } from "../../src/studio/model.ts"
import { useData } from "./data.ts"
import { shown } from "../report/words.ts"
import { Empty, Status, When } from "./parts.tsx"
import { query, to } from "./place.ts"

const vectorSays: Readonly<Record<string, string>> = {
  ok: "by meaning",
  partial: "by meaning, without the notes that wait for their vector",
  unavailable: "not by meaning: the query could not be embedded",
  none: "not by meaning: the memory has no embedder"
}

const lexicalSays: Readonly<Record<string, string>> = {
  ok: "by words",
  unavailable: "not by words: the query has none that say anything"
}

const Arm = ({ arm, name }: { readonly name: string; readonly arm: SearchItem["vector"] }) => (
  <div>
    <dt>{name}</dt>
    <dd>{arm === undefined ? "not found" : `${arm.score.toFixed(3)} (no. ${arm.rank})`}</dd>
  </div>
)

const Match = ({
  content,
  copies,
  createdMillis,
  intent,
  isCut,
  lexical,
  noteKey,
  score,
  seq,
  thoughtId,
  trust,
  vector
}: Omit<SearchItem, "key"> & { readonly noteKey: string }) => (
  <li>
    <h2>
      <a href={to(["thoughts", thoughtId])}>{shown(`${noteKey} #${seq}`)}</a>
    </h2>
    <p class="hint">
      {shown(intent)}, <When millis={createdMillis} />, {trust}
      {copies > 1 ? `, ${copies} copies` : ""}
    </p>
    <pre class="content">{shown(content)}</pre>
    {isCut ? <p class="hint">The note is longer: its thought has all of it.</p> : null}
    <dl class="scores">
      <div>
        <dt>score</dt>
        <dd>{score.toFixed(3)}</dd>
      </div>
      <Arm name="by meaning" arm={vector} />
      <Arm name="by words" arm={lexical} />
    </dl>
  </li>
)

export const Search = () => {
  const text = query.get("q")?.trim() ?? ""
  const loaded = useData<SearchPage>(text === "" ? undefined : to(["data", "search"], { q: text }), () => undefined)
  const { value } = loaded
  return (
    <>
      <h1>Search</h1>
      <form role="search" class="finder" action={to(["search"])}>
        <label for="q">What to look for, in your own words</label>
        <input id="q" name="q" type="search" defaultValue={text} autoFocus={text === ""} />
        <button type="submit">Search</button>
      </form>
      {text === "" ? null : <Status loaded={loaded} />}
      {value === undefined ? null : (
        <>
          <p class="arms">
            Searched {vectorSays[value.arms.vector]}, and {lexicalSays[value.arms.lexical]}.
            {value.arms.pending > 0 ? ` Notes without a vector yet: ${value.arms.pending}.` : ""}
          </p>
          {value.matches.length === 0 ? (
            <Empty>Nothing was found.</Empty>
          ) : (
            <ol class="matches">
              {value.matches.map(({ key, ...match }) => (
                <Match key={`${match.thoughtId} ${match.seq}`} noteKey={key} {...match} />
              ))}
            </ol>
          )}
        </>
      )}
    </>
  )
}
