// swift-iap2 · Apache-2.0

public import IAP2

/// A call on the phone.
public struct Call: Sendable, Hashable, Codable {
  /// The identifier, which stays the same for the whole call.
  public var identifier: String
  /// The number or address of the other party.
  public var remote: String
  /// The display name of the other party.
  public var name = ""
  /// The label of the number in the address book, such as mobile or home.
  package var label = ""
  /// The service that carries the call.
  package var service = CallService.telephony
  /// The direction of the call.
  package var direction: CallDirection
  /// The status of the call.
  public var status: CallStatus
  /// The number of the conference; nil for a call that is in none.
  package var conference: UInt8?
  /// The reason for the end of the call, which is reported once the call is disconnected.
  package var reason = CallDisconnectReason.noReason
  /// The time of the answer in Unix seconds; nil before the call is answered.
  package var startTime: UInt64?

  /// Creates a call by telephony without a display name.
  package init(identifier: String, remote: String, direction: CallDirection, status: CallStatus) {
    self.identifier = identifier
    self.remote = remote
    self.direction = direction
    self.status = status
  }

  /// The attributes that a car reads.
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

/// A party that the phone can call.
public struct Contact: Sendable, Hashable, Codable {
  /// The number or address.
  package var remote: String
  /// The display name.
  package var name: String
  /// The label of the number in the address book; empty if there is none.
  package var label: String
  /// The service that carries a call to the contact.
  package var service: CallService

  /// Creates a contact.
  public init(remote: String, name: String, label: String = "", service: CallService = .telephony) {
    self.remote = remote
    self.name = name
    self.label = label
    self.service = service
  }
}

/// A call that has ended.
public struct RecentCall: Sendable, Hashable {
  /// The other party.
  package var contact: Contact
  /// The kind of the call: incoming, outgoing or missed.
  package var type: RecentCallType
  /// The time of the end in Unix seconds.
  package var time: UInt64
  /// The duration in seconds from the answer to the end; 0 for a call that was not answered.
  package var duration: UInt32
}

/// The calls, the network and the call lists of a phone, with every control that a car has.
///
/// At most one call is active and one incoming call rings. The others are held, or in the conference of the active
/// call. The rules are those of any mobile phone. The intermediate steps that a real phone reports are not published;
/// the confidence in these is medium (Features.md#call-steps).
public struct Telephone: Sendable, Equatable {
  /// The current calls. A call that has ended is removed after the accessory was updated.
  public internal(set) var calls: [Call] = []
  /// The calls that have ended, newest first, at most 100.
  public internal(set) var recents: [RecentCall] = []
  /// The favorite contacts.
  public var favorites: [Contact] = []
  /// The contact that is called when the car requests voicemail.
  package var voicemail = Contact(remote: "voicemail", name: "Voicemail")
  /// The signal strength of the network.
  package var signal = SignalStrength.bars4
  /// The registration in the network. The phone has no service if it is not registered or denied.
  package var registration = RegistrationStatus.registeredHome
  /// The name of the network operator.
  package var carrier = "Example Mobile"
  /// Whether airplane mode is on. Then the phone has no service.
  package var isAirplaneMode = false
  /// Whether the microphone is muted. The end of the last call resets it.
  package var isMuted = false
  /// The number of new voicemails.
  package var newVoicemailCount = 0
  /// The tones that the car has requested, oldest first, at most 256. They are removed when a call ends and none is
  /// active.
  package internal(set) var tones: [DTMFTone] = []
  /// The current time in Unix seconds, for the times of calls.
  var time: UInt64 = 0
  private var number = 0

  static let maximumCalls = 8
  static let maximumRecents = 100
  static let maximumTones = 256

  /// Creates a telephone that is registered in its home network and has no calls.
  package init() {}

  private var isInService: Bool { !isAirplaneMode && registration != .notRegistered && registration != .denied }

  /// The active call; the first one of a conference.
  package var active: Call? { calls.first { $0.status == .active } }
  /// The incoming call that rings.
  package var ringing: Call? { calls.first { $0.status == .ringing && $0.direction == .incoming } }
  /// The first held call.
  package var held: Call? { calls.first { $0.status == .held } }

  // MARK: Actions of the other party

  /// Receives a call of a contact.
  ///
  /// - Returns: The identifier of the call; nil if the phone has no service, a call already rings or there are eight
  ///   calls.
  @discardableResult
  public mutating func receiveCall(from contact: Contact) -> String? {
    guard isInService, ringing == nil else { return nil }
    return add(contact, .incoming, .ringing)
  }

  /// Records that the other party has answered the outgoing call. An active call is held.
  public mutating func answerByPeer() {
    guard let index = calls.firstIndex(where: { $0.direction == .outgoing && $0.isBeingMade }) else { return }
    holdActive()
    start(index)
  }

