/** Whether the style of an element hides its text. Style sheets and colours are not looked at. */

const escape = /\\(?:([0-9a-f]{1,6})\s?|(.))/gi

/** The declarations of a style, without comments and escapes. The last one of a property counts, or the last important one. */
const declarationsOf = (style: string): ReadonlyMap<string, string> => {
  const declared = new Map<string, { readonly value: string; readonly isImportant: boolean }>()
  const plain = style
    .replaceAll(/\/\*[\s\S]*?(?:\*\/|$)/g, "")
    .replaceAll(escape, (_, digits: string | undefined, sign: string | undefined) =>
      digits === undefined ? (sign ?? "") : String.fromCodePoint(Math.min(Number.parseInt(digits, 16), 0x10ffff))
    )
    .toLowerCase()
  for (const declaration of plain.split(";")) {
    const at = declaration.indexOf(":")
    if (at < 0) continue
    const property = declaration.slice(0, at).trim()
    const given = declaration.slice(at + 1).trim()
    const isImportant = /!\s*important$/.test(given)
    if (declared.get(property)?.isImportant === true && !isImportant) continue
    declared.set(property, { value: given.replace(/\s*!\s*important$/, ""), isImportant })
  }
  return new Map(Array.from(declared, ([property, { value }]) => [property, value]))
}

const nothing = /^[+-]?0*\.?0*(?:[a-z]+|%)?$/

const isZero = (value: string | undefined): boolean => value !== undefined && /\d/.test(value) && nothing.test(value)

/** Whether a length moves an element out of view, to the left or to the top. */
const isFarOff = (value: string | undefined): boolean => /^-\d{3,}(?:\.\d*)?(?:px|pt|r?em|vw|vh|%)$/.test(value ?? "")

/** Whether an element with this style shows nothing of its text. */
export const hides = (style: string): boolean => {
  if (style === "") return false
  const of = declarationsOf(style)
  const isCut = /^(?:hidden|clip)$/.test(of.get("overflow") ?? "")
  const isPlaced = /^(?:absolute|fixed)$/.test(of.get("position") ?? "")
  return (
    of.get("display") === "none" ||
    /^(?:hidden|collapse)$/.test(of.get("visibility") ?? "") ||
    of.get("content-visibility") === "hidden" ||
    ["opacity", "font-size"].some((property) => isZero(of.get(property))) ||
    (isCut && ["height", "max-height", "width", "max-width"].some((property) => isZero(of.get(property)))) ||
    isFarOff(of.get("text-indent")) ||
    (isPlaced && ["left", "top"].some((property) => isFarOff(of.get(property)))) ||
    (isPlaced && /^rect\((?:[01](?:px)?[\s,]*){4}\)$/.test(of.get("clip") ?? "")) ||
    /^(?:inset\((?:[5-9]\d|100)%\)|circle\(0(?:px|%)?\))$/.test(of.get("clip-path") ?? "")
  )
}
