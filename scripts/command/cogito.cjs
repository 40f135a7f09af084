#!/usr/bin/env node
// The command line of a clone: from the sources, so that nothing must be built, and on the Node that the project brings.
"use strict"

var spawn = require("child_process").spawn
var path = require("path")

var root = path.join(__dirname, "..", "..")

require(path.join(root, "scripts", "check-node.cjs"))

var main = path.join(root, "src", "cli", "main.ts")
var child = spawn(process.execPath, ["--conditions=cogito-source", main].concat(process.argv.slice(2)), {
  stdio: "inherit"
})
// a terminal sends Ctrl-C to both
process.on("SIGINT", function () {})
process.on("SIGTERM", function () {
  child.kill("SIGTERM")
})
child.on("exit", function (code, signal) {
  if (signal !== null) process.kill(process.pid, signal)
  else process.exit(code)
})
