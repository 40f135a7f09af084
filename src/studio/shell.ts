/** The HTML that all pages have in common. It holds nothing of the memory. */
import { script, style } from "./assets.ts"
import type { Reply } from "./reply.ts"

/** A page without its contents. */
export const shell = (base: string): Reply => ({
  status: 200,
  type: "text/html",
  body: [
    "<!doctype html>",
    '<html lang="en">',
    "<head>",
    '<meta charset="utf-8">',
    '<meta name="viewport" content="width=device-width, initial-scale=1">',
    '<meta name="color-scheme" content="light dark">',
    '<link rel="icon" href="data:,">',
    "<title>cogito studio</title>",
    `<style>${style}</style>`,
    "</head>",
    "<body>",
    `<div id="app" data-base="${base}"></div>`,
    "<noscript>The studio is drawn by a script, and scripts are switched off.</noscript>",
    `<script>${script}</script>`,
    "</body>",
    "</html>",
    ""
  ].join("\n")
})
