/** Detects remarks about a value: that it is an example or wrong, or that it is the one that counts. */

const denials =
  /(?:\b(?:not|never)(?: be| like)?(?: this)?|n['’]t(?: be)?|\binstead of|\brather than|\bunlike|\bnicht(?: so)?|\bwrong|\bincorrect|\bfalsch)\s*[:：,]?\s*$/i

const examples =
  /(?:\bexample|\be\.g\.|\bsuch as|\bdraft|\bbeispiel|\bentwurf|\bz\.\s?b\.|\bexemple|\bejemplo|\besempio|(?<!\p{L})(?:пример|например)|例えば|例如|示例)[^.!?\n<>{}[\]]{0,10}$/iu

const corrections =
  /(?<!\p{L})(?:final|correct(?:ed|ion)?|revised|updated|fixed|actually|instead|wait|but like this|the answer is|korrektur|korrigiert|endgültig\p{L}*|richtig|tatsächlich|correction|corrigée?|définitive|corrección|corregid[oa]|correzione|corretto|исправлен\p{L}*|итогов\p{L}*|окончательн\p{L}*)(?!\p{L})|更正|修正|最終|最终|訂正/iu

const withdrawals =
  /^[\s\W]{0,40}(?:(?:no|oh|hmm|sorry|actually)[,.!\s]{1,3})?(?:wait\b|scratch that|never mind|disregard|ignore (?:that|this|the above)|(?:that|this|the above|it) (?:is|was) (?:wrong|incorrect|not right|a mistake)|that['’]s (?:wrong|not right|incorrect))/i

const reach = 160

/** Whether the words before a value introduce an example, or something that is not the answer. */
export const isDenied = (text: string, from: number, start: number): boolean => {
  // "That is wrong:" behind a value retracts that value.
  if (from > 0 && isWithdrawn(text.slice(0, start), from)) return false
  const before = text.slice(Math.max(from, start - reach), start).replace(/\s*```\w*\s*$/, "")
  return denials.test(before) || examples.test(before)
}

/** Whether the words between two values say that the second one counts. */
export const isCorrected = (text: string, from: number, start: number): boolean => {
  const between = text.slice(from, start)
  return between.length <= 4 * reach && (corrections.test(between) || isWithdrawn(text.slice(0, start), from))
}

/** Whether the words after the last value retract it. */
export const isWithdrawn = (text: string, end: number): boolean =>
  withdrawals.test(text.slice(end, end + reach).replace(/^\s*```/, ""))
