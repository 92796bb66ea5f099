# shellcheck shell=bash
# Sourced by the scripts in this folder. Finds the toolchain and installs what the build needs.
# SPDX-License-Identifier: Apache-2.0
#
# All messages go to stderr. Stdout belongs to the script that sources this file.

EXIT_UNAVAILABLE=69 # no usable Swift
# shellcheck disable=SC2034 # used by the scripts that source this
EXIT_INTERNAL=70    # the sources do not build
# shellcheck disable=SC2034 # used by the scripts that source this
EXIT_IO=74          # a disk is full
EXIT_PERMISSION=77  # packages are missing and may not be installed
EXIT_INTERRUPTED=130

say() { printf '%s: %s\n' "${0##*/}" "$*" >&2; }

die() {
  local code=$1
  shift
  say "$*"
  exit "$code"
}

# interrupted: ends with one line after Ctrl-C. A second call of the script goes on with what is done.
trap interrupted INT TERM
interrupted() {
  trap '' INT TERM
  end_build
  rm -f "${root:?}"/.build/{contents,iap2.inputs}."$$"
  say "interrupted while ${doing:-working}; run it again, it goes on with what is done"
  exit $EXIT_INTERRUPTED
}

# The running `swift build`, which has a session of its own; empty without one.
building=

# end_build: ends a running build so that the next one goes on with what is done.
#
# SwiftPM keeps what it has compiled in a database that it writes when it ends by itself. A signal ends it without that,
# and the next build begins anew. So only the compilers are ended: SwiftPM then takes the build as failed.
end_build() {
  [[ -n $building ]] || return 0
  local rounds
  # At most 10 s.
  for ((rounds = 0; rounds < 50; rounds++)); do
    kill -0 "$building" 2>/dev/null || return 0
    signal_session "$building" TERM
    sleep 0.2
  done
  kill -KILL "$building" 2>/dev/null || true
}

# signal_session LEADER SIGNAL: sends a signal to the processes of a session, except its leader.
signal_session() {
  local file line fields
  for file in /proc/[0-9]*/stat; do
    read -r line 2>/dev/null <"$file" || continue
    # The name, in parentheses, may have any character. Behind it stand state, parent, group and session.
    read -r -a fields <<<"${line##*) }"
    [[ ${fields[3]} != "$1" || ${line%% *} == "$1" ]] || kill "-$2" "${line%% *}" 2>/dev/null || true
  done
}

# Swift 6.2 is the first release with the language features and the package traits that are used here.
require_swift() {
  local advice='install 6.2 or later from https://www.swift.org/install/linux/ and put it in PATH'
  local text
  command -v swift >/dev/null || die $EXIT_UNAVAILABLE "no Swift found; $advice"
  text=$(swift --version 2>&1 </dev/null) || die $EXIT_UNAVAILABLE "'swift --version' fails; $advice"
  [[ $text =~ Swift\ version\ ([0-9]+)\.([0-9]+) ]] || die $EXIT_UNAVAILABLE "'swift' is not the compiler; $advice"
  ((BASH_REMATCH[1] > 6 || (BASH_REMATCH[1] == 6 && BASH_REMATCH[2] >= 2))) ||
    die $EXIT_UNAVAILABLE "Swift ${BASH_REMATCH[1]}.${BASH_REMATCH[2]} is too old; $advice"
}

missing_packages() {
  command -v git >/dev/null || echo git
  if command -v pkg-config >/dev/null; then
    pkg-config --exists libusb-1.0 || echo libusb-1.0-0-dev
    pkg-config --exists bluez || echo libbluetooth-dev
    pkg-config --exists dbus-1 || echo libdbus-1-dev
    missing_session_packages
  else
    echo libusb-1.0-0-dev libbluetooth-dev libdbus-1-dev libssl-dev pkg-config
  fi
}

# The packages of the CarPlay session, which every build needs that has it.
missing_session_packages() {
  # Version 3 is the first with ciphers that do not depend on the settings of the machine.
  pkg-config --exists 'libcrypto >= 3.0' || echo libssl-dev
}

