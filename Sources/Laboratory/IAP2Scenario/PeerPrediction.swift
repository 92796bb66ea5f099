// swift-iap2 · Apache-2.0

import IAP2
import IAP2Roles

/// What the other side of a live connection is told, as far as the messages that it is sent say: a scenario's steps wait
/// for each other by this, since neither side sees the other's events.
struct PeerPrediction: Sendable {
  /// Values told so far of messages that carry only what changed, by message and by what they are about.
  private var told: [String: [String: String]] = [:]

  /// The events that messages are at the side that receives them.
  private static let events: [UInt16: FeatureEvent.Kind] = [
    0x4155: .callState, 0x4158: .communications, 0x4171: .callLists, 0x4C01: .mediaLibraries, 0x4C04: .mediaLibrary,
    0x4E04: .bluetoothConnection, 0x4E09: .deviceInformation, 0x4E0A: .deviceLanguage, 0x4E0B: .deviceTime,
    0x4E0C: .deviceUUID, 0x4E0D: .wirelessCarPlay, 0x4E0E: .deviceTransports, 0x5001: .nowPlaying,
    0x5201: .routeGuidance, 0x5202: .maneuver, 0x5204: .laneGuidance, 0x5403: .assistiveTouch, 0x5701: .wiFi,
    0x5703: .accessoryWiFi, 0x6800: .hidStarted, 0x6801: .hidComponent, 0x6803: .hidStopped, 0xA101: .vehicleStatus,
    0xDA01: .usbAudio, 0xEA02: .appLaunch, 0xFFFB: .location,
  ]
  private static let others: [UInt16: RoleEvent.Kind] = [
    0x4300: .carPlayAvailable, 0x4301: .carPlayStarted, 0xAE01: .powerChanged, 0xAE03: .powerChanged,
  ]
  /// Messages that carry only what changed.
  private static let updates: Set<UInt16> = [0x4155, 0x4158, 0x5001, 0x5201, 0xA101]

  private static let names = Set(events.values.map(\.rawValue) + others.values.map(\.rawValue))

  /// Whether an event can be foretold.
  static func knows(_ event: String) -> Bool { names.contains(event) }

  /// The event that a message of ours will be; nil for one that is none.
  mutating func event(_ id: UInt16, _ bytes: [UInt8]) -> EventSummary? {
    guard let name = Self.events[id]?.rawValue ?? Self.others[id]?.rawValue, let rows = MessageCatalog[id]?.rows else {
      return nil
    }
    var summary = EventSummary(name: name, message: bytes, rows: rows)
    guard Self.updates.contains(id) else { return summary }
    let subject = name + (summary.values["CallUUID"] ?? "")
    told[subject, default: [:]].merge(summary.values) { _, new in new }
    summary.values = told[subject] ?? [:]
    return summary
  }
}
