# shellcheck shell=bash disable=SC2034 # what it sets is for the tests
# Sourced by tests. Starts two virtual Bluetooth controllers that hear each other, D-Bus and bluetoothd, on one machine.
# SPDX-License-Identifier: Apache-2.0

source "$ROOT/tools/lab/common.sh"

HEAD_UNIT=hci0
PHONE=hci1
HEAD_UNIT_ADDRESS=00:AA:01:00:00:00
PHONE_ADDRESS=00:AA:01:01:00:01

# A test that fails shows the output of the other programs.
tell() {
  local status=$?
  ((status == 0)) || tail -n 12 ./*.err ./*.log
}
trap tell EXIT

start_dbus() {
  # Files of the host's own bus have no meaning in the guest.
  rm -rf /run/dbus && mkdir -p /run/dbus
  mkdir -p /var/lib/dbus && dbus-uuidgen --ensure
  dbus-daemon --system --fork --nopidfile
}

adapter_is_known() {
  dbus-send --system --print-reply --dest=org.bluez / org.freedesktop.DBus.ObjectManager.GetManagedObjects |
    grep -q "object path \"/org/bluez/$1\""
}

start_bluetoothd() {
  mkdir -p /var/lib/bluetooth
  "$(command -v bluetoothd || echo /usr/libexec/bluetooth/bluetoothd)" -n >>bluetoothd.log 2>&1 &
  bluetoothd=$!
}

# Keeps bluetoothd answering. bluetoothd accepts SDP connections with a blocking call. If the other end closes a
# connection before that call, bluetoothd answers no program until the next connection arrives. Here the other end is
# often bluetoothd itself, which is the daemon of both controllers and asks one for the services of the other. So a
# silent bluetoothd gets a connection.
keep_bluetoothd_answering() {
  while sleep 1; do
    dbus-send --system --print-reply --reply-timeout=2000 --dest=org.bluez / org.freedesktop.DBus.Introspectable.Introspect &&
      continue
    echo "bluetoothd is silent; connecting to its SDP server"
    timeout 10 sdptool -i $HEAD_UNIT browse --uuid 0x0001 $PHONE_ADDRESS || true
  done >answering.txt 2>&1 &
}

start_controllers() {
  btvirt -l2 >>btvirt.log 2>&1 &
  btvirt=$!
  wait_for 30 "two controllers" test -e "/sys/class/bluetooth/$PHONE"
}

# manage ADAPTER COMMAND…: runs btmgmt with a time limit, because without a terminal it may wait forever.
manage() {
  local adapter=$1
  shift
  timeout 30 btmgmt --index "${adapter#hci}" "$@" </dev/null
}

power_on() {
  local adapter
  for adapter in $HEAD_UNIT $PHONE; do
    wait_for 60 "bluetoothd knows $adapter" adapter_is_known "$adapter"
    manage "$adapter" connectable on
    manage "$adapter" bondable on
    manage "$adapter" power on
    wait_for 30 "$adapter is up" is_up "$adapter"
  done >/dev/null
}

# block ADAPTER 0|1: sets or clears the software block of rfkill.
block() {
  local file
  for file in "/sys/class/bluetooth/$1"/rfkill*/soft; do echo "$2" >"$file"; done
}

is_up() { hciconfig "$1" | grep -q UP; }

# start_agent: starts an agent that accepts every pairing.
start_agent() {
  while sleep 0.5; do echo yes; done | bluetoothctl --agent=NoInputNoOutput >agent.log 2>&1 &
  wait_for 30 "an agent" says agent.log "Agent registered"
}

is_paired() {
  dbus-send --system --print-reply --dest=org.bluez "/org/bluez/$1/dev_${2//:/_}" \
    org.freedesktop.DBus.Properties.Get string:org.bluez.Device1 string:Paired | grep -q "boolean true"
}

pair() {
  manage $HEAD_UNIT pair -c 3 -t 0 $PHONE_ADDRESS
  wait_for 30 "a bond on $HEAD_UNIT" is_paired $HEAD_UNIT $PHONE_ADDRESS
  wait_for 30 "a bond on $PHONE" is_paired $PHONE $HEAD_UNIT_ADDRESS
}

# start_bluetooth: starts everything, up to a bond.
start_bluetooth() {
  start_dbus
  start_controllers
  start_bluetoothd
  power_on
  start_agent
  pair
}
