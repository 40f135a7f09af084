/** The line that says how a run failed and what to do on the command line. */
import { assert, describe, it } from "@effect/vitest"
import { asLine, busy } from "../../../src/cli/runs/failure.ts"
import { Memory, Pipeline } from "../../../src/index.ts"

const at = { runId: "r-1", frame: "/a/b" }
const failed = (cause: unknown) =>
  new Pipeline.PipelineError({ path: ["a", "b"], cause, thought: undefined, durationMillis: 1500 })
const other = "Name the code that began the run, or repeat it with the new code: cogito runs rerun."
const changed = "The code, a setting, the model or something it reads has changed."

describe("the failure of a run", () => {
  const cases: ReadonlyArray<readonly [what: string, error: Parameters<typeof asLine>[1], line: string]> = [
    [
      "whose pipeline has changed",
      new Pipeline.PipelineChanged({ ...at, before: "decide b", now: "decide\u001b" }),
      String.raw`The pipeline has changed since the run "r-1" began, at "/a/b": it was "decide b" and is "decide\u001b". ${other}`
    ],
    [
      "that makes another request than before",
      new Pipeline.ReplayMismatch({ ...at, before: "a call", now: "a call", differs: ["model", "messages"] }),
      `The step "/a/b" of the run "r-1" comes to a call with another model, messages than before. ${changed} ${other}`
    ],
    [
      "that does something of another kind than before",
      new Pipeline.ReplayMismatch({ ...at, before: "a call", now: "a wait", differs: ["kind"] }),
      `The step "/a/b" of the run "r-1" comes to a wait instead of a call. ${changed} ${other}`
    ],
    [
      "with an effect whose outcome is unknown",
      new Pipeline.OutcomeUnknown(at),
      'It is not known whether the effect of the step "/a/b" was carried out: its process ended during it. Find out, then resume the run "r-1" with --on-interrupted rerun to carry it out again.'
    ],
    [
      "whose answers were not kept",
      new Pipeline.AnswersNotKept({ runId: "r-1" }),
      'The answers of the run "r-1" were not kept, or a redaction has taken them, so it cannot be repeated: start runs with durable: { keep: "answers" }.'
    ],
    [
      "that another process holds until a known time",
      new Pipeline.RunBusy({ runId: "r-1", leaseUntilMillis: 60_000 }),
      'The run "r-1" is in progress in another process until 1970-01-01T00:01:00.000Z at least: wait for it, or stop that process and try again then.'
    ],
    [
      "that another process holds for an unknown time",
      new Pipeline.RunBusy({ runId: "r-1" }),
      'The run "r-1" is in progress in another process: wait for it, or stop that process and try again then.'
    ],
    [
      "in a step whose error has control characters",
      failed(new Error("red \u001b[31m text")),
      'A step of the run "r-1" has failed. a/b failed after 1500 ms: Error: red [U+001B][31m text'
    ],
    [
      "in a step with an error of the memory",
      failed(new Memory.MemoryError({ reason: { _tag: "Query", message: "two\nlines" } as never })),
      'A step of the run "r-1" has failed. two\nlines'
    ]
  ]
  for (const [what, error, line] of cases) {
    it(`${what} is explained in one or two sentences`, () => {
      assert.deepInclude(asLine("r-1", error), { _tag: "CommandError", message: line })
    })
  }

  it("names the run in other words if these are given, unless the run is busy", () => {
    const repeated = "the run that repeats it"
    assert.match(asLine("r-1", failed("x"), repeated).message, /^A step of the run that repeats it has failed\. /)
    assert.deepStrictEqual(
      asLine("r-1", new Pipeline.RunBusy({ runId: "r-1", leaseUntilMillis: 0 }), repeated),
      busy("r-1", 0)
    )
  })
})
