/** What stands around a value and may be the rest of it, as after a bracket or a quote too many or too few. */

/** How much of the text around a value is looked at. */
const near = 4096

/** Whether the text before a value is the beginning of it: it begins as a value does, or a bracket in it is not closed. */
export const isBegun = (text: string, from: number, start: number): boolean => {
  const before = text.slice(Math.max(from, start - near), start)
  if (/^\s*(?:["'`]|[{[]+)?\s*$/.test(before)) return false
  if (/^\s*(?:[:,\]}]|'?"[^"\n]*"\s*[,:]|-?\d[\d.eE+-]*\s*,)/.test(before)) return true
  if (/["\]}]\s*,\s*$|\d\.?$|"$/.test(before)) return true
  if (start - from > near || !/^\s*(?:"|[[{]\s*["\d[\]}-])/.test(before)) return false
  return balance(before) > 0 || before.split('"').length % 2 === 0
}

/** Whether the text behind a value is the rest of it: it goes on as a value does, or closes a bracket that nothing opens. */
export const isContinued = (text: string, end: number): boolean => {
  const rest = text.slice(end, end + near)
  if (/^\s*(?:,\s*(?:"|-?\d)|,?\s*"[^"\n]*"\s*:)/.test(rest) || (rest.startsWith("\\") && rest.includes('","')))
    return true
  if (!/[\]}]\s*$/.test(text.slice(Math.max(end, text.length - 64))) || onlyClosers.test(rest)) return false
  return balance(rest) < 0 || /^\s*(?:["'\d-]|true|false|null)/.test(rest)
}

/** Whether closing brackets are all that stands behind a value, and none before it belong to them. */
export const isOverclosed = (text: string, start: number, end: number): boolean =>
  /^\s*[\]}]/.test(text.slice(end, end + 64)) &&
  onlyClosers.test(text.slice(end)) &&
  !/[[{]\s*$/.test(text.slice(Math.max(0, start - 64), start))

const onlyClosers = /^[\s\]}]*$/

/** How many more brackets open than close, those in texts aside. */
const balance = (text: string): number => {
  const brackets = text.replaceAll(/"[^"\n]*"/g, "").replaceAll(/[^{}[\]]/g, "")
  return 2 * brackets.replaceAll(/[\]}]/g, "").length - brackets.length
}
