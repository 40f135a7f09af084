/** SHA-256: in Node at once, elsewhere by what browsers have. */
import * as Effect from "effect/Effect"

interface NodeCrypto {
  readonly hash: (algorithm: "sha256", text: string, encoding: "hex") => string
}

/** What Node has of its own, so that no bundle needs it. Node hands its asynchronous hashes to threads, which takes far longer. */
const node = (
  globalThis as { readonly process?: { readonly getBuiltinModule?: (name: string) => NodeCrypto | undefined } }
).process?.getBuiltinModule?.("node:crypto")

const bySubtle = async (text: string): Promise<string> => {
  const hash = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text))
  return Array.from(new Uint8Array(hash), (byte) => byte.toString(16).padStart(2, "0")).join("")
}

/** The SHA-256 of a text, as 64 hexadecimal digits. */
export const sha256 = (text: string): Effect.Effect<string> =>
  node === undefined ? Effect.promise(() => bySubtle(text)) : Effect.sync(() => node.hash("sha256", text, "hex"))
