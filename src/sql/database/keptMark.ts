/** How a statement says that planning it once is enough. It is read in the thread of a database, which loads no query builder. */

/** A comment at the start of the statement. */
export const mark = "/* kept */"

/** Whether a statement has the mark. */
export const isKept = (statement: string): boolean => statement.startsWith(mark)
