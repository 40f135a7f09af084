/** Marks for values of an earlier execution. */

const values = new WeakSet<object>()

/** Marks a value as replayed. */
export const asReplayed = <A>(value: A): A => {
  if (typeof value === "object" && value !== null) values.add(value)
  return value
}

export const isReplayed = (value: object): boolean => values.has(value)
