/** Recognises messages that only give thanks, praise, or say that all is well, and wishes. */
import { clausesOf, withoutDenials } from "./denial.ts"
import { asks } from "./requests.ts"
import { phrases, strongSigns } from "./signs.ts"

const thanking = phrases(
  "thank(?:s| you| u)",
  "thx",
  "ty",
  "cheers",
  "kudos",
  "shout[- ]?out",
  "much appreciated",
  "(?:really|very|so) (?:appreciate|grateful|impressed|pleased|happy)",
  "grateful",
  "(?:hats off|well done|great job|good job|great work|nice work|keep (?:it|up))",
  "(?:5|five)[- ]?stars?",
  "congrat(?:s|ulations)",
  "(?:ten|10) (?:out of|/) ?(?:ten|10)",
  "(?:looks?|is|it['’]s|was) (?:simply |just |so )?(?:fantastic|gorgeous|beautiful|a (?:joy|pleasure|delight))",
  "big (?:thank|up)",
  "(?:was|is|were|are|been) (?:absolutely |really |so |very |just )?(?:wonderful|great|brilliant|excellent|amazing|fantastic|lovely|superb|awesome|perfect|a star|outstanding)",
  "(?:i|we) (?:really |just |absolutely )?love (?:it|the|your|how)",
  "delighted",
  "appreciate the",
  "(?:you|you guys|you all|your team) (?:rocks?|are (?:the best|great|amazing|stars|legends))",
  "(?:would|will|can only) (?:definitely |certainly |highly )?recommend",
  "top marks",
  "loving it",
  "made my (?:day|week)",
  "(?:brilliant|excellent|great|fantastic|amazing|superb|top) (?:service|support|team|product|help)"
)

const settling = phrases(
  "(?:all|everything)(?: is|['’]s| was| works?| working| seems)? (?:now )?(?:fine|good|well|ok|okay|sorted|solved|resolved|fixed|in order|settled|perfect(?:ly)?|again|now|correct|clear)",
  "work(?:s|ing) (?:again|now|fine|perfectly|well|like a charm|great)",
  "(?:is|was|are|were|has been|have been|been|got|now|already|it['’]s|that['’]s) (?:now |already |all |quickly |finally |since )?(?:sorted|solved|resolved|fixed|settled|cleared up|taken care of|back to normal)",
  "(?:problem|issue|it|mystery|case) (?:solved|sorted|fixed|resolved)",
  "(?:fixed|solved|sorted|resolved|helped)[\\w\\s]{0,30} (?:in|within|quickly|fast|at once|right away|before|already|out)",
  "(?:please |you can |just |kindly )(?:ignore|disregard|discard|(?:forget|close|delete) (?:this|that|it|the ticket|about it|my (?:last |previous )?(?:ticket|mail|e-?mail|message|request)))",
  "never ?mind",
  "false alarm",
  "(?:just )?confirming that",
  "looks? (?:good|fine) (?:to me )?(?:now|again)",
  "all (?:good|fine|clear|sorted)",
  "no (?:further )?(?:action|reply|answer|response|help) (?:is )?(?:needed|required|necessary)",
  "(?:no|not) (?:longer |more )(?:needed|necessary|an issue|a problem|relevant)",
  "(?:my|our) (?:own )?(?:mistake|fault|bad|error)",
  "(?:mistake|misunderstanding|error) on (?:my|our) (?:side|part|end)",
  "(?:all|everything) (?:now )?(?:runs|went|arrived|came)(?: (?:fine|well|smoothly|through|as it should))?",
  "(?:i|we) (?:simply |just )?(?:misread|misunderstood|overlooked)",
  "everything (?:now )?work(?:s|ed)",
  "running (?:fine|well|smoothly)"
)

