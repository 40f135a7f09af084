/** How the entries into the steps of a durable run are named, so that a later execution finds them again. */
import type { Entered, Frame } from "../../run/journal.ts"
import { hash128 } from "../../text/hash.ts"

export const frameOf = (key: string, step?: Entered): Frame => ({
  key,
  entered: new Map(),
  calls: 0,
  commits: 0,
  ids: 0,
  open: [],
  isStored: false,
  ...(step === undefined ? {} : { step })
})

const longestName = 300

const escaped = (name: string): string => name.replaceAll(/[~/@^]/g, (char) => `~${"~/@^".indexOf(char)}`)

const short = (name: string): string =>
  name.length <= longestName ? name : `${name.slice(0, longestName)}~${hash128(name)}`

const keyOf = (name: string): string => short(escaped(name))

/** The key of the next entry into a step with this name. */
export const nextKey = (frame: Frame, name: string): string => {
  const times = (frame.entered.get(name) ?? 0) + 1
  return `${frame.key}/${keyOf(name)}${times === 1 ? "" : `@${times}`}`
}

/** The place of the next thought that it stores. */
export const nextCommit = (frame: Frame): string => `${frame.key}^${frame.commits++}`

/** Whether what steps of this kind store while they run is needed only until they end. */
export const isPassing = (kind: string): boolean => kind === "agent"

/**
 * The places of the thoughts that it has stored, if it is that of an agent that has ended. The answers of the model are not kept,
 * so the agent is not executed again once the run is over.
 */
export const passedIn = ({ commits, key, step }: Frame): ReadonlyArray<string> =>
  step !== undefined && isPassing(step.kind) ? Array.from({ length: commits }, (_, n) => `${key}^${n}`) : []

/** The place of the thought that is stored once more, as a redaction has taken notes of the one at this place. */
export const commitAfter = (place: string): string => `${place}+`

/** The place that says that something in the run was made again, as a redaction has emptied it. */
export const madeAgain = commitAfter("^")

/** The place that says that the run was given up, so that nothing goes on with it. */
export const givenUp = commitAfter(madeAgain)

/** The error with which such a run has failed. */
export const cancelled = "Cancelled"

/** The next entry into a step with this name. */
export const enter = (frame: Frame, name: string, step: Entered): Frame => {
  const key = nextKey(frame, name)
  frame.entered.set(name, (frame.entered.get(name) ?? 0) + 1)
  return frameOf(key, step)
}

/** A frame and all frames around it, innermost first. */
export const framesAround = (place: string): ReadonlyArray<string> => {
  const [key = ""] = place.split("^", 1)
  const all = [key]
  for (let end = key.lastIndexOf("/"); end > 0; end = key.lastIndexOf("/", end - 1)) all.push(key.slice(0, end))
  return key === "" ? all : [...all, ""]
}

/** A frame with the original names of its steps, except for names that are too long for a frame. */
const legible = (frame: string): string =>
  frame.replaceAll(/~([0-3])/g, (_, index: string) => "~/@^"[Number(index)] ?? "")

/** The frame of the first entry into each step of a path. */
export const firstFrame = (path: ReadonlyArray<string>): string => path.map((name) => `/${keyOf(name)}`).join("")

/** A frame as that of the first entry into each of its steps. */
export const asFirst = (frame: string): string => frame.replaceAll(/@\d+(?=\/|$)/g, "")

/** A frame without the numbers of steps that a generator has asked more than once: each is a step around that one. */
export const asAsked = (frame: string): string => frame.replaceAll(/\/([^/]+)#\d+(?=\/\1(?:\/|$))/g, "")

/**
 * Whether a frame is meant: by its text, with or without the slash before it, by the path of names to its step, joined by `/`, or by
 * the name of its step.
 */
export const isNamed = (frame: string, by: string): boolean => {
  const path = by.replace(/^\//, "")
  return (
    asFirst(frame.slice(frame.lastIndexOf("/") + 1)) === keyOf(by) ||
    frame === `/${path}` ||
    legible(frame) === `/${path}` ||
    frame === firstFrame(path.split("/"))
  )
}

/** The name of the step of a frame, unless it is too long for a frame. */
export const nameIn = (frame: string): string => legible(asFirst(frame.slice(frame.lastIndexOf("/") + 1)))

/** Whether a frame is that of a step with this name, or within it. */
export const isIn = (frame: string, name: string): boolean => asFirst(frame).split("/").includes(keyOf(name))

/** Whether a frame is another one, or within it. */
export const isWithin = (outer: string, frame: string): boolean => frame === outer || frame.startsWith(`${outer}/`)

/**
 * The next id of a frame, the same in every execution: UUIDv7 (RFC 9562, section 5.7) with a hash in the place of random
 * bits.
 */
export const idIn = (frame: Frame, seed: string, millis: number): string =>
  idOf(millis.toString(16).padStart(12, "0"), `${seed}${frame.key}#${frame.ids++}`)

/** The id of the note that replaces a redacted one, the same in every execution. */
export const idAfter = (id: string): string => idOf(id.slice(0, 8) + id.slice(9, 13), `${id}+`)

/** The id of a note beside one that has the id that is due. */
export const idBeside = (id: string): string => idOf(id.slice(0, 8) + id.slice(9, 13), `${id}~`)

const idOf = (time: string, of: string): string => {
  const hash = hash128(of)
  const variant = (0x8 | (Number.parseInt(hash[3] ?? "0", 16) & 0x3)).toString(16)
  return `${time.slice(0, 8)}-${time.slice(8)}-7${hash.slice(0, 3)}-${variant}${hash.slice(4, 7)}-${hash.slice(7, 19)}`
}
