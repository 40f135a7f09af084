/** Every type of node. */
import type { Definition } from "../model/define.ts"
import { functions } from "./functions.ts"
import { joined, surroundings } from "./joining.ts"
import { primitives } from "./primitives.ts"
import { attempts, limits } from "./wrapping.ts"

/** All node types, in the order of the documentation. */
export const types: ReadonlyArray<Definition> = [
  ...primitives,
  ...joined,
  ...attempts,
  ...functions,
  ...limits,
  ...surroundings
]

const byType = new Map(types.map((definition) => [definition.type, definition]))

export const definitionOf = (type: string): Definition | undefined => byType.get(type)
