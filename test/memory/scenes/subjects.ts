/** The scenes of each subject, by the name of its transcript. */
import { choosingScenes } from "./choosing.ts"
import { filterScenes } from "./filters.ts"
import { rankingScenes } from "./ranking.ts"
import { archiveScenes } from "./archive.ts"
import { redactionScenes } from "./redaction.ts"
import { removalScenes } from "./removal.ts"
import { limitScenes } from "./limits.ts"
import { thoughtScenes } from "./thoughts.ts"
import type { Scene } from "./stage.ts"

export const subjects: Readonly<Record<string, ReadonlyArray<Scene>>> = {
  filters: filterScenes,
  ranking: rankingScenes,
  choosing: choosingScenes,
  thoughts: thoughtScenes,
  removal: removalScenes,
  redaction: redactionScenes,
  archive: archiveScenes,
  limits: limitScenes
}
