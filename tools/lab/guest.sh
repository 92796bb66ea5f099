# shellcheck shell=bash disable=SC2154 # lab, root, binary and kernel come from run and kernel.sh
# Sourced by run. Boots a guest and runs one test in it.
# SPDX-License-Identifier: Apache-2.0

# The modules that the guest needs before it can see the host's files.
GUEST_MODULES=(virtio_pci 9p 9pnet_virtio overlay)
GUEST_MEMORY=1024M

# header FILE WORD: prints the value of a test's line `# WORD: value`.
header() { sed -n "s/^# $2: //p" "$1"; }

# make_base_image: puts init, busybox and the first modules into the initial file system in memory, once for each kernel
# and each version of init and of this file.
make_base_image() {
  local tree module _ path
  image=$kernel/initrd-$(cat "$lab/init" "$lab/guest.sh" | cksum | tr ' ' -)
  [[ -s $image ]] && return
  tree=$(mktemp -d) || return 1
  mkdir -p "$tree"/{bin,dev,proc,sys,modules,host,upper,root}
  cp "$lab/init" "$tree/init" && cp "$(command -v busybox)" "$tree/bin/busybox" || return 1
  for module in "${GUEST_MODULES[@]}"; do
    modprobe -d "$kernel" -S "$kernel_version" --show-depends "$module" || return 1
  done | while read -r _ path _; do
    # The modules of newer Debian kernels are compressed.
    case $path in
      *.xz) xz -dc "$path" >"$tree/modules/$(basename "$path" .xz)" ;;
      *.ko) cp "$path" "$tree/modules/" ;;
      *) continue ;; # built in
    esac
    path=$(basename "$path" .xz)
    grep -qx "$path" "$tree/modules/order" 2>/dev/null || echo "$path" >>"$tree/modules/order"
  done || return 1
  (cd "$tree" && find . | cpio -o -H newc --quiet -R 0:0) >"$image.new" && mv "$image.new" "$image" && rm -r "$tree"
}

# boot TEST OUT LIMIT MODULES PART PROGRAM…: runs a test in a guest, with the command and other programs. Returns the test's exit status, 124 at the time limit, or 125 if the guest reported no status.
#
# The guest sees the host's files, read-only, under a file system in memory. So nothing has to be packed, and the guest
# cannot change anything on the host. Only OUT is shared for writing, as /out. The guest has no network except its own
# loopback.
boot() {
  local test=$1 out=$2 limit=$3 modules=$4 part=$5 status program
  shift 5
  rm -f "$out/status" "$out/output"
  mkdir -p "$out/.lab/bin" && cp "$binary" "$out/.lab/bin/iap2" || return 125
  for program; do cp "$program" "$out/.lab/bin/" || return 125; done
  {
    # The command is in memory and its libraries are read once as a whole, because reading page by page over 9p takes
    # seconds.
    printf 'mv /out/.lab/bin /run/\n'
    printf "ldd /run/bin/* | grep -o '/[^ ]*' | xargs cat >/dev/null\n"
    printf 'export PATH=/run/bin:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin LANG=C.UTF-8 HOME=/tmp\n'
    printf 'export ROOT=%q KERNEL=%q PART=%q\n' "$root" "$kernel" "$part"
    for module in $modules; do
      # Parameters of a module follow a colon: dummy_hcd:is_super_speed=1
      printf 'modprobe -d %q %q %s || exit 1\n' "$kernel" "${module%%:*}" "$([[ $module != *:* ]] || echo "${module#*:}")"
    done
    printf 'cd /out && exec bash %q\n' "$test"
  } >"$out/.lab/start"
  # `nokaslr` and `mitigations=off` save time. `random.trust_cpu` provides the random bytes that Swift needs at its
  # start.
  timeout -k 5 "$limit" qemu-system-x86_64 -M pc,usb=off,vmport=off -accel tcg,thread=multi -cpu max -smp 2 \
    -m "$GUEST_MEMORY" -nodefaults -no-user-config -display none -no-reboot \
    -kernel "$kernel/vmlinux" -initrd "$image" -serial "file:$out/console" \
    -append "console=ttyS0 quiet loglevel=4 panic=-1 nokaslr mitigations=off random.trust_cpu=on tsc=reliable" \
    -fsdev "local,id=host,path=/,security_model=none,readonly=on,multidevs=remap" \
    -device virtio-9p-pci,fsdev=host,mount_tag=host \
    -fsdev "local,id=out,path=$out,security_model=none,multidevs=remap" -device virtio-9p-pci,fsdev=out,mount_tag=out \
    </dev/null >"$out/qemu" 2>&1
  status=$?
  rm -r "$out/.lab"
  if [[ -s $out/status ]]; then return "$(<"$out/status")"; fi
  ((status != 124 && status != 137)) || return 124
  cat "$out/qemu" >>"$out/console"
  return 125
}
