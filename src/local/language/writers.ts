/** Finds who wrote a message: by how it introduces them, what it is signed with, or whom a quoted answer greets. */
import type { Language } from "./language.ts"

const particle = "(?:van|von|de|der|den|di|da|del|la|le|al|bin|ter|ten|zu|af)"
const given = String.raw`(?:\p{Lu}\.|\p{Lu}[\p{L}'’-]+)`
const name = String.raw`(?:(?:Dr|Prof|Mr|Mrs|Ms|Mx)\.?\s+)?(?<name>${given}(?:[ \t]+(?:${particle}[ \t]+)*${given}){0,3})`
/** A company, a role or a number after a name. */
const rest = String.raw`(?:\s*[,|(/\n–—-]\s*(?:[^.!?]|[.!?](?=\S)){0,60})?[.!]?\s*$`

const farewell =
  /(?:^|[.!?,;:)\n]\s*|\s[-–—]\s*)(?:(?:(?:many|kind|best|warm|kindest|warmest|with (?:kind|best|many))\s+)?(?:regards|wishes|thanks)|thank you(?: (?:very|so) much)?(?: in advance)?|thanks(?: (?:a lot|so much|again))?(?: in advance)?|thx|ty|cheers|ta|best|sincerely|yours(?: (?:sincerely|faithfully|truly))?|all the best|bye|signed)\b[\s,.!–—-]+/giu
const afterFarewell = new RegExp(String.raw`^(?:from\s+)?${name}${rest}`, "u")
const greetingFrom = new RegExp(
  String.raw`\b(?:[Tt]hanks|[Tt]hank you|[Gg]reetings|[Rr]egards|[Ll]ove|[Cc]heers) from ${name}${rest}`,
  "u"
)
const inSmallLetters = /^(?<name>\p{Ll}{2,12})[.!]?\s*$/u
const atEnd = new RegExp(String.raw`(?:[.!?:)]["”]?\s+|\n\s*|\s[-–—]+\s*)${name}${rest}`, "u")
const inSignature = new RegExp(String.raw`(?:^|\n)--[ \t]*\n\s*${name}`, "u")
const byName = new RegExp(String.raw`\b(?:[Mm]y name is|[Cc]ustomer:|[Nn]ame:|[Ff]rom:)\s+${name}`, "u")
const byVerb = new RegExp(String.raw`\b(?:[Tt]his is|I am|I['’]m|[Ii]t['’]s)\s+${name}`, "u")
const greeted = new RegExp(String.raw`\n\s*(?:[Hh]i|[Hh]ello|[Hh]ey|[Dd]ear)\s+${name}\b`, "u")

// words that a text may end with, or that begin with a capital letter after a full stop
const noName =
  /^(?:i|we|you|please|pls|thanks?|regards|sorry|hello|hi|hey|dear|yes|no|nope|ok|okay|sent|order|ticket|invoice|reference|ref|urgent|asap|help|refund|the|a|an|and|but|for|to|in|on|at|of|so|my|our|your|it|this|that|what|why|how|where|when|who|not|nothing|everything|all|everyone|everybody|guys|team|folks|support|mate|man|pal|sir|madam|again|very|lots|bye|cheers|ta|best|kind|warm|many|have|looking|hope|lol|(?:mon|tues|wednes|thurs|fri|satur|sun)day|january|february|march|april|may|june|july|august|september|october|november|december)(?![\p{L}])/iu

const found = (pattern: RegExp, text: string): ReadonlyArray<string> => {
  const name = pattern.exec(text)?.groups?.["name"]
  return name === undefined || noName.test(name) ? [] : [name]
}

const quotation = /\n\s*(?:-{2,}\s*(?:original|forwarded) message|>|on [^\n]{5,60} wrote:|from: )/iu

/** What the writer wrote, and what it quotes. */
const partsOf = (text: string): readonly [own: string, quoted: string] => {
  const at = text.search(quotation)
  return at <= 0 ? [text, ""] : [text.slice(0, at), text.slice(at)]
}

/** The names by which a message says who wrote it, the clearest first. */
export const writersOf = ({ people }: Pick<Language, "people">, text: string): ReadonlyArray<string> => {
  const [own, quoted] = partsOf(text)
  const known = people(text)
  // a single word in capitals may be anything
  const isLikely = (name: string) => name.includes(" ") || known.some((one) => one.split(" ").includes(name))
  const last = Array.from(own.matchAll(farewell)).at(-1)
  const closing = last === undefined ? "" : own.slice(last.index + last[0].length)
  const names = [
    ...found(byName, own),
    ...found(byVerb, own).filter(isLikely),
    ...found(afterFarewell, closing),
    ...found(inSmallLetters, closing),
    ...found(greetingFrom, own),
    ...found(inSignature, own),
    ...found(atEnd, own).filter(isLikely),
    ...found(greeted, quoted)
  ]
  return Array.from(new Set(names))
}
