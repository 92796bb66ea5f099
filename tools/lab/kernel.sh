# shellcheck shell=bash disable=SC2034 # what it sets is for run and guest.sh
# Sourced by run. Finds or fetches a stock Debian kernel and unpacks it.
# SPDX-License-Identifier: Apache-2.0

# find_kernel CACHE: sets kernel to a folder with vmlinux and lib/modules, and sets kernel_version. If it fails,
# `reason` says why. The cache is kept, so a run needs the network only the first time.
find_kernel() {
  local package
  mkdir -p "$1" || { reason="no folder $1"; return 1; }
  exec 9>"$1/lock" && flock 9
  kernel=$(find "$1" -mindepth 2 -maxdepth 2 -name vmlinux -printf '%h\n' | sort -V | tail -n 1)
  if [[ -z $kernel ]]; then
    package=$(kernel_package)
    [[ -n $package ]] || { reason="apt knows no linux-image-amd64"; return 1; }
    say "fetching $package"
    fetch_kernel "$1" "$package" || { reason="$package could not be fetched and unpacked"; return 1; }
  fi
  kernel_version=${kernel##*/}
  flock -u 9
}

# kernel_package: prints the package name. The cloud variant has neither USB nor Bluetooth nor 9p; the plain one has all
# of them as modules.
kernel_package() {
  local pattern='Depends: \(linux-image-[0-9].*\)'
  command -v apt-cache >/dev/null || return
  apt-cache depends linux-image-amd64 2>/dev/null | sed -n "s/.*$pattern/\1/p" | head -n 1
}

# fetch_kernel CACHE PACKAGE: fetches and unpacks a package and sets kernel.
fetch_kernel() {
  local work image status
  work=$(mktemp -d "$1/new.XXXXXX") || return 1
  if ! (cd "$work" && apt-get -o APT::Sandbox::User= download "$2" >&2 </dev/null && dpkg-deb -x ./*.deb files); then
    rm -r "$work"
    return 1
  fi
  image=$(echo "$work"/files/boot/vmlinuz-*)
  kernel=$1/${image##*/vmlinuz-}
  mkdir -p "$work/done/lib" && mv "$work/files/lib/modules" "$work/done/lib/" &&
    depmod -b "$work/done" "${kernel##*/}" && unpack_image "$image" >"$work/done/vmlinux" &&
    [[ $(head -c 4 "$work/done/vmlinux") == $'\x7fELF' ]] && mv "$work/done" "$kernel"
  status=$?
  rm -r "$work"
  return $status
}

# unpack_image BZIMAGE: prints the kernel that is inside. QEMU starts it by PVH, so that the guest need not decompress
# it, which takes half of the boot time. The offsets are those of the x86 boot protocol
# (Documentation/arch/x86/boot.rst).
unpack_image() {
  local sectors offset
  sectors=$(od -An -tu1 -j $((0x1f1)) -N 1 "$1")
  offset=$(od -An -tu4 -j $((0x248)) -N 4 "$1")
  { head -c $(((sectors + 1) * 512 + offset)) >/dev/null && xz -dc --single-stream; } <"$1"
}
