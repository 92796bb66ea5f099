// swift-iap2 · Apache-2.0

import IAP2

extension StopPoint {
  static let carPlayRequests: [StopPoint] = [
    StopPoint(
      "wifi-unanswered", .carPlay, "The phone requested the car's access point, and the car did not name it.",
      .accessory(.message(AccessoryWiFiConfigurationInformation.id)),
      request: RequestAccessoryWiFiConfigurationInformation.id,
      causes: [
        KnownCause(
          "access-point-down", "The car's access point is not up.",
          "inferred: everything should be ready before the phone connects (CarPlayStart.md#ready; W17-717)", .low,
          "Start it, and answer with SSID, passphrase, security and channel."),
        KnownCause(
          "not-listed", "The car does not list 0x5703 as a message it sends.",
          "Identification.md#component-messages: 0x5702 and 0x5703 come with component 24", .medium,
          "Add both messages and the component.",
          when: { $0.link.declaration?.sent.contains(AccessoryWiFiConfigurationInformation.id) == false }),
      ]),
    StopPoint(
      "carplay-not-started", .carPlay, "The phone offered CarPlay, and the car did not start it.",
      .accessory(.message(CarPlayStartSession.id)), request: CarPlayAvailability.id,
      causes: [
        KnownCause(
          "another-session", "The car runs CarPlay with another phone or over another transport.",
          "CarPlayStart.md#one-session: a running session is never interrupted (W17-717)", .medium,
          "End the other session; the driver chooses."),
        KnownCause(
          "network-not-ready", "The car has no address to send yet: NCM or the access point is not up.",
          "inferred: 0x4301 carries addresses and port (CarPlayStart.md#network-first; LIVI, PIB)", .low,
          "Look for the interface's link-local address."),
        KnownCause(
          "driver-declined", "The driver was asked and has not accepted.", "Sources.md#inferred", .low,
          "Look at the car's screen."),
        KnownCause(
          "not-listed", "The car lists 0x4300 and not 0x4301, without which it cannot start by a message.",
          "inferred: the lists limit the messages of a side (Sessions.md#list-gate)", .low,
          "Add 0x4301 to parameter 6.",
          when: { $0.link.declaration?.sent.contains(CarPlayStartSession.id) == false }),
      ]),
  ]

