# shellcheck shell=bash
# Sourced by the scripts in this folder. Every build of this package uses these functions.
# SPDX-License-Identifier: Apache-2.0
#
# Needs setup.sh (say, die) and $root, the absolute path of the checkout without symbolic links. FOLDER
# is always the absolute path of a build folder. It stands in the folder of its package, unless the caller sets `package`
# to the package's folder: the examples share one build folder, because all of them build the same library.
: "${root:?}"

# swift_build FOLDER ARGUMENT…: runs `swift build`, after `set_up`.
#
# SwiftPM before 6.4 writes the flags of enabled package traits in the order of an unordered set, which changes from
# process to process. Another order gives another command line, so every module with these flags is compiled again
# (swiftlang/swift-package-manager issue 10525, pull request 10344). Deterministic hashing keeps the order. Remove the
# variable, `forget_other_plan` and `plans` when the oldest supported toolchain is 6.4. Only the build gets the
# variable, also if the caller of a script has set it: a program that runs with it would always see the same order of
# sets and dictionaries.
#
# On a terminal SwiftPM passes a flag for colors to the compiler, which is another command line too. So there are none.
unset SWIFT_DETERMINISTIC_HASHING
swift_build() {
  local folder=$1 status=0
  forget_moved_build "$folder"
  forget_other_plan "$folder"
  touch_overwritten
  SWIFT_DETERMINISTIC_HASHING=1 swift build --no-color-diagnostics --package-path "${package:-${folder%/*}}" \
    --scratch-path "$folder" "${@:2}" </dev/null || status=$?
  [[ ! -d $folder || ! -w $folder ]] || plans "$folder" >"$folder/plans"
  return $status
}

# run_tests_of FOLDER [ARGUMENT…]: runs the tests that `swift_build FOLDER --build-tests` built, in the folder of their
# package. The arguments are those of `swift test`, such as `--filter NAME`.
#
# `swift test --skip-build` would make a new plan without the variable, which the next build may use. Only tests of
# Swift Testing run. They have a folder of their own for temporary files: no file of others counts, and none is left.
run_tests_of() (
  cd "${package:-${1%/*}}" || exit
  TMPDIR=$(mktemp -d) || exit
  export TMPDIR
  trap 'rm -rf "$TMPDIR"' EXIT
  "$1"/debug/"${package##*/}"*PackageTests.xctest --testing-library swift-testing "${@:2}" </dev/null
)

# The folder and the options of a build without the traits. In the folder of the other builds, the two would replace
# each other.
# shellcheck disable=SC2034 # used by the scripts that source this
minimal_folder=$root/.build-minimal minimal_options=(--disable-default-traits)

# The packages that show how to use this package.
# shellcheck disable=SC2034 # used by the scripts that source this
mapfile -t examples < <(find "$root/Examples" -mindepth 2 -maxdepth 2 -name Package.swift -printf '%h\n' 2>/dev/null |
  LC_ALL=C sort)
# shellcheck disable=SC2034 # used by the scripts that source this
examples_folder=$root/.build-examples package=

# forget_other_plan FOLDER: lets SwiftPM make a new plan if another call of it, such as `swift test`, has made one since
# the last `swift_build`. That plan may have the flags in another order. SwiftPM plans anew if the description of its
# plan is missing.
forget_other_plan() {
  [[ ! -f $1/plans || $(<"$1/plans") != "$(plans "$1")" ]] || return 0
  rm -f "$1"/*/{debug,release}/description.json
}

# plans FOLDER: prints a line for each plan.
plans() { list_files "$1"/{debug,release}.yaml; }

# forget_moved_build FOLDER: removes a build folder that was made at another path.
#
# SwiftPM's plans and the compiler's module caches contain absolute paths. The compiler rejects them after the checkout
# was moved or copied.
forget_moved_build() {
  local folder=$1 plan
  # What an interrupted call left. .gitignore has the name.
  rm -rf "$folder-moved"
  for plan in "$folder"/{release,debug}.yaml; do
    [[ -f $plan ]] || continue
    grep -qF "\"$folder/" "$plan" && continue
    say "$folder was made at another path and cannot be used here; removing it and building again"
    # A folder that is removed in part could look like one that can be used.
    mv "$folder" "$folder-moved"
    rm -rf "$folder-moved"
    return
  done
}

# inputs: prints lines for everything that the command is built from, except `outputs`.
#
# Not listed: the toolchain's libraries, system libraries with their headers, and packages outside of the checkout
# (`swift package edit --path`). Another release of a toolchain always has another compiler.
inputs() {
  local name swift
  printf 'checkout %s\n' "$root"
  for name in CC CPATH CXX C_INCLUDE_PATH LIBRARY_PATH SDKROOT SWIFT_EXEC TOOLCHAINS "${!PKG_CONFIG@}"; do
    printf '%s=%s\n' "$name" "${!name-}"
  done
  # Without a toolchain in PATH, the one of the last build counts.
  swift=$(readlink -f "$(type -P swift || sed -n 's/^swift //p' "$root/.build/iap2.inputs")")
  printf 'swift %s\n' "$swift"
  # The two files after the toolchain select another one if `swift` is the launcher of swiftly.
  list_files "$swift" "${swift%/*}"/{swift-build,swift-driver,swift-frontend,swift-autolink-extract,clang,lld,ld.gold} \
    "${SWIFTLY_HOME_DIR:-${HOME-}/.local/share/swiftly}/config.json" "$root/.swift-version" \
    "$root"/{Package*.swift,Sources,Packages,.swiftpm/configuration} "$root"/tools/{iap2,shell/build.sh,shell/setup.sh}
}

# outputs: prints lines for what the build itself writes: the command, and the dependencies that SwiftPM has chosen,
# with their manifests and their folders Sources.
outputs() {
  list_files "$root"/.build/{release/iap2,workspace-state.json} "$root/Package.resolved" \
    "$root"/.build/checkouts/*/{Sources,Package*.swift}
}

