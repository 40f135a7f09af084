// Loaded before everything else, so this file must run on any Node: plain old JavaScript, no modules, no packages.
// Usage: `node -r ./scripts/check-node.cjs <file>` or `node scripts/check-node.cjs && <command>`.
"use strict"

var fs = require("fs")
var path = require("path")

var root = path.join(__dirname, "..")

function stop(message) {
  process.stderr.write(message + "\n")
  process.exit(1)
}

var wanted = /(\d+)\.(\d+)/.exec(JSON.parse(fs.readFileSync(path.join(root, "package.json"), "utf8")).engines.node)
var found = /^v(\d+)\.(\d+)/.exec(process.version)
var major = Number(found[1]) - Number(wanted[1])

if (!fs.existsSync(path.join(root, "node_modules", "effect"))) {
  stop("cogito's dependencies are not installed. Run `npm ci` in " + root + " first, then use npm run.")
} else if (major < 0 || (major === 0 && Number(found[2]) < Number(wanted[2]))) {
  stop(
    "cogito needs Node " +
      wanted[0] +
      " or newer and found " +
      process.version +
      ". The project brings its own: run `npm ci` with install scripts enabled (not --ignore-scripts), then use npm run."
  )
}
