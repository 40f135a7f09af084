/** Knows the forms of postcodes, and the words under which a text or a schema names them. */

/** What follows the word "zip" where it does not name a postcode. */
export const packed = "(?: (?:files?|archives?|folders?|paths?|urls?|names?))"

/** The name of a property or parameter that holds a postcode, in words. */
export const postcodeName = new RegExp(
  String.raw`\b(?:zips?\b(?!${packed})|zip ?codes?|post ?codes?|postal ?codes?|postal$|plzs?|postleitzahl(?:en)?|code postal|codes postaux|eir ?codes?|pincodes?)\b`,
  "iu"
)

/** Forms that letters in capitals or a number of digits make recognisable. */
export const postcodeText = String.raw`[A-Z]{1,2}\d[A-Z\d]?\s\d[A-Z]{2}|[AC-FHKNPRTV-Y]\d[\dW]\s(?=\d*[A-Z])[\dAC-FHKNPRTV-Y]{4}|\d{5}(?:-\d{3,4})?|\d{4}\s?[A-Z]{2}|[A-Z]\d[A-Z]\s\d[A-Z]\d`

const label =
  /\b(?:zips?|post ?codes?|postal ?codes?|plz|postleitzahl|code postal|eir ?codes?|pin ?codes?)\b(?:\s+(?:codes?|number|no\.|is|are|was|were|of|from|to))*\s*[:=#]?\s*/giu
const strict = new RegExp(String.raw`(?:${postcodeText})(?![\w-])`, "uy")
/** Forms that only a label makes recognisable: without a space, in small letters, or of few digits. */
const loose =
  /(?:[a-z]{1,2}\d[a-z\d]?\s?\d[a-z]{2}|[a-z]\d[\dw]\s?(?=\d*[a-z])[\da-z]{4}|[a-z]\d[a-z]\s?\d[a-z]\d|\d{4}[a-z]{2}|[a-z]{1,2}-\d{4,5}|\d{3}-\d{4}|\d{3}\s\d{2}|\d{4,6})(?![\w-])/iuy
const next = /\s*(?:,|&|\/|,?\s(?:and|or)\s)\s*/iuy

const at = (pattern: RegExp, text: string, place: number): string | undefined => {
  pattern.lastIndex = place
  return pattern.exec(text)?.[0]
}

/** Postcodes after a label such as "postcode:", and those that follow them in a list. */
export const labelledPostcodes = (text: string): ReadonlyArray<string> =>
  Array.from(text.matchAll(label)).flatMap((match) => {
    const found: Array<string> = []
    let place = match.index + match[0].length
    for (;;) {
      const one = at(strict, text, place) ?? at(loose, text, place)
      if (one === undefined) return found
      found.push(one)
      place += one.length
      const join = at(next, text, place)
      if (join === undefined) return found
      place += join.length
    }
  })
