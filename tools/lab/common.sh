# shellcheck shell=bash
# Sourced by the tests. Contains functions that wait, count, and check the output of a command or a side.
# SPDX-License-Identifier: Apache-2.0

# wait_for SECONDS WHAT COMMAND…: waits until the command succeeds. Fails after SECONDS.
wait_for() {
  local end=$((SECONDS + $1)) what=$2
  shift 2
  until "$@" >/dev/null 2>&1; do
    ((SECONDS < end)) || { echo "waited in vain: $what"; return 1; }
    sleep 0.1
  done
}

# says FILE TEXT, count FILE TEXT, more_than FILE TEXT NUMBER: find or count the lines with a text.
says() { grep -q -- "$2" "$1" 2>/dev/null; }
count() { grep -c -- "$2" "$1" || true; }
more_than() { (($(count "$1" "$2") > $3)); }

# expect STATUS TEXT COMMAND…: runs a command and checks its exit status and that its output contains the text.
expect() {
  local status=$1 text=$2 found=0
  shift 2
  "$@" >said 2>&1 || found=$?
  cat said
  ((found == status)) || { echo "ended with $found, not $status: $*"; return 1; }
  grep -q -- "$text" said || { echo "did not say \"$text\": $*"; return 1; }
}

# wait_status PROCESS FILE: waits for a background process, prints its output and returns its exit status.
wait_status() {
  local status=0
  wait "$1" || status=$?
  cat "$2"
  return "$status"
}

# causes FILE: prints the causes of a side's disconnections, in order.
causes() { sed -n '/"event":"disconnected"/s/.*"cause":"\([^"]*\)".*/\1/p' "$1" | xargs; }

# expect_ends FILE CAUSE…: checks that exactly these connections have ended, with these causes. A cause may be a
# pattern.
expect_ends() {
  local file=$1 found
  shift
  found=$(causes "$file")
  echo "$file: $found"
  [[ $found =~ ^$*$ ]] || { echo "$file should have ended: $*"; return 1; }
}

# times NUMBER WORD: prints the word NUMBER times.
times() {
  local words=()
  while ((${#words[@]} < $1)); do words+=("$2"); done
  echo "${words[*]}"
}

# gray_film SECONDS: prints a film of 320x192 pixels and ten pictures a second: H.264, each picture a gray key frame.
gray_film() {
  python3 - "$1" <<'END'
import base64, sys, zlib
picture = "eNpjYGBgTHc6wH2T0XE2owADAzMDiGB0+Oi0pIEBKJdxuvm0ApBO7Wjh/ZTUwPjTEgNYvV63a9CjPQCkypDt"
sys.stdout.buffer.write(zlib.decompress(base64.b64decode(picture)) * 10 * int(sys.argv[1]))
END
}
