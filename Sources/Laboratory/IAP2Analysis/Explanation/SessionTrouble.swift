// swift-iap2 · Apache-2.0

package import IAP2
import IAP2Capture

/// A mistake of one side in a session that runs: the other side ignores or refuses what it sent, and no message waits
/// for a response.
package struct SessionTrouble: Sendable, Equatable {
  /// The mistake.
  package enum Mistake: Sendable, Equatable {
    /// A message breaks its schema.
    case brokenMessage(MessageFault)
    /// A message names a call that no CallStateUpdate reported.
    case unknownCall(message: UInt16, uuid: String)
    /// A message of HID names a component that the identification does not have; the ids that it has, ascending.
    case unknownComponent(message: UInt16, component: UInt16, known: [UInt16])
    /// A message of a feature came before authentication and identification were complete, and no answer followed.
    case tooEarly(message: UInt16)
    /// Data has the id of an EA session that is closed, while another one may be open.
    case closedSession(UInt16, open: UInt16?)
    /// Data has an id that no EA session has had, while another one is open.
    case unknownSession(UInt16, open: UInt16)
    /// An answer has an id of a file that was not offered; the id of the file that was.
    case unknownFile(UInt8, offered: UInt8)
    /// A file failed: the size in its Setup, nil if that is unknown, and the bytes that came.
    case failedFile(UInt8, announced: UInt64?, received: UInt64)
    /// An access point with this security has no passphrase.
    case noPassphrase(security: UInt8)
    /// Packets with data came after the other side's RST.
    case dataAfterReset(count: Int)
  }

  package var mistake: Mistake
  /// The side that made it.
  package var from: Side
  /// The record that shows it.
  package var record: Int
}

/// The mistakes of a session. Each is forgotten when its side does the same thing rightly.
struct SessionTroubles: Sendable {
  /// A file of the sessions that is under way.
  private struct File: Sendable {
    var sender: Side
    var announced: UInt64
    var received: UInt64 = 0
  }

  /// The broken messages by their id.
  private var broken: [UInt16: SessionTrouble] = [:]
  private var call: SessionTrouble?
  private var component: SessionTrouble?
  private var early: SessionTrouble?
  private var session: SessionTrouble?
  private var file: SessionTrouble?
  private var answer: SessionTrouble?
  private var network: SessionTrouble?
  private var afterReset: SessionTrouble?
  /// The calls that were reported; nil if they were too many to keep.
  private var calls: Set<String>? = []
  private var files: [UInt8: File] = [:]
  /// The ids that were offered or cancelled at any time: a Start of theirs may have been under way.
  private var closedFiles: Set<UInt8> = []
  /// The data of each closed EA session since it was closed.
  private var late: [UInt16: Int] = [:]
  private var dataAfterReset = 0

  /// The number of calls to keep; a phone has few at a time.
  private static var maximumCalls: Int { 256 }
  /// The data of a closed EA session that may have been under way when it was closed.
  private static var underWay: Int { 1 }
  /// The packets that may have been under way when a side reset the link, with and without times in the capture.
  private static var packetsUnderWay: (timed: Int, untimed: Int) { (1, 16) }
  /// The seconds after which nothing of before is under way.
  /// Unverified: no source states how long a transport may keep bytes.
  private static var secondsUnderWay: Double { 1 }

  /// The mistake that explains most: one of the link before one of a session, and that before one of a message.
  var first: SessionTrouble? {
    afterReset ?? session ?? answer ?? file ?? call ?? component ?? network ?? early
      ?? broken.values.min { $0.record < $1.record }
  }

  mutating func note(broken fault: MessageFault?, _ id: UInt16, at place: DecodedPlace) {
    guard MessageCatalog[id] != nil else { return }
    broken[id] = fault.map { SessionTrouble(mistake: .brokenMessage($0), from: place.from, record: place.record) }
  }

  /// Reads the calls, and the messages that name one.
  mutating func noteCall(_ id: UInt16, _ bytes: RawSpan, at place: DecodedPlace) throws(WireError) {
    let named: String?
    switch id {
    case CallStateUpdate.id:
      if let uuid = try CallStateUpdate(decoding: bytes).callUUID { calls?.insert(uuid) }
      if let count = calls?.count, count > Self.maximumCalls { calls = nil }
      return
    case AcceptCall.id: named = try AcceptCall(decoding: bytes).callUUID
    case EndCall.id: named = try EndCall(decoding: bytes).callUUID
    case HoldStatusUpdate.id: named = try HoldStatusUpdate(decoding: bytes).callUUID
    case SendDTMF.id: named = try SendDTMF(decoding: bytes).callUUID
    default: return
    }
    guard let named, let calls, !calls.isEmpty else { return }
    call =
      calls.contains(named)
      ? nil
      : SessionTrouble(mistake: .unknownCall(message: id, uuid: named), from: place.from, record: place.record)
  }

