import { same } from "./same.ts"

// The assertion of the other type tests tells apart what an assignment would not.
same<string, string>(true)
same<any, string>(false)
same<string, any>(false)
same<unknown, any>(false)
same<never, any>(false)
same<{ readonly a: any }, { readonly a: string }>(false)
same<{ readonly a: string }, { a: string }>(false)
same<{ readonly a?: string }, { readonly a: string | undefined }>(false)
same<"a" | "b", "b" | "a">(true)
same<"a" | "b", string>(false)
// @ts-expect-error 'true' is not assignable to parameter of type 'false'
same<any, string>(true)
