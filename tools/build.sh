# shellcheck shell=bash
# Sourced by the scripts in this folder: every build of this package starts here.
# SPDX-License-Identifier: Apache-2.0
#
# Needs setup.sh (say, die) and $root, the absolute path of the checkout without symbolic links.

# swift_build ARGUMENT…: `swift build`, after `set_up`.
#
# SwiftPM before 6.4 writes the flags of enabled package traits in the order of an unordered set, and that order changes
# from process to process. Another order is another command line, so every module with these flags is compiled again
# (swiftlang/swift-package-manager issue 10525, pull request 10344). With deterministic hashing the order stays. Remove
# the variable when the oldest supported toolchain is 6.4. Only the build gets it: a program that runs with it would
# always see the same order of sets and dictionaries.
swift_build() {
  SWIFT_DETERMINISTIC_HASHING=1 swift build "$@" </dev/null
}

# swift_test ARGUMENT… [-- ARGUMENT…]: builds the tests like swift_build and runs them without the variable. What stands
# behind `--` selects tests and is for the run only.
swift_test() {
  local options=()
  while (($# > 0)) && [[ $1 != -- ]]; do
    options+=("$1")
    shift
  done
  swift_build --build-tests "${options[@]}" || return
  swift test --skip-build "${options[@]}" "${@:2}" </dev/null
}

# Without the traits, in a folder of its own so that the two builds do not undo each other.
# shellcheck disable=SC2034 # used by the scripts that source this
minimal_options=(--disable-default-traits --scratch-path "$root/.build-minimal")

# The packages that show how to use this one.
# shellcheck disable=SC2034 # used by the scripts that source this
mapfile -t examples < <(find "$root/Examples" -mindepth 2 -maxdepth 2 -name Package.swift -printf '%h\n' 2>/dev/null |
  LC_ALL=C sort)

# forget_moved_build FOLDER: removes a build folder that was made at another path.
#
# SwiftPM's plans and the compiler's module caches hold absolute paths: where the checkout was moved or copied, the
# compiler refuses them.
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

# inputs: everything the command is built from, a line each: its path, size, time of change and of status change.
#
# No program can set the status change time, so a file that was replaced by one of the same size and time is noticed
# too. Links are followed; a file that was added, removed or renamed is another line.
inputs() {
  local name swift
  printf 'checkout %s\n' "$root"
  for name in CC CXX SWIFT_EXEC SDKROOT TOOLCHAINS PKG_CONFIG_PATH PKG_CONFIG_LIBDIR; do
    printf '%s=%s\n' "$name" "${!name-}"
  done
  swift=$(readlink -f "$(type -P swift)")
  # swift-frontend is the compiler. The two files choose a toolchain where `swift` is the launcher of swiftly.
  list_files "$swift" "${swift%/*}/swift-frontend" "${SWIFTLY_HOME_DIR:-$HOME/.local/share/swiftly}/config.json" \
    "$root/.swift-version" "$root/Package.swift" "$root/Sources" "$root"/tools/{iap2,build.sh,setup.sh}
}

# outputs: the command as it was built, and the versions of the packages, which SwiftPM chooses.
outputs() { list_files "$root/.build/release/iap2" "$root/Package.resolved"; }

# list_files PATH…: a line for each file below the paths that exist.
list_files() { { find -L "$@" ! -type d -printf '%p %s %T@ %C@\n' 2>/dev/null || true; } | LC_ALL=C sort; }

# is_command_current: the built command is what `build_command` made last, and the inputs are as they were then.
is_command_current() {
  [[ -x $root/.build/release/iap2 && -f $root/.build/iap2.inputs ]] &&
    [[ $(<"$root/.build/iap2.inputs") == "$(inputs; outputs)" ]]
}

# build_command: builds the command, shows the progress on stderr and notes what it was built from.
build_command() {
  local before note=$root/.build/iap2.inputs
  forget_moved_build "$root/.build"
  if [[ -x $root/.build/release/iap2 ]]; then
    say "something changed since the last build: building the command"
  else
    say "building the command; the first time takes about 4 minutes on two cores"
  fi
  # A change right after the list was made must have another time: the kernel's clock for files ticks every 10 ms or less.
  sleep 0.02
  before=$(inputs)
  swift_build --package-path "$root" -c release --product iap2 >&2 ||
    die $EXIT_INTERNAL "the build failed, see above"
  printf '%s\n' "$before" "$(outputs)" >"$note.new"
  mv "$note.new" "$note"
}