  /// Records that the outgoing call rings at the other party: its status changes from sending to connecting.
  public mutating func ringAtPeer() {
    guard let index = calls.firstIndex(where: { $0.status == .sending }) else { return }
    calls[index].status = .connecting
  }

  /// Ends a call because the other party has hung up or does not answer; without an identifier the newest call.
  public mutating func endByPeer(_ identifier: String? = nil, reason: CallDisconnectReason = .noReason) {
    let found = identifier.map { wanted in calls.firstIndex { $0.identifier == wanted } } ?? calls.indices.last
    if let found { end(found, reason) }
  }

  /// Removes the calls whose end was sent.
  mutating func forgetEnded() {
    let hadCalls = !calls.isEmpty
    calls.removeAll { $0.status == .disconnected }
    // A microphone that was muted in the last call is not muted in the next one.
    if hadCalls, calls.isEmpty { isMuted = false }
  }

  // MARK: Requests of the car

  /// Calls a contact and holds the active call.
  ///
  /// - Returns: The identifier of the call; nil if the phone has no service, is already calling or has eight calls.
  @discardableResult
  public mutating func initiate(_ contact: Contact) -> String? {
    guard isInService, !calls.contains(where: \.isBeingMade) else { return nil }
    holdActive()
    return add(contact, .outgoing, .sending)
  }

  /// The contact of the last outgoing call; nil without one.
  package var lastCalled: Contact? { recents.first { $0.type == .outgoing }?.contact }

  /// Answers the incoming call that rings, with an identifier only that call. `endAndAccept` ends the active call, any
  /// other action holds it.
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

  /// Ends one call, or declines it while it rings; `endAll` ends all calls. Without an identifier it ends the ringing
  /// call, else the active call, else the first one.
  public mutating func end(_ identifier: String? = nil, _ action: EndAction = .endOrDecline) {
    if action == .endAll {
      for index in calls.indices { end(index, calls[index].isIncomingRing ? .declined : .noReason) }
      return
    }
    let wanted = identifier ?? ringing?.identifier ?? active?.identifier ?? calls.first?.identifier
    guard let index = calls.firstIndex(where: { $0.identifier == wanted }) else { return }
    end(index, calls[index].isIncomingRing ? .declined : .noReason)
  }

  /// Exchanges the active and the held calls; does nothing unless there are both.
  package mutating func swap() {
    guard active != nil, held != nil else { return }
    for index in calls.indices {
      switch calls[index].status {
      case .active: calls[index].status = .held
      case .held: calls[index].status = .active
      default: break
      }
    }
  }

  /// Makes the active and the held calls one conference; does nothing unless there are both.
  package mutating func merge() {
    guard active != nil, held != nil else { return }
    for index in calls.indices where calls[index].status == .active || calls[index].status == .held {
      calls[index].status = .active
      calls[index].conference = 1
    }
  }

  /// Holds the active calls, or resumes the held ones; with an identifier only that call. Resuming while a call is
  /// active exchanges the active and the held calls.
  package mutating func hold(_ isHeld: Bool, _ identifier: String? = nil) {
    let from: CallStatus = isHeld ? .active : .held
    if !isHeld, active != nil { return swap() }
    for index in calls.indices
    where calls[index].status == from && (identifier ?? calls[index].identifier) == calls[index].identifier {
      calls[index].status = isHeld ? .held : .active
    }
  }

  /// Records a tone for the active call; does nothing without one, or after 256 tones.
  package mutating func press(_ tone: DTMFTone) {
    guard active != nil, tones.count < Self.maximumTones else { return }
    tones.append(tone)
  }

  // MARK: Calls of an app

  /// Replaces the calls by those that an app has now. A call that the app has no more is over, with the reason of
  /// `ended` if it is there.
  package mutating func follow(_ now: [Call], ended: [String: CallDisconnectReason] = [:]) {
    for index in calls.indices where !now.contains(where: { $0.identifier == calls[index].identifier }) {
      end(index, ended[calls[index].identifier] ?? .noReason)
    }
    for call in now.prefix(Self.maximumCalls) {
      guard let index = calls.firstIndex(where: { $0.identifier == call.identifier }) else {
        calls.append(call)
        if call.status == .active { calls[calls.count - 1].startTime = time }
        continue
      }
      let began = calls[index].startTime
      calls[index] = call
      calls[index].startTime = began ?? (call.status == .active ? time : nil)
    }
  }

  // MARK: State changes

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
    // A conference of which one call is left ends, and the call goes on by itself.
    let members = calls.indices.filter { calls[$0].conference != nil }
    if members.count == 1 { calls[members[0]].conference = nil }
    if active == nil { tones = [] }
  }

  // MARK: Attributes for the car

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
