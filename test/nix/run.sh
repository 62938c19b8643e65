#!/usr/bin/env bash
# Evaluates, checks, builds and enters the project's flake without a network, with a stand-in for
# nixpkgs (./stub) and a Nix store of its own in a temporary folder; then builds and stages the
# project inside `nix develop` and compares the generation with one staged outside.
#
#   usage   test/nix/run.sh [--keep]     --keep leaves the temporary folder and prints its path
#   needs   nix (2.8 or newer), git, tmux, sqlite3, and a checkout that `npm ci` was run in, with
#           npm's cache as that left it
#   exit    0 only if every step held; the step that did not is named
#
# It needs neither root nor /nix, and writes nothing outside its temporary folder but what npm may
# add to its cache.
set -euo pipefail

checkout=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd -P)
keep=${1:-}
world=$(mktemp -d "${TMPDIR:-/tmp}/swarm-gen-nix.XXXXXX")

step="start"
say() { step=$1; printf '== %s\n' "$step" >&2; }
fail() { printf '%s\n' "$1" >&2; exit 1; }

leave() {
  local code=$?
  if [ "$code" -ne 0 ]; then printf 'FAILED at "%s" (exit %s)\n' "$step" "$code" >&2; fi
  if [ "$keep" = --keep ]; then
    printf 'kept: %s\n' "$world" >&2
  else
    # What Nix and the store publish is read-only, folders included.
    chmod -R u+w "$world" && rm -rf "$world"
  fi
  exit "$code"
}
trap leave EXIT

# Nix tells of every derivation; that is of use only where one fails.
quietly() {
  "$@" 2> "$world/log" || { tail -n 60 "$world/log" >&2; return 1; }
}

need() { command -v "$1" || fail "$1 is not installed"; }
quoted() { printf '"%s"' "$1"; }
lock_digest() { sha256sum "$checkout/flake.lock" "$world/checkout/flake.lock" | cut -d' ' -f1; }

say "what this machine has"
for tool in nix-store git tmux sqlite3 bash sh tar od base64 sha256sum; do need "$tool" > /dev/null; done
nix=$(need nix)
npm=$(readlink -f "$(need npm)")
node="$checkout/node_modules/node/bin/node"
[ -x "$node" ] || fail "the checkout has no node_modules/node/bin/node; run npm ci"
npm_cache=$(npm config get cache)
[ -d "$npm_cache/_cacache" ] || fail "npm's cache $npm_cache is empty; run npm ci"

# A flake is what git tracks. The files are copied as they are in the working tree, committed or
# not, into a repository of their own: so the checkout needs no .git that this user may read, no
# node_modules enters the store, and nothing here can touch the checkout.
say "copy of the tracked files"
mkdir -p "$world/checkout" "$world/home" "$world/tmp"
(
  cd "$checkout"
  if [ -e .git ]; then
    git -c safe.directory="$checkout" ls-files -z
  else
    find . -path ./node_modules -prune -o -path ./dist -prune -o -type f -print0
  fi | while IFS= read -r -d '' file; do
    # A file that was deleted and not committed yet is still listed.
    if [ -e "$file" ] || [ -L "$file" ]; then printf '%s\0' "$file"; fi
  done | tar --null --no-recursion -T - -cf -
) | tar -xf - -C "$world/checkout"

export HOME="$world/home"
export XDG_CACHE_HOME="$HOME/.cache" XDG_CONFIG_HOME="$HOME/.config" XDG_DATA_HOME="$HOME/.local/share"
export npm_config_offline=true npm_config_update_notifier=false
unset XDG_STATE_HOME SWARM_GEN_HOME NODE_OPTIONS NIX_PATH NIX_REMOTE
git -C "$world/checkout" init --quiet
git -C "$world/checkout" add --all
git -C "$world/checkout" -c user.name=test -c user.email=test@example.invalid commit --quiet --message=test

say "stand-in for nixpkgs"
cp -r "$checkout/test/nix/stub" "$world/nixpkgs"
cat > "$world/nixpkgs/host.nix" <<END
{
  bash = $(quoted "$(need bash)");
  path = $(quoted "$(dirname "$(need tar)"):$(dirname "$(need od)"):$(dirname "$(need sh)")");
  node = $(quoted "$node");
  npm = $(quoted "$npm");
  npmCache = $(quoted "$npm_cache");
  git = $(quoted "$(need git)");
  tmux = $(quoted "$(need tmux)");
  sqlite3 = $(quoted "$(need sqlite3)");
}
END

