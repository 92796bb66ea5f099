# shellcheck shell=bash
# Sourced by scripts that run something in a new Debian. Needs setup.sh.
# SPDX-License-Identifier: Apache-2.0

# debian_suite: prints the release of this machine, or bookworm where this machine is not Debian.
debian_suite() (
  # shellcheck source=/dev/null
  source /etc/os-release
  if [[ $ID == debian && -n ${VERSION_CODENAME-} ]]; then echo "$VERSION_CODENAME"; else echo bookworm; fi
)

# in_fresh_debian SUITE FOLDER PROGRAM ARGUMENT…: makes a minimal Debian of that release, copies the folder into it as
# /try, and runs the program of the folder there as root. Returns its status.
#
# mmdebstrap makes the Debian in a temporary folder, mounts what programs expect, and removes everything at the end and
# after Ctrl-C. It needs root, or a user who may make namespaces.
in_fresh_debian() {
  local suite=$1 from=$2 command
  shift 2
  command -v mmdebstrap >/dev/null || install_packages mmdebstrap
  printf -v command ' %q' "$@"
  say "making a new Debian: $suite"
  mmdebstrap --variant=minbase --quiet --aptopt='APT::Install-Recommends "false"' \
    --customize-hook="copy-in '$from' /" \
    --customize-hook="chroot \"\$1\" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin LANG=C.UTF-8 HOME=/root TERM=dumb \
DEBIAN_FRONTEND=noninteractive /${from##*/}/${command# }" \
    "$suite" /dev/null </dev/null
}
