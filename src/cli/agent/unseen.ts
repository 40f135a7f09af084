/** Which events of a run are new to a reader: a run that is resumed emits all of its events once more. */
import type { AnyEvent } from "./module.ts"

export const unseen = (): ((event: AnyEvent) => boolean) => {
  const rounds = new Set<number>()
  const keys = new Set<string>()
  const first = (key: string): boolean => {
    const isNew = !keys.has(key)
    keys.add(key)
    return isNew
  }
  return (event) => {
    switch (event._tag) {
      case "Text":
      case "Reasoning":
      case "CallStarted":
      case "CallDelta":
      case "Discarded":
        // a round that was interrupted is asked again, and its text begins anew
        return !rounds.has(event.round)
      case "Round": {
        const isNew = !rounds.has(event.round)
        rounds.add(event.round)
        return isNew
      }
      case "Triaged":
        return first("Triaged")
      case "Called":
        // once more with other parameters, if a person has approved these
        return first(`Called ${event.id} ${JSON.stringify(event.params)}`)
      case "Asked":
        return first(`Asked ${event.id}`)
      case "Denied":
      case "Failed":
      case "Returned":
        return first(`over ${event.id}`)
      case "Progress":
        return !keys.has(`over ${event.id}`)
      default:
        return true
    }
  }
}
