/**
 * One field of an answer that is still being written.
 *
 * - `pending`: nothing of it is there yet, or nothing that can be shown: a number is not one before its last digit
 * - `partial`: it has begun, and is not validated
 * - `done`: it is complete, and fits its schema
 *
 * @category models
 */
export type Field<A> =
  | { readonly state: "pending" }
  | { readonly state: "partial"; readonly value: Draft<A> }
  | { readonly state: "done"; readonly value: A }

/**
 * What can be shown of a value before it is complete: of a text what has come, of an array the items that are complete and
 * fit, of an object its fields.
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
 * A value that is still being written: of an object its fields by name, of anything else the one value.
 *
 * A field is left out where the value gets it only when it is complete, such as one that is computed.
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
