/** Archives written and read, and every line that cannot be read. */
import { Memory, Thought } from "cogito"
import { Effect, Stream } from "effect"
import { archived, inSecond, scene, stored } from "./stage.ts"

const line = (thought: object, rest: object = {}) =>
  JSON.stringify({
    thought: {
      id: "00000000-0000-7000-8000-0000000000aa",
      traceId: "t",
      intent: "i",
      created: 5,
      hidden: [["h", 1]],
      checkpoints: [["c", "00000000-0000-7000-8000-0000000000ab", 2]],
      ...thought
    },
    version: 3,
    notes: [],
    entries: [],
    nextIndex: 4,
    ...rest
  })

const note = (more: object = {}) => ({
  id: "00000000-0000-7000-8000-0000000000b1",
  seq: 1,
  key: "k",
  content: "secret text",
  metadata: [["m", "v"]],
  source: "s",
  step: "p/q",
  created: 6,
  trust: "trusted",
  ...more
})

const entry = (index: number, more: object = {}) => ({
  index,
  kind: "message",
  role: "user",
  text: "e",
  carries: [],
  covers: [],
  ...more
})

const header = '{"format":"cogito-memory","version":1}'

const imported = (...lines: ReadonlyArray<string>) => inSecond(Memory.importLines(Stream.fromIterable(lines)))

const invalid: ReadonlyArray<readonly [string, ReadonlyArray<string>]> = [
  ["no lines", []],
  ["an empty first line", ["", header]],
  ["another format", ['{"format":"other","version":1}']],
  ["a newer version", ['{"format":"cogito-memory","version":2}']],
  ["a version that is no number", ['{"format":"cogito-memory","version":"1"}']],
  ["no JSON after empty lines", [header, "", "  ", "{"]],
  ["a list", [header, "[]"]],
  ["an id in capitals", [header, line({ id: "00000000-0000-7000-8000-0000000000AA" })]],
  ["no intent", [header, line({ intent: 1 })]],
  ["a moment past all calendars", [header, line({ created: 8.64e15 + 1 })]],
  ["a version of 0", [header, line({}, { version: 0 })]],
  ["a number beyond a count", [header, line({}, { nextIndex: 2 ** 31 })]],
  ["notes that begin at 2", [header, line({}, { notes: [note({ seq: 2 })] })]],
  [
    "notes with a gap",
    [header, line({}, { notes: [note(), note({ id: "00000000-0000-7000-8000-0000000000b2", seq: 3 })] })]
  ],
  ["a trust that there is none", [header, line({}, { notes: [note({ trust: "some" })] })]],
  ["an entry of a kind that there is none", [header, line({}, { entries: [entry(0, { kind: "other" })] })]],
  ["entries in disorder", [header, line({}, { entries: [entry(2), entry(1)] })]],
  ["an entry beyond the next number", [header, line({}, { entries: [entry(4)] })]],
  ["a usage that is no number", [header, line({}, { usage: { inputTokens: "1" } })]],
  ["a parent that is not there", [header, line({ parent: { id: "00000000-0000-7000-8000-0000000000ac", seq: 1 } })]],
  ["a trace of 257 characters", [header, line({ traceId: "t".repeat(257) })]],
  [
    "a note of another thought's id",
    [
      header,
      line({}, { notes: [note()] }),
      line({ id: "00000000-0000-7000-8000-0000000000ad", traceId: "u" }, { notes: [note()] })
    ]
  ],
  ["the trace of another thought", [header, line({}), line({ id: "00000000-0000-7000-8000-0000000000ad" })]]
]

