/** Small parts that pages have in common. */
import type { ComponentChildren } from "preact"
import { Pill } from "../report/parts.tsx"
import { moment, shown } from "../report/words.ts"
import type { Loaded } from "./data.ts"
import { to } from "./place.ts"

/** A moment in UTC, in a column that says so or in a sentence. */
export const When = ({ inColumn = false, millis }: { readonly millis: number; readonly inColumn?: boolean }) => (
  <time dateTime={new Date(millis).toISOString()}>{inColumn ? moment(millis).slice(0, 16) : moment(millis)}</time>
)

/** What a page says of its data, before or instead of it. */
export const Status = ({ loaded }: { readonly loaded: Loaded<unknown> }) => {
  if (loaded.failure !== undefined) {
    return (
      <p class="trouble" role="alert">
        {shown(loaded.failure)}
      </p>
    )
  }
  return loaded.value === undefined ? <p class="hint">Loading …</p> : null
}

export const Empty = ({ children }: { readonly children: ComponentChildren }) => <p class="hint empty">{children}</p>

const tones: Readonly<Record<string, string>> = { completed: "good", failed: "bad", left: "bad", waiting: "wait" }

export const RunStatus = ({ status }: { readonly status: string }) => (
  <Pill tone={tones[status] ?? "plain"}>{status}</Pill>
)

/** A table that scrolls sideways where it is too wide. */
export const Table = ({
  children,
  heads,
  name
}: {
  readonly name: string
  readonly heads: ReadonlyArray<readonly [head: string, kind?: string]>
  readonly children: ComponentChildren
}) => (
  <div class="wide" tabIndex={0} role="region" aria-label={name}>
    <table>
      <thead>
        <tr>
          {heads.map(([head, kind]) => (
            <th key={head} scope="col" class={kind}>
              {head}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>{children}</tbody>
    </table>
  </div>
)

/** Links to the first page of a list, and to the one after this. */
export const Pages = ({
  here,
  isFirst,
  next,
  query = {}
}: {
  readonly here: string
  readonly isFirst: boolean
  readonly next: { readonly id: string; readonly createdMillis: number } | undefined
  readonly query?: Readonly<Record<string, string | undefined>>
}) =>
  isFirst && next === undefined ? null : (
    <p class="pages">
      {isFirst ? null : <a href={to([here], query)}>Newest</a>}
      {next === undefined ? null : (
        <a href={to([here], { ...query, after: next.id, created: String(next.createdMillis) })}>Older</a>
      )}
    </p>
  )
