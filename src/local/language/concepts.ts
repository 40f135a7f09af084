/** Words of everyday life that mean the same thing, which the encoder hardly notices in short texts. */

const words = (...sources: ReadonlyArray<string>): RegExp => new RegExp(String.raw`\b(?:${sources.join("|")})`, "iu")

/** What somebody wants done. */
const actions = {
  remove: words(
    "delet",
    "remov",
    "cancel",
    "eras",
    "discard",
    "get(?:ting)? rid of",
    "trash",
    "throw away",
    "call off",
    "(?:do|does)(?:n['’]t| not) want",
    "no longer (?:want|need)",
    "unsubscrib"
  ),
  payBack: words(
    "refund",
    "reimburs",
    "money back",
    "pa(?:y|ys|id)\\b.{0,40}\\bback",
    "compensat",
    "return (?:the|my) money"
  ),
  send: words(
    "send(?:s|ing)?\\b",
    "e-?mail(?:s|ing)?\\b",
    "mail(?:s|ing)?\\b",
    "messag",
    "forward",
    "notif",
    "write to"
  ),
  change: words(
    "chang",
    "updat",
    "edit",
    "mov(?:e|es|ed|ing)\\b",
    "renam",
    "modif",
    "replac",
    "correct",
    "instead",
    "reschedul"
  ),
  buy: words(
    "buy(?:s|ing)?\\b",
    "purchas",
    "pay(?:s|ing)? (?!.{0,40}\\bback)",
    "transfer",
    "send(?:s|ing)? [€$£]?\\d",
    "wire \\w+"
  ),
  add: words(
    "add(?:s|ed|ing)?\\b",
    "creat",
    "put(?:s|ting)?\\b",
    "schedul(?:e|es|ing) (?:a|an|the|my)\\b",
    "book(?:s|ing)?\\b",
    "sav(?:e|es|ing)\\b",
    "writ(?:e|es|ing) down",
    "note (?:that|down)",
    "(?:make|take) a note",
    "jot",
    "regist",
    "insert",
    "remember that"
  ),
  remind: words("remind", "(?:not|n['’]t) (?:let me )?forget", "remember to", "alarm"),
  find: words(
    "search",
    "find(?:s|ing)?\\b",
    "look(?:s|ing)? (?:for|up)\\b",
    "do you (?:have|sell|stock)",
    "mention",
    "contain",
    "i (?:am|['’]m) after",
    "did i (?:write|say|note)"
  ),
  assign: words("assign", "(?:give|hand|pass) .{1,30} to\\b", "delegat"),
  complete: words("complet", "finish", "done\\b", "check off", "tick off"),
  show: words(
    "show",
    "tell me (?:more )?about",
    "what(?:['’]s| is) left",
    "what remains",
    "what did i (?:pay|spend|buy|order)",
    "list(?:s|ing)?\\b",
    "read(?:s|ing)?\\b",
    "open(?:s|ing)?\\b(?! on)",
    "display",
    "view",
    "which\\b",
    "what(?:['’]s| is| are)? (?:in|on|there|do i have)\\b",
    "what do i have"
  ),
  convert: words("conver", "exchang", "how much is .{0,20}\\bin\\b", "how many [a-z]+ (?:are|is|in)\\b"),
  compute: words(
    "calculat",
    "comput",
    "arithmetic",
    "sum of",
    "(?:how much|what) is \\(?[\\d(]",
    "\\d ?%? (?:plus|minus|times|divided|of) \\d"
  ),
  turn: words("switch(?:es|ing)?\\b", "turn(?:s|ing)? (?:the |it )?", "set(?:s|ting)?\\b", "make it", "dim\\b"),
  play: words("play", "hear\\b", "listen")
} as const

export type Action = keyof typeof actions

/** Actions that say by themselves what they are about. */
export const telling: ReadonlySet<Action> = new Set<Action>(["payBack", "remind", "convert", "compute", "turn", "play"])

/** Actions that cannot be taken back. */
export const severe: ReadonlySet<Action> = new Set<Action>(["remove", "payBack", "send", "change", "buy"])

