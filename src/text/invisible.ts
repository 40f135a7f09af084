/**
 * Characters that a reader does not see though a model or a terminal may obey them, and which of them belong to the text.
 *
 * Invisible are control, format and default-ignorable characters, line and paragraph separators, noncharacters and
 * unpaired surrogates, and two signs that are drawn as nothing: the blank of braille and the null notehead. Some of them
 * are part of how an emoji or a script is written, and stay after the base that takes them: joiners in emoji and in
 * joining scripts, variation selectors after a pictograph or an ideograph, and so on. One character stays per base, so
 * that none of them can carry a message.
 */

const invisible =
  // the flags of England, Scotland and Wales are the only texts of tag characters in use
  /\u{1f3f4}\u{e0067}\u{e0062}(?:\u{e0065}\u{e006e}\u{e0067}|\u{e0073}\u{e0063}\u{e0074}|\u{e0077}\u{e006c}\u{e0073})\u{e007f}|[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\p{Noncharacter_Code_Point}\u2800\u{1d159}]/gu

/** Scripts that are written with joiners and non-joiners between their letters. */
const joining = new RegExp(
  `[${[
    ..."Arab Syrc Mand Mong Nkoo Adlm Rohg Phag Mani Deva Beng Guru Gujr Orya Taml Telu Knda Mlym Sinh Khmr Mymr".split(
      " "
    ),
    ..."Tibt Bali Java Sund Cakm Newa Gran Tirh Sidd Limb Lepc Lana Cham Egyp".split(" ")
  ]
    .map((script) => `\\p{Script_Extensions=${script}}`)
    .join("")}]$`,
  "u"
)

/** Signs that are drawn, though Unicode counts them among the format characters: numbers and ends of verses. */
const drawn = /[\u0600-\u0605\u06dd\u070f\u0890\u0891\u08e2\u{110bd}\u{110cd}]/u

/** What may follow which end of the text before it. */
const allowed: ReadonlyArray<readonly [sign: RegExp, after: RegExp, before?: RegExp]> = [
  [/[\u200c\u200d]/, joining],
  // spaces between words that are not drawn
  [
    /\u200b/,
    /[\p{Script_Extensions=Khmer}\p{Script_Extensions=Myanmar}\p{Script_Extensions=Thai}\p{Script_Extensions=Lao}]$/u
  ],
  [/\u200d/, /\p{Extended_Pictographic}(?:\ufe0f|\p{Emoji_Modifier})?$/u, /^\p{Extended_Pictographic}/u],
  [/[\ufe0e\ufe0f]/, /\p{Extended_Pictographic}$/u],
  [/\ufe0f/, /[0-9#*]$/, /^\u20e3/],
  [/[\ufe00-\ufe02\u{e0100}-\u{e01ef}]/u, /\p{Unified_Ideograph}$/u],
  [/\ufe00/, /[\p{Sm}\p{Script_Extensions=Myanmar}\p{Script_Extensions=Phags_Pa}]$/u],
  [/[\u180b-\u180f]/, /\p{Script_Extensions=Mongolian}$/u],
  // the space between words in braille
  [/\u2800/, /[\u2801-\u28ff]$/]
]

const belongs = (sign: string, at: number, text: string): boolean => {
  if (drawn.test(sign)) return true
  const end = at + sign.length
  return allowed.some(
    ([signs, after, before]) =>
      signs.test(sign) &&
      after.test(text.slice(Math.max(0, at - 5), at)) &&
      (before === undefined || before.test(text.slice(end, end + 2)))
  )
}

/** Characters that are not printed in ASCII. Most texts have no other character in doubt, and are searched faster for these. */
const doubtful = /[^ -~]/

/** The text with something else for every invisible character that does not belong to it, but for those that `keep` matches. */
export const replaceInvisible = (text: string, keep: RegExp, replace: (sign: string) => string): string =>
  doubtful.test(text)
    ? text.replace(invisible, (sign: string, at: number) =>
        sign.length > 2 || keep.test(sign) || belongs(sign, at, text) ? sign : replace(sign)
      )
    : text

/** The number of a character: `[U+200B]`. */
export const numbered = (sign: string): string =>
  `[U+${(sign.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}]`

const lineEnd = /[\t\n\r]/

/** Text with its invisible characters shown by their number, `[U+200B]`; tabs and ends of lines stay. */
export const showInvisible = (text: string): string => replaceInvisible(text, lineEnd, numbered)

const onlyOnScreen = /[\t\n]/

/** The same for a terminal, which a lone carriage return moves to the beginning of the line. */
export const showOnScreen = (text: string): string =>
  replaceInvisible(text.replaceAll("\r\n", "\n"), onlyOnScreen, numbered)

const none = /(?!)/

/** The text on one line: what ends a line, and whatever else is not seen, is shown by its number. */
export const showOnLine = (text: string): string => replaceInvisible(text, none, numbered)

/** Every other invisible character as JSON and JavaScript write it: `\\u200b`. */
export const escapeInvisible = (text: string): string =>
  replaceInvisible(text, none, (sign) =>
    Array.from({ length: sign.length }, (_, i) => `\\u${sign.charCodeAt(i).toString(16).padStart(4, "0")}`).join("")
  )
