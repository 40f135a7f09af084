/** Finds the properties of an object whose keys are spelled differently. */
import type { ObjectShape, Shape } from "./Shape.ts"

const foldedNames = new WeakMap<ObjectShape, ReadonlyMap<string, ReadonlyArray<string>>>()

/**
 * The key in lower case, without quotes around it and signs between its words. Any other sign may change the meaning.
 */
const folded = (key: string): string =>
  key
    .replace(/^[\s"'`]+|[\s"'`]+$/g, "")
    .toLowerCase()
    .replaceAll(/(?<=[\p{L}\p{M}])[\s_.-]+(?=[\p{L}\p{N}])|(?<=\p{N})[\s_.-]+(?=\p{L})/gu, "")
    .replaceAll(/(?<=\p{N})[\s_.-]+(?=\p{N})/gu, " ")

const longest = 256

const grouped = (names: Iterable<string>): ReadonlyMap<string, ReadonlyArray<string>> => {
  const groups = new Map<string, Array<string>>()
  for (const name of names) {
    const key = folded(name)
    const group = groups.get(key)
    if (group === undefined) groups.set(key, [name])
    else group.push(name)
  }
  return groups
}

/** The names of the shape, grouped by their folded form. */
const namesIn = (shape: ObjectShape): ReadonlyMap<string, ReadonlyArray<string>> => {
  const known = foldedNames.get(shape) ?? grouped(shape.names)
  foldedNames.set(shape, known)
  return known
}

/** The properties that are present, with the other spellings of their keys that are present too. */
export const respelledIn = (
  keys: ReadonlyArray<string>,
  shape: ObjectShape
): ReadonlyMap<string, ReadonlyArray<string>> => {
  const respelled = new Map<string, ReadonlyArray<string>>()
  const strangers = keys.filter((key) => !shape.names.has(key) && key.length <= longest)
  if (strangers.length === 0 || shape.others !== undefined) return respelled
  const present = new Set(keys)
  for (const [key, spellings] of grouped(strangers)) {
    const [name, ...more] = namesIn(shape).get(key) ?? []
    if (key !== "" && name !== undefined && more.length === 0 && present.has(name)) respelled.set(name, spellings)
  }
  return respelled
}

/** The properties that keys with another spelling stand for, only if there is no doubt. */
export const renamedBy = (keys: ReadonlyArray<string>, shape: ObjectShape): ReadonlyMap<string, string> => {
  const renamed = new Map<string, string>()
  const present = new Set(keys)
  const strangers = keys.filter((key) => !shape.names.has(key) && key.length <= longest)
  if (strangers.length === 0 || shape.names.size === 0) return renamed
  const known = namesIn(shape)
  for (const [key, spellings] of grouped(strangers)) {
    const absent = known.get(key)?.filter((name) => !present.has(name)) ?? []
    const [spelling] = spellings
    const [name] = absent
    if (key !== "" && absent.length === 1 && spellings.length === 1 && spelling !== undefined && name !== undefined) {
      renamed.set(spelling, name)
    }
  }
  return renamed
}

/** Whether an object of this shape may have the key, in any spelling. */
export const isNamed = (shape: Shape, name: string): boolean =>
  shape._tag === "Union"
    ? shape.members.some((member) => isNamed(member, name))
    : shape._tag === "Object" && isNameIn(shape, name)

/** Whether the key names a property, in any spelling. */
export const isNameIn = (shape: ObjectShape, key: string): boolean =>
  shape.names.has(key) || renamedBy([key], shape).size > 0