# The packages of the program that draws pictures of the car's screen.
missing_screen_packages() {
  pkg-config --exists pangocairo 2>/dev/null || echo libpango1.0-dev
  pkg-config --exists libturbojpeg 2>/dev/null || echo libturbojpeg0-dev
  pkg-config --exists libsixel 2>/dev/null || echo libsixel-dev
  pkg-config --exists openh264 2>/dev/null || echo libopenh264-dev
  [[ -f /usr/share/fonts/truetype/noto/NotoSans-Regular.ttf ]] || echo fonts-noto-core
  [[ -n $(find /usr/share/fonts/opentype/noto -name 'NotoSansCJK*' -print -quit 2>/dev/null) ]] || echo fonts-noto-cjk
}

# The packages of the Python peers of the tests.
missing_peer_packages() {
  python3 -c 'import ensurepip, venv' 2>/dev/null || echo python3-venv
  command -v ffprobe >/dev/null || echo ffmpeg
}

# The daemons of two hosts that find each other, and what makes the hosts (tools/check discovery).
missing_discovery_packages() {
  local PATH=$PATH:/usr/sbin:/sbin
  command -v avahi-daemon >/dev/null || echo avahi-daemon
  command -v avahi-browse >/dev/null || echo avahi-utils
  command -v dbus-daemon >/dev/null || echo dbus-daemon
  command -v ip >/dev/null || echo iproute2
}

# The browser in which the page of `iap2 lab` is tested.
missing_browser_packages() {
  command -v chromium >/dev/null || echo chromium
}

# install_python_packages FILE FOLDER: puts the Python packages that a file of requirements lists into a folder.
install_python_packages() {
  local folder=${root:?}/$2
  ! cmp -s "$1" "$folder/installed.txt" || return 0
  rm -rf "$folder"
  { python3 -m venv "$folder" && "$folder/bin/python" -m pip install --quiet --disable-pip-version-check -r "$1" &&
    cp "$1" "$folder/installed.txt"; } ||
    die $EXIT_UNAVAILABLE "the packages of $1 were not installed, see above; they need the network, then run this again"
}

# install_packages PACKAGE…: installs as root, or with sudo if that is allowed (it asks for a password only on a
# terminal).
install_packages() {
  local missing=$* as_root=() advice
  [[ -n $missing ]] || return 0
  advice="as root run: apt-get update && apt-get install $missing"
  command -v apt-get >/dev/null ||
    die $EXIT_PERMISSION "missing packages: $missing (names of Debian); there is no apt-get here, install them by hand"
  if ((EUID != 0)); then
    command -v sudo >/dev/null || die $EXIT_PERMISSION "missing packages: $missing; no sudo here, $advice"
    as_root=(sudo)
    if ! sudo -n true 2>/dev/null; then
      [[ -t 2 && -r /dev/tty ]] || die $EXIT_PERMISSION "missing packages: $missing; sudo wants a password, $advice"
    fi
  fi
  say "installing $missing"
  local doing="installing packages"
  # What an interrupted installation left would make every later one fail.
  [[ -z $(dpkg --audit 2>/dev/null) ]] || "${as_root[@]}" dpkg --configure -a >&2 </dev/null || true
  # An outdated package list may still be good enough.
  "${as_root[@]}" apt-get update >&2 </dev/null || say "apt-get update failed, going on"
  # Another part of a run may be installing too.
  # shellcheck disable=SC2086 # one word for each package
  "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends \
    -o DPkg::Lock::Timeout=600 $missing >&2 </dev/null ||
    die $EXIT_PERMISSION "could not install $missing, see above; with a network, $advice"
}

set_up() {
  require_swift
  # shellcheck disable=SC2046 # one word for each package
  install_packages $(missing_packages)
}

# set_up_tests [--peers|--all]: as `set_up`, also what the tests need, the Python peers, and the browser.
set_up_tests() {
  require_swift
  # shellcheck disable=SC2046 # one word for each package
  install_packages $(
    missing_packages
    missing_screen_packages
    command -v python3 >/dev/null || echo python3
    [[ -z ${1-} ]] || missing_peer_packages
    [[ ${1-} != --all ]] || missing_browser_packages
  )
}
