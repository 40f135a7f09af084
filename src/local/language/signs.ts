/** Words that show how pressing a message is. */

/** A pattern for any of some phrases, as whole words. */
export const phrases = (...sources: ReadonlyArray<string>): RegExp =>
  new RegExp(String.raw`(?<![\w-])(?:${sources.join("|")})(?![\w-])`, "iu")

const count = "(?:second|third|fourth|fifth|sixth|tenth|2nd|3rd|4th|5th|[3-9](?:rd|th)?|three|four|five|six)"
const span = "(?:\\d+|an?|one|two|three|four|five|ten|few|thirty|fifteen)"
const occasion =
  "(?:exams?|presentations?|presents?|meeting|demo|flight|launch|interview|wedding|webinar|audit|release|opening|payroll|class|lesson|trip|hearing|delivery|shift|event|conference|board)"
const soon =
  "(?:today|tonight|tomorrow|this (?:morning|afternoon|evening)|starts|in (?:an?|one|two|half an) (?:hour|hours)|at \\d+(?::\\d+)?|in \\d+)"

const pressing = phrases(
  "urgent(?:ly)?",
  "asap",
  "(?:need|want|require)s? (?:an )?immediate(?:ly)?",
  "(?:call|help|answer|fix|stop|block|refund|do|need)[\\w\\s]{0,25} (?:now|today)",
  "emergency",
  "critical",
  "as we speak",
  "(?:every|each) (?:minute|hour)",
  `(?:in|within) (?:the |the next |less than )?(?:${span} )?(?:minutes?|mins?|hours?|hrs?)`,
  "(?:by|before|until) (?:tonight|tomorrow|noon|end of (?:the )?day|eod)",
  "as soon as (?:possible|you can)",
  "(?:please|pls) hurry",
  `${occasion}[\\w\\s,]{0,25} ${soon}`,
  `${soon}[\\w\\s,]{0,25} ${occasion}`,
  "deadline",
  "(?:am|are|is|been) (?:stranded|stuck at)",
  "time[- ]critical",
  "top priority"
)

const harm = phrases(
  "(?:los(?:e|ing)|lost|miss(?:ed|ing)?)[\\w\\s~]{0,20} (?:money|sales|orders|customers|clients|data|revenue|business|bookings)",
  "outage",
  "(?:everything|all|nothing|system|site|website|shop|store|server|production|service|app|it|we) (?:is|are|'s|s|has been|works|went) (?:completely |all |totally )?(?:down|offline|unreachable|dead)",
  "nothing works",
  "(?:none|all|no one|nobody|whole|entire)[\\w\\s]{0,20} (?:can|cannot|team|company|office|staff|locked out|of our)[\\w\\s]{0,40}",
  "(?:is|are|went|gone|still) offline",
  "(?:can(?:no|['’])?t|cannot|unable to) (?:work|sell|ship|print|process|take|open|serve|invoice|bill|pay)",
  "(?:customers?|clients?|patients?|guests?|students?|people|trucks?|everyone|everybody|staff) (?:are|is) (?:all )?(?:waiting|queu(?:e?ing)|stuck|complaining|unable|blocked)",
  "(?:will|can) not be (?:paid|delivered|served)",
  "no backup",
  "(?:all|years of) (?:my|our|the)? ?(?:data|work|files|photos)",
  "(?:knows|has|uses?|using|used|got|changed|guessed) my (?:password|login|saved card|card|account|e-?mail)",
  "my (?:saved |credit |debit )?(?:card|account|identity) (?:was|is being|has been|without)",
  "(?:reading|read|reads) my (?:messages|mails?|e-?mails?)",
  "(?:without|no) (?:my )?(?:permission|consent|knowledge)",
  "hack(?:ed|ers?|ing)",
  "st(?:ole|olen|ealing)",
  "fraud(?:ulent)?",
  "unauthori[sz]ed",
  "compromised",
  "breach(?:ed)?",
  "leak(?:ed|ing|s)?",
  "(?:some ?(?:one|body) elses?|other (?:people|customers?|users?|clients?)|strangers?)(?:['’]?s)?[\\w\\s]{0,25} (?:accounts?|profiles?|orders?|data|details|addresses|names|e-?mails|information|logged|see|access)",
  "(?:see|access|read|open|show(?:s|n|ing)?|inside|into|in)[\\w\\s]{0,25} (?:some ?(?:one|body) else|other (?:people|customer|user|client)|stranger)",
  "(?:logged|log|broke|got) in ?to my",
  "(?:was|were) ?n[o']t me",
  "security (?:incident|hole|issue|risk)"
)

