// swift-iap2 · Apache-2.0

public import IAP2

/// One call on the phone.
public struct Call: Sendable, Hashable {
  /// Stays the same for the whole call.
  public var identifier: String
  /// A number or an address.
  public var remote: String
  public var name = ""
  /// What the number is in the address book: mobile, home…
  public var label = ""
  public var service = CallService.telephony
  public var direction: CallDirection
  public var status: CallStatus
  /// Calls of one conference have the same number.
  public var conference: UInt8?
  public var reason = CallDisconnectReason.noReason
  /// Unix seconds; nil until it is answered.
  public var startTime: UInt64?

  public init(identifier: String, remote: String, direction: CallDirection, status: CallStatus) {
    self.identifier = identifier
    self.remote = remote
    self.direction = direction
    self.status = status
  }

  /// What the car sees.
  var update: CallStateUpdate {
    var update = CallStateUpdate()
    update.remoteID = remote
    update.displayName = name
    update.status = status
    update.direction = direction
    update.callUUID = identifier
    update.label = label
    update.service = service
    update.isConferenced = conference != nil
    update.conferenceGroup = conference
    update.disconnectReason = status == .disconnected ? reason : nil
    update.startTimestamp = startTime
    return update
  }
}

/// A number one may call again.
public struct Contact: Sendable, Hashable {
  public var remote: String
  public var name: String
  public var label: String
  public var service: CallService

  public init(remote: String, name: String, label: String = "", service: CallService = .telephony) {
    self.remote = remote
    self.name = name
    self.label = label
    self.service = service
  }
}

/// A call that is over.
public struct RecentCall: Sendable, Hashable {
  public var contact: Contact
  public var type: RecentCallType
  /// Unix seconds.
  public var time: UInt64
  /// Seconds.
  public var duration: UInt32
}

/// The phone's calls, network and lists, with every control a car has.
///
/// At most one call is active and one rings; others are held, or in the active call's conference. The rules are those of
/// any mobile phone; how a real one reports its steps in between is medium confidence (Features.md#call-steps).
public struct Telephone: Sendable, Equatable {
  public internal(set) var calls: [Call] = []
  /// Newest first.
  public internal(set) var recents: [RecentCall] = []
  public var favorites: [Contact] = []
  /// Called for a redial and for voicemail.
  public var voicemail = Contact(remote: "voicemail", name: "Voicemail")
  public var signal = SignalStrength.bars4
  public var registration = RegistrationStatus.registeredHome
  public var carrier = "Example Mobile"
  public var isAirplaneMode = false
  public var isMuted = false
  public var newVoicemailCount = 0
  /// Tones the car has asked for, oldest first, at most as many as a person would press.
  public internal(set) var tones: [DTMFTone] = []
  /// Unix seconds, for call times.
  var time: UInt64 = 0
  private var number = 0

  static let maximumCalls = 8
  static let maximumRecents = 100
  static let maximumTones = 256

  public init() {}

  private var isInService: Bool { !isAirplaneMode && registration != .notRegistered && registration != .denied }

  /// The call that is heard; of a conference, its first.
  public var active: Call? { calls.first { $0.status == .active } }
  public var ringing: Call? { calls.first { $0.status == .ringing && $0.direction == .incoming } }
  public var held: Call? { calls.first { $0.status == .held } }

  // MARK: What happens to the phone

  /// Somebody calls; gives the call's identifier, nil when the line is full or out of service.
  @discardableResult
  public mutating func receiveCall(from contact: Contact) -> String? {
    guard isInService, ringing == nil else { return nil }
    return add(contact, .incoming, .ringing)
  }

  /// The other side answers our call.
  public mutating func answerByPeer() {
    guard let index = calls.firstIndex(where: { $0.direction == .outgoing && $0.isBeingMade }) else { return }
    holdActive()
    start(index)
  }

  /// The other side rings: an outgoing call goes from sending to connecting.
  public mutating func ringAtPeer() {
    guard let index = calls.firstIndex(where: { $0.status == .sending }) else { return }
    calls[index].status = .connecting
  }

  /// The other side hangs up, or never answers.
  public mutating func endByPeer(_ identifier: String? = nil, reason: CallDisconnectReason = .noReason) {
    let found = identifier.map { wanted in calls.firstIndex { $0.identifier == wanted } } ?? calls.indices.last
    if let found { end(found, reason) }
  }

  /// Calls whose end has been told are gone.
  mutating func forgetEnded() {
    let hadCalls = !calls.isEmpty
    calls.removeAll { $0.status == .disconnected }
    // A microphone that was muted is not for the next caller.
    if hadCalls, calls.isEmpty { isMuted = false }
  }

  // MARK: What the car asks for

  /// Gives the call's identifier; nil when no call can be made.
  @discardableResult
  public mutating func initiate(_ contact: Contact) -> String? {
    guard isInService, !calls.contains(where: \.isBeingMade) else { return nil }
    holdActive()
    return add(contact, .outgoing, .sending)
  }

  @discardableResult
  public mutating func redial() -> String? {
    recents.first { $0.type == .outgoing }.flatMap { initiate($0.contact) }
  }

