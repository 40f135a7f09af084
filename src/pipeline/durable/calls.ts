/** Calls and decisions of a durable run: taken from an earlier execution, or made and recorded. */
import * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import { isObject } from "effect/Predicate"
import type { CallRow } from "../../memory/model/Ledger.ts"
import { isPlace } from "../../memory/model/named.ts"
import { spentHash } from "../../memory/model/spent.ts"
import { failing, Halt } from "../../run/failure.ts"
import { addUsage } from "../../thought/tokens.ts"
import type { RequestKey, Codec, Entry, Frame, Journal } from "../../run/journal.ts"
import { anyError } from "./errorCodec.ts"
import { OutcomeUnknown, ReplayMismatch } from "./errors.ts"
import { asReplayed, isEmptied, isFinished, unusable } from "./earlier.ts"
import { makeAgain, type Parts } from "./parts.ts"

/** The place of a call, and the row of its earlier attempts. */
interface At {
  readonly frame: Frame
  readonly n: number
  readonly before?: CallRow | undefined
}

type Amounts = Pick<CallRow, "usage" | "usd">

/** What all attempts of a call have used. */
const sum = (before: CallRow | undefined, { usage, usd }: Partial<Amounts>): Amounts => ({
  usage: before?.usage === undefined || usage === undefined ? (usage ?? before?.usage) : addUsage(before.usage, usage),
  usd: before?.usd === undefined || usd === undefined ? (usd ?? before?.usd) : before.usd + usd
})

const asPlace: Effect.Effect<RequestKey> = Effect.succeed({ hash: "", parts: {} })

const json: Codec<any> = { encode: (value) => value, decode: (value) => value }

const halted = (error: OutcomeUnknown | ReplayMismatch) => Effect.die(new Halt(error))

/** What stands for a request that is not kept: the notes by which a redaction finds it. */
const namesOf = ({ shows = [] }: RequestKey, got: ReadonlyArray<{ readonly id: string }> = []): string | undefined => {
  const names = [...new Set([...shows, ...got.map(({ id }) => id)])]
  return names.length === 0 ? undefined : JSON.stringify({ shows: names })
}

/**
 * In the parts of an effect that has left runs on forks, which are not in the ledger. The run itself makes it again if it is resumed
 * before they are stored; a rerun takes its outcome.
 */
const open = "open"

const marks: ReadonlySet<string> = new Set([open, unusable])

/** The names of the parts that differ. */
const differing = (row: CallRow, kind: string, requested: RequestKey): ReadonlyArray<string> => {
  if (row.kind !== kind) return ["kind"]
  // a redaction has removed the hash of the request, or the end of a step
  if (row.hash === requested.hash || row.hash === "" || row.hash === spentHash) return []
  const names = Object.keys({ ...row.parts, ...requested.parts }).filter(
    (name) => !marks.has(name) && row.parts[name] !== requested.parts[name]
  )
  return names.length === 0 ? ["request"] : names
}

