// swift-iap2 · Apache-2.0

import IAP2
import IAP2Capture

// The rules of messages that name what another message has introduced.
extension SessionRule {
  static let library = SessionRule(
    "library-unknown", .features, "A message about a media library names one that the device has listed.",
    "Features.md#media-library-order", .high,
    repair: "Send the MediaLibraryUniqueIdentifier of 0x4C01 unchanged.", effect: .fails)

  static let maneuvers = SessionRule(
    "maneuver-missing", .features, "Each maneuver that 0x5201 lists as current has a 0x5202.",
    "Features.md#route-maneuvers", .medium, repair: "Send 0x5202 for each index of the current list.")

  static let declaredComponent = SessionRule(
    "component-not-declared", .features, "A message that names a component has the id of one in the identification.",
    "Features.md#bluetooth-connection and Features.md#route-start", .medium,
    repair: "Send the id that the component has in the identification.", effect: .fails)

  static let callKey = SessionRule(
    "call-without-id", .features, "A call in 0x4155 has its CallUUID, if 0x4154 asks for it.", "Features.md#call-state",
    .high, repair: "Send parameter 4, CallUUID, in every 0x4155.", effect: .fails)

  static let artworkSent = SessionRule(
    "file-not-offered", .features, "A file that a message announces is then offered, even if it is empty.",
    "Features.md#artwork", .medium, repair: "Open the file transfer with the announced id after the message.")

  static let callEffect = SessionRule(
    "call-unchanged", .features, "The effect of an action on a call appears in 0x4155.", "Features.md#call-effects",
    .medium, repair: "Carry the action out and report the call's new status in 0x4155.", effect: .fails, limit: 5)

  static let released = SessionRule(
    "key-not-released", .features, "A report with a pressed key is followed by a report at rest.",
    "Features.md#hid-press", .high, repair: "Send a report without keys when the key is released.", effect: .fails,
    limit: 30)

  static let sentence = SessionRule(
    "sentence-checksum", .features, "A location sentence ends with its checksum.",
    "Features.md#location-order: sentences of NMEA 0183", .medium,
    repair: "Send the exclusive or of the bytes between $ and * as two hexadecimal digits.", effect: .fails)

  static let charging = SessionRule(
    "power-without-current", .features, "A power source that lets the device charge has a current for it.",
    "Features.md#power-source", .medium,
    repair: "Send the available current in mA, or do not ask the device to charge.", effect: .fails)
}

/// The objects that messages have introduced.
struct NamedObjects: Sendable {
  var libraries: Set<String> = []
  var maneuvers: Set<UInt16> = []
  /// Whether the accessory asks for the CallUUID of calls.
  var keysCalls = false
  var network: AccessoryWiFiConfigurationInformation?
  /// The first byte of the reports of each component, which is a report id if it never changes.
  var firstBytes: [UInt16: UInt8?] = [:]

  /// The objects of a kind to keep. A device has few libraries.
  static let maximum = 256
}

extension LinkHistory {
  /// The messages that act on a call.
  private static let callActions: Set<UInt16> = [AcceptCall.id, EndCall.id, HoldStatusUpdate.id]

