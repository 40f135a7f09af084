/** Every type of node. */
import type { Definition } from "../model/define.ts"
import { alternatives } from "./alternatives.ts"
import { around } from "./around.ts"
import { attempts } from "./attempts.ts"
import { composition } from "./composition.ts"
import { conditions } from "./conditions.ts"
import { conversation } from "./conversation.ts"
import { failures } from "./failures.ts"
import { forks } from "./forks.ts"
import { functions } from "./functions.ts"
import { limits } from "./limits.ts"
import { memory } from "./memory.ts"
import { questions } from "./questions.ts"
import { refining } from "./refining.ts"
import { routing } from "./routing.ts"

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
