/** Every type of node. */
import type { Definition } from "./define.ts"
import { alternatives } from "./nodes/alternatives.ts"
import { around } from "./nodes/around.ts"
import { attempts } from "./nodes/attempts.ts"
import { composition } from "./nodes/composition.ts"
import { conditions } from "./nodes/conditions.ts"
import { conversation } from "./nodes/conversation.ts"
import { failures } from "./nodes/failures.ts"
import { forks } from "./nodes/forks.ts"
import { functions } from "./nodes/functions.ts"
import { limits } from "./nodes/limits.ts"
import { memory } from "./nodes/memory.ts"
import { questions } from "./nodes/questions.ts"
import { refining } from "./nodes/refining.ts"
import { routing } from "./nodes/routing.ts"

/** In the order in which they are described. */
export const types: ReadonlyArray<Definition> = [
  ...questions,
  ...routing,
  ...memory,
  ...refining,
  ...forks,
  ...conversation,
  ...composition,
  ...conditions,
  ...alternatives,
  ...attempts,
  ...failures,
  ...functions,
  ...limits,
  ...around
]

const byType = new Map(types.map((definition) => [definition.type, definition]))

export const definitionOf = (type: string): Definition | undefined => byType.get(type)