const bad = phrases(
  "errors?",
  "crash(?:e[sd]|ing)?",
  "fail(?:s|ed|ing|ures?)?",
  "bugs?",
  "broken?",
  "broke",
  "breaks?",
  "stuck",
  "freez(?:es|ing)|froze(?:n)?",
  "wrong(?:ly)?",
  "missing",
  "damaged",
  "declined",
  "expired",
  "locked out",
  "double[- ]charged|charged (?:me )?(?:twice|again|double|for)|overcharged",
  "unfortunately",
  "problems?",
  "issues?",
  "trouble",
  "down",
  "still",
  "again(?!st)",
  "why",
  "(?:can|could|do|does|did|is|are|was|were|has|have|had|wo|would)(?:n['’]?t| not)",
  "cannot|cant|wont|dont|doesnt|didnt|isnt|wasnt|havent|hasnt",
  "never",
  "nothing",
  "nobody",
  "no (?:answer|reply|response|confirmation|e-?mail|access|connection)",
  "not (?!only|too|just|bad|at all)"
)

/** What settles a matter: to be left alone, to close it, to pass thanks on. This asks for nothing. */
const courtesy =
  /\b(?:please|pls|kindly|can you|could you|would you)\s+(?:also\s+)?(?:tell|pass|let|give|say|share|ignore|disregard|forget|close|accept|keep|consider)\b/giu

const contrast = /^(?:but|however|although|though|yet|except|only)\b/iu
/** What follows is what the thanks are for. */
const thanksFor = /\b(?:thank(?:s| you)|thx|kudos|grateful|appreciate)\b[^.!?]*\b(?:for|to|that)\b/iu
const fewWords = 4

/** Whether a sentence thanks, praises, or says that something is settled. */
export const closes = (sentence: string): boolean =>
  thanking.test(sentence) || settling.test(sentence) || withoutDenials(sentence) === ""

/** The clauses of a sentence that thank, praise, or say that something is settled. */
export const closingPart = (sentence: string): string =>
  clausesOf(sentence)
    .filter((clause) => closes(clause))
    .join(" ")

/** Whether a sentence goes on with a "but" after praise or thanks. */
export const turns = (sentence: string): boolean =>
  clausesOf(sentence)
    .slice(1)
    .some((clause) => contrast.test(clause) && !closes(clause))

/** Whether a sentence asks for something, or may report something bad. */
const isOpen = (sentence: string, sentiment: (text: string) => number): boolean => {
  const rest = withoutDenials(sentence).replace(courtesy, " ")
  if (asks(rest)) return true
  if (turns(rest)) return true
  if (settling.test(rest) || thanksFor.test(rest)) return false
  if (bad.test(rest) || strongSigns(rest) > 0) return true
  return !closes(sentence) && rest.trim().split(/\s+/u).length > fewWords && sentiment(rest) <= 0
}

/** Sentiment by the word list from which a sentence counts as praise. */
const praising = 0.3

/** A message: its text, and its sentences without greetings and farewells. */
interface Message {
  readonly text: string
  readonly sentences: ReadonlyArray<string>
}

/**
 * The sentences of a message that only thanks, praises, or says that all is well. Empty if it asks for something, or may report
 * something bad.
 */
export const closingIn = ({ sentences, text }: Message, sentiment: (text: string) => number): ReadonlyArray<string> => {
  if (sentences.some((sentence) => isOpen(sentence, sentiment))) return []
  const closing = sentences.filter(
    (sentence) => closes(sentence) || (sentiment(sentence) >= praising && /\s/u.test(sentence.trim()))
  )
  return closing.length === 0 && thanking.test(text) && sentences.some((sentence) => sentiment(sentence) > 0)
    ? sentences
    : closing
}

/** Whether a message only thanks, praises, or says that all is well. */
export const isClosed = (message: Message, sentiment: (text: string) => number): boolean =>
  closingIn(message, sentiment).length > 0

const wish =
  /\bwould (?:be (?:so |really |very )?(?:nice|lovely|great|good|cool|useful|handy|helpful) (?:to have|if (?:there (?:was|were)|(?:you|it|the \w+) (?:added|offered|had|made|supported|could (?:add|offer|support|have|also))))|love to (?:see|have))|\b(?:only|just) an? (?:idea|suggestion)\b|\b(?:my|a) suggestion\b|\bfeature request\b|\bhave you (?:ever )?(?:thought (?:of|about)|considered)\b/iu

/** Whether a sentence is a wish or an idea. */
export const wishes = (sentence: string): boolean => wish.test(sentence) && !bad.test(withoutDenials(sentence))
