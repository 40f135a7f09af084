import { it } from "@effect/vitest"
import { Effect } from "effect"
import { Spec } from "cogito/spec"
import { transcribe } from "../transcript.ts"
import { registry } from "./types.ts"

const a = { type: "decide", key: "a", question: "Is it a?" }
const doc = (step: unknown, more: object = {}) => ({ cogito: 1, name: "n", step, ...more })
const sequence = (...steps: ReadonlyArray<unknown>) => ({ type: "sequence", name: "all", steps })

const combined = (all: ReadonlyArray<Effect.Effect<unknown>>) => Effect.all(all)

const text = (input: string, format?: Spec.Format) =>
  Spec.decode(Spec.registry(), input, format === undefined ? {} : { format }).pipe(
    Effect.flip,
    Effect.map((error) => error.message),
    Effect.orElseSucceed(() => "no problem")
  )

const many = <A>(count: number, of: (i: number) => A) => Array.from({ length: count }, (_, i) => of(i))
const nested = (depth: number, inner: unknown = a): unknown =>
  depth === 0 ? inner : { type: "named", name: `n${depth}`, step: nested(depth - 1, inner) }

/** The first and last problem, and how many there are. */
const ends = (input: unknown, format?: Spec.Format) =>
  Spec.decode(registry, input, format === undefined ? {} : { format }).pipe(
    Effect.flip,
    Effect.map(({ problems }) => ({ count: problems.length, first: problems[0], last: problems.at(-1) })),
    Effect.orElseSucceed(() => "no problem")
  )

const yaml = "cogito: 1\nname: n\nstep: { type: decide, key: a, question: Is it? }\n"
it.effect("what is wrong with texts that are no documents, and with documents that are too large", () =>
  transcribe("texts", {
    "What JSON is not": Effect.forEach(
      [
        '{"a":1',
        '{"a":1}}',
        '{"a" 1}',
        '{"a":1 "b":2}',
        "{a:1}",
        '{"a":}',
        '{"a":[1,]}',
        '{"a":1,}',
        '{"a":1,"a":2}',
        '{"a":"\\x"}',
        '{"a":"b\nc"}',
        '{"a":tru}',
        '{"a":01}',
        '{"a":+1}',
        '{"a":-}',
        '{"a":"b',
        '{\n "a": 1,\n "b" 2}',
        '{"\\q":1}',
        '{"a":{"b":1,"b":2}}',
        '{"a":[{"b":1},{"b":1}],"c":nul}'
      ],
      (json) => text(json, "json")
    ),
    "Texts of both formats": Effect.all([
      text(""),
      text(" \n "),
      text("\uFEFF" + yaml),
      text(yaml, "json"),
      text('{"cogito":1,"name":"n","step":{"type":"decide","key":"a","question":"?"}}'),
      text('{"cogito":1,"name":"n","step":{"type":"decide","key":"a","question":"?"}}', "yaml"),
      text("{ cogito: 1 }"),
      text("a\0b"),
      text("name: [a"),
      text("name: a: b"),
      text("a: 1\na: 2"),
      text("%TAG x\n" + yaml),
      text("x: " + "y".repeat(1_997)),
      text("x: " + "y".repeat(1_998)),
      text("a:\n".repeat(10_000)),
      text("# x\n".repeat(9_999) + "x"),
      text("# x\n".repeat(30_000)),
      text("- *x"),
      text("- 3"),
      text("\tx: 1"),
      text("step: " + "[".repeat(900))
    ]),
    "Aliases are copied each time": Effect.gen(function* () {
      const document = yield* Spec.decode(
        Spec.registry(),
        "cogito: 1\nname: n\nstep:\n  type: race\n  name: r\n  branches:\n    x: &d { type: decide, key: a, question: '?' }\n    y: *d\n"
      )
      return document
    }),
    "As much as there may be, and more": combined([
      ends(doc(sequence(...many(99, () => 3)))),
      ends(doc(sequence(...many(100, () => 3)))),
      ends(doc(sequence(...many(140, () => 3)))),
      ends(doc(sequence(...many(9_998, (i) => ({ ...a, key: `k${i}` }))))),
      ends(doc(sequence(...many(10_000, (i) => ({ ...a, key: `k${i}` }))))),
      ends(doc(nested(998))),
      ends(doc(nested(999))),
      ends(doc(nested(500, { use: "x" }), { definitions: { x: nested(499) } })),
      ends(doc(nested(500, { use: "x" }), { definitions: { x: nested(500) } })),
      ends(
        doc(
          { use: "d5" },
          {
            definitions: Object.fromEntries(
              many(6, (i): [string, unknown] => [
                `d${i}`,
                i === 0 ? a : sequence(...many(10, () => ({ use: `d${i - 1}` })))
              ])
            )
          }
        )
      ),
      ends(
        doc(a, {
          definitions: Object.fromEntries(many(1_001, (i): [string, unknown] => [`d${i}`, { ...a, key: `k${i}` }]))
        })
      ),
      ends(doc({ ...a, stop: many(99_992, (i) => i) })),
      ends(doc({ ...a, stop: many(99_993, (i) => i) })),
      ends(doc({ ...a, ["x".repeat(90)]: 1 })),
      ends(doc({ ...a, question: "x".repeat(2_000_000) })),
      ends(`{"x":"${"y".repeat(2_000_000)}"}`)
    ]),
    "The message of one problem and of several, of a file": Effect.sync(() => [
      new Spec.SpecError({ problems: [{ path: "step", message: "One." }] }).message,
      new Spec.SpecError({
        source: "mail.yaml",
        problems: [
          { path: "", message: "One." },
          { path: "step.x[1]", message: "Two." }
        ]
      })
    ])
  })
)