const threat = phrases(
  "lawyers?",
  "solicitors?",
  "attorneys?",
  "legal (?:action|steps|advice|claim)",
  "(?:go to|take you to|small claims) court",
  "sue",
  "(?:file|make|bring) (?:a |an )?(?:official |formal )?(?:claim|complaint|lawsuit|chargeback)",
  "ombudsman",
  "(?:in|to) court",
  "police",
  "my bank will",
  "(?:moving|switch(?:ing)?|going|changing) to (?:another|a different) (?:provider|company|shop|service|supplier)",
  "(?:speak|talk|complain) (?:to|with) (?:a |your |the )?(?:manager|supervisor|boss|ceo|director)",
  "regulator",
  "the press",
  "trading standards",
  "gdpr",
  "(?:cancel|leave|switch|competitor|competition|elsewhere|close my account)[\\w\\s]{0,20} (?:if|unless|otherwise)",
  "(?:or|otherwise) (?:i|we)(?: will|['’]ll)? (?:cancel|leave|switch|go|take|call|dispute)",
  "(?:to|with|by) (?:a|your) competitors?",
  "dispute (?:it|this|the)"
)

const anger = phrases(
  "furious",
  "outrageous",
  "unacceptable",
  "ridiculous",
  "disgrace(?:ful)?",
  "disgusting",
  "fed up",
  "sick of",
  "(?:had|have) enough",
  "(?:very|so|extremely|deeply) (?:angry|disappointed|upset|frustrated)",
  "worst",
  "scam(?:mers)?",
  "(?:been|feel|felt) (?:cheated|ripped off|robbed|ignored|fooled)",
  "without (?:any )?(?:solving|answer|explanation|a word|reply)",
  "liars?",
  "(?:nobody|no one|you never|never) (?:ever )?(?:answers?|replies|replied|responds?|reads|calls? back|picks up)",
  "no (?:answer|reply|response)",
  `(?:the |my )?${count} (?:time|e-?mail|ticket|message|call|attempt|request|reminder)s?`,
  "again and again",
  "(?:weeks|months) (?:ago|now|later)",
  "(?:been|for|after|since) (?:over |more than )?(?:\\d+|two|three|four|five|six|seven|eight|several|many|nine) (?:weeks|months)",
  "happening again",
  "(?:is|it['’]s) back"
)

/** How many kinds of signs a text has that something is pressing: urgency, harm, threats, anger. */
export const strongSigns = (text: string): number =>
  [pressing, harm, threat, anger].filter((signs) => signs.test(text)).length

/** What weighs less: somebody waits, or reminds of a promise. */
export const waiting = phrases(
  "(?:still|yet) (?:no|not|nothing|waiting|have not|haven['’]?t)",
  "(?:not|n['’]t)[\\w\\s]{0,25} yet",
  "(?:you|was|were|been) promised",
  "(?:every|each) single time",
  "(?:disappointed|frustrat(?:ed|ing)|annoy(?:ed|ing))"
)

/** What shows that there is no hurry. */
export const calm = phrases(
  "(?:no|not? in a|not? any|without(?: any)?) (?:great |big |real |particular |particularly )?(?:hurry|rush|urgency)",
  "(?:no|not|n['’]t|nothing)[\\w\\s]{0,12} (?:urgent|pressing|critical|important|an emergency)",
  "whenever (?:you|it)",
  "(?:when|if) you (?:have|get|find) (?:a )?(?:time|chance|moment|minute)",
  "take your time",
  "(?:just|only) (?:a|an) (?:quick |small |little |general )?(?:question|idea|suggestion|thought|wish)",
  "one day",
  "at some point",
  "would be (?:nice|lovely|great|good|cool|useful|handy)",
  "would love (?:to see|it if|to have|an?)",
  "(?:just )?(?:wondering|curious)"
)

/** What is pressing if it is asked for. */
export const promptly = phrases("immediate(?:ly)?", "(?:right|straight) away", "right now", "at once")
