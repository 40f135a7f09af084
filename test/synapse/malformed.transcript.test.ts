/** What is read of every malformed answer, and what is done for it or why it is refused: a slip in the reader changes a line. */
import { it } from "@effect/vitest"
import { Effect, Record, Result } from "effect"
import type { Synapse } from "cogito"
import { Categories as blind } from "../corpus/blind/index.ts"
import { damagedAnswers, fates } from "../corpus/damage.ts"
import { categories, type Case } from "../corpus/malformed/index.ts"
import { formOf } from "../corpus/parse.ts"
import { score, type Categories } from "../corpus/score.ts"
import { unseen } from "../corpus/unseen.ts"
import { transcribe } from "../transcript.ts"

type Read = ReturnType<ReturnType<typeof formOf>["decode"]>

/** What was done, or why there is no value. The corpora have the values, and the verdict says whether this is it. */
const reasonOf = (read: Read): string =>
  Result.isSuccess(read)
    ? read.success.coercions.map(({ kind, lossy, path }) => [...path, kind].join(".") + (lossy ? "!" : "")).join(" ")
    : read.failure.map(({ message, path }) => [...path, message].join(": ")).join("; ")

const outcomesOf = (cases: ReadonlyArray<Case>, parsing: "lenient" | "lossy"): ReadonlyArray<string> => {
  const reasons: Array<string> = []
  const parser = ({ schema, text }: Case) => {
    const read = formOf(schema).decode(text, parsing)
    reasons.push(reasonOf(read))
    return Result.getOrUndefined(read)
  }
  const results = score({ cases }, parser, { lossy: parsing === "lossy" })
  return results.map(({ verdict }, i) => `${verdict} ${reasons[i] ?? ""}`.trim())
}

const readings = (corpus: Categories) =>
  Record.map(corpus, (cases) =>
    Effect.sync(() => {
      const lossy = outcomesOf(cases, "lossy")
      return outcomesOf(cases, "lenient")
        .flatMap((lenient, i) => {
          const line = `${cases[i]?.name ?? ""}: ${lenient}`
          return lenient === lossy[i] ? line : [line, `  lossy: ${lossy[i] ?? ""}`]
        })
        .join("\n")
    })
  )

/** How many of the damaged answers end in which way, and by what; where in the answer is left out. */
const damaged = (marks: number, parsing: Synapse.Parsing) =>
  Effect.sync(() => {
    const counts: Record<string, number> = {}
    fates(damagedAnswers(250, marks, 5), parsing, ({ schema, text }, fate) => {
      const read = formOf(schema).decode(text, parsing)
      const reasons = Result.isSuccess(read)
        ? read.success.coercions.map(({ kind, lossy }) => kind + (lossy ? "!" : ""))
        : read.failure.map(({ message }) => message)
      const way = `${fate}: ${reasons.join("; ")}`
      counts[way] = (counts[way] ?? 0) + 1
    })
    return counts
  })

it.effect("how malformed answers are read", () => transcribe("malformed", readings(categories)))

it.effect("how malformed answers of another author, and older ones, are read", () =>
  transcribe("strange", { ...readings(blind), ...readings({ unseen }) })
)

it.effect("how answers with randomly changed marks are read", () =>
  transcribe("damaged", {
    "One mark, lenient": damaged(1, "lenient"),
    "One mark, lossy": damaged(1, "lossy"),
    "Two marks, lenient": damaged(2, "lenient"),
    "Two marks, lossy": damaged(2, "lossy")
  })
)
