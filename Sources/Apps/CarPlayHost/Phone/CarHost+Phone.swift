// swift-iap2 · Apache-2.0

import CallKit
import CarPlay
package import CarPlayPlatform
import Foundation
import IAP2
import IAP2Roles
import MediaPlayer

extension CarHost {
  /// Whether an iAP2 connection decides when the app is connected.
  var hasLink: Bool { link != nil || transport != nil }

  /// The head unit's display of the phone's apps; nil without an iAP2 connection and with a head unit on a transport.
  package var headUnit: HeadUnitDisplay? {
    guard link != nil else { return nil }
    var display = headUnitMemory.display
    display.vehicle = vehicleMemory.vehicle
    return display
  }

  /// Reports the app's current state to the head unit over iAP2, or to the phone of a session, if it has changed.
  func tellPhone() {
    guard hasLink || onReport != nil else {
      endedCalls = [:]
      return
    }
    let report = appReport
    guard report != lastReport else { return }
    let old = lastReport
    lastReport = report
    endedCalls = [:]
    onReport?(report)
    link?.updatePhone(at: linkTime) { report.apply(to: &$0, after: old) }
    transport?.updatePhone(at: linkTime) { report.apply(to: &$0, after: old) }
    takeLinkReports()
    takeTransport()
  }

  private var appReport: AppReport {
    var report = AppReport()
    report.wantsLocation = wantsLocation || !settings.behavior.locationOnDemand
    guard app != nil else { return report }
    report.app = AppReport.text(installed?.name)
    report.song = song
    report.guidance = guidance
    report.calls = calls.map(IAP2Roles.Call.init)
    report.isMuted = calls.contains { $0.phase != .ringing && $0.isMuted }
    report.ended = endedCalls
    return report
  }

  /// The app's activity that concerns the modes of a session.
  var phoneActivity: PhoneActivity {
    PhoneActivity(
      isGuiding: app?.car?.map.session != nil,
      call: calls.isEmpty ? nil : calls.allSatisfy { $0.phase == .ringing } ? .ringing : .talking,
      showsSiri: showsSiri, speech: speech, sounds: playedSounds, recording: recording)
  }

  // MARK: The song

  private var song: AppReport.Song? {
    guard let info = nowPlaying.shown else { return nil }
    let seconds = { (value: Double?) in Int(clamping: Int64(max(0, min(value ?? 0, 1e9)) * 1000)) }
    // The identifier stays the same for the same content: the app's own one, or a number derived from its texts.
    let texts = [info.contentIdentifier, info.title, info.artist, info.albumTitle].map { $0 ?? "" }
    var item = MediaItem(
      identifier: texts.joined(separator: "\0").utf8.fnv1a, title: AppReport.text(info.title),
      duration: .milliseconds(seconds(info.duration)))
    item.artist = AppReport.text(info.artist)
    item.album = AppReport.text(info.albumTitle)
    item.artwork = nowPlaying.artwork?.content.data.map { [UInt8]($0) } ?? []
    let rate = info.rate ?? 1
    // The phone advances the position, so the same song keeps the time of its last report until the app writes again.
    var song = AppReport.Song(
      item: item, isPlaying: rate > 0, elapsed: seconds(elapsed(info)), speed: Int(max(0, min(rate, 100)) * 100),
      index: info.queueIndex ?? 0, count: info.queueCount ?? 1, write: nowPlaying.lastWrite?.offset)
    let center = MPRemoteCommandCenter.shared()
    song.shuffle = center.changeShuffleModeCommand.currentShuffleType.mode
    song.repeating = center.changeRepeatModeCommand.currentRepeatType.mode
    if let last = lastReport?.song, last.write == song.write { song.elapsed = last.elapsed }
    return song
  }

  /// Observes the modes of shuffle and repeat of this process.
  func watchCommands() {
    MPRemoteCommandCenter.shared().changes.set { [weak self] name in
      guard name == "changeShuffleModeCommand" || name == "changeRepeatModeCommand" else { return }
      Self.onMain {
        guard let self, self.app != nil else { return }
        self.activity &+= 1
        self.tellPhone()
      }
    }
  }

  // MARK: The calls

  /// Observes the calls of this process.
  func watchCalls() {
    CallSystem.shared.setObserver { [weak self] event in
      Self.onMain { self?.callChanged(event) }
    }
  }

  private func callChanged(_ event: CallEvent) {
    guard app != nil else { return }
    switch event {
    case .incoming(let call): note(.fromApp, "incoming call", call.title, object: "calls")
    case .outgoing(let call): note(.fromApp, "outgoing call", call.title, object: "calls")
    case .changed(let call): note(.fromApp, "call \(call.phase)", call.title, object: "calls")
    case .ended(let id, let reason):
      note(.fromApp, "call ended", reason.map { "\($0)" } ?? "", object: "calls")
      endedCalls[id.uuidString] = reason?.disconnectReason ?? .noReason
    case .tones(_, let digits): note(.fromApp, "tones", digits, object: "calls")
    case .failed: note(.fromApp, "call action failed", object: "calls")
    }
    calls = CallSystem.shared.calls
    tellPhone()
  }

