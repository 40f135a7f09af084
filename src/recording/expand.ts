/** Recorded calls, with the earlier parts that they refer to filled in. */
import * as Result from "effect/Result"
import type { Message } from "../provider/request.ts"
import type { Expected } from "./difference.ts"
import { fromRecorded } from "./messages.ts"
import type { Call, Recording } from "./Recording.ts"

export interface Expanded {
  readonly call: Call
  readonly expected: Expected
}

/** The calls in order. Fails if a call refers to something that does not exist. */
export const expand = ({ calls }: Recording): Result.Result<ReadonlyArray<Expanded>, string> => {
  const messagesOf = new Map<number, ReadonlyArray<Message>>()
  const schemaOf = new Map<number, unknown>()
  const expanded: Array<Expanded> = []
  for (const call of calls) {
    const { begins, messages, output } = call
    const before = begins === undefined ? [] : messagesOf.get(begins.like)?.slice(0, begins.messages)
    if (before === undefined || (begins !== undefined && before.length < begins.messages)) {
      return Result.fail(`call ${call.call} refers to messages of a call that does not exist: record again`)
    }
    const own = messages?.map(fromRecorded)
    const all = own === undefined && begins === undefined ? undefined : [...before, ...(own ?? [])]
    if (all !== undefined) messagesOf.set(call.call, all)
    if (output?.schema !== undefined) schemaOf.set(call.call, output.schema)
    if (output?.like !== undefined && !schemaOf.has(output.like)) {
      return Result.fail(`call ${call.call} refers to the output schema of a call that has none: record again`)
    }
    const { answer, failure, interrupted = false } = call
    if (interrupted ? failure !== undefined : (answer === undefined) === (failure === undefined)) {
      return Result.fail(`call ${call.call} needs either an answer or a failure`)
    }
    const schema = output?.like === undefined ? output?.schema : schemaOf.get(output.like)
    expanded.push({
      call,
      expected: {
        asked: call.asked,
        kind: call.kind,
        phase: call.phase,
        wish: call.wish,
        messages: all,
        output: output && { name: output.name, schema },
        tools: call.tools
      }
    })
  }
  return Result.succeed(expanded)
}
