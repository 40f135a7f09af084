/** Which request gets which answer, once it is known that it may have one. */
import * as Effect from "effect/Effect"
import { Memory, type MemoryError } from "../Memory.ts"
import { collect } from "../report/collect.ts"
import type { Ledger } from "../Store.ts"
import type { After } from "./model.ts"
import { give, questionsPage } from "./questions.ts"
import { runsPage } from "./runs.ts"
import { searchPage } from "./search.ts"
import { thoughtsPage } from "./thoughts.ts"
import { json, problem, type Reply } from "./reply.ts"

/** A request within the folder of the pages. */
export interface PageRequest {
  /** The path after the folder, without a slash before it, decoded. */
  readonly parts: ReadonlyArray<string>
  readonly query: URLSearchParams
}

type Answering = Effect.Effect<Reply, MemoryError, Memory>

const statuses = ["pending", "running", "waiting", "interrupted", "failed", "completed"] as const

const isStatus = (text: string): text is Ledger.RunStatus => statuses.some((status) => status === text)

const runsOf = (query: URLSearchParams): Answering => {
  const status = query.get("status") ?? undefined
  return status === undefined || isStatus(status)
    ? Effect.map(runsPage(status, afterOf(query)), json)
    : Effect.succeed(problem(400, `No run has that status: it is one of ${statuses.join(", ")}.`))
}

const afterOf = (query: URLSearchParams): After | undefined => {
  const [id, created] = [query.get("after"), query.get("created")]
  if (id === null || created === null || !/^-?\d+$/.test(created)) return undefined
  const createdMillis = Number(created)
  return Number.isSafeInteger(createdMillis) ? { id, createdMillis } : undefined
}

const none = (what: string): Reply => problem(404, `There is no ${what} of this id. It may have been removed.`)

const reportOfRun = (runId: string): Answering =>
  Effect.gen(function* () {
    const { ledger } = yield* Memory
    const stored = yield* ledger.load(runId)
    if (stored === undefined) return none("run")
    const { end, start } = stored.run
    return json(yield* collect((end ?? start).thoughtId, { runId }))
  })

const dataOf = ({ parts: [page = "", id, ...more], query }: PageRequest): Answering | undefined => {
  if (more.length > 0) return undefined
  if (id !== undefined) {
    if (page === "runs") return reportOfRun(id)
    return page === "thoughts" ? Effect.map(collect(id), json) : undefined
  }
  switch (page) {
    case "thoughts":
      return Effect.map(thoughtsPage(afterOf(query)), json)
    case "runs":
      return runsOf(query)
    case "questions":
      return Effect.map(questionsPage(query.get("run") ?? undefined), json)
    case "search":
      return Effect.map(searchPage(query.get("q") ?? ""), json)
    default:
      return undefined
  }
}

const withoutFailure = (answering: Answering): Effect.Effect<Reply, never, Memory> =>
  Effect.catchTag(answering, "MemoryError", ({ message, reason }) => {
    const status = reason._tag === "NotFound" ? 404 : reason._tag === "Query" || reason._tag === "TooLarge" ? 400 : 503
    return Effect.succeed(problem(status, message))
  })

/** The data of a page. Undefined if there is no such page. */
export const data = (request: PageRequest): Effect.Effect<Reply, never, Memory> | undefined => {
  const answering = dataOf(request)
  return answering && withoutFailure(answering)
}

/** Answers a question. */
export const answered = (body: string): Effect.Effect<Reply, never, Memory> => withoutFailure(give(body))

/** Whether a path is one of a page, which the browser fills with data. */
export const isPage = ({ parts }: PageRequest): boolean => {
  const [page = "", id] = parts
  if (parts.length > 2) return false
  return page === "runs" || page === "thoughts" || (id === undefined && ["", "questions", "search"].includes(page))
}
