/** Finds the kind of text that a property holds where its name says so: a `refundDate` is a date. */
import type { Field, FieldKind } from "../mind/field.ts"
import { postcodeName } from "../language/postcodes.ts"

// In order: an e-mail address is no address, a phone number no number, and the name of a city a place.
const kinds: ReadonlyArray<readonly [FieldKind, RegExp]> = [
  ["email", /\be-?mails?\b/u],
  ["phone", /\b(?:tele)?phones?\b|\bmobiles?\b|\bcell\b|\bfax\b|\bcallback numbers?$/u],
  ["ip", /\bips?\b/u],
  ["url", /\b(?:url|uri|link|links|website|webpage|homepage)\b/u],
  ["host", /\b(?:host|host ?name|domain)s?\b/u],
  ["path", /\b(?:path|folder|directory|file ?name)$|^file$/u],
  ["statement", /^(?:message|text|body|content|comment|note|details|description)$/u],
  ["version", /\bversions?$/u],
  ["handle", /\b(?:handles?|twitter|instagram|mastodon|user ?names?)\b/u],
  ["moment", /\bdate ?time\b|\btime ?stamp\b|\bdeparture$|\barrival$|\b(?:starts?|begins?|ends?)$|^when\b/u],
  ["moment", /\p{L} at$/u],
  ["date", /\b(?:dates?|birthday|deadline|dob|check ?(?:in|out))$|\bdate of\b|\p{L} on$|^due$|^dates?\b/u],
  ["time", /\btimes?$/u],
  ["postcode", postcodeName],
  ["street", /\bstreets?\b/u],
  ["address", /\baddress(?:es)?$/u],
  ["country", /\bcountr(?:y|ies)$/u],
  ["state", /\bstates?$/u],
  ["place", /\b(?:cit(?:y|ies)|towns?|locations?|destination|origin|airport|birthplace)$|^where\b/u],
  ["currency", /\bcurrenc(?:y|ies)\b/u],
  ["given name", /\b(?:first|given) ?name\b|\bforename\b/u],
  ["family name", /\b(?:last|family) ?name\b|\bsurname\b/u],
  [
    "organization",
    /\b(?:compan(?:y|ies)|organi[sz]ations?|employers?|vendors?|suppliers?|(?:company|vendor|supplier|employer) name)$/u
  ],
  [
    "person",
    /\b(?:reviewer|author|caller|attendees?|participants?|passengers?|guests|patient|invitees?)(?: names?)?$|^(?:who|whom)\b/u
  ],
  ["identifier", /\b(?:number|no|(?:id|sku|uuid|isbn|iban|reference|code)s?)$|\p{L} numbers$/u],
  ["identifier", /^(?:order|invoice|ticket|tracking) nos$/u]
]

/** Where something begins or ends, which may be a place, a time or a person. */
export const isBareEnd = (words: string): boolean => words === "from" || words === "to"

/** What a question or an order is about: "List all email addresses" is about email addresses. */
const subjectOf = (instruction: string): string =>
  instruction
    .toLowerCase()
    .replace(/[?.!]+$/u, "")
    .replace(
      /^(?:please\s+)?(?:extract|list|find|give|get|name|which|what|collect|show|read)\s+(?:me\s+)?(?:(?:all|the|every|each|of|is|are)\s+)*/u,
      ""
    )
    .replace(/\s+(?:are|is|do|does|did|can|was|were|that|which|in|from|of the|mentioned|named)\b.*$/u, "")

const products = /\b(?:products?|items?|devices?|apps?|articles?|books?|films?|movies?|games?|tools?|models?)\b/iu
const organizations = /\b(?:compan(?:y|ies)|organi[sz]ations?|vendors?|suppliers?|employers?|brands?)\b/iu
const places = /\b(?:cit(?:y|ies)|towns?|places?)\b/iu

/** What a bare name is the name of, by the instruction. */
const nameIn = (instruction: string): FieldKind | undefined => {
  if (products.test(instruction)) return "thing"
  if (organizations.test(instruction)) return "organization"
  return places.test(instruction) ? "place" : undefined
}

/** The kind that the name of a field says, or the instruction if the whole answer is one value. Undefined if neither does. */
export const statedKind = ({
  description = "",
  hint = "",
  instruction = "",
  path,
  words
}: Field): FieldKind | undefined => {
  if (words === "name" && description === "") return nameIn(instruction)
  const name =
    path === "value" ? subjectOf(hint) : words.replace(/\s+of\s.*$/u, (rest) => (/date of/u.test(words) ? rest : ""))
  const kind = kinds.find(([, pattern]) => pattern.test(name))?.[0]
  // a description says more than a name that fits several things
  if (kind === "address" && /\be-?mail/iu.test(description)) return "email"
  return name === "code" && postcodeName.test(description) ? "postcode" : kind
}

const counts = /\b(?:how many|count|quantity|qty|number of|age)\b|\b(?:number|count|quantity)$/u
const percents = /\b(?:percent|percentage|pct)\b|%/u
const money =
  /\b(?:price|cost|costs|total|subtotal|fees?|salary|wage|tax|vat|net|gross|revenue|budget|balance|refund|how much)\b/u

/** The kind of number that a field holds, where its name or the question says so. */
export const statedNumber = ({ hint = "", path, words }: Field): "money" | "percent" | "number" | undefined => {
  const name = path === "value" ? hint.toLowerCase() : words
  if (percents.test(name)) return "percent"
  if (counts.test(name)) return "number"
  return money.test(name) ? "money" : undefined
}
