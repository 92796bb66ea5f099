# shellcheck shell=bash
# Sourced by scripts below tools/. Sources what all of them share. Needs $root, the absolute path of the checkout.
# SPDX-License-Identifier: Apache-2.0
: "${root:?}"
# shellcheck source=tools/setup.sh
source "$root/tools/setup.sh"
# shellcheck source=tools/build.sh
source "$root/tools/build.sh"