# list_files PATH…: prints a line for each file below those paths that exist: status change time, inode, size,
# modification time, path.
#
# No program can set the status change time. So a file is noticed too if it was overwritten by one with the same size
# and modification time. Links are followed. A file that was added, removed or renamed changes the lines. Hidden files
# below a folder are left out, as SwiftPM does: repositories, and the swap and lock files of editors.
list_files() {
  { find -L "$@" -name '.*' ! -name .swift-version -prune -o ! -type d -printf '%C@ %i %s %T@ %p\n' 2>/dev/null ||
    true; } | LC_ALL=C sort
}

# touch_overwritten: sets the modification time of each file that was overwritten since the last call, but has the same
# inode, size and modification time. SwiftPM compares only these, and would not compile the file. A build that fails may
# have compiled it, so the contents are recorded before each build.
touch_overwritten() {
  local note=$root/.build/contents now overwritten
  mkdir -p "$root/.build" 2>/dev/null && [[ -w $root/.build ]] || return 0
  now=$(contents)
  if [[ -f $note ]]; then
    overwritten=$(awk '
      { key = substr($0, 42); hash = substr($0, 1, 40) }
      NR == FNR { hashes[key] = hash; next }
      key in hashes && hashes[key] != hash { sub(/^[^ ]+ [^ ]+ [^ ]+ /, "", key); print key }
    ' "$note" - <<<"$now")
    if [[ -n $overwritten ]]; then
      xargs -r -d '\n' touch -c -- <<<"$overwritten" ||
        die "$EXIT_INTERNAL" "a changed file with its old time would not be compiled: touch it, see above"
      now=$(contents)
    fi
  fi
  printf '%s\n' "$now" >"$note.$$"
  mv "$note.$$" "$note"
}

# contents: prints a line for each file that a build may compile: SHA-1, inode, size, modification time, path.
contents() {
  local files
  mapfile -d '' -t files < <(find -L "$root"/{Package*.swift,Sources,Tests,Examples,Packages} \
    "$root"/.build/checkouts/*/{Sources,Package*.swift} -name '.*' -prune -o -type f -print0 2>/dev/null | LC_ALL=C sort -z)
  ((${#files[@]} > 0)) || return 0
  paste -d ' ' <(printf '%s\0' "${files[@]}" | xargs -0 sha1sum | cut -c 1-40) \
    <(printf '%s\0' "${files[@]}" | xargs -0 stat -L -c '%i %s %.Y %n')
}

# build_screen: builds the program that draws, installs what it needs, and names it to the command.
#
# It has a folder of its own: with another trait, SwiftPM would compile everything again.
build_screen() {
  export IAP2_SCREEN=$root/.build-screen/release/iap2-screen
  # shellcheck disable=SC2046 # one word for each package
  install_packages $(missing_screen_packages)
  swift_build "$root/.build-screen" -c release --disable-default-traits --traits Screen --product iap2-screen >&2 ||
    die "$EXIT_INTERNAL" "the build of iap2-screen failed, see above"
}

# is_command_current: succeeds if the command is the one that `build_command` built last and the inputs are unchanged.
is_command_current() {
  [[ -x $root/.build/release/iap2 && -f $root/.build/iap2.inputs ]] &&
    cmp -s "$root/.build/iap2.inputs" <(inputs; outputs)
}

# build_command: builds the command, shows the progress on stderr and records the inputs.
build_command() {
  local before note=$root/.build/iap2.inputs
  if [[ -x $root/.build/release/iap2 ]]; then
    say "something changed since the last build: building the command; a change of the command alone takes a minute"
  else
    say "building the command; the first time takes 4 to 10 minutes on two cores"
  fi
  # Before the list, which has the modification times.
  touch_overwritten
  # A file that changes right after the list must get a time that is not in the list. The kernel's clock for file times
  # advances every 10 ms or less.
  sleep 0.02
  before=$(inputs)
  swift_build "$root/.build" -c release --product iap2 >&2 || die "$EXIT_INTERNAL" "the build failed, see above"
  # Two builds may end at the same time, so each writes a file of its own.
  printf '%s\n' "$before" "$(outputs)" >"$note.$$"
  mv "$note.$$" "$note"
}
