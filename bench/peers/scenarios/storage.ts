import assert from "node:assert/strict"
import { figure, ratio, type Results, type Scenario, type Start, times } from "../harness/scenario.ts"
import { notes, type Open, payload, text } from "../libraries/storage/task.ts"

const start =
  (library: () => Promise<Open>): Start =>
  async (quick) => {
    const open = await library()
    const round = async () => {
      const { close, stored, write } = await open()
      globalThis.gc?.()
      const cpu = process.cpuUsage()
      await write()
      const { system, user } = process.cpuUsage(cpu)
      const { bytes, statements, texts } = await stored()
      await close()
      assert.deepEqual(
        texts,
        Array.from({ length: notes }, (_, note) => text(note))
      )
      return { ...bytes, statements: statements / notes, cpu: (user + system) / 1000 / notes }
    }
    if (!quick) await round()
    return round
  }

const bare = "bare begin, insert, commit"
const computed = "cogito, computed notes"
const asked = "cogito, notes of a model"
const saver = "LangGraph, MemorySaver"

const subjects = {
  [bare]: start(async () => (await import("../libraries/storage/bare.ts")).insert),
  [computed]: start(async () => (await import("../libraries/storage/cogito.ts")).computedNotes),
  "cogito, computed notes, no embedder": start(
    async () => (await import("../libraries/storage/cogito.ts")).computedWithoutVectors
  ),
  [asked]: start(async () => (await import("../libraries/storage/cogito.ts")).askedNotes),
  [saver]: start(async () => (await import("../libraries/storage/langGraph.ts")).saver)
}

const beside = (results: Results, subject: string, name: string): number => figure(results, subject, name) / payload

const goals = (results: Results, subject: string) => [
  {
    what: `Bytes of columns beside the notes: ${subject}`,
    limit: 1.5,
    measured: beside(results, subject, "data"),
    unit: " ×"
  },
  { what: `Statements a step: ${subject}`, limit: 4, measured: figure(results, subject, "statements"), unit: "" },
  {
    what: `CPU of a step beside a bare transaction: ${subject}`,
    limit: 8,
    measured: ratio(results, "cpu", subject, bare),
    unit: " ×"
  }
]

const report = (results: Results) => ({
  tables: [
    {
      name: "200 notes of 1 KiB",
      columns: [
        "",
        "bytes",
        "for search",
        "vectors",
        "statements a step",
        "CPU a step, ms",
        "CPU beside the bare transaction"
      ],
      rows: Object.keys(subjects).map((subject) => [
        subject,
        ...["data", "search", "vectors"].map((name) => times(beside(results, subject, name))),
        subject === saver ? "" : figure(results, subject, "statements").toFixed(1),
        figure(results, subject, "cpu").toFixed(2),
        times(ratio(results, "cpu", subject, bare))
      ])
    }
  ],
  goals: [...goals(results, computed), ...goals(results, asked)]
})

export const scenario: Scenario = {
  method: `One thought gets ${notes} notes of 1 KiB of random words, each stored before the next is written. The database is PGlite in
the memory of the process, on both sides. Bytes are the sizes of all columns of all rows (\`pg_column_size\`) as multiples of
the texts; what only the search needs (words and hash) and the vectors (64 numbers of the embedder that counts words) are
counted apart. Statements are all that reach PGlite, with those that write vectors in the background; the CPU time ends when
the last vector is written.

- The bare program inserts a row in a transaction of its own.
- Computed notes are written by \`Step.make\`; notes of a model by \`analyze\`, which also stores the question and the answer
  as parts of the conversation.
- LangGraph has the notes in a state with a reducer; its bytes are what \`MemorySaver\` has serialized. It has no database, so
  its CPU time cannot be compared with the others'.`,
  rounds: 5,
  quickRounds: 1,
  subjects,
  report
}
