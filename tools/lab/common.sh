# shellcheck shell=bash
# Sourced by the tests: waiting, counting, and what a command or a side must have said.
# SPDX-License-Identifier: Apache-2.0

# wait_for SECONDS WHAT COMMAND…: until the command succeeds.
wait_for() {
  local end=$((SECONDS + $1)) what=$2
  shift 2
  until "$@" >/dev/null 2>&1; do
    ((SECONDS < end)) || { echo "waited in vain: $what"; return 1; }
    sleep 0.1
  done
}

# says FILE TEXT, count FILE TEXT, more_than FILE TEXT NUMBER: lines with a text.
says() { grep -q -- "$2" "$1" 2>/dev/null; }
count() { grep -c -- "$2" "$1" || true; }
more_than() { (($(count "$1" "$2") > $3)); }

# expect STATUS TEXT COMMAND…: the command ends so, and says so.
expect() {
  local status=$1 text=$2 found=0
  shift 2
  "$@" >said 2>&1 || found=$?
  cat said
  ((found == status)) || { echo "ended with $found, not $status: $*"; return 1; }
  grep -q -- "$text" said || { echo "did not say \"$text\": $*"; return 1; }
}

# wait_status PROCESS FILE: the status of a process in the background, and what it said.
wait_status() {
  local status=0
  wait "$1" || status=$?
  cat "$2"
  return "$status"
}

# causes FILE: why each connection of a side ended, in order.
causes() { sed -n '/"event":"disconnected"/s/.*"cause":"\([^"]*\)".*/\1/p' "$1" | xargs; }

# expect_ends FILE CAUSE…: exactly these connections have ended, for these reasons; a cause may be a pattern.
expect_ends() {
  local file=$1 found
  shift
  found=$(causes "$file")
  echo "$file: $found"
  [[ $found =~ ^$*$ ]] || { echo "$file should have ended: $*"; return 1; }
}

# times NUMBER WORD: the word that often.
times() {
  local words=()
  while ((${#words[@]} < $1)); do words+=("$2"); done
  echo "${words[*]}"
}
