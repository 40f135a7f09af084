import { small, storeContract } from "../contract/run.ts"
import { emptying } from "./emptied.ts"
import { archive, makeStore } from "./prefilled.ts"

/** The longest tests of what statements find and change, which are the same on a server. */
const long = [
  "the store › vectors › filters by awkward texts exactly",
  "the store › vectors › finds as many as requested, however selective the filter",
  "the store › forks › keeps every thought as it was written through random commits, seed 2",
  "the store › forks › keeps every thought as it was written through random commits, seed 3",
  "the store › forks › keeps every thought as it was written through random commits, seed 4",
  "the lifecycle of thoughts › remove › keeps the content of every fork, whichever thoughts are removed in any order",
  "what notes were derived from › redact › redacts all of a long chain and of a cycle",
  "the vectors of the store › lists long pending notes in small pages without omissions",
  "a search of the store › by meaning and words › never ranks notes found by words lower because of random vectors",
  "a search of the store › by words › accepts notes and queries with very many words",
  "a search of the store › filters › accept any number of values, any text, and any time",
  "a search of the store › filters › apply before ranking: one weak note is found among a thousand strong ones of others",
  "a search of the store › order › does not depend on the order in which notes were written",
  "a search of the store › redacted notes › are not found or counted, as if they had never existed"
]

// where there must be a server, they run there
const isServerRequired =
  process.env["COGITO_POSTGRES"] === "required" && process.env["COGITO_STORE_CONTRACTS"] !== "all"

storeContract("PGlite", makeStore({ thread: true }), small, emptying(archive), isServerRequired ? long : [])
