/** Finds the part of a sentence that a parameter of a tool asks for. Everything found is a span of the text. */
import { postcodeName, postcodeText } from "../language/postcodes.ts"
import type { Span } from "../language/placed.ts"
import type { Field } from "../mind/field.ts"

/** What a parameter asks for, as far as its name or its description says so. */
export type Wanted =
  | "email"
  | "url"
  | "phone"
  | "postcode"
  | "street"
  | "country"
  | "host"
  | "path"
  | "expression"
  | "currency"
  | "unit"
  | "place"
  | "address"
  | "date"
  | "time"
  | "identifier"
  | "name"
  | "query"
  | "title"
  | "content"

// in order: a path of a file is no name, an e-mail address no address
const wants: ReadonlyArray<readonly [Wanted, RegExp]> = [
  ["email", /\be-?mail|\bmail address/iu],
  ["url", /\burl\b|\blink\b|\bweb ?(?:site|page)/iu],
  ["phone", /\bphone|\btelephone/iu],
  ["postcode", postcodeName],
  ["host", /\bhosts?\b|\bhost ?names?\b|\bdomain\b/iu],
  ["path", /\bpath\b|\bfile ?name|\bfolder\b|\bdirectory\b|^file$/iu],
  ["expression", /\bexpression|\bformula|\bcalculation|\bequation/iu],
  ["currency", /\bcurrenc/iu],
  ["unit", /\bunits?\b/iu],
  ["street", /\bstreets?\b(?! (?:number|no)\b)/iu],
  ["address", /(?<!e-?mail )\baddress\b/iu],
  ["country", /\bcountry\b/iu],
  ["place", /\bcity\b|\btown\b|\bplace\b|\blocation\b|\bdestination\b|\borigin\b|\bairport\b|\bstation\b/iu],
  ["date", /\bdate\b|\bday\b|\bdeadline\b|\bdue\b/iu],
  ["time", /\btime\b|\bwhen\b|\bhour\b/iu],
  ["query", /\bquery\b|\bsearch|\bkeywords?\b|\btopic\b|\bterm\b|\bquestion\b/iu],
  ["title", /\btitle\b|\bsubject\b|\bevent\b|\bproduct\b|\bitem\b|\btask\b/iu],
  ["content", /\btext\b|\bbody\b|\bcontents?\b|\bmessage\b|\bnote\b|\breminder\b|\bcomment\b/iu],
  [
    "name",
    /\bname\b|\bperson\b|\bcustomer\b|\bartist\b|\bauthor\b|\bband\b|\bcontact\b|\bwho\b|\bcompany\b|\brecipient\b/iu
  ],
  ["identifier", /\bid\b|\bnumber\b|\bcode\b|\breference\b|\b(?:sku|iban|isbn|uuid)\b/iu]
]

const wantedIn = (text: string): Wanted | undefined => wants.find(([, pattern]) => pattern.test(text))?.[0]

/** What a parameter asks for: its name says it, else its description. Of a bare code, the description says what it is for. */
export const wantedOf = ({ description = "", words }: Field): Wanted | undefined =>
  words === "code" && postcodeName.test(description) ? "postcode" : (wantedIn(words) ?? wantedIn(description))

const prepositions = {
  // a unit after its number as well: "3 ounces"
  from: /(?:\b(?:from|of)\s+|\d\s*)$/iu,
  to: /\b(?:to|into|in|for|towards)\s+$/iu
} as const

const longestPreposition = 12

/** Whether a parameter is where something begins or where it ends. */
export const directionOf = ({ description = "", words }: Field): "from" | "to" | undefined => {
  const text = `${words} ${description}`
  if (/^(?:from|source|start|origin|departure)\b|\b(?:departure|origin)\b/iu.test(text)) return "from"
  return /^(?:to|target|into|destination|arrival)\b|\b(?:arrival|destination|convert into|convert to)\b/iu.test(text)
    ? "to"
    : undefined
}

/** Spans in the order in which they fit a direction. Those that say the opposite are left out. */
export const directed = <S extends Span>(
  spans: ReadonlyArray<S>,
  text: string,
  direction: "from" | "to" | undefined
): ReadonlyArray<S> => {
  if (direction === undefined) return spans
  const says = (span: Span, way: "from" | "to") =>
    prepositions[way].test(text.slice(Math.max(0, span.start - longestPreposition), span.start))
  const own = spans.filter((span) => says(span, direction))
  return [...own, ...spans.filter((span) => !own.includes(span) && !says(span, direction === "from" ? "to" : "from"))]
}

const all = (text: string, pattern: RegExp): ReadonlyArray<Span> =>
  Array.from(text.matchAll(pattern), (match) => {
    // the group, if the pattern has one
    const found = match[1] ?? match[0]
    return trimmed(found, match.index + match[0].lastIndexOf(found))
  }).filter((span) => span.text !== "")

/** Without space and punctuation at its ends. */
const trimmed = (text: string, start: number): Span => {
  const front = /^[\s,;:]+/u.exec(text)?.[0].length ?? 0
  return { text: text.slice(front).replace(/[\s.,;:!?]+$/u, ""), start: start + front }
}