  /// The system's screen of an incoming call, which covers the app.
  func callScreen(_ call: CallKit.Call) -> Element {
    func action(_ title: String, _ make: @escaping @MainActor () -> CXCallAction) -> Element {
      Element(ScreenNode(.action, title)) { [weak self] in
        self?.note(.car, "tap", title)
        self?.perform(make())
      }
    }
    let title = FittedText(call.title, in: TextRoom(points: settings.screen.appArea.width / 2))
    return Element(
      ScreenNode(.alert, title.text, isCut: title.isCut), title,
      children: [
        action("Accept") { CXAnswerCallAction(call: call.uuid) },
        action("Decline") { CXEndCallAction(call: call.uuid) },
      ])
  }

  // MARK: The head unit's requests

  /// Performs a request that a driver makes at the head unit, over iAP2 or in the CarPlay session.
  ///
  /// - Returns: The reason if the head unit cannot make the request.
  package func askPhone(_ request: HeadUnitRequest) -> String? {
    guard !request.isOfCar else {
      changeCar(request)
      return nil
    }
    guard link != nil else { return noLink }
    note(.car, "head unit", request.rawValue)
    let calls = headUnitMemory.display.calls
    func first(_ state: String) -> HeadUnitDisplay.Call? { calls.first { $0.state == state } }
    let ringing = first("Ringing")
    let isSent: Bool
    switch request {
    case .accept:
      guard let ringing else { return "no call rings" }
      var message = AcceptCall()
      message.callUUID = ringing.id
      isSent = send(message)
    case .end:
      guard let call = ringing ?? first("Active") ?? calls.first else { return "there is no call" }
      var message = EndCall()
      message.callUUID = call.id
      isSent = send(message)
    case .hold, .resume:
      guard let call = first(request == .hold ? "Active" : "Held") else {
        return request == .hold ? "no call is active" : "no call is held"
      }
      var message = HoldStatusUpdate()
      message.holdStatus = request == .hold
      message.callUUID = call.id
      isSent = send(message)
    case .mute, .unmute:
      var message = MuteStatusUpdate()
      message.muteStatus = request == .mute
      isSent = send(message)
    default:
      guard let button = MediaButton(rawValue: request.rawValue) else { return "no key \(request.rawValue)" }
      isSent = link?.press(button, at: linkTime) ?? false
    }
    takeLinkReports()
    return isSent ? nil : unsent(request.rawValue)
  }

  /// Changes night mode or limits. No iAP2 message carries them: the car reports them in the CarPlay session
  /// (CarPlay/Behavior.md#night-mode, CarPlay/Behavior.md#limits-driving).
  private func changeCar(_ request: HeadUnitRequest) {
    switch request {
    case .night, .day:
      setAppearance(request == .night ? .dark : .light)
      setContentStyle(request == .night ? .dark : .light)
    default: setDriving(request == .limit)
    }
  }

  private func send(_ message: some ControlMessage) -> Bool { link?.request(message, at: linkTime) ?? false }

  /// Sets the position in the song from the head unit, in seconds.
  package func seekFromHeadUnit(to seconds: Double) -> String? {
    guard link != nil else { return noLink }
    note(.car, "head unit", "position \(seconds) s")
    var message = SetNowPlayingInformation()
    message.elapsedTime = UInt32(clamping: Int64(max(0, min(seconds, 4e6)) * 1000))
    let isSent = send(message)
    takeLinkReports()
    return isSent ? nil : unsent("the position")
  }

  private func unsent(_ what: String) -> String {
    headUnitMemory.display.isConnected
      ? "the head unit of a \(settings.link.rawValue) car does not list the message for \(what)"
      : "the head unit cannot send \(what): it is not connected over iAP2"
  }

  var noLink: String {
    isOnTransport
      ? "the head unit is on a transport: use its own keys"
      : "there is no iAP2 connection: make one before the car connects, by the step policy or attachHeadUnit()"
  }

  /// Processes the events of the head unit, and its requests.
  func takeFeatures() {
    for event in link?.takeFeatures(of: .accessory) ?? [] {
      guard let line = headUnitMemory.take(event) else { continue }
      note(.car, "head unit shows \(line.name)", line.detail)
    }
    takeVehicle()
    for request in link?.takeRequests() ?? [] { perform(request) }
  }

