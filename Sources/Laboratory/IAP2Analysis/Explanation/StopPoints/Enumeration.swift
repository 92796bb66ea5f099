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
          "no-carplay-on-device", "The device cannot switch roles: it is no phone with CarPlay.",
          "RoleSwitch.md#query: request 0x53 is answered with 1 by what can, a stalled 0x51 is a refusal"
            + " (45clouds, catplay, a blog on the role switch)", .high,
          "Look at the four bytes that answer 0x53."),
        KnownCause(
          "carplay-disabled", "CarPlay is switched off on the phone, or restricted by its owner.",
          "nobody has shown what the requests are answered with then", nil,
          "Ask with value 0, the plain accessory mode, or try another phone."),
      ]),
    StopPoint(
      "role-switch-not-asked", .enumeration, "The phone said that it can become the USB host, and was not asked to.",
      .accessory(.roleSwitch),
      when: { $0.isWithoutBytes && $0.usb?.query == .accepted && $0.usb?.roleSwitch == nil },
      causes: [
        KnownCause(
          "head-unit-not-ready", "The head unit has not got its receiver, NCM and Bonjour ready yet.",
          "CarPlayStart.md#ready: they must be before the phone connects (WWDC17-717)", .medium,
          "Look for the reason in the head unit's log; the phone waits for nothing else."),
        KnownCause(
          "stays-host", "The head unit stays host and uses another configuration of the phone.",
          "CarPlayStart.md#wired-host: LIVI selects one with NCM and talks iAP2 over a service of it", .medium,
          "Look for SET_CONFIGURATION: then iAP2 is inside TLS and this capture cannot show it."),
      ]),
    StopPoint(
      "interface-missing", .enumeration,
      "After the role switch a device came up whose configuration has no interface FF/F0/00.",
      .accessory(.usbInterface), when: { $0.isWithoutBytes && $0.followsRoleSwitch && $0.usb?.hasInterface == false },
      causes: [
        KnownCause(
          "gadget-without-function", "The accessory's USB gadget was bound without its iAP2 function.",
          "USB.md#interface: class FF, subclass F0, protocol 00, one bulk endpoint each way (six public"
            + " sources)", .high,
          "List the interfaces of the device; FF/F0/01 alone is the native data of an app protocol, not the link."),
        KnownCause(
          "another-device", "It is another device of the bus, and the accessory has not come up at all.",
          "inferred", .low, "Compare its vendor and product with the head unit's."),
      ]),
    StopPoint(
      "role-switch-silent", .enumeration, "The phone was told to become the USB host, and nothing came up.",
      .accessory(.usbInterface),
      when: { $0.isWithoutBytes && $0.usb?.roleSwitch != nil && $0.usb?.hasInterface == false },
      causes: [
        KnownCause(
          "controller-stays-host", "The head unit's USB controller did not become a device in time.",
          "RoleSwitch.md#limits: catplay gives the accessory 8 s to be enumerated and 2 s to speak,"
            + " and takes the host role back after that", .medium,
          "Look whether the gadget's controller sees a reset from the bus."),
        KnownCause(
          "no-bus-power", "The head unit stopped feeding the bus, and the phone fell back.",
          "RoleSwitch.md#vbus: the head unit keeps feeding VBUS (MediaTek's driver, wiomoc); that a phone falls back"
            + " without it is only in blogs", nil,
          "Measure VBUS across the switch."),
        KnownCause(
          "wrong-end-of-the-bus", "The capture was made where the bus ended: what was its host is its device now.",
          "inferred: a host's capture has only what its own controller does", .low,
          "Capture on the other side, or with an analyser on the cable."),
      ]),
    StopPoint(
      "interface-silent", .enumeration, "The accessory's interface FF/F0/00 is there, and no byte ever crossed it.",
      .accessory(.detect), when: { $0.isWithoutBytes && $0.usb?.hasInterface == true },
      causes: [
        KnownCause(
          "host-does-not-read", "The host never claimed the interface, so nothing was ever asked for.",
          "inferred: a PC as the phone claims it, reads IN and answers OUT"
            + " (USB.md#pc-as-device: BOYA, FLIR, USEE, TD300)", .low,
          "Look for submitted reads on the bulk IN endpoint; without one the accessory cannot speak."),
        KnownCause(
          "accessory-not-started", "The accessory's USB function is up and the program behind it is not.",
          "inferred: on every transport the accessory speaks first (Link.md#detect-accessory-first; high)", .low,
          "Look whether reads are pending for longer than the accessory's start takes."),
        KnownCause(
          "phone-locked", "The phone is locked or does not trust the accessory yet.",
          "CarPlayStart.md#trust: a wired phone must be unlocked once; nobody has shown that it stops here", nil,
          "Unlock it, and look for a question on its screen."),
      ]),
  ]
}

extension ConnectionHistory {
  /// Whether the USB device carried no bytes of a link.
  var isWithoutBytes: Bool { usb != nil && !hasContent && link.other.accessory == nil && link.other.device == nil }
}