const quotedText = /["“«]([^"“”«»\n]{1,300})["”»]/gu

const quotations = (text: string): ReadonlyArray<Span> => all(text, quotedText)

const path =
  /(?<![\w@.~/-])(?:(?:~|\.{1,2})?\/)?(?:[\w~-][\w.~-]*\/)*[\w~-]{2,}(?:\.[\w-]+)*\.[A-Za-z][A-Za-z\d]{0,4}\b(?![@\w])|(?<![\w:/.~])(?:~|\.{1,2})?\/[\w./-]*[\w/]|(?<![\w@.:/-])[\w-]+\/(?:[\w.-]*[\w/])?/gu
const number = String.raw`\d[\d.,]*[)\s%]*`
const operator = String.raw`(?:[-+*/^×÷]|plus|minus|times|divided by|multiplied by|percent of|of)`
const expression = new RegExp(String.raw`[-(]*${number}(?:${operator}[-(\s]*${number})+`, "giu")
const currencyWord =
  /\b(?:[A-Z]{3}|US dollars?|euros?|dollars?|pounds?(?: sterling)?|yen|francs?|yuan|rupees?|kron(?:a|er|or)|pesos?)\b|[€£¥$]/gu
const unitWord =
  /\b(?:(?:kilo|milli|centi)?(?:gram|met(?:er|re)|lit(?:er|re))s?|kg|mg|g|km|cm|mm|ml|ounces?|oz|pounds?|lbs?|stones?|miles?|yards?|f(?:ee|oo)t|ft|inch(?:es)?|cups?|pints?|gallons?|t(?:able|ea)spoons?|celsius|fahrenheit|seconds?|minutes?|hours?)\b/giu
const code = /(?<![\w-])(?=[\w-]*\d)(?=[\w-]*[A-Za-z])[A-Za-z\d]+(?:[-_][A-Za-z\d]+)*(?![\w-])/gu
const address = new RegExp(
  String.raw`\b\d+\w?\s+(?:\p{Lu}[\p{L}'.-]*(?![\p{L}\d])\s*)+(?:,\s*(?:(?:${postcodeText})(?![\w-])\s*|\p{Lu}[\p{L}'-]*(?![\p{L}\d])\s*|[\d-]{4,}\s*)+)*`,
  "gu"
)

// what is asked for stands after these words
const contents: ReadonlyArray<RegExp> = [
  /:\s+(\S.*)$/gu,
  /\b(?:remind me|forget|remember|remember me)\s+(?:to|about|of|that)\s+(.+)$/giu,
  /\b(?:that|saying|says)\s+(.+)$/giu,
  /\b(?:note|memo|reminder|mail|message|comment)\s+(?:about|to)\s+(.+)$/giu
]
const determiner = /^(?:(?:a|an|the|any|some|my|our|all|me|new)\s+)+/iu
const queries: ReadonlyArray<RegExp> = [
  /\b(?:search\w*|look\w*|find\w*|shop\w*)\b[^.?!]*?\bfor\s+(.+)$/giu,
  /\b(?:about|mention(?:s|ing)?|contain(?:s|ing)?|with the words?)\s+(.+)$/giu,
  /\b(?:do you (?:have|sell|stock)|have you got|i (?:am|['’]m) after)\s+(.+)$/giu,
  /\b(?:out of|low on)\s+([^,]+)/giu,
  /\b(?:find|show|buy|want|need|get|search|look up)\s+(?:me\s+)?(.+)$/giu,
  /\b(?:with|by|on)\s+(.+)$/giu
]
const titles: ReadonlyArray<RegExp> = [
  /\b(?:called|named|titled|entitled)\s+(.+)$/giu,
  /\b(?:out of|low on)\s+([^,]+)/giu,
  /\b(?:put|add|schedule|book|create|plan|delete|remove|cancel|move)\s+(.+?)(?=\s+(?:into|in|to|on|at|for|from|by|tomorrow|today|tonight|next)\b|[.,?!]|$)/giu
]

const sentencesOf = (text: string): ReadonlyArray<Span> => all(text, /[^.?!\n](?:[^.?!\n]|[.?!](?=\S))*/gu)

/** What follows the first pattern that a sentence has. */
const after = (text: string, patterns: ReadonlyArray<RegExp>): ReadonlyArray<Span> =>
  patterns.flatMap((pattern) =>
    sentencesOf(text).flatMap((sentence) =>
      all(sentence.text, pattern).map((span) => ({ text: span.text, start: sentence.start + span.start }))
    )
  )

const undetermined = ({ start, text }: Span): Span => {
  const kept = text.replace(determiner, "")
  return { text: kept, start: start + text.length - kept.length }
}

/** Names that begin with a capital letter, apart from the first word of a sentence. */
const capitalised = (text: string): ReadonlyArray<Span> =>
  all(text, /(?<=[\p{Ll}\d,;:]\s)\p{Lu}[\p{L}\d'’-]*(?:\s\p{Lu}[\p{L}\d'’-]*)*/gu).filter(
    (span) =>
      !/^(?:I|(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day|January|February|March|April|May|June|July|August|September|October|November|December)\b/u.test(
        span.text
      )
  )

/** The spans of a text that have the form of what is wanted, the best first. */
export const spansOf = (wanted: Wanted, text: string, field: Field): ReadonlyArray<Span> => {
  switch (wanted) {
    case "path":
      return all(text, path)
    case "expression":
      return all(text, expression).filter((span) => /\d.*\d/u.test(span.text))
    case "currency":
      return all(text, currencyWord)
    case "unit":
      return all(text, unitWord)
    case "identifier":
      return all(text, code).filter((span) => !/^\d+(?:st|nd|rd|th|am|pm|k)$/iu.test(span.text))
    case "address":
      return [...quotations(text), ...all(text, address)]
    case "place":
    case "name":
      return [...quotations(text), ...capitalised(text)]
    case "query":
      return [...quotations(text), ...after(text, queries).map(undetermined)]
    case "content":
      return [...quotations(text), ...after(text, contents)]
    case "title":
      // "the event" names none
      return [...quotations(text), ...after(text, titles).map(undetermined)].filter(
        (span) => !field.words.includes(span.text.toLowerCase()) && !/^(?:event|it|that|this|one)$/iu.test(span.text)
      )
    default:
      return []
  }
}
