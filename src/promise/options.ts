/** The options of the methods of a client, and their check for programs without types. */
import { type AnyForm, type Forms, concurrency, maybe, notEmpty, others } from "../arguments/forms.ts"
import * as kinds from "../arguments/kinds.ts"
import { refuseSlips } from "../arguments/slips.ts"
import { need } from "../arguments/taking.ts"
import type { SearchOptions } from "../Memory.ts"
import { searchForms } from "../memory/search/options.ts"
import { runForms } from "../pipeline/run.ts"
import type { CallOptions, RunOptions } from "./running.ts"

type FormsOf<O, Others = never> = Readonly<Record<Exclude<keyof O, Others>, AnyForm>>

const scope = maybe("The tenant.", notEmpty)

const call: FormsOf<CallOptions> = { ...others("onSignal", "onUsage", "signal"), scope }
const run: FormsOf<RunOptions> = { ...call, ...runForms }
const say: FormsOf<RunOptions & { readonly user?: string }> = { ...run, user: maybe("Who says it.", notEmpty) }
const by: FormsOf<CallOptions & { readonly by?: string }> = { ...call, by: maybe("Who decides.", notEmpty) }
const waiting: FormsOf<CallOptions & { readonly runId?: string }> = { ...call, runId: maybe("The run.", notEmpty) }
const all: FormsOf<CallOptions & { readonly concurrency?: unknown }> = {
  ...call,
  concurrency: maybe("How many runs at a time.", concurrency)
}
/** The memory checks the values of its own options. */
const search: FormsOf<CallOptions & SearchOptions> = { ...call, ...searchForms }

const methods = {
  run,
  stream: run,
  call,
  "chat.say": say,
  "chat.stream": say,
  "chat.resume": call,
  "chat.resumeStream": call,
  "chat.cancel": call,
  "chat.undo": call,
  resume: call,
  resumeAll: all,
  answer: by,
  approve: by,
  waiting,
  search,
  load: call,
  append: call,
  effect: call,
  iterable: call,
  open: call
} as const satisfies Readonly<Record<string, Forms>>

export type Method = keyof typeof methods

const options: kinds.Kind = {
  named: "an object of options",
  is: (value) => value === undefined || kinds.kindOf(value) === "an object"
}

/** Throws if the options of a call are no object, or have a mistyped name. */
export const check = (method: Method, given: object | undefined): void => {
  const owner = `Cogito.${method}`
  need(owner, options, given)
  if (given !== undefined) refuseSlips(owner, methods[method], given)
}
