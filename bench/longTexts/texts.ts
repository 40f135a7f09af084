/** Texts of a given length in forms that a reader of everyday English does not expect. */

/** Numbers in [0, 1) that look random and are the same in each run. */
const random = (() => {
  let seed = 12_345
  return () => (seed = (seed * 1_103_515_245 + 12_345) & 0x7f_ff_ff_ff) / 0x7f_ff_ff_ff
})()

const given = ["Anna", "Marco", "Lena", "Peter", "Julia", "Karl", "Maria", "Otto", "Ines", "Paul"]
const family = ["Smith", "Jones", "Miller", "Weber", "Rossi", "Garcia", "Silva", "Novak"]
const one = (names: ReadonlyArray<string>): string => names[Math.floor(random() * names.length)] ?? ""
const letters = (i: number): string => String.fromCharCode(97 + (i % 26), 97 + (Math.floor(i / 26) % 26))
const two = (number: number): string => String(number).padStart(2, "0")

const repeated = (piece: (i: number) => string, length: number): string => {
  let text = ""
  for (let i = 0; text.length < length; i++) text += piece(i)
  return text.slice(0, length)
}

const record = (i: number) => ({
  id: i,
  name: one(given),
  email: `u${i}@example.com`,
  amount: i * 1.5,
  tags: ["a", "b"],
  at: "2026-01-02T03:04:05Z"
})

const forms: Readonly<Record<string, (length: number) => string>> = {
  prose: (length) =>
    repeated(
      (i) =>
        `On March ${1 + (i % 28)}, 2026 ${one(given)} ${one(family)} paid ${i} euros for the order A-${1000 + i} in Berlin. `,
      length
    ),
  names: (length) => repeated(() => `${one([...given, ...family])} `, length),
  "unlike names": (length) => repeated((i) => `${one(given)}${letters(i)}${letters(i * 7)} `, length),
  titles: (length) => repeated(() => `Mr ${one(family)} `, length),
  guests: (length) => repeated((i) => `${one(given)} B${letters(i)}, `, length),
  "one line": (length) => repeated((i) => `word${letters(i)} about the payment `, length),
  a: (length) => repeated(() => "a ", length),
  digits: (length) => repeated((i) => String(i % 10), length),
  numbers: (length) => repeated(() => `${Math.floor(random() * 9000)} `, length),
  hundreds: (length) => repeated((i) => `0${100 + (i % 900)} `, length),
  commas: (length) => repeated(() => ",", length),
  items: (length) => repeated((i) => `item${i}, `, length),
  hyphens: (length) => repeated(() => "a-", length),
  dots: (length) => repeated(() => "a.", length),
  quotes: (length) => repeated(() => '"', length),
  spaces: (length) => `Anna${repeated(() => " ", length)}bye.`,
  lines: (length) => `Anna${repeated(() => "\n", length)}bye.`,
  capitals: (length) => repeated(() => "ABCDEF ", length),
  streets: (length) => repeated((i) => `${i} Main `, length),
  base64: (length) =>
    Buffer.from(repeated(() => String.fromCharCode(32 + Math.floor(random() * 90)), (length * 3) / 4)).toString(
      "base64"
    ),
  json: (length) => JSON.stringify(Array.from({ length: length / 110 }, (_, i) => record(i))),
  log: (length) =>
    repeated(
      (i) =>
        `2026-03-04T05:06:${two(i % 60)}Z INFO [worker-${i % 7}] request ${i} from 10.0.0.${i % 250} took ${i % 900} ms\n`,
      length
    ),
  csv: (length) =>
    repeated(
      (i) => `${i},${one(given)} ${one(family)},u${i}@example.com,${i}.50,2026-01-${two(1 + (i % 28))}\n`,
      length
    ),
  chinese: (length) => repeated(() => "这是一个测试文本我们正在测试系统", length)
}

/** By name, each with the text of a length. All begin with English, so that they are read. */
export const texts: Readonly<Record<string, (length: number) => string>> = Object.fromEntries(
  Object.entries(forms).map(([name, form]) => [
    name,
    (length: number) => `This is what we have for you: ${form(length)}`
  ])
)
