/** Removes keys that a model made up from paths, because keys of a record may be text of a note. */
import type { Shape } from "./align/Shape.ts"

/** The path with `*` for each key that the schema does not name. */
export const redacted = (shape: Shape, path: ReadonlyArray<string>): ReadonlyArray<string> => {
  let shapes: ReadonlyArray<Shape> = [shape]
  return path.map((part) => {
    const inner = shapes.flatMap(alternativesOf).map((known) => innerOf(known, part))
    shapes = inner.flatMap(({ shape }) => (shape === undefined ? [] : [shape]))
    return inner.some(({ isNamed }) => isNamed) ? part : "*"
  })
}

const alternativesOf = (shape: Shape): ReadonlyArray<Shape> =>
  shape._tag === "Union" ? shape.members.flatMap(alternativesOf) : [shape]

const innerOf = (shape: Shape, part: string): { readonly shape: Shape | undefined; readonly isNamed: boolean } => {
  if (shape._tag === "List") {
    const isNamed = /^(?:0|[1-9]\d{0,8})$/.test(part)
    return { shape: isNamed ? shape.itemAt(Number(part)) : undefined, isNamed }
  }
  if (shape._tag !== "Object") return { shape: undefined, isNamed: false }
  return shape.names.has(part)
    ? { shape: shape.property(part), isNamed: true }
    : { shape: shape.others, isNamed: false }
}
