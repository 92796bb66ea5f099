# shellcheck shell=bash
# Sourced by the scripts in this folder. Every build of this package uses these functions.
# SPDX-License-Identifier: Apache-2.0
#
# Needs setup.sh (say, die) and $root, the absolute path of the checkout without symbolic links. FOLDER
# is always the absolute path of a build folder. It stands in the folder of its package, unless the caller sets `package`
# to the package's folder.
: "${root:?}"
# shellcheck disable=SC2034 # set by callers
package=

# Set for a debug folder that is built once and not edited: the compiler then compiles each module as a whole. In one
# measurement the tests took 570 s of CPU time in place of 712 s, and the build without traits 214 s in place of 307 s.
# But a change of one file then compiles its whole module. Other flags compile everything again, so a folder keeps those
# of its first build.
whole_modules=

# The traits of every build of this package itself. With the same traits everywhere, the command, the tests and the
# program that draws share what is compiled.
build_traits=USB,Bluetooth,Screen

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
  local folder=$1 status=0 options=() doing=${doing:-building}
  [[ -n $package ]] || options=(--traits "$build_traits")
  # A release build has lines for backtraces, and no descriptions of variables. In two pairs of measurements the module
  # `IAP2` took 107 and 89 s of CPU time with descriptions, and 86 and 79 s without.
  [[ " $* " != *' -c release '* ]] || options+=(-Xswiftc -gline-tables-only)
  forget_moved_build "$folder"
  require_space "$folder"
  [[ -z $whole_modules || -e $folder/debug ]] || { mkdir -p "$folder" && : >"$folder/whole-modules"; }
  # SwiftPM waits for the end of the compiler, so a job of its own for the module's interface saves nothing.
  [[ " $* " == *' -c release '* || ! -f $folder/whole-modules ]] ||
    options+=(-Xswiftc -whole-module-optimization -Xswiftc -num-threads -Xswiftc 2 -Xswiftc -disable-batch-mode
      -Xswiftc -no-emit-module-separately-wmo)
  forget_other_plan "$folder"
  touch_overwritten
  # Ctrl-C does not reach a session of its own, see `end_build`.
  SWIFT_DETERMINISTIC_HASHING=1 PKG_CONFIG_PATH=$(descriptions "$folder") setsid swift build --no-color-diagnostics \
    --package-path "${package:-${folder%/*}}" --scratch-path "$folder" "${options[@]}" "${@:2}" </dev/null &
  building=$!
  wait "$building" || status=$?
  building=
  ((status == 0)) || explain_failure "$folder"
  [[ ! -d $folder || ! -w $folder ]] || plans "$folder" >"$folder/plans"
  return $status
}

# descriptions FOLDER: prints where SwiftPM looks for descriptions of system libraries first. Only `iap2-screen` needs the
# libraries that draw, but SwiftPM warns about a missing one in every build. An empty description prevents that.
descriptions() {
  local name places=$1/absent
  rm -rf "$places"
  for name in pangocairo libturbojpeg libsixel openh264; do
    pkg-config --exists "$name" 2>/dev/null || {
      mkdir -p "$places"
      printf 'Name: %s\nDescription: not installed\nVersion: 0\n' "$name" >"$places/$name.pc"
    }
  done 2>/dev/null
  [[ -d $places ]] || places=
  printf '%s\n' "$places${PKG_CONFIG_PATH:+:$PKG_CONFIG_PATH}"
}

# require_space FOLDER: ends with a message if a build cannot even begin: nothing can be written to the folder, or to that
# of temporary files.
require_space() {
  local place
  mkdir -p "$1" 2>/dev/null && [[ -w $1 ]] ||
    die "$EXIT_IO" "$1 cannot be written: make it writable for $(id -un), or use a checkout of your own"
  for place in "$1" "${TMPDIR:-/tmp}"; do
    [[ -w $place ]] || die "$EXIT_IO" "$place cannot be written: make it writable, or set TMPDIR to another folder"
    (($(free_space "$place") >= 20)) ||
      die "$EXIT_IO" "the disk of $place is full ($(free_space "$place") MB free): free $disk_need, then run this again"
  done
}

# explain_failure FOLDER: ends with a message if a build has failed for want of space or of the network.
explain_failure() {
  local place name
  for place in "$1" "${TMPDIR:-/tmp}"; do
    (($(free_space "$place") >= 200)) || die "$EXIT_IO" "the build failed, see above. If no error of the sources stands" \
      "there: the disk of $place is full ($(free_space "$place") MB free); free $disk_need, then run this again." \
      "What is built is kept"
  done
  while read -r name; do
    [[ -d $1/checkouts/$name ]] || die "$EXIT_UNAVAILABLE" "the package $name was not fetched, see above:" \
      "the first build needs the network (github.com); then run this again"
  done < <(grep -o 'url: "[^"]*"' "${package:-${1%/*}}/Package.swift" | sed 's|.*/||; s|"$||; s|\.git$||')
}
disk_need='4 GB'

