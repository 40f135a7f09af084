/** Type algebra of notes: what is still missing, what is there after a step, what one of several branches gives. */

export type Simplify<A> = { [K in keyof A]: A[K] } & {}

/** What a read of a key needs. Of a key that is not known before it runs, a `string` or a pattern, nothing is known. */
export type Reads<K extends string, A> =
  Unknown<K> extends true ? {} : { readonly [P in K as Unknown<P> extends true ? never : P]: A }

/** What a write under a key adds: of a key that is one of several, none surely; of one that is not known, nothing. */
export type Writes<K extends string, A> = Alone<K> extends true ? Reads<K, A> : Partial<Reads<K, A>>

/** Texts under the keys that are known. */
export type Texts<N> = string extends keyof N
  ? {}
  : { readonly [K in keyof N as Unknown<K> extends true ? never : K]: string }

type Unknown<K extends PropertyKey> = {} extends { [P in K]: 0 } ? true : false

type Alone<K, Every = K> = [K] extends [never] ? true : K extends any ? ([Every] extends [K] ? true : false) : never

/**
 * What both need, to begin with `unknown`. Needing nothing adds nothing, not even `{}`: so what a generic helper is given
 * needs what it needed before.
 */
export type Both<A, B> = unknown extends A ? Asked<B> : A & Asked<B>

/** What is needed, or `unknown` where that is nothing. */
type Asked<B> = [keyof B] extends [never] ? unknown : B

/** What two or three things need that look at the same thought. */
export type Needs<A, B, C = unknown> = Simplify<Both<Both<Both<unknown, A>, B>, C>>

/** No note has this type: the read comes after a write of another type. */
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

/** Whether a read is met by what was written, needs the note of the thought all the same, or can never be met. */
type Fate<In, Out, K extends keyof In> = K extends keyof Out
  ? [Value<Out, K>] extends [In[K]]
    ? {} extends Pick<Out, K>
      ? "needed"
      : "met"
    : "clash"
  : "needed"

/**
 * What `In` still needs after `Out` was added. A read of a key that `Out` has, or may have, with another type can no
 * longer be satisfied: the thought's own note is not what would be read.
 */
export type Missing<In, Out> = [keyof In & keyof Out] extends [never]
  ? In
  : { readonly [K in keyof In as Fate<In, Out, K> extends "needed" ? K : never]: In[K] } & {
      readonly [K in keyof In as Fate<In, Out, K> extends "clash" ? K : never]-?: Clash<
        In[K],
        K extends keyof Out ? Value<Out, K> : never
      >
    }

/** The value under a key, where it is there. */
type Value<N, K extends keyof N> = {} extends Pick<N, K> ? Exclude<N[K], undefined> : N[K]

/**
 * Notes after a step: a later write wins. A write that may not happen leaves a union with what was there, optional where
 * nothing surely wrote it.
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
