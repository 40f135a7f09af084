/** Whether two types are the same; `any`, `never`, readonly and optional included. */
// oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- two functions generic in T are compared
export type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false

/** Does not compile with `true` unless the two types are the same. */
export const same = <A, B>(proof: Same<A, B>): void => {
  void proof
}

/** What a read is in `In` when the key has another type by then: no note has this type. */
export type Clash<Read, Written> = {
  readonly "a step writes another type under this key before it is read": {
    readonly read: Read
    readonly written: Written
  }
}