# free_space PLACE: prints the free space of the disk of a folder in MB; much, if it is not known.
free_space() {
  local free
  free=$(df --output=avail --block-size=1M "$1" 2>/dev/null | tail -n 1)
  [[ $free =~ ^\ *[0-9]+$ ]] && echo $((free)) || echo 1000000
}

# run_tests_of FOLDER [ARGUMENT…]: runs the tests that `swift_build FOLDER --build-tests` built, in the folder of their
# package. The arguments are those of `swift test`, such as `--filter NAME`.
#
# `swift test --skip-build` would make a new plan without the variable, which the next build may use. Only tests of
# Swift Testing run. They have a folder of their own for temporary files: no file of others counts, and none is left.
#
# Tests of the command start the release build if it is current: they then take 68 s of CPU time in place of 178 s.
run_tests_of() (
  ! is_command_current || export IAP2_TEST_COMMAND=$root/.build/release/iap2
  run_bundle "${1%/*}" "$1"/debug/*PackageTests.xctest "${@:2}"
)

# run_bundle FOLDER PROGRAM [ARGUMENT…]: runs a program of tests in a folder.
run_bundle() (
  cd "$1" || exit
  TMPDIR=$(mktemp -d) || exit
  export TMPDIR
  trap 'rm -rf "$TMPDIR"' EXIT
  "$2" --testing-library swift-testing "${@:3}" </dev/null
)

# The folder of the build without traits. In the folder of the other builds, the two would replace each other.
minimal_folder=$root/.build-minimal

# The packages that show how to use this package.
mapfile -t examples < <(find "$root/Examples" -mindepth 2 -maxdepth 2 -name Package.swift -printf '%h\n' 2>/dev/null |
  LC_ALL=C sort)

# build_minimal ARGUMENT…: builds without traits and in one package what the examples need, or a product.
#
# The package has the targets of all examples, so that the library is compiled once for them. Nobody debugs it, and
# without debug information the build takes a tenth less CPU time.
build_minimal() {
  write_umbrella || die "$EXIT_INTERNAL" "the examples cannot be put into one package, see above"
  package=$root/Examples whole_modules=1 swift_build "$minimal_folder" -Xswiftc -gnone "$@"
}

# write_umbrella: writes the manifest of that package if the manifest of an example has changed.
write_umbrella() {
  local file=$root/Examples/Package.swift note=$minimal_folder/umbrella.inputs inputs folder
  inputs=$(list_files "${examples[@]/%//Package.swift}" "$root/tools/suite/umbrella.py")
  [[ ! -f $file || ! -f $note || $(<"$note") != "$inputs" ]] || return 0
  for folder in "${examples[@]}"; do
    # A document that is none makes the reader fail.
    (set -o pipefail && swift package --package-path "$folder" dump-package </dev/null | tr -d '\n') || echo no document
    echo
  done | PYTHONPATH=$root/tools python3 -B -m suite.umbrella Examples "$root" >"$file.new" || return
  mv "$file.new" "$file" && mkdir -p "$minimal_folder" && printf '%s\n' "$inputs" >"$note"
}

# run_example FOLDER [ARGUMENT…]: runs the tests of an example that `build_minimal --build-tests` built.
run_example() {
  local modules=("$1"/Tests/*/)
  modules=("${modules[@]%/}")
  run_bundle "$1" "$minimal_folder/debug/ExamplesPackageTests.xctest" \
    --filter "^($(IFS='|' && echo "${modules[*]##*/}"))\\." "${@:2}"
}

# forget_other_plan FOLDER: lets SwiftPM make a new plan if another call of it, such as `swift test`, has made one since
# the last `swift_build`, if another version of a system library was installed, or if the library of the examples has
# other files. The other plan may have the flags in another order, or lack those of the library, and SwiftPM notices new
# files of the package that it builds alone. It plans anew if the description of its plan is missing.
forget_other_plan() {
  [[ ! -f $1/plans || $(<"$1/plans") != "$(plans "$1")" ]] || return 0
  rm -f "$1"/*/{debug,release}/description.json
}

# plans FOLDER: prints a line for each plan, one for each system library that has a place in plans, and one for the names
# of the library's files in the build of the examples.
plans() {
  local name
  list_files "$1"/{debug,release}.yaml
  for name in libusb-1.0 bluez dbus-1 libcrypto pangocairo libturbojpeg libsixel openh264; do
    printf '%s %s\n' "$name" "$(pkg-config --modversion "$name" 2>/dev/null)"
  done
  [[ $1 != "$minimal_folder" ]] || find "$root/Sources" -type f | LC_ALL=C sort | cksum
}

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
build_screen() {
  export IAP2_SCREEN=$root/.build/release/iap2-screen
  # shellcheck disable=SC2046 # one word for each package
  install_packages $(missing_screen_packages)
  swift_build "$root/.build" -c release --product iap2-screen >&2 ||
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
  forget_moved_build "$root/.build"
  require_space "$root/.build"
  if [[ -x $root/.build/release/iap2 ]]; then
    say "something changed since the last build: building the command; a change of the command alone takes a minute"
  else
    say "building the command; the first time takes 5 to 10 minutes on two cores"
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