  /// Passes a request of the head unit to the app, as the phone does.
  func perform(_ request: PhoneRequest) {
    switch request {
    case .button(.shuffle):
      let isOff = MPRemoteCommandCenter.shared().changeShuffleModeCommand.currentShuffleType == .off
      sendCommand(.changeShuffle(isOff ? .items : .off))
    case .button(.repeat):
      let isOff = MPRemoteCommandCenter.shared().changeRepeatModeCommand.currentRepeatType == .off
      sendCommand(.changeRepeat(isOff ? .all : .off))
    case .button(let button):
      guard let command = button.command else { return note(.note, "a key without a command", button.rawValue) }
      sendCommand(command)
    case .seek(let milliseconds): sendCommand(.changePosition(Double(milliseconds) / 1000))
    case .shuffle(let mode): sendCommand(.changeShuffle(mode == .off ? .off : .items))
    case .repeating(let mode): sendCommand(.changeRepeat(mode == .off ? .off : mode == .one ? .one : .all))
    case .jump(let index): note(.note, "a jump in the queue has no command for apps", "\(index)")
    case .accept(let id, let action):
      if action == .endAndAccept { for call in callsInProgress { perform(CXEndCallAction(call: call)) } }
      if let call = call(id) { perform(CXAnswerCallAction(call: call)) }
    case .end(let id, let action):
      let ended = action == .endAll ? calls.map(\.uuid) : call(id).map { [$0] } ?? []
      for call in ended { perform(CXEndCallAction(call: call)) }
    case .hold(let isHeld, let id):
      if let call = call(id) { perform(CXSetHeldCallAction(call: call, onHold: isHeld)) }
    case .mute(let isMuted):
      for call in callsInProgress { perform(CXSetMutedCallAction(call: call, muted: isMuted)) }
    case .tone(let tone):
      guard let call = callsInProgress.first, let digits = tone.name else { return }
      perform(CXPlayDTMFCallAction(call: call, digits: digits, type: .singleTone))
    case .swap, .merge, .call: note(.note, "a request of the head unit without an action for apps", "\(request)")
    }
  }

  private func perform(_ action: CXCallAction) {
    note(.toApp, "\(Swift.type(of: action))", object: "call provider's delegate")
    if let error = CallSystem.shared.perform(action) { note(.note, "the call cannot do it", "\(error.code)") }
  }

  private var callsInProgress: [UUID] { calls.filter { $0.phase != .ringing }.map(\.uuid) }

  /// Returns the call with an identifier from the head unit. Without one, returns the ringing call, or else the first
  /// one.
  private func call(_ id: String?) -> UUID? {
    guard let id else { return (calls.first { $0.phase == .ringing } ?? calls.first)?.uuid }
    return calls.first { $0.uuid.uuidString == id }?.uuid
  }
}

extension CallKit.Call {
  /// The name of the caller or callee, or else the number.
  var title: String { values.callerName ?? values.handle?.value ?? "unknown" }
}

extension IAP2Roles.Call {
  fileprivate init(_ call: CallKit.Call) {
    let status: CallStatus =
      switch call.phase {
      case .ringing: .ringing
      case .starting: .sending
      case .connecting: .connecting
      case .connected: call.isOnHold ? .held : .active
      }
    self.init(
      identifier: call.uuid.uuidString, remote: AppReport.text(call.values.handle?.value),
      direction: call.isOutgoing ? .outgoing : .incoming, status: status)
    name = AppReport.text(call.values.callerName)
    // Unverified: the service that a phone reports for the calls of an app.
    service = .unknown
  }
}

extension CXCallEndedReason {
  fileprivate var disconnectReason: CallDisconnectReason {
    switch self {
    case .failed: .failed
    case .declinedElsewhere: .declined
    case .remoteEnded, .unanswered, .answeredElsewhere: .noReason
    }
  }
}

extension MPShuffleType {
  fileprivate var mode: PlaybackShuffleMode {
    switch self {
    case .off: .off
    case .items: .songs
    case .collections: .albums
    }
  }
}

extension MPRepeatType {
  fileprivate var mode: PlaybackRepeatMode {
    switch self {
    case .off: .off
    case .one: .one
    case .all: .all
    }
  }
}

extension MediaButton {
  /// The command that an app gets for the key; nil for keys that the phone handles itself.
  fileprivate var command: RemoteCommandRequest? {
    switch self {
    case .play: .play
    case .pause: .pause
    case .playPause: .togglePlayPause
    case .next: .nextTrack
    case .previous: .previousTrack
    case .stop: .stop
    case .fastForward: .skipForward(nil)
    case .rewind: .skipBackward(nil)
    // The command depends on the app's current mode.
    case .shuffle, .repeat: nil
    case .mute, .volumeUp, .volumeDown: nil
    }
  }
}
