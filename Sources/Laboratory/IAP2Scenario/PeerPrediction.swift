// swift-iap2 · Apache-2.0

import IAP2
import IAP2Roles

/// A prediction of the peer's events from the messages sent to it.
///
/// Neither side of a live connection can observe the other's events, so the steps of a scenario synchronize by this
/// prediction.
struct PeerPrediction: Sendable {
  /// The merged values of incremental messages, by event name and call.
  private var told: [String: [String: String]] = [:]

  /// The feature events that messages cause at their receiver.
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
  /// The incremental messages, which have only changed values.
  private static let updates: Set<UInt16> = [0x4155, 0x4158, 0x5001, 0x5201, 0xA101]

  private static let names = Set(events.values.map(\.rawValue) + others.values.map(\.rawValue))

  /// Returns whether events of this name can be predicted.
  static func knows(_ event: String) -> Bool { names.contains(event) }

  /// Returns the event that a sent message causes at its receiver, or nil when it causes none.
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