  /// Takes a component of a message of HID.
  mutating func note(component id: UInt16, of message: UInt16, known: Set<UInt16>, at place: DecodedPlace) {
    component =
      known.contains(id)
      ? nil
      : SessionTrouble(
        mistake: .unknownComponent(message: message, component: id, known: known.sorted()), from: place.from,
        record: place.record)
  }

  /// Takes a message of a feature. One that comes too early is forgotten when it comes again, or when it has an effect.
  mutating func noteFeature(_ id: UInt16, isReady: Bool, at place: DecodedPlace) {
    guard let subscription = MessageCatalog[id]?.info.subscription else {
      if case .tooEarly(let start) = early?.mistake,
        MessageCatalog[start]?.info.subscription?.updates.contains(id) == true
      {
        early = nil
      }
      return
    }
    if !isReady, place.from == .accessory, !subscription.updates.isEmpty {
      early = SessionTrouble(mistake: .tooEarly(message: id), from: place.from, record: place.record)
    } else if early?.mistake == .tooEarly(message: id) {
      early = nil
    }
  }

  mutating func noteNetwork(_ network: AccessoryWiFiConfigurationInformation, at place: DecodedPlace) {
    let canBeJoined = network.securityType == .none || !(network.wiFiPassphrase ?? "").isEmpty
    self.network =
      canBeJoined
      ? nil
      : SessionTrouble(
        mistake: .noPassphrase(security: network.securityType.rawValue), from: place.from, record: place.record)
  }

  /// Takes data of an EA session that was closed at a time, in seconds.
  ///
  /// - Parameter isUnderWay: Whether the packet does not acknowledge the close; nil in a log without packets.
  mutating func note(
    closed id: UInt16, at closed: Double?, isUnderWay: Bool?, open: UInt16?, data place: DecodedPlace
  ) {
    guard isUnderWay != true else { return }
    late[id, default: 0] += 1
    let isLate = place.time.flatMap { now in closed.map { now - $0 > Self.secondsUnderWay } } ?? false
    guard isLate || late[id, default: 0] > Self.underWay else { return }
    session = SessionTrouble(mistake: .closedSession(id, open: open), from: place.from, record: place.record)
  }

  /// Forgets the data that came for an EA session before it was opened again.
  mutating func noteOpened(_ id: UInt16) { late[id] = nil }

  /// Takes data with an id that no EA session has had.
  mutating func note(unknown id: UInt16, open: UInt16, data place: DecodedPlace) {
    session = SessionTrouble(mistake: .unknownSession(id, open: open), from: place.from, record: place.record)
  }

  /// Takes data of an EA session that is open.
  mutating func noteOpen(dataFrom side: Side) {
    if session?.from == side { session = nil }
  }

  /// Finds an answer to a file that was not offered, while one that was waits.
  private mutating func noteAnswer(_ id: UInt8, _ operation: FileTransferOperation, at place: DecodedPlace) {
    if operation == .cancel || operation == .setup { closedFiles.insert(id) }
    guard operation == .start else { return }
    if files[id]?.sender == place.from.peer {
      answer = nil
    } else if !closedFiles.contains(id),
      let offered = files.filter({ $0.value.sender == place.from.peer && $0.value.received == 0 }).keys.max()
    {
      answer = SessionTrouble(
        mistake: .unknownFile(id, offered: offered), from: place.from, record: place.record)
    }
  }

  mutating func note(
    file id: UInt8, _ operation: FileTransferOperation, _ data: RawSpan, hasBeginning: Bool, at place: DecodedPlace
  ) {
    if hasBeginning { noteAnswer(id, operation, at: place) }
    switch operation {
    case .setup:
      files[id] = File(sender: place.from, announced: FileTransferSetup(data)?.byteCount ?? 0)
    case .failure:
      guard let failed = files.removeValue(forKey: id), failed.sender == place.from.peer else { return }
      let announced = failed.announced == 0 ? nil : failed.announced
      let isRight = announced.map { $0 == failed.received } ?? true
      file = SessionTrouble(
        mistake: .failedFile(id, announced: announced, received: failed.received),
        from: isRight ? place.from : failed.sender, record: place.record)
    case .success:
      files[id] = nil
      file = nil
      answer = nil
    case .cancel: files[id] = nil
    default:
      if operation.isData, files[id]?.sender == place.from { files[id]?.received += UInt64(data.byteCount) }
    }
  }

  /// Takes a packet with data on a link that the other side reset at a time, in seconds.
  mutating func note(afterResetAt reset: Double?, _ place: DecodedPlace) {
    dataAfterReset += 1
    let isLate = place.time.flatMap { now in reset.map { now - $0 > Self.secondsUnderWay } }
    let underWay = isLate == nil ? Self.packetsUnderWay.untimed : Self.packetsUnderWay.timed
    guard afterReset != nil || isLate ?? true && dataAfterReset > underWay else { return }
    afterReset = SessionTrouble(
      mistake: .dataAfterReset(count: dataAfterReset), from: place.from, record: place.record)
  }
}
