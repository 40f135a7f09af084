/** Detects text around a value that may belong to it, as after an extra or missing bracket or quote. */

/** How much of the surrounding text is examined. */
const near = 4096

/** Whether the text before a value is its beginning: it begins like a value, or has an open bracket. */
export const isBegun = (text: string, from: number, start: number): boolean => {
  const before = text.slice(Math.max(from, start - near), start)
  if (/^\s*(?:["'`]|[{[]+)?\s*$/.test(before)) return false
  if (/^\s*(?:[:,\]}]|'?"[^"\n]*"\s*[,:]|-?\d[\d.eE+-]*\s*,)/.test(before)) return true
  if (/["\]}]\s*,\s*$|\d\.?$|"$/.test(before)) return true
  if (start - from > near || !/^\s*(?:"|[[{]\s*["\d[\]}-])/.test(before)) return false
  return balance(before) > 0 || before.split('"').length % 2 === 0
}

/** Whether the text after a value is its rest: it continues like a value, or closes a bracket that nothing opens. */
export const isContinued = (text: string, end: number): boolean => {
  const rest = text.slice(end, end + near)
  if (/^\s*(?:,\s*(?:"|-?\d)|,?\s*"[^"\n]*"\s*:)/.test(rest) || (rest.startsWith("\\") && rest.includes('","')))
    return true
  if (!/[\]}]\s*$/.test(text.slice(Math.max(end, text.length - 64))) || onlyClosers.test(rest)) return false
  return balance(rest) < 0 || /^\s*(?:["'\d-]|true|false|null)/.test(rest)
}

/** Whether only closing brackets follow a value, and no opening ones stand before it. */
export const isOverclosed = (text: string, start: number, end: number): boolean =>
  /^\s*[\]}]/.test(text.slice(end, end + 64)) &&
  onlyClosers.test(text.slice(end)) &&
  !/[[{]\s*$/.test(text.slice(Math.max(0, start - 64), start))

const onlyClosers = /^[\s\]}]*$/

/** The number of opening minus that of closing brackets, without those in texts. */
const balance = (text: string): number => {
  const brackets = text.replaceAll(/"[^"\n]*"/g, "").replaceAll(/[^{}[\]]/g, "")
  return 2 * brackets.replaceAll(/[\]}]/g, "").length - brackets.length
}
