// biome-ignore-all lint/style/useTemplate: templates are newer than the oldest Node that must understand this
/*
 * The first JavaScript that runs: refuses a Node or a system on which the rest could not even be
 * read, or would crash. So it is written for every Node there ever was (ES5, CommonJS), and loads
 * nothing before its checks.
 */
"use strict";

var LEAST_NODE = [22, 19];
var MAIN = "../dist/surface/cli/main.js";

var complaint = unsupportedNode() || unsupportedPlatform() || notBuilt();
if (complaint === null) {
  // A module that has no top-level await can be required since Node 22.12.
  require(MAIN);
} else {
  report(complaint);
}

function unsupportedNode() {
  var version = process.versions.node.split(".").map(Number);
  if (version[0] > LEAST_NODE[0] || (version[0] === LEAST_NODE[0] && version[1] >= LEAST_NODE[1]))
    return null;
  var least = LEAST_NODE.join(".");
  return {
    code: "unsupported_node",
    exit: 8,
    message:
      "swarm-gen needs Node " +
      least +
      " or newer; " +
      process.execPath +
      " is " +
      process.versions.node +
      ".",
    hint: "Install Node " + least + " or newer, or put it first in PATH.",
  };
}

function unsupportedPlatform() {
  if (process.platform === "linux" || process.platform === "darwin") return null;
  return {
    code: "unsupported_platform",
    exit: 8,
    message: "swarm-gen runs on Linux and macOS, not on " + process.platform + ".",
    hint: "Use Linux or macOS.",
  };
}

function notBuilt() {
  if (require("node:fs").existsSync(require("node:path").join(__dirname, MAIN))) return null;
  return {
    code: "internal",
    exit: 1,
    message: "swarm-gen is not built: dist/ is missing beside bin/.",
    hint: "In a checkout, run: npm run build",
  };
}

function report(problem) {
  var words = process.argv.slice(2);
  var end = words.indexOf("--");
  if ((end < 0 ? words : words.slice(0, end)).indexOf("--json") >= 0) {
    process.stdout.write(
      JSON.stringify({
        ok: false,
        code: problem.code,
        message: problem.message,
        hint: problem.hint,
        retryable: false,
      }) + "\n",
    );
  } else {
    process.stderr.write(
      "error[" + problem.code + "]: " + problem.message + "\nhint: " + problem.hint + "\n",
    );
  }
  process.exitCode = problem.exit;
}