export const makeCalls = (parts: Parts): Pick<Journal, "take" | "peek" | "unusable"> => {
  const { earlier, epoch, id: runId, isOver, keep, onInterrupted, reuse, writer } = parts

  /** The rows of answers. */
  const rows = new WeakMap<object, CallRow>()

  /** The place of a call, and what is recorded there. Calls of the caller's code are found by what they ask. */
  const placed = (frame: Frame, free: boolean, n: number, entry: Entry<any, any>, { hash }: RequestKey) => {
    if (!free) return { n, row: earlier.call({ frame: frame.key, n }) }
    const row = earlier.take(frame.key, entry.kind, hash)
    return row === undefined ? { n, row } : { n: row.n, row }
  }

  /** Makes a call that no earlier execution has finished, and records its outcome. */
  const live = <A, E, R>(place: At, entry: Entry<A, E>, requested: RequestKey, call: Effect.Effect<A, E, R>) =>
    Effect.uninterruptibleMask((restore) =>
      Effect.gen(function* () {
        const startedMillis = yield* Clock.currentTimeMillis
        const { before, frame, n } = place
        const { acts } = entry
        const attempt = (before?.attempt ?? 0) + 1
        // counts as the most that it can use until the outcome is known
        const most = sum(before, entry.most?.() ?? {})
        const isKept = keep === "answers" && requested.data !== undefined
        const row: CallRow = {
          frame: frame.key,
          n,
          kind: entry.kind,
          attempt,
          hash: requested.hash,
          parts: requested.parts,
          state: "begun",
          request: isKept ? JSON.stringify(requested.data?.()) : namesOf(requested),
          response: undefined,
          provider: requested.provider,
          model: requested.model,
          ...most,
          startedMillis,
          endedMillis: undefined,
          epoch
        }
        if (acts !== undefined) {
          writer.call(row)
          yield* writer.flush({ urgent: acts === "effect" })
        }
        const exit = yield* Effect.exit(restore(call))
        const endedMillis = yield* Clock.currentTimeMillis
        const isOpen = acts === "effect" && entry.leaves?.() === true
        // what comes after it may have had its first value
        if (before !== undefined && isOpen) makeAgain(parts, frame.key)
        const ended = endOf(entry, exit)
        if (ended === undefined) return yield* exit
        const { response, state } = ended
        const amounts = state === "interrupted" ? most : sum(before, ended)
        const attempts = attempt - 1 + Math.max(1, entry.times?.() ?? 1)
        // the response to a request names them itself
        const isNamed = response !== undefined && requested.data !== undefined
        // what an effect gives names its sources
        const got = state === "failed" || entry.kind === "decision" ? entry.got : undefined
        const isOwn = isPlace({ kind: entry.kind, response })
        const request = isKept ? row.request : isNamed || isOwn ? undefined : namesOf(requested, got)
        const marks = isOpen ? { parts: { ...row.parts, [open]: "" } } : {}
        const outcome = { ...row, ...ended, ...amounts, ...marks, request, attempt: attempts, endedMillis }
        if (response !== undefined) frame.open.push({ frame: frame.key, n })
        if (Exit.isSuccess(exit) && isObject(exit.value)) rows.set(exit.value, outcome)
        // an interrupted call may still be running on the server, so nothing depends on its row
        if (acts === undefined || state === "interrupted") writer.call(outcome)
        else if (acts === "call") yield* writer.answer(outcome)
        else {
          writer.call(outcome)
          yield* writer.flush({ urgent: true })
        }
        return yield* exit
      })
    )

  /** Reuses a recorded outcome of another run, at no cost to this one. */
  const taken = <A, E>(
    { frame, n }: At,
    entry: Entry<A, E>,
    requested: RequestKey,
    row: CallRow
  ): Effect.Effect<A, E> =>
    Effect.flatMap(Clock.currentTimeMillis, (millis) => {
      const place = { frame: frame.key, n, attempt: 1, hash: requested.hash, parts: requested.parts }
      writer.call({
        ...row,
        ...place,
        usage: undefined,
        usd: undefined,
        startedMillis: millis,
        endedMillis: millis,
        epoch
      })
      frame.open.push({ frame: frame.key, n })
      return outcomeOf(entry, row)
    })

  return {
    take: (frame, free, entry, call) =>
      Effect.suspend(() => {
        if (free) frame.calls = Math.max(frame.calls, earlier.next(frame.key))
        const due = frame.calls++
        return Effect.flatMap(entry.request ?? asPlace, (requested) => {
          const { n, row } = placed(frame, free, due, entry, requested)
          const known = row === undefined ? reuse?.take(frame.key, n, entry.kind, requested) : undefined
          if (known !== undefined) return taken({ frame, n }, entry, requested, known)
          const unknown =
            row === undefined && onInterrupted === "fail" ? reuse?.unknown(frame.key, n, requested) : undefined
          if (unknown !== undefined) {
            // to a rerun of this one too
            writer.call({
              ...unknown,
              state: "interrupted",
              response: undefined,
              usage: undefined,
              usd: undefined,
              epoch
            })
            return halted(new OutcomeUnknown({ runId, frame: frame.key }))
          }
          // what is over makes no calls, not even one whose outcome a redaction has removed
          if (isOver && entry.acts !== undefined && (row === undefined || !isFinished(row))) {
            const about = { runId, frame: frame.key, differs: [entry.kind], before: "its end", now: nameOf(entry.kind) }
            return halted(new ReplayMismatch(about))
          }
          const before = row ?? earlier.recorded({ frame: frame.key, n })
          const { inRerun } = entry
          const making = reuse === undefined || inRerun === undefined ? call : Effect.sync(inRerun)
          if (row === undefined) return live({ frame, n, before }, entry, requested, making)
          const differs = differing(row, entry.kind, requested)
          if (differs.length > 0 && !earlier.hasAgain) {
            const about = { runId, frame: frame.key, differs, before: nameOf(row.kind), now: nameOf(entry.kind) }
            return halted(new ReplayMismatch(about))
          }
          if (differs.length > 0) {
            // what was made again leads to another call, but no second effect follows one that was carried out
            const isEffect = entry.acts === "effect" && row.kind === entry.kind
            if (!isEffect) return live({ frame, n, before }, entry, requested, making)
            if (isFinished(row) && entry.inputsMayDiffer !== true) {
              const { emptied } = entry
              return emptied === undefined ? live({ frame, n, before }, entry, requested, making) : Effect.sync(emptied)
            }
          }
          const isOpen = row.parts[open] !== undefined
          if (isFinished(row) && !isOpen) {
            return Effect.map(outcomeOf(entry, row), (value) => {
              if (isObject(value)) rows.set(value, row)
              return value
            })
          }
          if (isEmptied(row)) {
            makeAgain(parts, frame.key)
            // what it has done is not to be done twice
            if (entry.emptied !== undefined && row.state === "answered") return Effect.sync(entry.emptied)
            // it goes on as it did: what came after the failure is done
            if (row.state === "failed")
              // nothing but its tag is known of the error of this type
              return Effect.fail(asReplayed(anonymous(earlier.step(frame.key)?.error)) as never)
          }
          const isBegun = row.state === "begun" || row.state === "interrupted" || isOpen
          const { lost } = entry
          if (entry.acts === "effect" && isBegun && lost !== undefined && onInterrupted !== "rerun") {
            return live({ frame, n, before }, entry, requested, Effect.sync(lost))
          }
          const isUnknown = entry.acts === "effect" && isBegun && onInterrupted === "fail"
          return isUnknown
            ? halted(new OutcomeUnknown({ runId, frame: frame.key }))
            : live({ frame, n, before }, entry, requested, call)
        })
      }),
    unusable: (answers) => {
      for (const row of answers.flatMap((value) => rows.get(value) ?? [])) {
        if (row.parts[unusable] === undefined) writer.call({ ...row, parts: { ...row.parts, [unusable]: "" }, epoch })
      }
    },
    peek: ({ calls: n, key: frame }) => earlier.call({ frame, n })?.kind ?? reuse?.peek(frame, n)
  }
}

