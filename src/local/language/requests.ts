/** Finds out whether a sentence asks for something. */
import { phrases } from "./signs.ts"

const asking = phrases(
  "(?:can|could|would|will|may|might) (?:you|u|someone|somebody|anyone|i|we)",
  "(?:pls|please|kindly)",
  "(?:i|we)(?: would|['’]d|d)? (?:really |also |just |still )?(?:need|want|like|require|request|demand|expect|insist|hope|wonder|wish|await)",
  "(?:would|['’]d) (?:really |very much )?appreciate",
  "(?:how|where|when|what|which|who) (?:do|does|did|can|could|is|are|should|will|would|to)",
  "(?:is|are) there (?:a|an|any|some)",
  "is it (?:possible|normal|safe)",
  "any (?:chance|idea|update|news|way|help)",
  "let me know",
  "get back to (?:me|us)",
  "waiting (?:for|on)",
  "(?:not sure|no idea|wondering|curious|asking) (?:if|how|why|what|whether|where)",
  "looking (?:for|to)"
)
const order =
  /(?:^|[.!?;:,]\s+|\b(?:and|then|so)\s+)(?:add|answer|call|cancel|change|check|close|confirm|correct|deactivate|delete|downgrade|explain|fix|get|give|help|lock|make|merge|move|refund|remove|renew|reset|resend|restore|send|show|stop|switch|tell|transfer|unlock|unsubscribe|update|upgrade)(?:\s+(?!you\b)\p{L}|[\s.!]*$)/iu

/** Whether a sentence asks for something or tells somebody to do it. */
export const asks = (sentence: string): boolean =>
  asking.test(sentence) || order.test(sentence) || sentence.trimEnd().endsWith("?")
