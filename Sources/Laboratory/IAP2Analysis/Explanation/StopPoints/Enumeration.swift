// swift-iap2 · Apache-2.0

import IAP2
import IAP2Capture

extension StopPoint {
  /// Stop points before the first byte of iAP2; only USB captures show them.
  static let enumeration: [StopPoint] = [
    StopPoint(
      "role-switch-refused", .enumeration, "The phone was asked to become the USB host and refused.",
      .device(.hostRole),
      when: {
        $0.isWithoutBytes && ($0.usb?.roleSwitch == .refused || $0.usb?.query == .refused && $0.usb?.roleSwitch == nil)
      },
      causes: [
        KnownCause(
          "no-carplay-on-device", "The device cannot switch roles: it is not a phone with CarPlay.",
          "RoleSwitch.md#query and RoleSwitch.md#switch: a device that can answers 0x53 with 1 (CAT, GADGET), and refuses"
            + " by a stalled 0x51 (WIO, CAT, MTK)", .high,
          "Look at the four bytes of the answer to 0x53."),
        KnownCause(
          "carplay-disabled", "CarPlay is disabled on the phone, or restricted by its owner.",
          "Sources.md#no-source: no source shows the answers to the requests in this case", nil,
          "Send the request with value 0, the plain accessory mode, or try another phone."),
      ]),
    StopPoint(
      "role-switch-not-asked", .enumeration,
      "The phone announced that it can become the USB host, and got no request for it.",
      .accessory(.roleSwitch),
      when: { $0.isWithoutBytes && $0.usb?.query == .accepted && $0.usb?.roleSwitch == nil },
      causes: [
        KnownCause(
          "head-unit-not-ready", "The head unit's receiver, NCM and Bonjour are not ready yet.",
          "CarPlayStart.md#ready: they must be ready before the phone connects (W17-717)", .medium,
          "Look for the reason in the head unit's log; the phone waits for nothing else."),
        KnownCause(
          "stays-host", "The head unit stays host and uses another configuration of the phone.",
          "CarPlayStart.md#wired-host: LIVI selects one with NCM and talks iAP2 over a service of it", .medium,
          "Look for SET_CONFIGURATION: then iAP2 is inside TLS and this capture cannot show it."),
      ]),
    StopPoint(
      "interface-missing", .enumeration,
      "After the role switch a device appeared whose configuration has no interface FF/F0/00.",
      .accessory(.usbInterface), when: { $0.isWithoutBytes && $0.followsRoleSwitch && $0.usb?.hasInterface == false },
      causes: [
        KnownCause(
          "gadget-without-function", "The accessory's USB gadget was bound without its iAP2 function.",
          "USB.md#interface: class FF, subclass F0, protocol 00, one bulk endpoint each way (six public"
            + " sources)", .high,
          "List the interfaces of the device; FF/F0/01 alone is the native data of an app protocol, not the link."),
        KnownCause(
          "another-device", "The device is another one of the bus, and the accessory has not appeared.",
          "Sources.md#inferred", .low, "Compare its vendor and product with those of the head unit."),
      ]),
    StopPoint(
      "role-switch-silent", .enumeration, "The phone was requested to become the USB host, and no device appeared.",
      .accessory(.usbInterface),
      when: { $0.isWithoutBytes && $0.usb?.roleSwitch != nil && $0.usb?.hasInterface == false },
      causes: [
        KnownCause(
          "controller-stays-host", "The head unit's USB controller did not become a device in time.",
          "RoleSwitch.md#limits: CAT gives the accessory 8 s to be enumerated and 2 s to send,"
            + " and takes the host role back after that", .medium,
          "Look whether the gadget's controller sees a reset from the bus."),
        KnownCause(
          "no-bus-power", "The head unit stopped the bus power, and the phone returned to its former role.",
          "RoleSwitch.md#vbus: the head unit keeps feeding VBUS (MTK, WIO); no source shows that a"
            + " phone returns without it", nil,
          "Measure VBUS across the switch."),
        KnownCause(
          "wrong-end-of-the-bus", "The capture was made on the former host, which is the device after the role switch.",
          "Sources.md#inferred: a host's capture has only the transfers of its own controller", .low,
          "Capture on the other side, or with an analyzer on the cable."),
      ]),
    StopPoint(
      "interface-silent", .enumeration, "The accessory's interface FF/F0/00 is present, and it carried no bytes.",
      .accessory(.detect), when: { $0.isWithoutBytes && $0.usb?.hasInterface == true },
      causes: [
        KnownCause(
          "host-does-not-read", "The host did not claim the interface, so it requested no data.",
          "inferred: a PC as the phone claims it, reads IN and answers OUT"
            + " (USB.md#pc-as-device: BOYA, FLIR, USEE, TD300)", .low,
          "Look for submitted reads on the bulk IN endpoint; without one the accessory cannot send."),
        KnownCause(
          "accessory-not-started", "The accessory's USB function is up, and its program does not run.",
          "inferred: on every transport the accessory sends first (Link.md#detect-accessory-first; high)", .low,
          "Look whether reads are pending for longer than the accessory's start takes."),
        KnownCause(
          "phone-locked", "The phone is locked or does not trust the accessory yet.",
          "CarPlayStart.md#trust: a wired phone must be unlocked once; no source shows that it stops here", nil,
          "Unlock it, and look for a question on its screen."),
      ]),
  ]
}

extension ConnectionHistory {
  /// Whether the USB device carried no bytes of a link.
  var isWithoutBytes: Bool { usb != nil && !hasContent && link.other.accessory == nil && link.other.device == nil }
}
