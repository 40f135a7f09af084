/** Characters that HTML writes as `&name;`. */

/** Names of characters from this one on, in their order. */
const runs: ReadonlyArray<readonly [first: number, names: string]> = [
  [
    160,
    "nbsp iexcl cent pound curren yen brvbar sect uml copy ordf laquo not shy reg macr deg plusmn sup2 sup3 acute micro para middot " +
      "cedil sup1 ordm raquo frac14 frac12 frac34 iquest Agrave Aacute Acirc Atilde Auml Aring AElig Ccedil Egrave Eacute Ecirc Euml " +
      "Igrave Iacute Icirc Iuml ETH Ntilde Ograve Oacute Ocirc Otilde Ouml times Oslash Ugrave Uacute Ucirc Uuml Yacute THORN szlig " +
      "agrave aacute acirc atilde auml aring aelig ccedil egrave eacute ecirc euml igrave iacute icirc iuml eth ntilde ograve oacute " +
      "ocirc otilde ouml divide oslash ugrave uacute ucirc uuml yacute thorn yuml"
  ],
  [
    913,
    "Alpha Beta Gamma Delta Epsilon Zeta Eta Theta Iota Kappa Lambda Mu Nu Xi Omicron Pi Rho - Sigma Tau Upsilon Phi Chi Psi Omega"
  ],
  [
    945,
    "alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi omicron pi rho sigmaf sigma tau upsilon phi chi psi omega"
  ],
  [0x2190, "larr uarr rarr darr harr"],
  [0x21d0, "lArr uArr rArr dArr hArr"]
]

const single: Readonly<Record<string, string>> = {
  amp: "&",
  lt: "<",
  gt: ">",
  quot: '"',
  apos: "'",
  AMP: "&",
  LT: "<",
  GT: ">",
  QUOT: '"',
  OElig: "Œ",
  oelig: "œ",
  Scaron: "Š",
  scaron: "š",
  Yuml: "Ÿ",
  fnof: "ƒ",
  circ: "ˆ",
  tilde: "˜",
  ensp: " ",
  emsp: " ",
  thinsp: " ",
  zwnj: "\u200c",
  zwj: "\u200d",
  ndash: "–",
  mdash: "—",
  lsquo: "‘",
  rsquo: "’",
  sbquo: "‚",
  ldquo: "“",
  rdquo: "”",
  bdquo: "„",
  dagger: "†",
  Dagger: "‡",
  bull: "•",
  hellip: "…",
  permil: "‰",
  prime: "′",
  Prime: "″",
  lsaquo: "‹",
  rsaquo: "›",
  euro: "€",
  trade: "™",
  minus: "−",
  infin: "∞",
  ne: "≠",
  le: "≤",
  ge: "≥",
  asymp: "≈",
  sum: "∑",
  radic: "√",
  check: "✓",
  star: "☆",
  num: "#",
  colon: ":",
  comma: ",",
  period: ".",
  excl: "!",
  quest: "?",
  lpar: "(",
  rpar: ")",
  lbrack: "[",
  rbrack: "]",
  sol: "/",
  bsol: "\\",
  lowbar: "_",
  NewLine: "\n",
  Tab: "\t"
}

const named: ReadonlyMap<string, string> = new Map([
  ...runs.flatMap(([first, names]) =>
    names.split(" ").map((name, i) => [name, String.fromCodePoint(first + i)] as const)
  ),
  ...Object.entries(single)
])

const windows = new TextDecoder("windows-1252")

const numbered = (code: number): string => {
  if (code >= 0x80 && code < 0xa0) return windows.decode(Uint8Array.of(code))
  const isCharacter = code > 0 && code <= 0x10ffff && !(code >= 0xd800 && code < 0xe000)
  return isCharacter ? String.fromCodePoint(code) : "\ufffd"
}

const references = /&(?:#(?:[xX]([0-9a-fA-F]{1,8})|(\d{1,8}));?|([A-Za-z][A-Za-z0-9]{1,31});)/g

/** The text with its references to characters resolved. Unknown ones stay as they are. */
export const unescapeHtml = (text: string): string =>
  text.includes("&")
    ? text.replaceAll(references, (whole, hex?: string, decimal?: string, name?: string) => {
        if (name !== undefined) return named.get(name) ?? whole
        return numbered(hex === undefined ? Number(decimal) : Number.parseInt(hex, 16))
      })
    : text
