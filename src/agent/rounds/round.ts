/** What a model is asked in one round of an agent. */
import { resolveSampling } from "../../provider/capabilities.ts"
import type { Shape } from "../../provider/Shape.ts"
import type { Message, Request, Tool, ToolChoice } from "../../Provider.ts"
import type { Thought } from "../../thought/model.ts"
import type { Note } from "../../thought/Note.ts"
import { inOrder, request } from "../../thought/render.ts"
import type { Messages } from "../calls/messages.ts"
import { shownFirst } from "../documents/reading.ts"
import { effortOf } from "../model/effort.ts"
import type { Instructed } from "./instructions.ts"
import type { Prepared, Settings } from "../model/settings.ts"
import { answering, answerTool, toolOf } from "../model/tools.ts"
import type { Judgement } from "../model/Triage.ts"

export const task = `Do what the note "message" asks. Call tools where they help, and answer when you have what you need.`

const conclude = "This is the last round: answer now with what you have, without further calls."

const demand = "Give the answer by a call of the tool answer."

/** Where an agent is. */
export interface Round {
  /** From 1. */
  readonly number: number
  readonly isLast: boolean
  /** Whether the model wrote a text where the answer has a form. */
  readonly mustAnswer: boolean
  /** In how many rounds before this one every call failed. */
  readonly failures: number
  readonly instructed: Instructed
  readonly mode: Judgement["mode"] | undefined
  /** The tools that may be used in this round. */
  readonly names: ReadonlyArray<string>
  readonly prepared: Prepared
  readonly conversation: Messages
  /** What is known of the user and the task. */
  readonly documents: ReadonlyArray<Note>
}

/** The request of a round, and what of it the conversation keeps. */
export const requestOf = (
  { effort, form, sampling, toolkit }: Settings,
  provider: Shape,
  thought: Thought<any>,
  fresh: ReadonlyArray<Note>,
  round: Round
): { readonly request: Request; readonly kept: string | undefined } => {
  const { conversation, documents, failures, instructed, isLast, mode, mustAnswer, names, number, prepared } = round
  // the task is there once, also where an earlier step has shown the message
  const shown =
    fresh.length === 0 && number > 1 ? undefined : request({ task, how: instructed.how, notes: inOrder(fresh) })
  const own = names.flatMap((name) => {
    const tool = toolkit.tools[name]
    return tool === undefined ? [] : [toolOf(name, tool)]
  })
  const tools: ReadonlyArray<Tool> = form === undefined ? own : [...own, answering(form)]
  const messages: ReadonlyArray<Message> = [
    instructed.system,
    ...shownFirst(documents),
    ...conversation.of(thought),
    ...(shown === undefined ? [] : [{ role: "user" as const, text: shown.text, kept: shown.kept }]),
    ...(isLast ? [{ role: "user" as const, text: conclude }] : []),
    ...(mustAnswer && !isLast ? [{ role: "user" as const, text: demand }] : [])
  ]
  const wish = { ...effortOf(effort, mode, { failures, round: number }), ...sampling, ...prepared.sampling }
  const choice = choiceOf(round, form !== undefined, tools.length > 0)
  return {
    kept: shown?.text.slice(0, shown.kept),
    request: {
      messages,
      task: { kind: "agent", instruction: task, questions: [], context: [] },
      phase: "reason",
      sampling: resolveSampling(provider.capabilities, "reason", wish),
      wish,
      ...(tools.length === 0 ? {} : { tools }),
      ...(choice === undefined ? {} : { toolChoice: choice })
    }
  }
}

const choiceOf = (
  { isLast, mustAnswer, prepared }: Round,
  hasForm: boolean,
  hasTools: boolean
): ToolChoice | undefined => {
  if (hasForm && (isLast || mustAnswer)) return { tool: answerTool }
  if (!hasTools) return undefined
  return isLast ? "none" : prepared.toolChoice
}
