/** Type algebra of notes: what is missing, what exists after a step, what one of several branches adds. */

export type Simplify<A> = { [K in keyof A]: A[K] } & {}

/**
 * The note that a read of a key needs. Nothing if the key is only known at run time, as a `string` or a pattern.
 *
 * @category types
 */
export type Reads<K extends string, A> =
  Unknown<K> extends true ? {} : { readonly [P in K as Unknown<P> extends true ? never : P]: A }

/**
 * The type of the notes that a write under `K` adds. If `K` is a union of keys, each note is optional. Empty if the key is
 * only known at run time.
 *
 * @category types
 */
export type Writes<K extends string, A> = Alone<K> extends true ? Reads<K, A> : Partial<Reads<K, A>>

/**
 * Texts under the known keys.
 *
 * @category types
 */
export type Texts<N> = string extends keyof N
  ? {}
  : { readonly [K in keyof N as Unknown<K> extends true ? never : K]: string }

type Unknown<K extends PropertyKey> = {} extends { [P in K]: 0 } ? true : false

/**
 * Whether a type is not a union.
 *
 * @category types
 */
export type Alone<K, Every = K> = [K] extends [never]
  ? true
  : K extends any
    ? [Every] extends [K]
      ? true
      : false
    : never

/**
 * What both need; the neutral element is `unknown`. Needing nothing adds nothing, not even `{}`, so that generic
 * helpers keep the needs of their arguments.
 *
 * @category types
 */
export type Both<A, B> = unknown extends A ? OrUnknown<B> : A & OrUnknown<B>

/** The needs, or `unknown` if there are none. */
type OrUnknown<B> = [keyof B] extends [never] ? unknown : B

/** What two or three readers of the same thought need. */
export type Needs<A, B, C = unknown> = Simplify<Both<Both<Both<unknown, A>, B>, C>>

/** A type that no note has: the read follows a write of another type. */
type Clash<Read, Written> = [Read] extends [
  { readonly "a step writes another type under this key before it is read": any }
]
  ? Read
  : {
      readonly "a step writes another type under this key before it is read": {
        readonly read: Read
        readonly written: Written
      }
    }

/** Whether a read is satisfied by a write, still needs a note of the thought, or can never be satisfied. */
type Fate<In, Out, K extends keyof In> = K extends keyof Out
  ? [Value<Out, K>] extends [In[K]]
    ? {} extends Pick<Out, K>
      ? "needed"
      : "met"
    : "clash"
  : "needed"

/**
 * What `In` still needs after `Out` was added. A read of a key that `Out` may write with another type can no longer be
 * satisfied, because the thought's own note is not what would be read.
 *
 * @category types
 */
export type Missing<In, Out> = [keyof In & keyof Out] extends [never]
  ? In
  : { readonly [K in keyof In as Fate<In, Out, K> extends "needed" ? K : never]: In[K] } & {
      readonly [K in keyof In as Fate<In, Out, K> extends "clash" ? K : never]-?: Clash<
        In[K],
        K extends keyof Out ? Value<Out, K> : never
      >
    }

/**
 * The notes that a step reads, as what a thought has is compared with. If all of them are optional, TypeScript demands one key
 * that both have, which a thought need not have: every object has the members of `Object`.
 *
 * @category types
 */
export type Read<In> = {} extends In ? In & Object : In // oxlint-disable-line typescript/no-wrapper-object-types -- what every object has

/** The value under a key, if present. It is `undefined` if a step forgets the key. */
type Value<N, K extends keyof N> = {} extends Pick<N, K> ? Required<Pick<N, K>>[K] : N[K]

/**
 * Notes after a step: a later write wins. An optional write leaves a union with the earlier value, and stays optional
 * if there is none.
 *
 * @category types
 */
export type Merge<N, O> = [keyof N & keyof O] extends [never]
  ? N & O
  : {
      readonly [K in keyof N as K extends keyof O ? ({} extends Pick<O, K> ? K : never) : K]: K extends keyof O
        ? N[K] | Value<O, K>
        : N[K]
    } & { readonly [K in keyof O as K extends keyof N ? ({} extends Pick<O, K> ? never : K) : K]: O[K] }

type AllKeys<U> = U extends any ? keyof U : never
type Optionality<U, K extends PropertyKey> = U extends any
  ? K extends keyof U
    ? {} extends Pick<U, K>
      ? true
      : false
    : true
  : never

/** Per-key union of the branches. A key is optional unless every branch writes it. */
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
        ? Value<U, K>
        : never
      : never
  }
>

type UnionToIntersection<U> = (U extends any ? (k: U) => void : never) extends (k: infer I) => void ? I : never

/** The intersection of all branches. */
export type All<T> = Simplify<UnionToIntersection<T>>

/**
 * Refuses a list whose type says that it is empty.
 *
 * @category types
 */
export type NotEmpty<L, T> = L extends readonly [] ? readonly [T, ...ReadonlyArray<T>] : unknown
