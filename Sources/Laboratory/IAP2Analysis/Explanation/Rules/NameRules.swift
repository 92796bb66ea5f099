// swift-iap2 · Apache-2.0

import IAP2
import IAP2Capture
import IAP2Formats

// The rules of messages that name what another message has introduced.
extension SessionRule {
  static let library = SessionRule(
    "library-unknown", .features, "A message about a media library names one that the device has listed.",
    "Features.md#media-library-order", .medium,
    repair: "Send the MediaLibraryUniqueIdentifier of 0x4C01 unchanged.", effect: .fails)

  static let maneuvers = SessionRule(
    "maneuver-missing", .features, "Each maneuver that 0x5201 lists as current has a 0x5202.",
    "Features.md#route-maneuvers", .medium, repair: "Send 0x5202 for each index of the current list.", effect: .fails)

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
    "call-unchanged", .features, "An accepted call stops ringing, and 0x4155 says so.",
    "Features.md#call-effects; the time is ours", .medium,
    repair: "Carry the action out and report the call's new status in 0x4155.", effect: .fails,
    limit: NamedObjects.callSeconds)

  static let released = SessionRule(
    "key-not-released", .features, "A report with a pressed key is followed by a report at rest.",
    "Features.md#hid-press", .high, repair: "Send a report without keys when the key is released.", effect: .fails)

  static let sentence = SessionRule(
    "sentence-checksum", .features, "A location sentence ends with its checksum.",
    "inferred from Features.md#location-order: NMEA 0183 has it", .low,
    repair: "Send the exclusive or of the bytes between $ and * as two hexadecimal digits.", effect: .fails,
    isLocal: true)
}

/// The objects that messages have introduced.
struct NamedObjects: Sendable {
  var libraries: Set<String> = []
  var maneuvers: Set<UInt16> = []
  /// Whether the accessory asks for the CallUUID of calls, and the calls without one.
  var keysCalls = false
  var namelessCalls = 0
  /// Whether the call of the last update rings.
  var isRinging = false
  /// The transports for which CarPlay was offered at any time: an answer may cross the end of an offer.
  var carPlayOffers = (wired: false, wireless: false)
  /// The file of the last artwork, until its Setup.
  var artwork: UInt8?
  /// The indexes without their maneuver.
  var owedManeuvers: Set<UInt16> = []
  var network: AccessoryWiFiConfigurationInformation?
  /// The reports of each HID component that is started.
  var descriptors: [UInt16: HIDReportDescriptor] = [:]
  /// The usage page of media keys (HID Usage Tables).
  static let consumerPage: UInt16 = 0x0C
  /// The seconds after which an accepted call counts as unchanged.
  /// Unverified: no source states a time.
  static let callSeconds = 10.0
  /// The seconds after which a key counts as not released.
  /// Unverified: no source states how long a key can be held.
  static let longestPress = 10.0

  /// The objects of a kind to keep. A device has few libraries.
  static let maximum = 256
}

extension LinkHistory {
  mutating func judgeNames(
    _ id: UInt16, _ bytes: RawSpan, _ step: SessionStep, at place: DecodedPlace
  ) throws(WireError) {
    switch id {
    case NowPlayingUpdate.id: judge(try NowPlayingUpdate(decoding: bytes), at: place)
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
    case CallStateUpdate.id: judge(try CallStateUpdate(decoding: bytes), step, at: place)
    case CommunicationsUpdate.id, StopCallStateUpdates.id: ledger.removeOwed(.callEffect, at: place.time)
    case StopNowPlayingUpdates.id: removeArtwork()
    case StopRouteGuidanceUpdates.id:
      for index in objects.owedManeuvers { ledger.abandonOwed(.maneuvers, object: Int(index), at: place) }
      objects.owedManeuvers = []
    case LocationInformation.id: judge(try LocationInformation(decoding: bytes), step, at: place)
    case AcceptCall.id:
      guard subscriptions.states[StartCallStateUpdates.id]?.isActive ?? false, objects.isRinging else { return }
      ledger.addOwed(
        .callEffect, by: place.from.peer, .message(CallStateUpdate.id), since: place,
        wait: NamedObjects.callSeconds,
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

  private mutating func judge(_ call: CallStateUpdate, _ step: SessionStep, at place: DecodedPlace) {
    guard let status = call.status else { return }
    objects.isRinging = status == .ringing
    if status != .ringing { ledger.removeOwed(.callEffect, at: place.time) }
    guard objects.keysCalls, call.callUUID == nil else { return }
    // One may have been under way when the accessory asked for more.
    objects.namelessCalls += 1
    guard objects.namelessCalls > 1 else { return }
    ledger.addBreach(.callKey, step, place, "0x4155 has no parameter 4 CallUUID")
  }

  private mutating func removeArtwork() {
    if let file = objects.artwork { ledger.removeOwed(.artworkSent, object: Int(file)) }
    objects.artwork = nil
  }

  private mutating func judge(_ update: NowPlayingUpdate, at place: DecodedPlace) {
    guard let artwork = update.mediaItemAttributes?.mediaItemArtworkFileTransferIdentifier else { return }
    // The song before may have been skipped, and a later update may name a file again that was sent.
    removeArtwork()
    guard !files.offered.contains(artwork), offers.device?.parameters?.sessionID(of: .fileTransfer) != nil else {
      return
    }
    objects.artwork = artwork
    ledger.addOwed(
      .artworkSent, by: place.from, .file, object: Int(artwork), since: place,
      "file \(artwork) is announced, and its Setup did not come")
  }

  private mutating func judgeManeuvers(_ list: [UInt16], at place: DecodedPlace) {
    guard isListed(RouteGuidanceManeuverUpdate.id, from: place.from) else { return }
    for index in list.prefix(NamedObjects.maximum) where !objects.maneuvers.contains(index) {
      objects.owedManeuvers.insert(index)
      ledger.addOwed(
        .maneuvers, by: place.from, .message(RouteGuidanceManeuverUpdate.id), object: Int(index), since: place,
        "maneuver \(index) of the current list has no 0x5202")
    }
  }

  /// Follows the keys of a component: a key of the consumer page is pressed and released.
  mutating func judgeKeys(_ report: [UInt8], _ component: UInt16, _ step: SessionStep, at place: DecodedPlace) {
    guard let descriptor = objects.descriptors[component] else { return }
    let isPressed = descriptor.values(in: report).contains { $0.key.page == NamedObjects.consumerPage && $0.value == 1 }
    guard isPressed else { return ledger.removeOwed(.released, object: Int(component)) }
    guard !ledger.isOwed(.released, object: Int(component)) else { return }
    ledger.addOwed(
      .released, by: place.from, step, object: Int(component), since: place, wait: NamedObjects.longestPress,
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
}
