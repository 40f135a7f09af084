/** Lists the ways in which a value can be wrong in one place, by its shape alone. */
import * as DateTime from "effect/DateTime"
import * as Predicate from "effect/Predicate"

/**
 * The value with one place changed.
 *
 * - `path`: the place, such as `.notes[0].content`; empty for the value itself
 * - `kind`: how it is changed, such as `"reversed"`
 * - `make`: makes the wrong value; the right one stays as it is
 */
export interface Falsehood {
  readonly path: string
  readonly kind: string
  readonly make: () => unknown
}

/** A copy of an object, with another value of one field. */
export const withField = <A extends object>(whole: A, key: string, value: unknown): A => {
  const copy = Object.create(
    Object.getPrototypeOf(whole) as object | null,
    Object.getOwnPropertyDescriptors(whole)
  ) as A
  return Object.defineProperty(copy, key, { value, enumerable: true, writable: true, configurable: true })
}

/** The first place of a list, its last, and one between them. */
const somePlaces = (length: number): ReadonlyArray<number> =>
  [...new Set([0, Math.floor(length / 2), length - 1])].filter((place) => place >= 0 && place < length)

function* ofList(list: ReadonlyArray<unknown>): Generator<Falsehood> {
  const wrong = (kind: string, make: () => ReadonlyArray<unknown>) => ({ path: "", kind, make })
  if (list.length === 0) yield wrong("not empty", () => ["there"])
  if (list.length > 0) {
    yield wrong("without its first", () => list.slice(1))
    yield wrong("with its last twice", () => [...list, list.at(-1)])
  }
  if (list.length > 1) {
    yield wrong("without its last", () => list.slice(0, -1))
    yield wrong("reversed", () => list.toReversed())
  }
  for (const place of somePlaces(list.length)) {
    for (const { kind, make, path } of falsehoods(list[place])) {
      yield { path: `[${place}]${path}`, kind, make: () => list.with(place, make()) }
    }
  }
}

function* ofMap(map: ReadonlyMap<unknown, unknown>): Generator<Falsehood> {
  const entries = [...map]
  for (const place of somePlaces(entries.length)) {
    const [key, item] = entries[place]!
    const path = `[${place}]`
    yield { path, kind: "left out", make: () => new Map(entries.toSpliced(place, 1)) }
    for (const one of falsehoods(item)) {
      yield { path: path + one.path, kind: one.kind, make: () => new Map(entries.with(place, [key, one.make()])) }
    }
  }
}

function* ofObject(whole: object): Generator<Falsehood> {
  for (const [key, item] of Object.entries(whole)) {
    const path = `.${key}`
    if (item !== undefined) yield { path, kind: "undefined", make: () => withField(whole, key, undefined) }
    for (const one of falsehoods(item)) {
      yield { path: path + one.path, kind: one.kind, make: () => withField(whole, key, one.make()) }
    }
  }
}

/** All wrong values of one place each, of the value itself first. */
export function* falsehoods(value: unknown): Generator<Falsehood> {
  const wrong = (kind: string, make: () => unknown) => ({ path: "", kind, make })
  if (value === undefined) yield wrong("there", () => "there")
  else if (typeof value === "string") yield wrong("another text", () => `${value} too`)
  else if (typeof value === "number") yield wrong("one more", () => value + 1)
  else if (typeof value === "boolean") yield wrong("the opposite", () => !value)
  else if (value instanceof Float32Array) yield wrong("another vector", () => value.toReversed())
  else if (DateTime.isDateTime(value))
    yield wrong("a millisecond later", () => DateTime.add(value, { milliseconds: 1 }))
  else if (Array.isArray(value)) yield* ofList(value)
  else if (value instanceof Map) yield* ofMap(value)
  else if (Predicate.isObject(value)) yield* ofObject(value)
}
