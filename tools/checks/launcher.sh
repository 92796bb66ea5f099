#!/usr/bin/env bash
# Checks, for `tools/check launcher`, that tools/iap2 builds if something that the command is built from has changed, and
# only then. A small checkout and a replacement of `swift` that records its calls are used, so that it takes seconds.
# SPDX-License-Identifier: Apache-2.0
set -euo pipefail

root=$(dirname "$(dirname "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")")")
scratch=$(readlink -f "$(mktemp -d)")
trap 'rm -rf "$scratch"' EXIT
# As a user or a CI system may have it. The command must not see it.
export SWIFT_DETERMINISTIC_HASHING=1

checkout=$scratch/checkout
mkdir -p "$checkout"/{Sources/iap2,Sources/IAP2/Shipped} "$scratch/bin"
# The launcher, and the scripts that it sources.
# shellcheck disable=SC2016 # text of another script
mapfile -t scripts < <(echo tools/iap2; sed -n 's,^source "$root/\(.*\)"$,\1,p' "$root/tools/iap2")
# shellcheck disable=SC2016
((${#scripts[@]} > 1)) || { echo 'tools/iap2 has no line: source "$root/…"' >&2; exit 1; }
(cd "$root" && cp --parents "${scripts[@]}" "$checkout/")
echo '// manifest' >"$checkout/Package.swift"
echo 'print("a")' >"$checkout/Sources/iap2/main.swift"
echo 'let b = 1' >"$checkout/Sources/IAP2/B.swift"
echo 'key: value' >"$checkout/Sources/IAP2/Shipped/play.yaml"

# The replacement builds a plan that contains its folder, and a command that prints its source and whether it sees the
# variable. Like SwiftPM, it compiles the source only if the inode, the size or the modification time has changed.
cat >"$scratch/bin/swift" <<'SWIFT'
#!/usr/bin/env bash
set -e
[[ $1 != --version ]] || { echo 'Swift version 6.3'; exit; }
echo "$1 hashing=${SWIFT_DETERMINISTIC_HASHING-}" >>"$CALLS"
[[ ! -e $CALLS.broken ]] || { echo 'error: broken' >&2; exit 1; }
while [[ $1 != --package-path ]]; do shift; done
cd "$2"
mkdir -p .build/release .build/checkouts/dependency/Sources
echo "- \"$2/.build/release\"" >.build/release.yaml
[[ -e Package.resolved ]] || echo '{}' >Package.resolved
[[ -e .build/checkouts/dependency/Sources/D.swift ]] || echo 'let d = 1' >.build/checkouts/dependency/Sources/D.swift
stat -c '%i %s %y' Sources/IAP2/B.swift >.build/seen
if ! cmp -s .build/seen .build/compiled; then
  mv .build/seen .build/compiled
  printf '#!/usr/bin/env bash\necho "%s hashing=${SWIFT_DETERMINISTIC_HASHING-}"\n' "$(<Sources/IAP2/B.swift)" \
    >.build/release/iap2
fi
chmod +x .build/release/iap2
[[ ! -e $CALLS.late ]] || { echo 'error: late' >&2; exit 1; }
echo '[1/1] Compiling'
SWIFT
chmod +x "$scratch/bin/swift"
for program in swift-frontend swift-build clang; do cp "$scratch/bin/swift" "$scratch/bin/$program"; done
export CALLS=$scratch/calls PATH=$scratch/bin:$PATH
: >"$CALLS"

passed=0
failed=0
# expect builds|rests NAME [STATUS]: runs the launcher and compares what it did with what it should have done.
expect() {
  local expected=$1 name=$2 status=${3:-0} before after did=rests ended=0 words
  before=$(wc -l <"$CALLS")
  words=$("$checkout/tools/iap2" run 2>&1) || ended=$?
  after=$(wc -l <"$CALLS")
  ((after == before)) || did=builds
  local faults=()
  [[ $did == "$expected" ]] || faults+=("it $did")
  ((ended == status)) || faults+=("it ended with $ended")
  if [[ $did == builds ]]; then
    [[ $words == *building* ]] || faults+=("it built without a word")
    ((status != 0)) || [[ $words == *Compiling* ]] || faults+=("it showed no progress")
  fi
  ((status != 0)) || [[ $words == *hashing= ]] || faults+=("the command sees the build's variable")
  ((status != 0)) || [[ $words == *"$(<"$file")"* ]] || faults+=("the command is built from an older source")
  if ((${#faults[@]} == 0)); then
    passed=$((passed + 1))
  else
    failed=$((failed + 1))
    printf '%s: %s; it should have been: %s, %s\n' "$name" "${faults[*]}" "$expected" "$status" >&2
  fi
}

file=$checkout/Sources/IAP2/B.swift
expect builds "first build"
expect rests "nothing changed"
[[ $(tail -n 1 "$CALLS") == 'build hashing=1' ]] || { echo 'the build does not get the variable' >&2; exit 1; }

echo 'let b = 2' >"$file"
expect builds "a file changed"
expect rests "nothing changed after that"
touch -r "$file" "$scratch/time"
sed -i s/2/3/ "$file"
touch -r "$scratch/time" "$file"
expect builds "a file changed, its size and its time did not"
touch -r "$file" "$scratch/time"
echo 'let b = 9' 1<>"$file"
touch -r "$scratch/time" "$file"
expect builds "a file overwritten in place, its size and its time did not change"
expect rests "nothing changed after that"
echo 'let b = 4' >"$scratch/other"
touch -r "$file" "$scratch/other"
mv "$scratch/other" "$file"
expect builds "a file replaced by another of its size and time"
echo >"$checkout/Sources/IAP2/C.swift"
expect builds "a file added"
mv "$checkout/Sources/IAP2/C.swift" "$checkout/Sources/IAP2/D.swift"
expect builds "a file renamed"
rm "$checkout/Sources/IAP2/D.swift"
expect builds "a file removed"
echo 'key: other' >"$checkout/Sources/IAP2/Shipped/play.yaml"
expect builds "a resource changed"
ln -s user@host.1:2 "$checkout/Sources/IAP2/.#B.swift"
echo swap >"$checkout/Sources/IAP2/.B.swift.swp"
expect rests "a swap file and a lock file of editors"
echo '// more' >>"$checkout/Package.swift"
expect builds "the manifest changed"
echo '// manifest' >"$checkout/Package@swift-6.3.swift"
expect builds "a manifest of one Swift version added"
echo 'let d = 2' >"$checkout/.build/checkouts/dependency/Sources/D.swift"
expect builds "a file of a dependency changed"
mkdir -p "$checkout/Packages/dependency"
echo 'let d = 3' >"$checkout/Packages/dependency/D.swift"
expect builds "a dependency to edit"
for script in "${scripts[@]}"; do
  echo '#' >>"$checkout/$script"
  expect builds "$script changed"
done
for program in swift-frontend swift-build clang; do
  echo '#' >>"$scratch/bin/$program"
  expect builds "another $program"
done
mkdir "$scratch/other-bin"
cp "$scratch/bin/"* "$scratch/other-bin/"
PATH=$scratch/other-bin:$PATH expect builds "another toolchain"
expect builds "the first toolchain again"
for variable in CC CPATH LIBRARY_PATH PKG_CONFIG_PATH PKG_CONFIG_SYSROOT_DIR; do
  export "$variable=/elsewhere"
  expect builds "$variable set"
  unset "$variable"
  expect builds "$variable unset"
done
HOME='' expect rests "HOME is empty"
(unset HOME && "$checkout/tools/iap2" >/dev/null) || { echo 'it fails without HOME' >&2; failed=$((failed + 1)); }
mkdir "$scratch/no-swift"
ln -s /usr/bin/* "$scratch/no-swift/"
rm -f "$scratch/no-swift/swift"
PATH=$scratch/no-swift expect rests "no toolchain in PATH"
echo 'let b = 10' >"$file"
PATH=$scratch/no-swift expect rests "no toolchain in PATH, a file changed" 69
expect builds "the toolchain in PATH again"
echo '#' >>"$checkout/.build/release/iap2"
expect builds "the command built by something else"
echo '{"versions": 2}' >"$checkout/Package.resolved"
expect builds "other versions of packages"
rm -r "$checkout/.build"
expect builds "the build folder removed"
expect rests "nothing changed after all that"
echo 'let b = 11' >"$file"
"$checkout/tools/iap2" >/dev/null 2>&1 & "$checkout/tools/iap2" >/dev/null 2>&1 & wait
expect rests "two calls at once have built"

touch "$CALLS.broken"
echo 'let b' >"$file"
expect builds "a build that fails" 70
expect builds "a build that fails again" 70
rm "$CALLS.broken"
expect builds "the fault repaired"
echo 'let b = 12' >"$file"
touch "$CALLS.late"
expect builds "a build that fails after it compiled the file" 70
rm "$CALLS.late"
touch -r "$file" "$scratch/time"
echo 'let b = 13' 1<>"$file"
touch -r "$scratch/time" "$file"
expect builds "the file overwritten in place after that"
before=$(stat -c %y "$file")
chmod go-r "$file"
chmod go+r "$file"
expect builds "only the permissions of a file changed"
if [[ $(stat -c %y "$file") != "$before" ]]; then
  echo 'a file whose content did not change was touched' >&2
  failed=$((failed + 1))
fi

touch "$checkout/.build/left-behind"
mv "$checkout" "$scratch/moved"
checkout=$scratch/moved
file=$checkout/Sources/IAP2/B.swift
expect builds "the checkout moved"
if [[ -e $checkout/.build/left-behind ]]; then
  echo 'the build folder of another path was kept' >&2
  failed=$((failed + 1))
fi
expect rests "nothing changed after the move"
ln -s "$checkout" "$scratch/link"
checkout=$scratch/link
expect rests "the same checkout through a link"

printf '%d passed, %d failed\n' "$passed" "$failed"
((failed == 0))