# A store below the temporary folder, by Nix's own variables: no daemon, no root, no namespaces.
export NIX_STORE_DIR="$world/nix/store" NIX_STATE_DIR="$world/nix/var" NIX_LOG_DIR="$world/nix/log"
export NIX_CONF_DIR="$world/nix/etc" NIX_LOCALSTATE_DIR="$world/nix/var" TMPDIR="$world/tmp"
mkdir -p "$NIX_CONF_DIR"
cat > "$NIX_CONF_DIR/nix.conf" <<END
experimental-features = nix-command flakes
sandbox = false
build-users-group =
substituters =
flake-registry =
max-jobs = 2
END

flake="git+file://$world/checkout"
stubbed=(--offline --override-input nixpkgs "path:$world/nixpkgs" --no-write-lock-file)
before=$(lock_digest)
system=$("$nix" eval --impure --raw --expr builtins.currentSystem)

say "nix flake metadata"
quietly "$nix" flake metadata "$flake" "${stubbed[@]}" --json > "$world/metadata.json"

say "nix flake show"
quietly "$nix" flake show "$flake" "${stubbed[@]}" --json > "$world/show.json"
"$node" - "$world/show.json" "$system" <<'END'
const [file, own] = process.argv.slice(2);
const shown = JSON.parse(require("node:fs").readFileSync(file, "utf8"));
for (const system of ["x86_64-linux", "aarch64-linux", "x86_64-darwin", "aarch64-darwin"]) {
  for (const output of ["packages", "apps", "checks", "devShells"]) {
    if (!shown[output]?.[system]) throw new Error(`the flake has no ${output}.${system}`);
  }
}
if (shown.packages[own].default.type !== "derivation") throw new Error("the package is no derivation");
END

say "nix build"
quietly "$nix" build "$flake" "${stubbed[@]}" --print-build-logs -o "$world/result"
# A search path without Node: the package has to find its own.
mkdir "$world/bin"
for tool in dirname readlink uname; do ln -s "$(need "$tool")" "$world/bin/$tool"; done
env -i HOME="$HOME" PATH="$world/bin" "$world/result/bin/swarm-gen" --help > "$world/help" ||
  fail "the built package's swarm-gen --help does not run"
if [ -d "$world/result/lib/node_modules/swarm-gen/node_modules/typescript" ]; then
  fail "the package carries development dependencies"
fi
nix-store --query --references "$world/result" > "$world/references"
if grep -- '-npm-' "$world/references" >&2; then fail "the package keeps the tarballs it was built from alive"; fi

say "nix flake check"
quietly "$nix" flake check "$flake" "${stubbed[@]}" --print-build-logs

enter() { (cd "$world/checkout" && quietly "$nix" develop "$flake" "${stubbed[@]}" -c "$@"); }

say "nix develop: the tools"
pinned=$("$node" -p 'require(process.argv[1]).devDependencies.node.match(/\d+/)[0]' "$checkout/package.json")
entered=$(enter node -p 'process.versions.node.split(".")[0]')
[ "$entered" = "$pinned" ] || fail "the shell's Node is $entered, package.json pins $pinned"
enter git --version > "$world/tools"
enter tmux -V >> "$world/tools"
enter sqlite3 --version >> "$world/tools"

# A node_modules without the npm package `node`: so swarm-gen, too, runs on the Node of the shell it
# is started from, and the two generations show which interpreter each of them was staged by.
say "nix develop: npm run build"
mkdir "$world/checkout/node_modules"
find "$checkout/node_modules/" -mindepth 1 -maxdepth 1 ! -name node \
  -exec ln -s {} "$world/checkout/node_modules" \;
enter npm run build
[ -f "$world/checkout/dist/store/index.js" ] || fail "the build left no dist/store/index.js"

# Each in a home of its own, or the second would take over what the first has built. The archive
# brings both into one store, which is where generations are compared.
say "stage outside, stage inside nix develop"
export npm_config_cache="$npm_cache"
outside() {
  (cd "$world/checkout" && SWARM_GEN_HOME="$world/home-outside" PATH="$(dirname "$node"):$PATH" "$@")
}
inside() { SWARM_GEN_HOME="$world/home-inside" enter "$@"; }
outside bin/swarm-gen stage --json > "$world/outside.json" || fail "$(cat "$world/outside.json")"
inside bin/swarm-gen stage --json > "$world/inside.json" || fail "$(cat "$world/inside.json")"
staged_inside=$("$node" -p 'require(process.argv[1]).generation' "$world/inside.json")
inside bin/swarm-gen export "$staged_inside" --to "$world/inside.tar" --json > "$world/export.json" ||
  fail "$(cat "$world/export.json")"
outside bin/swarm-gen import "$world/inside.tar" --json > "$world/import.json" ||
  fail "$(cat "$world/import.json")"

say "both are the same but for the interpreter"
outside node "$checkout/test/nix/compare-stages.ts" . "$world/outside.json" "$world/inside.json"

say "flake.lock is untouched"
[ "$(lock_digest)" = "$before" ] || fail "flake.lock changed"

say "all held"
