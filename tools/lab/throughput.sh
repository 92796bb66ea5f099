# shellcheck shell=bash
# Sourced by tests that compare the throughput of a session with that of a plain copy.
# SPDX-License-Identifier: Apache-2.0

# The system's own Python is used, because other builds may not support Bluetooth.
plain_copy() { /usr/bin/python3 "$ROOT/tools/lab/plain-copy.py" "$@"; }

# at EVENT FILE: prints the time of the first such event of a side.
at() { sed -n "s/.*\"event\":\"$1\".*\"time\":\([0-9.]*\).*/\1/p" "$2" | head -n 1; }

# seconds_of FILE: prints the time from the opened EA session to its end, when the last byte has come back.
seconds_of() {
  echo "$(at externalAccessoryClosed "$1") $(at externalAccessoryOpened "$1")" | awk '{ print $1 - $2 }'
}

# compare BYTES PLAIN-SECONDS SESSION-SECONDS WHAT: prints both rates and their ratio.
compare() {
  awk -v bytes="$1" -v plain="$2" -v session="$3" -v what="$4" 'BEGIN {
    printf "plain copy %.2f MB/s, %s %.2f MB/s: %.2f of it\n",
      bytes / plain / 1e6, what, bytes / session / 1e6, plain / session }'
}