  mutating func judgeNames(
    _ id: UInt16, _ bytes: RawSpan, _ step: SessionStep, at place: DecodedPlace
  ) throws(WireError) {
    switch id {
    case NowPlayingUpdate.id:
      let item = try NowPlayingUpdate(decoding: bytes).mediaItemAttributes
      guard let file = item?.mediaItemArtworkFileTransferIdentifier else { return }
      files.announced.insert(file)
      ledger.addOwed(
        .artworkSent, by: place.from, .file, object: Int(file), since: place,
        "file \(file) is announced, and its Setup did not come")
    case StartBluetoothConnectionUpdates.id:
      let component = try StartBluetoothConnectionUpdates(decoding: bytes).bluetoothTransportComponentIdentifier
      judge([component], among: declaration?.bluetoothComponents, step, at: place)
    case StartRouteGuidanceUpdates.id:
      let components = try StartRouteGuidanceUpdates(decoding: bytes).routeGuidanceDisplayComponentID
      judge(components, among: declaration?.displays, step, at: place)
    case StartCallStateUpdates.id: objects.keysCalls = try StartCallStateUpdates(decoding: bytes).callUUID.isSet
    case MediaLibraryInformation.id:
      let list = try MediaLibraryInformation(decoding: bytes).mediaLibraryInformation
      let room = max(0, NamedObjects.maximum - objects.libraries.count)
      objects.libraries.formUnion(list.prefix(room).map(\.mediaLibraryUniqueIdentifier))
    case StartMediaLibraryUpdates.id:
      let name = try StartMediaLibraryUpdates(decoding: bytes).mediaLibraryUniqueIdentifier
      guard !objects.libraries.isEmpty, !objects.libraries.contains(name) else { return }
      ledger.addBreach(
        .library, step, place,
        "\(step.name) names \(name), and 0x4C01 has \(objects.libraries.sorted().joined(separator: ", "))")
    case RouteGuidanceUpdate.id:
      guard let list = try RouteGuidanceUpdate(decoding: bytes).routeGuidanceManeuverCurrentList else { return }
      judgeManeuvers(list.elements, at: place)
    case RouteGuidanceManeuverUpdate.id:
      let index = try RouteGuidanceManeuverUpdate(decoding: bytes).index
      objects.maneuvers.insert(index)
      ledger.removeOwed(.maneuvers, object: Int(index))
    case CallStateUpdate.id:
      ledger.removeOwed(.callEffect, at: place.time)
      guard objects.keysCalls, try CallStateUpdate(decoding: bytes).callUUID == nil else { return }
      ledger.addBreach(.callKey, step, place, "0x4155 has no parameter 4 CallUUID")
    case CommunicationsUpdate.id: return
    case LocationInformation.id: judge(try LocationInformation(decoding: bytes), step, at: place)
    case PowerSourceUpdate.id: judge(try PowerSourceUpdate(decoding: bytes), step, at: place)
    case _ where Self.callActions.contains(id):
      guard subscriptions.states[StartCallStateUpdates.id]?.isActive ?? false else { return }
      ledger.addOwed(
        .callEffect, by: place.from.peer, .message(CallStateUpdate.id), since: place,
        "\(step.name) has no 0x4155 CallStateUpdate")
    default: return
    }
  }

  private mutating func judge(
    _ components: [UInt16], among known: Set<UInt16>?, _ step: SessionStep, at place: DecodedPlace
  ) {
    guard let known, let wrong = components.first(where: { !known.contains($0) }) else { return }
    let names = known.isEmpty ? "none" : known.sorted().map { String($0) }.joined(separator: ", ")
    ledger.addBreach(
      .declaredComponent, step, object: Int(wrong), place,
      "\(step.name) names component \(wrong), and the identification has \(names)")
  }

  private mutating func judgeManeuvers(_ list: [UInt16], at place: DecodedPlace) {
    for index in list.prefix(NamedObjects.maximum) where !objects.maneuvers.contains(index) {
      ledger.addOwed(
        .maneuvers, by: place.from, .message(RouteGuidanceManeuverUpdate.id), object: Int(index), since: place,
        "maneuver \(index) of the current list has no 0x5202")
    }
  }

  /// Follows the keys of a component: a report at rest has zeros only, or a report id before them.
  mutating func judgeKeys(_ report: [UInt8], _ component: UInt16, _ step: SessionStep, at place: DecodedPlace) {
    guard let keys = declaration?.keyComponents, keys.contains(component), let first = report.first else { return }
    if let known = objects.firstBytes[component] {
      if known != first { objects.firstBytes[component] = .some(nil) }
    } else {
      objects.firstBytes[component] = .some(first)
    }
    let hasID = report.count > 1 && first != 0 && objects.firstBytes[component] == .some(.some(first))
    let isAtRest = report.dropFirst(hasID ? 1 : 0).allSatisfy { $0 == 0 }
    guard !isAtRest else { return ledger.removeOwed(.released, object: Int(component), at: place.time) }
    ledger.addOwed(
      .released, by: place.from, step, object: Int(component), since: place,
      "the key of component \(component) was pressed, and no report at rest followed")
  }

  private mutating func judge(_ location: LocationInformation, _ step: SessionStep, at place: DecodedPlace) {
    for sentence in location.nmeaSentence.flatMap({ $0.split(whereSeparator: \.isNewline) }) {
      guard let star = sentence.lastIndex(of: "*"), sentence.first == "$" else { continue }
      let sum = sentence[sentence.index(after: sentence.startIndex)..<star].utf8.reduce(0, ^)
      guard UInt8(sentence[sentence.index(after: star)...].prefix(2), radix: 16) != sum else { continue }
      ledger.addBreach(.sentence, step, place, "the checksum of \(sentence.prefix(6)) is wrong")
    }
  }

  private mutating func judge(_ power: PowerSourceUpdate, _ step: SessionStep, at place: DecodedPlace) {
    guard power.deviceBatteryShouldChargeIfPowerIsPresent == true, power.availableCurrentForDevice == 0 else { return }
    ledger.addBreach(.charging, step, place, "0 mA are available, and the battery should charge")
  }
}
