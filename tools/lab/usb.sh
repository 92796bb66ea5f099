# shellcheck shell=bash disable=SC2034 # head_unit is for the tests
# Sourced by tests. A head unit is a gadget on dummy_hcd, a virtual controller whose device and host are one machine.
# SPDX-License-Identifier: Apache-2.0

source "$ROOT/tools/lab/common.sh"

CONTROLLER=dummy_udc.0
GADGET=/sys/kernel/config/usb_gadget/iap2.$CONTROLLER

mount -t configfs none /sys/kernel/config

accessory_is_there() { iap2 devices --json | grep -q '"transport":"usb:1d6b:0104:'; }

# start_head_unit ARGUMENT…: starts a head unit in the background and sets head_unit. Its output is in headunit.out and
# headunit.err.
start_head_unit() {
  iap2 headunit --transport "usb-gadget:$CONTROLLER" --json "$@" >headunit.out 2>headunit.err &
  head_unit=$!
  wait_for 30 "the gadget on its bus" accessory_is_there
}

# expect_clean: checks that nothing of a gadget is left.
expect_clean() {
  if [[ -e $GADGET ]] || grep functionfs /proc/mounts; then
    echo "left behind: $(ls -d "$GADGET" 2>/dev/null)"
    return 1
  fi
}

phone_is_there() { iap2 devices --json | grep -q '"id":"1d6b:0104"'; }

# start_phone TRANSPORT ARGUMENT…: starts a phone in device mode in the background and sets phone. Its output is in
# phone.out and phone.err.
start_phone() {
  iap2 phone --transport "$1" --json "${@:2}" >phone.out 2>phone.err &
  phone=$!
  wait_for 30 "the phone on its bus" phone_is_there
}

phone_is_listed() { iap2 devices --json | grep -q '"transport":"usb-phone:05ac:12ff'; }
