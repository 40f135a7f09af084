/** The words that begin the sections of an answer. */
import { quoted } from "../../text/legible.ts"

/**
 * The words that begin the sections of an answer, each at the start of a line.
 *
 * **Details**
 *
 * - `think`: reasoning. Default `"§THINK"`
 * - `calls`: a JSON array of calls. Default `"§CALLS"`
 * - `yield`: the end of the answer, where the model waits for results. Default `"§YIELD"`
 * - `respond`: text. Default `"§RESPOND"`
 *
 * @category tools
 */
export interface Markers {
  readonly think: string
  readonly calls: string
  readonly yield: string
  readonly respond: string
}

export type Section = keyof Markers

const usual: Markers = { think: "§THINK", calls: "§CALLS", yield: "§YIELD", respond: "§RESPOND" }

const sections: ReadonlyArray<Section> = ["think", "calls", "yield", "respond"]

/** The sections with their markers. */
export const entriesOf = (markers: Markers): ReadonlyArray<readonly [section: Section, marker: string]> =>
  sections.map((section) => [section, markers[section]])

/** JSON may begin a line with any of these, so a marker may not. */
const jsonStarts = /^[\s"[\]{},:\d-]/

/** The markers with the defaults. Throws if a text could be read in two ways. */
export const markersFrom = (owner: string, given: Partial<Markers> = {}): Markers => {
  const unknown = Object.keys(given).find((name) => !sections.some((section) => section === name))
  if (unknown !== undefined) {
    throw new Error(`${owner} has no marker ${quoted(unknown)}: the markers are ${sections.join(", ")}.`)
  }
  const markers = { ...usual, ...given }
  for (const section of sections) {
    const marker: unknown = markers[section]
    if (typeof marker !== "string" || marker === "" || marker !== marker.trim() || /["\r\n]/.test(marker)) {
      throw new Error(
        `${owner} needs a text without line breaks, quotes and outer spaces as markers.${section}, not ${quoted(marker)}.`
      )
    }
    if (jsonStarts.test(marker)) {
      throw new Error(`${owner} needs a markers.${section} that JSON cannot begin with, not ${quoted(marker)}.`)
    }
    const other = sections.find((one) => one !== section && markers[one].startsWith(marker))
    if (other !== undefined) {
      throw new Error(
        `${owner} needs markers that do not begin with each other: markers.${other} begins with markers.${section}.`
      )
    }
  }
  return markers
}

const wordly = /[\p{L}\p{N}_'’-]/u

/** Whether a marker ends before this character. `§YIELDING` is a word, not a marker. */
export const endsBefore = (marker: string, next: string): boolean =>
  !(wordly.test(marker.slice(-1)) && wordly.test(next))
