import type { Figures } from "./statistics.ts"

/** Measures once. Throws if the results are wrong. */
export type Round = () => Promise<Figures>

/** Prepares a subject in a process of its own: loads its library and warms it up. */
export type Start = (quick: boolean) => Promise<Round>

/** What the subjects measured: the medians over all rounds, by subject and figure. */
export type Results = Readonly<Record<string, Figures>>

export interface Table {
  readonly name: string
  readonly columns: ReadonlyArray<string>
  readonly rows: ReadonlyArray<ReadonlyArray<string>>
}

/** A ratio or a size that cogito is to keep within, as measured. */
export interface Goal {
  readonly what: string
  readonly limit: number
  readonly measured: number
  /** Behind both numbers, such as "×" or " kB". */
  readonly unit: string
}

export interface Report {
  readonly tables: ReadonlyArray<Table>
  readonly goals: ReadonlyArray<Goal>
}

/** One file of `scenarios`. Each subject runs in a process of its own; rounds go A B C A B C. */
export interface Scenario {
  /** What is done and how it is counted, as paragraphs of Markdown. */
  readonly method: string
  readonly rounds: number
  readonly quickRounds: number
  readonly subjects: Readonly<Record<string, Start>>
  readonly report: (results: Results) => Report
}

/** A figure of a subject. Throws if it was not measured. */
export const figure = (results: Results, subject: string, name: string): number => {
  const value = results[subject]?.[name]
  if (value === undefined) throw new Error(`${subject} has not measured ${name}.`)
  return value
}

/** How often one figure holds another one. */
export const ratio = (results: Results, name: string, subject: string, reference: string): number =>
  figure(results, subject, name) / figure(results, reference, name)

export const times = (value: number): string => `${value.toFixed(2)} ×`
export const whole = (value: number): string => Math.round(value).toLocaleString("en-US")
