/**
 * The tree of values in a text, before it is aligned with a schema. Each value has the changes that were needed to read
 * it.
 */

interface Read {
  /** The kinds of changes that were made to read it. Its parts have their own. */
  readonly kinds: ReadonlyArray<string>
}

/** Text in quotes of any sort. */
export interface Quoted extends Read {
  readonly _tag: "Quoted"
  readonly text: string
}

/** A number, as it was written. */
export interface Numeral extends Read {
  readonly _tag: "Numeral"
  readonly text: string
  readonly value: number
}

/** True, false or null, as different languages write them. */
export interface Literal extends Read {
  readonly _tag: "Literal"
  readonly text: string
  readonly value: boolean | null
}

/** Text without quotes. */
export interface Bare extends Read {
  readonly _tag: "Bare"
  readonly text: string
}

export interface List extends Read {
  readonly _tag: "List"
  readonly items: ReadonlyArray<Tree>
}

/** Keys with values. A key may occur more than once. */
export interface Fields extends Read {
  readonly _tag: "Fields"
  readonly entries: ReadonlyArray<readonly [key: string, value: Tree]>
  /** Whether the last value of a repeated key takes precedence, as in JSON. */
  readonly lastCounts: boolean
}

export type Tree = Quoted | Numeral | Literal | Bare | List | Fields

export const nothingDone: ReadonlyArray<string> = []

/** The tree with further kinds of changes. */
export const because = (tree: Tree, ...kinds: ReadonlyArray<string>): Tree =>
  kinds.length === 0 ? tree : { ...tree, kinds: [...tree.kinds, ...kinds] }
