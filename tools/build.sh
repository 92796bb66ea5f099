# shellcheck shell=bash
# Sourced by the scripts in this folder. Every build of this package uses these functions.
# SPDX-License-Identifier: Apache-2.0
#
# Needs setup.sh (say, die) and $root, the absolute path of the checkout without symbolic links.

# swift_build ARGUMENT…: runs `swift build`, after `set_up`.
#
# SwiftPM before 6.4 writes the flags of enabled package traits in the order of an unordered set, which changes from
# process to process. Another order gives another command line, so every module with these flags is compiled again
# (swiftlang/swift-package-manager issue 10525, pull request 10344). Deterministic hashing keeps the order. Remove the
# variable when the oldest supported toolchain is 6.4. Only the build gets the variable: a program that runs with it
# would always see the same order of sets and dictionaries.
swift_build() {
  SWIFT_DETERMINISTIC_HASHING=1 swift build "$@" </dev/null
}

# swift_test ARGUMENT… [-- ARGUMENT…]: builds the tests like swift_build and runs them without the variable. Arguments
# behind `--` select tests and are only for the run.
swift_test() {
  local options=()
  while (($# > 0)) && [[ $1 != -- ]]; do
    options+=("$1")
    shift
  done
  swift_build --build-tests "${options[@]}" || return
  swift test --skip-build "${options[@]}" "${@:2}" </dev/null
}

# The options of a build without the traits. It has its own folder, so that the two builds do not replace each other.
# shellcheck disable=SC2034 # used by the scripts that source this
minimal_options=(--disable-default-traits --scratch-path "$root/.build-minimal")

# The packages that show how to use this package.
# shellcheck disable=SC2034 # used by the scripts that source this
mapfile -t examples < <(find "$root/Examples" -mindepth 2 -maxdepth 2 -name Package.swift -printf '%h\n' 2>/dev/null |
  LC_ALL=C sort)

# forget_moved_build FOLDER: removes a build folder that was made at another path.
#
# SwiftPM's plans and the compiler's module caches contain absolute paths. The compiler rejects them after the checkout
# was moved or copied.
forget_moved_build() {
  local folder=$1 plan
  for plan in "$folder"/{release,debug}.yaml; do
    [[ -f $plan ]] || continue
    grep -qF "\"$folder/" "$plan" && continue
    say "$folder was made at another path and cannot be used here; removing it and building again"
    rm -rf "$folder"
    return
  done
}

# inputs: prints a line for everything that the command is built from: path, size, modification time, status change
# time.
#
# No program can set the status change time. So a file is noticed too if it was replaced by one with the same size and
# modification time. Links are followed. A file that was added, removed or renamed changes the lines.
inputs() {
  local name swift
  printf 'checkout %s\n' "$root"
  for name in CC CXX SWIFT_EXEC SDKROOT TOOLCHAINS PKG_CONFIG_PATH PKG_CONFIG_LIBDIR; do
    printf '%s=%s\n' "$name" "${!name-}"
  done
  swift=$(readlink -f "$(type -P swift)")
  # swift-frontend is the compiler. The two files after it select a toolchain if `swift` is the launcher of swiftly.
  list_files "$swift" "${swift%/*}/swift-frontend" "${SWIFTLY_HOME_DIR:-$HOME/.local/share/swiftly}/config.json" \
    "$root/.swift-version" "$root/Package.swift" "$root/Sources" "$root"/tools/{iap2,build.sh,setup.sh}
}

# outputs: prints lines for the built command and for the package versions that SwiftPM has chosen.
outputs() { list_files "$root/.build/release/iap2" "$root/Package.resolved"; }

# list_files PATH…: prints a line for each file below those paths that exist.
list_files() { { find -L "$@" ! -type d -printf '%p %s %T@ %C@\n' 2>/dev/null || true; } | LC_ALL=C sort; }

# is_command_current: succeeds if the command is the one that `build_command` built last and the inputs are unchanged.
is_command_current() {
  [[ -x $root/.build/release/iap2 && -f $root/.build/iap2.inputs ]] &&
    [[ $(<"$root/.build/iap2.inputs") == "$(inputs; outputs)" ]]
}

# build_command: builds the command, shows the progress on stderr and records the inputs.
build_command() {
  local before note=$root/.build/iap2.inputs
  forget_moved_build "$root/.build"
  if [[ -x $root/.build/release/iap2 ]]; then
    say "something changed since the last build: building the command"
  else
    say "building the command; the first time takes about 4 minutes on two cores"
  fi
  # A file that changes right after the list must get a time that is not in the list. The kernel's clock for file times
  # advances every 10 ms or less.
  sleep 0.02
  before=$(inputs)
  swift_build --package-path "$root" -c release --product iap2 >&2 ||
    die $EXIT_INTERNAL "the build failed, see above"
  printf '%s\n' "$before" "$(outputs)" >"$note.new"
  mv "$note.new" "$note"
}