/** What something is about. */
const topics: ReadonlyArray<RegExp> = [
  words(
    "weather",
    "forecast",
    "rain",
    "snow",
    "sunny",
    "sunshine",
    "warm",
    "cold\\b",
    "hot\\b",
    "umbrella",
    "wind",
    "storm",
    "coat\\b",
    "jacket"
  ),
  words("fl(?:y|ies|ight|ying|ew)", "plane", "airport", "airline"),
  words("hotel", "hostel", "accommodat", "nights?\\b", "(?:a|need) room\\b", "stay", "sleep"),
  words("train", "railway", "rail\\b"),
  words("restaurant", "eat\\b", "dinner", "lunch place"),
  words(
    "currenc",
    "exchange rate",
    "usd\\b",
    "eur\\b",
    "gbp\\b",
    "euros?\\b",
    "dollars?\\b",
    "yen\\b",
    "pounds?\\b",
    "francs?\\b"
  ),
  words("times?\\b", "clock", "hours?\\b"),
  words("open(?:s|ing)?\\b", "clos(?:e|es|ed|ing)\\b", "opening hours"),
  words("calendar", "schedule", "events?\\b", "meeting", "appointment", "agenda"),
  words("lights?\\b", "lamp", "dark\\b", "bright"),
  words("heat", "temperatur", "degrees?\\b", "thermostat", "celsius"),
  words("music", "songs?\\b", "band\\b", "artist", "album", "hear\\b", "listen", "play (?:something|some|me)"),
  words(
    "parcel",
    "packag",
    "ship",
    "deliver(?!y address)",
    "arriv",
    "track",
    "on its way",
    "what happened to",
    "where is (?:it|my)"
  ),
  words("product", "looking for", "do you (?:have|sell|stock)", "have any", "article", "goods"),
  words("addresses?\\b", "street", "moved\\b", "live at"),
  words("notes?\\b", "wrote", "did i write", "write down", "jot", "memo"),
  words("files?\\b", "document", "folder", "[\\w-]+\\.(?:txt|md|docx?|pdf|log|csv|json|ts|js|xlsx?|png|jpg)\\b"),
  words("e-?mails?\\b", "inbox", "mail\\b", "[\\w.+-]+@[\\w-]+\\."),
  words("pay(?:s|ing|ments?)?\\b", "paid", "spen[dt]", "transaction", "charge", "transfer"),
  words("money\\b(?! back)", "balance", "account\\b", "funds"),
  words("cook", "recipe", "ingredient", "bake", "meal"),
  words("timer", "alarm", "wake me", "in \\d+ (?:minutes|hours|seconds)", "countdown"),
  words("books?\\b(?! a)", "author", "novel", "library"),
  words("translat", "in (?:french|german|spanish|italian|english)\\b"),
  words("news", "headline"),
  words("contact", "phone number", "telephone"),
  words("invoice", "bill\\b", "billing"),
  words("task", "to-?do", "chore"),
  words("stock price", "shares?\\b", "ticker")
]

/** The actions of a text, in the order in which it names them. */
export const actionsIn = (text: string): ReadonlyArray<Action> =>
  Object.entries(actions)
    .flatMap(([action, pattern]) => {
      const at = text.search(pattern)
      // the keys of the table
      return at < 0 ? [] : [{ action: action as Action, at }]
    })
    .toSorted((a, b) => a.at - b.at)
    .map(({ action }) => action)

/** The numbers of the topics of a text. */
export const topicsIn = (text: string): ReadonlyArray<number> =>
  topics.flatMap((pattern, i) => (pattern.test(text) ? [i] : []))

const common = new Set(
  (
    "about after again also another any are back been before being both but can could does doing done down each for from get gives had has have her here " +
    "him his how into its just know like made make many may more most much must need new not now number off one only other our out over please " +
    "put same say should some such take tell than thank thanks that the their them then there these they this those through today tomorrow too " +
    "under until use very want was way were what when where which while who will with would you your"
  ).split(" ")
)

/** The beginnings of the words of a text that say what it is about, and not what is to be done. */
export const stemsIn = (text: string): ReadonlySet<string> =>
  new Set(
    (text.toLowerCase().match(/[\p{L}\d]{3,}/gu) ?? [])
      .filter((word) => !common.has(word) && actionsIn(word).length === 0)
      .map((word) => word.replace(/(?:ies|es|s|ing|ed|er|e|y)$/u, ""))
      .filter((stem) => stem.length >= 3)
  )
