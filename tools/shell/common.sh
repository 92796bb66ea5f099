# shellcheck shell=bash
# Sourced by scripts below tools/. Sources what all of them share. Needs $root, the absolute path of the checkout.
# SPDX-License-Identifier: Apache-2.0
: "${root:?}"
# shellcheck source=tools/setup.sh
source "$root/tools/setup.sh"
# shellcheck source=tools/build.sh
source "$root/tools/build.sh"

# build_library: builds the package for the checks, which read its modules, symbol graphs and index in .build/debug.
build_library() {
  set_up
  swift_build "$root/.build" >&2
}

# build_navigation_app: builds the sample app that the check of pictures plays, and prints the path of its program.
build_navigation_app() {
  set_up
  package=$root/Examples/NavigationApp swift_build "$examples_folder" --product navigation-app >&2
  printf '%s\n' "$examples_folder/debug/navigation-app"
}
