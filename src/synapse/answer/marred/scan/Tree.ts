/** What a text says before anybody knows what it should be: values with what was done to read each of them. */

interface Read {
  /** The short names of what was done to read it; of its parts, each says its own. */
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

/** True, false or nothing, in the words of any language. */
export interface Literal extends Read {
  readonly _tag: "Literal"
  readonly text: string
  readonly value: boolean | null
}

/** Text that nothing marks as such. */
export interface Bare extends Read {
  readonly _tag: "Bare"
  readonly text: string
}

export interface List extends Read {
  readonly _tag: "List"
  readonly items: ReadonlyArray<Tree>
}

/** Keys with values; a key may be there more than once. */
export interface Fields extends Read {
  readonly _tag: "Fields"
  readonly entries: ReadonlyArray<readonly [key: string, value: Tree]>
  /** Whether the last of two values of one key counts, as in JSON. */
  readonly lastCounts: boolean
}

export type Tree = Quoted | Numeral | Literal | Bare | List | Fields

export const nothingDone: ReadonlyArray<string> = []

/** The tree with more that was done to read it. */
export const because = (tree: Tree, ...kinds: ReadonlyArray<string>): Tree =>
  kinds.length === 0 ? tree : { ...tree, kinds: [...tree.kinds, ...kinds] }
