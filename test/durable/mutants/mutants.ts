/** Faults that durable runs could have, each as a change of one source. */

export interface Mutant {
  readonly name: string
  /** The source, below `src`. */
  readonly file: string
  readonly from: string
  readonly to: string
  /** The file of tests that must find it, and those tests of it that are run. */
  readonly test: string
  readonly only: string
}

export const mutants: ReadonlyArray<Mutant> = [
  {
    name: "a counter for the whole run in the place of frames",
    file: "pipeline/durable/frame.ts",
    from: "  const key = nextKey(frame, name)\n",
    to: '  const counter = globalThis as any\n  const key = `/${name}@${(counter.entries = frame.key === "" ? 1 : counter.entries + 1)}`\n',
    test: "test/durable/kinds.test.ts",
    only: "concurrent loses"
  },
  {
    name: "random ids in the place of derived ones",
    file: "pipeline/durable/frame.ts",
    from: 'idOf(millis.toString(16).padStart(12, "0"), `${seed}${frame.key}#${frame.ids++}`)',
    to: 'idOf(millis.toString(16).padStart(12, "0"), `${seed}${frame.key}#${frame.ids++}${Math.random()}`)',
    test: "test/durable/kinds.test.ts",
    only: "concurrent loses"
  },
  {
    name: "the winner of a race is not recorded",
    file: "step/runtime/branch.ts",
    from: "yield* recorded<Settled, E2, R | R2>(",
    to: "yield* ((_: unknown, live: any) => live)(",
    test: "test/durable/paths.test.ts",
    only: "won a race"
  },
  {
    name: "a call is recorded after it was made",
    file: "pipeline/durable/calls.ts",
    from: "        if (acts !== undefined) {\n          writer.call(row)",
    to: "        if (acts !== undefined && place.n < 0) {\n          writer.call(row)",
    test: "test/durable/effects.test.ts",
    only: "ends the run where it is set so"
  },
  {
    name: "failures are not recorded",
    file: "pipeline/durable/calls.ts",
    from: "  if (reason !== undefined) {",
    to: "  if (reason !== undefined && acts === undefined) {",
    test: "test/durable/paths.test.ts",
    only: "that is recorded is not asked"
  },
  {
    name: "a step in the background has the ids of the run that began it",
    file: "pipeline/durable/later.ts",
    from: "        seed: own,",
    to: "        seed: parts.seed,",
    test: "test/durable/kinds.test.ts",
    only: "scaffold loses"
  },
  {
    name: "the epoch of a writer is not checked",
    file: "memory/model/standing.ts",
    from: "if (run.epoch !== epoch)",
    to: "if (run.epoch < epoch)",
    test: "test/memory/inMemory.test.ts",
    only: "durable runs"
  },
  {
    name: "a budget begins anew in each process",
    file: "limits/budget/carriedOver.ts",
    from: "  all.length === 0",
    to: "  all.length >= 0",
    test: "test/durable/budgets.test.ts",
    only: "calls around a step"
  },
  {
    name: "the last answer to a question counts",
    file: "memory/inMemory/ledger.ts",
    from: "if (wait.answer !== undefined)",
    to: "if (wait.answer === json)",
    test: "test/durable/waits.test.ts",
    only: "first of many at once"
  },
  {
    name: "an answer that was cut off is recorded as a whole one",
    file: "pipeline/durable/calls.ts",
    from: 'state: "failed", response: JSON.stringify(failure.encode(reason.error)) }',
    to: 'state: "answered", response: JSON.stringify({ text: "", usage: {} }) }',
    test: "test/durable/effects.test.ts",
    only: "is recorded as a failure"
  },
  {
    name: "a step is passed over though its notes cannot be read again with their types",
    file: "pipeline/durable/journal.ts",
    from: "if (!isTypedSince(resolver, thought, given)) return undefined",
    to: "if (given.length < 0) return undefined",
    test: "test/durable/resumed.test.ts",
    only: "gives the value of a note"
  }
]