  static let carPlay: [StopPoint] = [
    StopPoint(
      "carplay-silent", .carPlay, "The car started CarPlay, and the phone has sent nothing since.",
      .device(.carPlayConnection), when: { $0.link.started != nil && $0.link.afterStart == nil },
      causes: [
        KnownCause(
          "address-unreachable", "The phone does not reach the address or port in the message.",
          "inferred: NCM with IPv6 link-local addresses, or the car's access point (CarPlayStart.md#wired-addresses"
            + " and CarPlayStart.md#credentials)",
          .low, "Capture that network; the session itself is not in these bytes."),
        KnownCause(
          "ncm-leniency", "The phone's NCM driver waits for a connection notification that the car does not send.",
          "USB.md#ncm-leniency: CAT's host treats the carrier as up without it", .medium,
          "Look for NETWORK_CONNECTION on the interrupt endpoint."),
        KnownCause(
          "advertisement-differs", "Bonjour, /info and the start message differ in device id, features or pairing id.",
          "CarPlayStart.md#txt-agree: they must agree (LIVI)", .medium, "Compare these values in all three."),
        KnownCause(
          "all-is-well", "The session runs over IP, and nothing more was sent over iAP2.",
          "CarPlayStart.md#ip: everything but iAP2 is IP (W16-722)", .high, "Look at the car's screen."),
      ]),
    StopPoint(
      "wifi-not-used", .carPlay, "The phone has the access point's name and key, and has not offered CarPlay over it.",
      .device(.message(CarPlayAvailability.id)), when: { $0.link.waitsForHandOver }, causes: handOverCauses),
    StopPoint(
      "wifi-not-asked", .carPlay, "The phone announced wireless CarPlay and does not request an access point.",
      .device(.message(RequestAccessoryWiFiConfigurationInformation.id)),
      when: { history in
        history.link.wirelessStatus?.isAvailable == true && history.link.wiFiAsked == nil
          && history.link.availability == nil
          && history.link.declaration?.received.contains(RequestAccessoryWiFiConfigurationInformation.id) == true
      },
      causes: [
        KnownCause(
          "already-known", "The phone knows the network and joins it without a request.",
          "inferred: a paired car and phone meet on the network first"
            + " (CarPlayStart.md#known-network)", .low,
          "Look for the phone among the access point's stations."),
        KnownCause(
          "gave-up-inviting", "After many attempts the phone ignores the car until its Wi-Fi is switched.",
          "CarPlayStart.md#ignored-invitations: CAT's README", .medium, "Switch the phone's Wi-Fi off and on."),
      ]),
    StopPoint(
      "carplay-not-offered", .carPlay, "The car can start CarPlay, and the phone does not offer it.",
      .device(.message(CarPlayAvailability.id)),
      when: { history in
        // Inside a session the phone does not offer a second one (CarPlayStart.md#tunnel).
        history.session == nil && history.link.isRunning && history.link.started == nil
          && !(history.link.availability?.isAny ?? false)
          && history.link.declaration?.sent.contains(CarPlayStartSession.id) == true
          && history.link.declaration?.received.contains(CarPlayAvailability.id) == true
      },
      causes: [
        KnownCause(
          "no-transport", "No transport component declares CarPlay, so the phone makes no offer.",
          "Identification.md#carplay-start-needs-transport: reported, source withdrawn", nil,
          "Set the flag in component 16 or 24.", when: { $0.link.declaration?.hasCarPlay == false }),
        KnownCause(
          "offered-once", "CarPlay was offered before: a phone offers it once in an iAP2 session.",
          "CarPlayStart.md#offered-once: a car that restarts only AirPlay waits forever (LIVI issue 353)", .medium,
          "Start a new iAP2 session, or replug the cable."),
        KnownCause(
          "disabled", "CarPlay is off or restricted on the phone, or this car was forgotten.",
          "CarPlayStart.md#settings-place has the place, Settings, General, CarPlay; no source shows what is sent"
            + " then", nil,
          "Look at these settings.",
          when: { $0.link.availability != nil }),
      ]),
  ]

  /// The stop point of a head unit that ended the link because the phone did not come to its network.
  static let handOverMissing = StopPoint(
    "hand-over-missing", .carPlay,
    "The accessory gave up waiting for the phone: it had given its access point, and no CarPlay session came.",
    .device(.message(CarPlayAvailability.id)), when: { $0.link.gaveUpHandOver }, causes: handOverCauses)

  /// The causes of a phone that has the credentials of a network and does not offer CarPlay over it.
  private static let handOverCauses: [KnownCause] = [
    KnownCause(
      "cannot-join", "The phone cannot join: passphrase, security type, channel or band.",
      "Features.md#wifi-security and CarPlayStart.md#band: security 2 is WPA or WPA2, 3 and 4 WPA3; 2.4 GHz"
        + " suffers beside Bluetooth (WIO, CAT, LIVI; W17-717)", .medium, "Join with another phone and the same values."
    ),
    KnownCause(
      "older-generation", "This pair continues over the network without 0x4300.",
      "CarPlayStart.md#older-flow: Bonjour and the control request (W17-717)", .medium, "Capture the network."),
  ]
}

extension LinkHistory {
  /// The seconds from the credentials of an access point to an RST of the head unit, from which it counts as a wait for
  /// the phone. Unverified: head units were reported to wait 20 s and more.
  private static var handOverWait: Double { 5 }

  /// Whether the phone has the credentials of an access point, and CarPlay was neither offered nor started.
  fileprivate var waitsForHandOver: Bool { wiFiGiven != nil && availability == nil && started == nil }

  /// Whether the head unit reset the link after such a wait. A transport that closes is no such sign: Bluetooth ends
  /// too when a session has come up over the network (CarPlayStart.md#disable-bluetooth).
  fileprivate var gaveUpHandOver: Bool {
    guard waitsForHandOver, isSettled, let reset, reset.from == .accessory else { return false }
    guard let given = wiFiGiven?.time, let ended = reset.time else { return false }
    return ended - given >= Self.handOverWait
  }
}
