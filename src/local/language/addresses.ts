/** Finds postal addresses in a text, and their parts. Everything found is a span of the text. */
import { literally } from "./literally.ts"
import { placed, type Span } from "./placed.ts"
import { labelledPostcodes, packed, postcodeText } from "./postcodes.ts"

const capitalised = String.raw`\p{Lu}[\p{L}'’.-]*`
/** A house number and a street, as in English-speaking countries, or a street and a house number. */
const kindOfStreet =
  "Street|St|Road|Rd|Avenue|Ave|Lane|Ln|Drive|Dr|Boulevard|Blvd|Square|Sq|Court|Ct|Place|Pl|Terrace|Way|Close|Crescent|Parkway|Row|Gardens|Highway"
const streetText = String.raw`\b\d+[A-Za-z]?\s+(?:${capitalised}\s+){0,3}(?:${kindOfStreet})\b\.?|\b(?:${capitalised}\s+){0,3}\p{L}+(?:straße|strasse|str\.|gasse|weg|platz|allee)\s+\d+\w?\b|\b(?:Rue|Rua|Via|Calle|Avenida)\s+(?:${capitalised}\s+|d\p{L}+\s+){0,5}\d+\b`

const street = new RegExp(streetText, "gu")
const postcode = new RegExp(String.raw`(?<![\w-])(?:${postcodeText})(?![\w-])`, "gu")
/** What may follow a street: parts with a capital letter or a postcode, between commas or lines. */
const rest = new RegExp(
  String.raw`^(?:,?[ \t]*(?:\n[ \t]*)?(?:(?:${postcodeText})(?![\w-])|(?:Apt|Apartment|Suite|Floor|Unit)\.?\s\w+|\p{Lu}[\p{L}'’-]*(?:[ \t]\p{Lu}[\p{L}'’-]*)*)(?=[\s,.]|$)){1,6}`,
  "u"
)

const regions = new Intl.DisplayNames("en", { type: "region", fallback: "none" })
const letters = Array.from("ABCDEFGHIJKLMNOPQRSTUVWXYZ")
const short = ["USA", "US", "UK", "UAE", "England", "Scotland", "Wales", "Northern Ireland"]
const countries: ReadonlySet<string> = new Set([
  ...letters.flatMap((a) => letters.flatMap((b) => regions.of(a + b)?.replace(/\s*\(.*\)$/u, "") ?? [])),
  ...short
])
// the longer of two names that begin alike comes first
const longestFirst = Array.from(countries).toSorted((a, b) => b.length - a.length)
const country = new RegExp(String.raw`(?<![\p{L}\d])(?:${longestFirst.map(literally).join("|")})(?![\p{L}\d])`, "gu")

/** The names of countries in a text, in order. */
export const countriesIn = (text: string): ReadonlyArray<string> => Array.from(text.matchAll(country), ([name]) => name)

/** Streets with a house number. */
export const streetsIn = (text: string): ReadonlyArray<string> => Array.from(text.matchAll(street), ([found]) => found)

/** Whole addresses: a street with what follows it. */
export const addressesIn = (text: string): ReadonlyArray<string> =>
  Array.from(text.matchAll(street), (match) => {
    const [following = ""] = rest.exec(text.slice(match.index + match[0].length)) ?? []
    return match[0] + following
  })

const nearby = 40
/** What stands before a postcode: its label. */
const named = new RegExp(String.raw`\b(?:zip(?!${packed})|postal|post ?code)\b[^\d\n]{0,12}$`, "iu")

/** Codes that a post office gives to a place: those of addresses first. */
export const postcodesIn = (text: string): ReadonlyArray<string> => {
  const inside = addressesIn(text).join("\n")
  const labelled = labelledPostcodes(text)
  const places = Array.from(text.matchAll(postcode), ({ 0: found, index }) => ({ text: found, start: index }))
  const written = places.map((place) => place.text)
  // five digits alone may be anything
  const telling = places
    .filter(
      ({ start, text: one }) =>
        /[A-Z]/u.test(one) ||
        labelled.includes(one) ||
        named.test(text.slice(Math.max(0, start - nearby), start)) ||
        /\b[A-Z]{2} $/u.test(text.slice(Math.max(0, start - 4), start)) ||
        /^ \p{Lu}/u.test(text.slice(start + one.length, start + one.length + 3))
    )
    .map((place) => place.text)
  // of one that stands in another, such as its beginning, only the other is whole
  const all = [...written.filter((one) => inside.includes(one)), ...telling, ...labelled]
  return Array.from(new Set(all)).filter((one) => !all.some((other) => other !== one && other.includes(one)))
}

/** The state of an address in the United States. */
export const statesIn = (text: string): ReadonlyArray<string> =>
  Array.from(text.matchAll(/,\s*([A-Z]{2})\s+\d{5}\b/gu), ([, state = ""]) => state)

/** The town of each address: the part after the street that is neither a postcode, a state nor a country. */
export const townsIn = (text: string): ReadonlyArray<string> =>
  addressesIn(text).flatMap((address) => {
    const [, ...parts] = address.split(/[,\n]/u)
    const named = parts
      .map((part) => part.replaceAll(postcode, "").trim())
      .filter((part) => /^\p{Lu}[\p{L}'’ -]+$/u.test(part) && !/^[A-Z]{2}$/u.test(part) && !countries.has(part))
    return named.slice(0, 1)
  })

/** The parts of addresses that name and count nothing else: streets with their numbers, postcodes and states. */
export const partsIn = (text: string): ReadonlyArray<Span> =>
  [streetsIn(text), postcodesIn(text), statesIn(text)].flatMap((found) => placed(text, found))
