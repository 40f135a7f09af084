/** The thoughts of the memory, the newest first. */
import type { ThoughtsPage } from "../../src/studio/model.ts"
import { number, shown } from "../report/words.ts"
import { useData } from "./data.ts"
import { Empty, Pages, Status, Table, When } from "./parts.tsx"
import { query, to } from "./place.ts"

const heads = [["Intent"], ["Task"], ["Notes", "number"], ["Created (UTC)"]] as const

export const Thoughts = () => {
  const [after, created] = [query.get("after") ?? undefined, query.get("created") ?? undefined]
  const isFirst = after === undefined
  const loaded = useData<ThoughtsPage>(to(["data", "thoughts"], { after, created }), () => (isFirst ? 3000 : undefined))
  const { value } = loaded
  return (
    <>
      <h1>Thoughts</h1>
      <Status loaded={loaded} />
      {value === undefined ? null : value.thoughts.length === 0 ? (
        <Empty>There are no thoughts {isFirst ? "in this scope yet" : "before these"}.</Empty>
      ) : (
        <Table name="Thoughts" heads={heads}>
          {value.thoughts.map(({ createdMillis, id, intent, notes, taskId = "" }) => (
            <tr key={id}>
              <td class="main-cell">
                <a href={to(["thoughts", id])}>{shown(intent === "" ? id : intent)}</a>
              </td>
              <td>{shown(taskId)}</td>
              <td class="number">{number(notes)}</td>
              <td class="when">
                <When inColumn millis={createdMillis} />
              </td>
            </tr>
          ))}
        </Table>
      )}
      <Pages here="thoughts" isFirst={isFirst} next={value?.next} />
    </>
  )
}
