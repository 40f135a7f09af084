/** Type algebra of notes: what is still missing, what is there after a step, what one of several branches gives. */

export type Simplify<A> = { [K in keyof A]: A[K] } & {}

/** What `In` still needs after `Out` was added: a key that is optional or of another type in `Out` stays needed. */
export type Missing<In, Out> = {
  readonly [K in keyof In as Out extends { readonly [P in K]: In[K] } ? never : K]: In[K]
}

/** Notes after a step: a later write wins; a write that may not happen leaves a union with what was there. */
export type Merge<N, O> = [keyof N & keyof O] extends [never]
  ? N & O
  : Omit<N, keyof O> & { readonly [K in keyof O as K extends keyof N ? never : K]: O[K] } & {
      readonly [K in keyof N & keyof O]: {} extends Pick<O, K> ? N[K] | Exclude<O[K], undefined> : O[K]
    }

type AllKeys<U> = U extends any ? keyof U : never
type Optionality<U, K extends PropertyKey> = U extends any
  ? K extends keyof U
    ? {} extends Pick<U, K>
      ? true
      : false
    : true
  : never

/** Per-key union of the branches; a key is optional unless every branch writes it. */
export type Either<U> = Simplify<
  {
    readonly [K in AllKeys<U> as true extends Optionality<U, K> ? never : K]: U extends any
      ? K extends keyof U
        ? U[K]
        : never
      : never
  } & {
    readonly [K in AllKeys<U> as true extends Optionality<U, K> ? K : never]?: U extends any
      ? K extends keyof U
        ? Exclude<U[K], undefined>
        : never
      : never
  }
>

type UnionToIntersection<U> = (U extends any ? (k: U) => void : never) extends (k: infer I) => void ? I : never

/** All of the branches at once. */
export type All<T> = Simplify<UnionToIntersection<T>>
