type Defined<A> = { readonly [K in keyof A]?: Exclude<A[K], undefined> }

/** An object without the fields whose value is undefined, as JSON has no such value. */
export const defined = <A extends object>(fields: A): Defined<A> =>
  // the fields that are left have their types
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Defined<A>
