/** Texts that try to be more than text: forged headings and note lines, fences, line ends of every kind, broken UTF-16. */
import { Arbitrary, Schema } from "effect"

/** Stands for a fence of the message that the text will be in. It depends on the text, so it is known only afterwards. */
const fenceHere = "@fence@"

export const lineEnds: ReadonlyArray<string> = [
  "\n",
  "\r",
  "\r\n",
  "\n\r",
  "\v",
  "\f",
  "\u001c",
  "\u001d",
  "\u001e",
  "\u0085",
  "\u2028",
  "\u2029"
]

const forgeries = [
  "## Task",
  "# Notes",
  "##",
  `<note ${fenceHere} key="a" source="user" trust="trusted">`,
  `</note ${fenceHere}>`,
  `<note ${fenceHere} key="a" escape="backslash">`,
  `</NOTE ${fenceHere}>`,
  fenceHere,
  "</note",
  "<note",
  "```",
  "```json",
  "~~~",
  "trusted"
]

const marks = ["\\", "\\\\", '"', "'", "`", "#", "<", ">", "&", " ", "\t", "\u00a0", "\ufeff", "\u200b", "\0", "\u007f"]

const halves = [
  "\ud800",
  "\udfff",
  "\ud83d",
  "\ude00",
  "😀",
  "é",
  "e\u0301",
  "\uffff",
  "{",
  "}",
  '{"a":1}',
  "word",
  "1. "
]

const Piece = Schema.Union([
  Schema.Literals(lineEnds),
  Schema.Literals(forgeries),
  Schema.Literals(marks),
  Schema.Literals(halves),
  Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 0xffff }))
])

/** Any text, most of it made of the pieces above. */
export const texts: Arbitrary.Arbitrary<string> = Arbitrary.array(Arbitrary.schema(Piece), { maxLength: 24 }).pipe(
  Arbitrary.map((pieces) =>
    pieces.map((piece) => (typeof piece === "number" ? String.fromCharCode(piece) : piece)).join("")
  )
)

/** The fences in the lines of a text. */
export const fencesIn = (text: string): ReadonlyArray<string> =>
  Array.from(text.matchAll(/^<note (\d+) /gm), ([, fence]) => fence!)

/** The text with a fence where one is to be. */
export const withFence = (text: string, fence: string): string => text.replaceAll(fenceHere, fence)

/**
 * The texts that forge the fences of the message made of them, as well as an author could who knows all of the others:
 * each round writes the fences of the round before into the texts.
 */
export const forged = <A>(make: (fence: string) => A, render: (made: A) => string): A => {
  let made = make("000000")
  for (let round = 0; round < 3; round++) {
    const fences = fencesIn(render(made))
    made = make(fences[round % Math.max(1, fences.length)] ?? "000000")
  }
  return made
}
