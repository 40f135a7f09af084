/** A search for notes, with how each arm found them. */
import type { SearchItem, SearchPage } from "../../src/studio/model.ts"
import { useData } from "./data.ts"
import { shown } from "../report/words.ts"
import { Empty, Status, When } from "./parts.tsx"
import { query, to } from "./place.ts"

const searched: Readonly<Record<string, string>> = {
  "vector ok": "by meaning",
  "vector partial": "by meaning, without the notes that wait for their vector",
  "lexical ok": "by words"
}

const notSearched: Readonly<Record<string, string>> = {
  "vector unavailable": "Not by meaning: the query could not be embedded.",
  "vector none": "Not by meaning: this studio has no embedder that fits the vectors of the memory.",
  "lexical unavailable": "Not by words: the query has none that say anything."
}

/** Most characters of a query: it is a part of the address. */
const longest = 1000

/** How the notes were searched, and why not in another way. */
const waysOf = ({ lexical, vector }: SearchPage["arms"]): string => {
  const arms = [`vector ${vector}`, `lexical ${lexical}`]
  const used = arms.flatMap((arm) => searched[arm] ?? [])
  const unused = arms.flatMap((arm) => notSearched[arm] ?? [])
  return [used.length === 0 ? "Nothing was searched." : `Searched ${used.join(", and ")}.`, ...unused].join(" ")
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
        <input id="q" name="q" type="search" maxLength={longest} defaultValue={text} autoFocus={text === ""} />
        <button type="submit">Search</button>
      </form>
      {text === "" ? null : <Status loaded={loaded} />}
      {value === undefined ? null : (
        <>
          <p class="arms">
            {waysOf(value.arms)}
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