const outcomeOf = <A, E>(entry: Entry<A, E>, { response = "null", state }: CallRow): Effect.Effect<A, E> => {
  const value: unknown = JSON.parse(response)
  return state === "failed"
    ? Effect.fail(asReplayed((entry.failure ?? anyError).decode(value)))
    : Effect.succeed(asReplayed((entry.value ?? json).decode(value)))
}

/** A failure of which a redaction has removed everything but its tag, which the row of the step has. */
const anonymous = (tag = "Error"): Error => {
  const error = new Error("It failed, and a redaction has removed what is known of that.")
  Object.defineProperty(error, "name", { value: tag, enumerable: false, configurable: true })
  return tag === "Error" ? error : Object.assign(error, { _tag: tag })
}

const nameOf = (kind: CallRow["kind"]): string =>
  ({
    complete: "a call of the model",
    decide: "a native decision",
    search: "a search",
    effect: "an effect",
    decision: "a decision",
    once: "an effect after the commit"
  })[kind]

/** The recorded end of a call. */
const endOf = <A, E>(
  entry: Entry<A, E>,
  exit: Exit.Exit<A, E>
): (Pick<CallRow, "state" | "response" | "usage" | "usd"> & Partial<Pick<CallRow, "provider">>) | undefined => {
  const { acts, failure = anyError, onlyFailures = false, spent, value = json } = entry
  const none = { usage: undefined, usd: undefined }
  const used = (outcome: A | E) => {
    const { provider, ...amounts } = spent?.(outcome) ?? {}
    return { ...none, ...amounts, ...(provider === undefined ? {} : { provider }) }
  }
  if (Exit.isSuccess(exit)) {
    const written = onlyFailures ? undefined : value.encode(exit.value)
    if (written === undefined && acts === undefined) return undefined
    const response = written === undefined ? undefined : JSON.stringify(written)
    return { ...used(exit.value), state: "answered", response }
  }
  const reason = Cause.hasInterrupts(exit.cause) ? undefined : failing(exit.cause)
  if (reason !== undefined) {
    return { ...used(reason.error), state: "failed", response: JSON.stringify(failure.encode(reason.error)) }
  }
  return acts === undefined ? undefined : { ...none, state: "interrupted", response: undefined }
}
