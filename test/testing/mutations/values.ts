/** Every small change of a value: one field, item or letter at a time. */

/** A change, which leaves a value alone that has nothing in the place of the change. */
export interface Change {
  readonly name: string
  readonly change: <A>(value: A) => A
}

/** What a change gives if the value is to be left out. */
const absent = Symbol("absent")

type Leaf = readonly [name: string, change: (value: any) => unknown]

const written = (text: string): string => {
  try {
    return JSON.stringify(JSON.parse(text))
  } catch {
    return text
  }
}

const ofTexts: ReadonlyArray<Leaf> = [
  ["longer", (text: string) => `${text}x`],
  ["without its first letter", (text: string) => text.slice(1)],
  ["empty", () => ""]
]

/** Changes of a text of which only some texts show anything. */
export const ofSomeTexts: ReadonlyArray<Leaf> = [
  ["with spaces for line ends", (text: string) => text.replaceAll(/[\r\n]+/g, " ")],
  ["without marks", (text: string) => text.normalize("NFD").replaceAll(/\p{Mn}/gu, "")],
  ["without joiners", (text: string) => text.replaceAll("\u200d", "")],
  ["cut after 1000 letters", (text: string) => text.slice(0, 1000)],
  ["as JSON written anew", written]
]

const ofFractions: ReadonlyArray<Leaf> = [
  ["less by 0.03", (value: number) => value - 0.03],
  ["more by 0.03", (value: number) => value + 0.03],
  ["more by 0.01", (value: number) => value + 0.01],
  ["not a number", () => Number.NaN]
]

const ofNumbers: ReadonlyArray<Leaf> = [
  ["more by 1", (value: number) => value + 1],
  ["below 0", (value: number) => -1 - value],
  ["not a number", () => Number.NaN],
  ["infinite", () => Number.POSITIVE_INFINITY]
]

const ofLists: ReadonlyArray<Leaf> = [
  ["without its first item", (items: ReadonlyArray<unknown>) => items.slice(1)],
  ["without its last item", (items: ReadonlyArray<unknown>) => items.slice(0, -1)],
  ["with its last item twice", (items: ReadonlyArray<unknown>) => [...items, ...items.slice(-1)]],
  ["from the last to the first", (items: ReadonlyArray<unknown>) => items.toReversed()],
  [
    "with the last two in the other order",
    (items: ReadonlyArray<unknown>) => [...items.slice(0, -2), ...items.slice(-2).toReversed()]
  ],
  ["empty", () => []]
]

const leavesOf = (value: unknown): ReadonlyArray<Leaf> => {
  if (typeof value === "string") return ofTexts
  if (typeof value === "number") return Number.isInteger(value) ? ofNumbers : ofFractions
  return Array.isArray(value) ? ofLists : []
}

/** Changes the value in one place. */
const changedAt = (path: ReadonlyArray<string | number>, change: (value: any) => unknown, value: any): any => {
  const [key, ...rest] = path
  if (key === undefined) return change(value)
  if (typeof value !== "object" || value === null || !Object.hasOwn(value, key)) return value
  const part = changedAt(rest, change, value[key])
  if (Array.isArray(value)) return part === absent ? value.toSpliced(key as number, 1) : value.with(key as number, part)
  const { [key]: _, ...others } = value
  return part === absent ? others : { ...value, [key]: part }
}

type Path = ReadonlyArray<string | number>

/** The places of a value, with the values there. */
const placesOf = (value: unknown, path: Path = []): ReadonlyArray<readonly [Path, unknown]> => {
  if (typeof value !== "object" || value === null) return [[path, value]]
  const parts = Array.isArray(value) ? [...value.entries()] : Object.entries(value)
  return [[path, value], ...parts.flatMap(([key, part]) => placesOf(part, [...path, key]))]
}

/** Every change of values like this one, whose numbers and texts are examples; `more` changes texts besides. */
export const changesOf = (sample: unknown, more: ReadonlyArray<Leaf> = []): ReadonlyArray<Change> =>
  placesOf(sample).flatMap(([path, value]) => {
    const leaves = [...leavesOf(value), ...(typeof value === "string" ? more : [])]
    const gone: ReadonlyArray<Leaf> = path.length === 0 ? [] : [["left out", () => absent]]
    return [...leaves, ...gone].map(([name, change]): Change => ({
      name: `${path.join(".")} ${name}`.trim(),
      change: (given) => changedAt(path, change, given)
    }))
  })
