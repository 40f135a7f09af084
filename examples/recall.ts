// Runs offline: a small sentence encoder, no key, no server. `npm run recall`
/**
 * Recall across pipelines: one pipeline works on cases, another finds them again by what they mean, and says why.
 *
 * The first pipeline sorts incident reports; its notes are stored with each step. The second one knows nothing of the first
 * and is asked in other words. `seek` finds notes, `survey` finds whole cases, and `Memory.search` shows how each of the
 * two arms of the search, by meaning and by words, ranked every match.
 */
import { Console, Effect, Layer, Schema } from "effect"
import { Memory, Note, Pipeline, Primitive, Thought } from "cogito"
import { Local } from "cogito/local"

// --------------------------------------------------------------------------------------------------- the two pipelines

/** Writes down what kind of incident a case is, beside what was reported and what helped. */
const work = Pipeline.sequence("work on an incident", [
  Primitive.categorize("area", {
    question: "Which part of the house does this incident belong to?",
    categories: {
      network: "connections, wireless, slow or lost traffic",
      hardware: "machines, printers, batteries, screens",
      access: "passwords, accounts, badges, locked doors"
    }
  })
])

const question = Note.handle("question", Schema.String)
const asked = Note.from(question, (text) => text)

/** Looks for what may help with a question: single notes, and cases as a whole. */
const recall = Pipeline.sequence("recall", [
  Primitive.seek("notes", { query: asked, limit: 3, keys: ["report", "helped"] }),
  Primitive.survey("cases", { query: asked, limit: 2, keys: ["report", "helped"] })
])

// ------------------------------------------------------------------------------------------------------------ the cases

const cases = [
  {
    taskId: "INC-101",
    report: "Nobody on the third floor can print. The device shows error E-79 and its tray is jammed.",
    helped: "Removed a torn sheet from behind the fuser and restarted the printer."
  },
  {
    taskId: "INC-102",
    report: "Video calls freeze every afternoon in the meeting room at the end of the corridor.",
    helped: "Moved the wireless access point away from the kitchen; the microwave oven disturbed it."
  },
  {
    taskId: "INC-103",
    report: "A new colleague cannot sign in: her account says that the password has expired.",
    helped: "Reset the password and corrected the date on which she started."
  },
  {
    taskId: "INC-104",
    report: "The laptop of the warehouse manager switches itself off after ten minutes without a cable.",
    helped: "Replaced the worn battery."
  }
]

const questions = [
  "My notebook dies as soon as I unplug it",
  "error E-79",
  "The wifi is bad while we are in a conference"
]

// -------------------------------------------------------------------------------------------------------------- the run

/** Text from others on one line, with control characters shown by their number. */
const line = (text: string): string => Note.visible(text, { oneLine: true })

const short = (text: string): string => {
  const shown = line(text)
  return shown.length <= 60 ? shown : `${shown.slice(0, 59)}…`
}

/** Rank and score of a match in one arm of the search. */
const arm = (rank: number | undefined, score: number | undefined): string =>
  rank === undefined || score === undefined ? "not found" : `number ${rank}, ${score.toFixed(2)}`

const program = Effect.gen(function* () {
  yield* Console.log(`Working on ${cases.length} cases\n`)
  for (const { helped, report, taskId } of cases) {
    const start = yield* Thought.make("work on an incident", { report, helped }, { taskId })
    const done = yield* Pipeline.run(work, start)
    yield* Console.log(`  ${taskId}  ${done.get("area").primary.padEnd(9)} ${short(report)}`)
  }
  // Searches wait for new notes anyway; flushing here makes sure that the results below include them all.
  yield* Memory.flush
  yield* Console.log(`\n${yield* Memory.pending} notes wait for their vectors.`)

  for (const text of questions) {
    const done = yield* Pipeline.run(recall, yield* Thought.make("look for help", { question: text }))
    yield* Console.log(`\n"${line(text)}"\n\n  survey: the cases that are nearest`)
    for (const { matches, score, taskId } of done.get("cases").tasks) {
      yield* Console.log(`    ${score.toFixed(3)}  ${taskId}  ${short(matches[0]?.content ?? "")}`)
    }
    yield* Console.log("  seek: the notes")
    for (const { content, key, score } of done.get("notes").matches) {
      yield* Console.log(`    ${score.toFixed(3)}  ${key.padEnd(7)} ${short(content)}`)
    }
    const { arms, matches } = yield* Memory.search(text, { keys: ["report", "helped"], limit: 1 })
    yield* Console.log(`  why the first one (by meaning: ${arms.vector}, by words: ${arms.lexical})`)
    for (const { note, ranks, scores, thought } of matches) {
      yield* Console.log(`    ${thought.taskId}, ${note.key}: ${short(note.content)}`)
      yield* Console.log(`      by meaning: ${arm(ranks.vector, scores.vector)}`)
      yield* Console.log(`      by words:   ${arm(ranks.lexical, scores.lexical)}`)
    }
  }
})

const memory = Memory.layerInMemory().pipe(Layer.provide(Local.embedder))
await Effect.runPromise(program.pipe(Effect.provide(Layer.merge(Local.extractive, memory))))