  public mutating func accept(_ identifier: String? = nil, _ action: AcceptAction = .acceptOrHoldAndAccept) {
    guard let index = calls.firstIndex(where: { $0.isIncomingRing && (identifier ?? $0.identifier) == $0.identifier })
    else { return }
    if action == .endAndAccept {
      for other in calls.indices where calls[other].status == .active { end(other, .noReason) }
    } else {
      holdActive()
    }
    start(index)
  }

  /// Ends one call, or declines it while it rings; without an identifier the ringing one first, then the active one.
  public mutating func end(_ identifier: String? = nil, _ action: EndAction = .endOrDecline) {
    if action == .endAll {
      for index in calls.indices { end(index, calls[index].isIncomingRing ? .declined : .noReason) }
      return
    }
    let wanted = identifier ?? ringing?.identifier ?? active?.identifier ?? calls.first?.identifier
    guard let index = calls.firstIndex(where: { $0.identifier == wanted }) else { return }
    end(index, calls[index].isIncomingRing ? .declined : .noReason)
  }

  /// Held and active change places.
  public mutating func swap() {
    guard active != nil, held != nil else { return }
    for index in calls.indices {
      switch calls[index].status {
      case .active: calls[index].status = .held
      case .held: calls[index].status = .active
      default: break
      }
    }
  }

  /// Held and active become one conference.
  public mutating func merge() {
    guard active != nil, held != nil else { return }
    for index in calls.indices where calls[index].status == .active || calls[index].status == .held {
      calls[index].status = .active
      calls[index].conference = 1
    }
  }

  public mutating func hold(_ isHeld: Bool, _ identifier: String? = nil) {
    let from: CallStatus = isHeld ? .active : .held
    if !isHeld, active != nil { return swap() }
    for index in calls.indices
    where calls[index].status == from && (identifier ?? calls[index].identifier) == calls[index].identifier {
      calls[index].status = isHeld ? .held : .active
    }
  }

  public mutating func press(_ tone: DTMFTone) {
    guard active != nil, tones.count < Self.maximumTones else { return }
    tones.append(tone)
  }

  // MARK: Steps

  private mutating func add(_ contact: Contact, _ direction: CallDirection, _ status: CallStatus) -> String? {
    guard calls.count < Self.maximumCalls else { return nil }
    number += 1
    let tail = String(number, radix: 16, uppercase: true)
    let identifier = "00000000-0000-4000-8000-" + String(repeating: "0", count: max(0, 12 - tail.count)) + tail
    var call = Call(identifier: identifier, remote: contact.remote, direction: direction, status: status)
    call.name = contact.name
    call.label = contact.label
    call.service = contact.service
    calls.append(call)
    return identifier
  }

  private mutating func start(_ index: Int) {
    calls[index].status = .active
    calls[index].startTime = time
  }

  private mutating func holdActive() {
    for index in calls.indices where calls[index].status == .active { calls[index].status = .held }
  }

  private mutating func end(_ index: Int, _ reason: CallDisconnectReason) {
    let call = calls[index]
    guard call.status != .disconnected else { return }
    calls[index].status = .disconnected
    calls[index].reason = reason
    calls[index].conference = nil
    let wasAnswered = call.startTime != nil
    let type: RecentCallType = call.direction == .outgoing ? .outgoing : wasAnswered ? .incoming : .missed
    let contact = Contact(remote: call.remote, name: call.name, label: call.label, service: call.service)
    let duration = UInt32(clamping: call.startTime.map { time - min($0, time) } ?? 0)
    recents.insert(RecentCall(contact: contact, type: type, time: time, duration: duration), at: 0)
    if recents.count > Self.maximumRecents { recents.removeLast() }
    // What is left of a conference of two is an ordinary call.
    let members = calls.indices.filter { calls[$0].conference != nil }
    if members.count == 1 { calls[members[0]].conference = nil }
    if active == nil { tones = [] }
  }

  // MARK: What the car sees

  var update: CommunicationsUpdate {
    var update = CommunicationsUpdate()
    let live = calls.filter { $0.status != .disconnected }
    update.signalStrength = isAirplaneMode ? .bars0 : signal
    update.registrationStatus = isAirplaneMode ? .notRegistered : registration
    update.airplaneModeStatus = isAirplaneMode
    update.carrierName = isAirplaneMode ? "" : carrier
    update.cellularSupported = true
    update.telephonyEnabled = true
    update.faceTimeAudioEnabled = true
    update.faceTimeVideoEnabled = true
    update.muteStatus = isMuted
    update.currentCallCount = UInt8(clamping: live.count)
    update.newVoicemailCount = UInt8(clamping: newVoicemailCount)
    update.initiateCallAvailable = isInService && !live.contains { $0.isBeingMade } && ringing == nil
    update.endAndAcceptAvailable = ringing != nil && active != nil
    update.holdAndAcceptAvailable = ringing != nil && active != nil
    update.swapAvailable = active != nil && held != nil
    update.mergeAvailable = active != nil && held != nil
    update.holdAvailable = active != nil && held == nil
    return update
  }
}

extension Call {
  var isBeingMade: Bool { status == .sending || status == .connecting }
  var isIncomingRing: Bool { status == .ringing && direction == .incoming }
}
