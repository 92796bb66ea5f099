// swift-iap2 · Apache-2.0

import IAP2
import IAP2Roles

/// A prediction of the peer's events from the messages sent to it.
///
/// Neither side of a live connection can observe the other's events, so the steps of a scenario synchronize by this
/// prediction.
struct PeerPrediction: Sendable {
  /// The merged values of incremental messages, by event name and call.
  private var reported: [String: [String: String]] = [:]

  /// The feature events that messages cause at their receiver.
  private static let events: [UInt16: FeatureEvent.Kind] = [
    CallStateUpdate.id: .callState, CommunicationsUpdate.id: .communications, ListUpdate.id: .callLists,
    MediaLibraryInformation.id: .mediaLibraries, MediaLibraryUpdate.id: .mediaLibrary,
    BluetoothConnectionUpdate.id: .bluetoothConnection, DeviceInformationUpdate.id: .deviceInformation,
    DeviceLanguageUpdate.id: .deviceLanguage, DeviceTimeUpdate.id: .deviceTime,
    DeviceUUIDUpdate.id: .deviceUUID, WirelessCarPlayUpdate.id: .wirelessCarPlay,
    DeviceTransportIdentifierNotification.id: .deviceTransports, NowPlayingUpdate.id: .nowPlaying,
    RouteGuidanceUpdate.id: .routeGuidance, RouteGuidanceManeuverUpdate.id: .maneuver,
    LaneGuidanceInformation.id: .laneGuidance, AssistiveTouchInformation.id: .assistiveTouch, WiFiInformation.id: .wiFi,
    AccessoryWiFiConfigurationInformation.id: .accessoryWiFi, StartHID.id: .hidStarted,
    HIDComponentUpdate.id: .hidComponent, StopHID.id: .hidStopped, VehicleStatusUpdate.id: .vehicleStatus,
    USBDeviceModeAudioInformation.id: .usbAudio, RequestAppLaunch.id: .appLaunch, LocationInformation.id: .location,
  ]
  private static let others: [UInt16: RoleEvent.Kind] = [
    CarPlayAvailability.id: .carPlayAvailable, CarPlayStartSession.id: .carPlayStarted, PowerUpdate.id: .powerChanged,
    PowerSourceUpdate.id: .powerChanged,
  ]
  /// The incremental messages, which have only changed values.
  private static let updates: Set<UInt16> = [
    CallStateUpdate.id, CommunicationsUpdate.id, NowPlayingUpdate.id, RouteGuidanceUpdate.id, VehicleStatusUpdate.id,
  ]

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
    reported[subject, default: [:]].merge(summary.values) { _, new in new }
    summary.values = reported[subject] ?? [:]
    return summary
  }
}
