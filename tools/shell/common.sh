# shellcheck shell=bash
# Sourced by scripts below tools/. Sources what all of them share. Needs $root, the absolute path of the checkout.
# SPDX-License-Identifier: Apache-2.0
: "${root:?}"
# shellcheck source=tools/shell/setup.sh
source "$root/tools/shell/setup.sh"
# shellcheck source=tools/shell/build.sh
source "$root/tools/shell/build.sh"

# build_library: builds the package for the checks, which read its modules, symbol graphs and index in .build/debug.
build_library() {
  set_up_tests
  swift_build "$root/.build" >&2
}

# build_sample_app NAME: builds a sample app that a check plays, and prints the path of its program.
build_sample_app() {
  set_up_tests
  build_minimal --product "$1" >&2
  printf '%s\n' "$minimal_folder/debug/$1"
}
