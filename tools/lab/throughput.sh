# shellcheck shell=bash
# Sourced by tests that compare a session's throughput with a plain copy's.
# SPDX-License-Identifier: Apache-2.0

# The machine's own Python: others may know nothing of Bluetooth.
plain_copy() { /usr/bin/python3 "$ROOT/tools/lab/plain-copy.py" "$@"; }

# at EVENT FILE: when a side told of it.
at() { sed -n "s/.*\"event\":\"$1\".*\"time\":\([0-9.]*\).*/\1/p" "$2" | head -n 1; }

# seconds_of FILE: from the opened EA session to its end, when the last byte has come back.
seconds_of() {
  echo "$(at externalAccessoryClosed "$1") $(at externalAccessoryOpened "$1")" | awk '{ print $1 - $2 }'
}

# compare BYTES PLAIN-SECONDS SESSION-SECONDS WHAT
compare() {
  awk -v bytes="$1" -v plain="$2" -v session="$3" -v what="$4" 'BEGIN {
    printf "plain copy %.2f MB/s, %s %.2f MB/s: %.2f of it\n",
      bytes / plain / 1e6, what, bytes / session / 1e6, plain / session }'
}
