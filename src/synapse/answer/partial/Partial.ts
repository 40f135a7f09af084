/**
 * One field of an answer that is being written.
 *
 * - `pending`: nothing of it can be shown yet; a number is not known before its last digit
 * - `partial`: it has begun and is not validated
 * - `done`: it is complete and fits its schema
 *
 * @category models
 */
export type Field<A> =
  | { readonly state: "pending" }
  | { readonly state: "partial"; readonly value: Draft<A> }
  | { readonly state: "done"; readonly value: A }

/**
 * What can be shown of an incomplete value: the beginning of a text, the complete and valid items of an array, the
 * fields of an object.
 *
 * @category models
 */
type Draft<A> = unknown extends A
  ? unknown
  : A extends string
    ? string
    : A extends ReadonlyArray<infer Item>
      ? ReadonlyArray<Item>
      : A extends object
        ? { readonly [K in keyof A]?: Field<A[K]> }
        : never

/**
 * A value that is being written: the fields of an object by name, otherwise a single field.
 *
 * Fields that are only known when the value is complete, such as computed ones, are left out.
 *
 * @category models
 */
export type Partial<A> = unknown extends A
  ? unknown
  : A extends ReadonlyArray<any>
    ? Field<A>
    : A extends object
      ? { readonly [K in keyof A]?: Field<A[K]> }
      : Field<A>