const valid: ReadonlyArray<readonly [string, ReadonlyArray<string>]> = [
  ["a header alone", [header]],
  ["a header with more in it", ['{"version":0,"format":"cogito-memory","more":1}', line({})]],
  [
    "all fields",
    [
      header,
      "",
      line(
        { taskId: "task" },
        {
          notes: [
            note({ derivedFrom: ["00000000-0000-7000-8000-0000000000ab"] }),
            note({ id: "00000000-0000-7000-8000-0000000000b2", seq: 2, redacted: 9 })
          ],
          entries: [
            entry(0),
            entry(3, { kind: "summary", role: "assistant", covers: ["00000000-0000-7000-8000-0000000000b1"] })
          ],
          usage: { outputTokens: 2, inputTokens: 1.5 }
        }
      )
    ]
  ],
  [
    "of an earlier version, without what notes were derived from",
    [
      header,
      line(
        {},
        {
          notes: [
            note({
              content:
                '{"noteId":"00000000-0000-7000-8000-0000000000c1"} {"noteId":"00000000-0000-7000-8000-0000000000c1"}',
              source: "seek"
            }),
            note({ id: "00000000-0000-7000-8000-0000000000b2", seq: 2, key: "k_summary", source: "seek" }),
            note({
              id: "00000000-0000-7000-8000-0000000000b3",
              seq: 3,
              content: '{"noteId":"00000000-0000-7000-8000-0000000000c2"}',
              source: "user"
            }),
            note({
              id: "00000000-0000-7000-8000-0000000000b4",
              seq: 4,
              content: '"noteId":"00000000-0000-7000-8000-0000000000c3"',
              source: "survey",
              step: "other"
            })
          ]
        }
      )
    ]
  ]
]

export const archiveScenes = [
  scene("Out of one scope and into another", ({ show }) =>
    Effect.gen(function* () {
      const root = yield* stored("root", { b: "two", a: "one\0\ud800" }, { traceId: "root", taskId: "t" })
      const fork = yield* Memory.commit(
        yield* Thought.append(yield* Thought.fork(root, { traceId: "fork" }), "c", "three")
      )
      yield* stored("other", { d: "four" }, { traceId: "other" })
      yield* show("all lines", Stream.runCollect(Memory.exportLines()))
      yield* show("one that descends from another", archived({ thoughts: [fork.id] }))
      yield* show(
        "by its trace, and twice",
        archived({ thoughts: [{ traceId: "root" }, root.id, { traceId: "other" }] })
      )
      yield* show("none", archived({ thoughts: [] }))
      yield* show("one that is unknown", archived({ thoughts: [root.id, { traceId: "nobody" }] }))
      const lines = yield* Stream.runCollect(Memory.exportLines())
      yield* show("there already", Memory.importLines(Stream.fromIterable(lines)))
      yield* show("elsewhere", imported(...lines.slice(0, 2), "", lines[2] ?? ""))
      yield* show("elsewhere, with those that are missing", imported(...lines))
      yield* show("what is there", inSecond(archived()))
      yield* show("pending there", inSecond(Memory.pending))
      yield* show("embedded", Memory.embedPending)
      yield* show("pending there then", inSecond(Memory.pending))
      yield* inSecond(Memory.append({ traceId: "other" }, [{ key: "e", content: "five" }]))
      yield* show("one that went on since is there", imported(...lines))
      const longer = yield* inSecond(Stream.runCollect(Memory.exportLines()))
      yield* show("one that has gone on is another state", Memory.importLines(Stream.fromIterable(longer)))
      yield* inSecond(Memory.remove({ traceId: "fork" }))
      yield* inSecond(Memory.remove({ traceId: "root" }))
      yield* show("a fork without its parent", imported(lines[0] ?? "", lines[2] ?? ""))
      yield* show("lines that fail on their way", Memory.importLines(Stream.fail("no such file")))
    })
  ),
  scene("Lines that cannot be read", ({ show }) =>
    Effect.forEach(invalid, ([name, lines]) =>
      Effect.gen(function* () {
        yield* show(name, imported(...lines))
        yield* inSecond(Memory.purge)
      })
    )
  ),
  scene("Lines that can be read", ({ show }) =>
    Effect.forEach(valid, ([name, lines]) =>
      Effect.gen(function* () {
        yield* show(name, imported(...lines))
        yield* show("what is there", inSecond(archived()))
        yield* inSecond(Memory.purge)
      })
    )
  )
]
