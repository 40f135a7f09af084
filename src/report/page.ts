/** The HTML around the data of a page. */
import { script, scriptHash, style, styleHash } from "./assets.ts"

const policy = [
  "default-src 'none'",
  `script-src '${scriptHash}'`,
  `style-src '${styleHash}'`,
  "base-uri 'none'",
  "form-action 'none'"
].join("; ")

/** A whole page with its data: JSON without the character `<`. */
export const page = (json: string): string =>
  [
    "<!doctype html>",
    '<html lang="en">',
    "<head>",
    '<meta charset="utf-8">',
    `<meta http-equiv="content-security-policy" content="${policy}">`,
    '<meta name="viewport" content="width=device-width, initial-scale=1">',
    '<meta name="color-scheme" content="light dark">',
    '<meta name="referrer" content="no-referrer">',
    "<title>cogito report</title>",
    `<style>${style}</style>`,
    "</head>",
    "<body>",
    '<div id="app"></div>',
    "<noscript>This report is drawn by a script in this file, and scripts are switched off.</noscript>",
    `<script type="application/json" id="data">${json}</script>`,
    `<script>${script}</script>`,
    "</body>",
    "</html>",
    ""
  ].join("\n")
