// swift-iap2 · Apache-2.0

package import Basics
package import CarPlayControl
package import CarPlaySession
import IAP2
import IAP2Analysis
import IAP2Capture
import IAP2Roles
import IAP2Runtime
import IAP2Transport
import Synchronization

/// The record of a session with a link: the messages between its roles, and their events.
package final class SessionLog: Sendable {
  private struct State {
    var link = LinkEntries()
    var findings = LiveFindings()
    var capture = LabCapture()
    var eventCount = 0
    var phone = LabState.Phone()
    /// The roles that regard the other one as connected.
    var connected: Set<Role> = []
    /// Whether one of them did so since the last connection was explained.
    var wasConnected = false
    /// Whether the head unit has a live CarPlay session.
    var isLive = false
    /// The streams of that session that run.
    var streams: Set<StreamType> = []
    /// The number of pictures.
    var pictureCount: UInt32 = 0
  }

  /// The side whose events tell whether the phone's screen is shown.
  private let main: SessionSide
  private let hub: LabHub
  private let state = Mutex(State())

  package init(_ hub: LabHub, main: SessionSide = .headUnit) { (self.hub, self.main) = (hub, main) }

  /// The number of entries that are not only packets.
  var eventCount: Int { state.withLock(\.eventCount) }
  var capture: [UInt8] { state.withLock(\.capture.bytes) }
  var phone: LabState.Phone { state.withLock(\.phone) }
  var isConnected: Bool { state.withLock { !$0.connected.isEmpty } }
  /// Whether the head unit shows the phone's screen.
  var isLive: Bool { state.withLock(\.isLive) }

  /// Returns a log whose connections are part of this record.
  func capture(by clock: any RuntimeClock) -> CaptureLog {
    let now: @Sendable () -> Int64 = { clock.now.nanoseconds }
    return CaptureLog(.pcapng, now: now) { [self] bytes in
      take(bytes, at: clock.now)
      return true
    }
  }

  /// Takes bytes of the capture, which is stored as pcapng.
  private func take(_ bytes: [UInt8], at time: MonotonicTime) {
    state.withLock { state in
      state.capture.add(bytes)
      state.findings.take(bytes, at: time.seconds)
      let entries = state.link.take(bytes).map { entry in
        var entry = entry
        // The decoder counts from the first record.
        entry.time = time.seconds
        return entry
      }
      state.eventCount += entries.count { $0.kind != .packet }
      hub.add(entries)
    }
  }

  func add(_ entry: LabEntry) {
    state.withLock { $0.eventCount += 1 }
    hub.add([entry])
  }

  /// Adds the event of a role.
  func add(_ timed: TimedEvent, of role: Role) {
    note(timed.event, of: role)
    switch timed.event {
    // The link shows them.
    case .message, .proposal: return
    default: break
    }
    guard let record = timed.event.record else { return }
    add(Self.entry(record, of: role.lane, at: timed.time))
  }

  /// Adds the event of a side of a CarPlay session.
  package func add(
    _ event: CarPlaySession.SessionEvent, of side: SessionSide, at time: MonotonicTime, linkCause: String?
  ) {
    if side == main { note(event, at: time) }
    guard let record = event.record(of: side, linkCause: linkCause), record.declaration.audience == .everybody else {
      return
    }
    add(Self.entry(record, of: side == .phone ? .phone : .headUnit, at: time))
  }

  /// Adds what an app does. Its car has a time of its own.
  package func add(_ line: CarLine, at time: MonotonicTime) {
    guard var entry = LabEntry(line) else { return }
    entry.time = time.seconds
    add(entry)
  }

  /// Shows a picture of a session.
  package func show(_ bytes: [UInt8], of type: StreamType, isKeyFrame: Bool) {
    let number = state.withLock { state in
      state.pictureCount &+= 1
      return state.pictureCount
    }
    hub.show(
      LabPicture(
        type == .screen ? .screen : .cluster, isKeyFrame ? .keyFrame : .nextFrame, number: number, bytes: bytes))
  }

  /// The displays whose streams run.
  var displays: [LabPicture.Display] {
    state.withLock { state in
      [(StreamType.screen, LabPicture.Display.screen), (.alternateScreen, .cluster)]
        .filter { state.streams.contains($0.0) }.map(\.1)
    }
  }

  /// Keeps whether the head unit shows the phone's screen, and which streams run.
  private func note(_ event: CarPlaySession.SessionEvent, at time: MonotonicTime) {
    switch event {
    case .state(.live): state.withLock { $0.isLive = true }
    case .ended:
      let streams = state.withLock { state in
        state.isLive = false
        defer { state.streams = [] }
        return state.streams
      }
      for type in streams { add(Self.stream(type, isBegin: false, at: time)) }
    case .stream(let type, let change, _):
      let isBegin = change == .running
      let isChanged = state.withLock { state in
        isBegin ? state.streams.insert(type).inserted : change != .setUp && state.streams.remove(type) != nil
      }
      if isChanged { add(Self.stream(type, isBegin: isBegin, at: time)) }
    default: break
    }
  }

  private static func stream(_ type: StreamType, isBegin: Bool, at time: MonotonicTime) -> LabEntry {
    var entry = LabEntry(
      .stream, "\(type)", text: isBegin ? "begins" : "ends", time: time.seconds,
      from: type.family == .screen ? .phone : .headUnit, to: type.family == .screen ? .headUnit : .phone)
    entry.stream = ("\(type)", isBegin)
    return entry
  }

  private static func entry(_ record: EventRecord, of lane: LabEntry.Lane, at time: MonotonicTime) -> LabEntry {
    let level: LabEntry.Level =
      switch record.declaration.severity {
      case .detail: .detail
      case .warning: .warning
      case .end, .notice: .notice
      case .step, .content: .info
      }
    let values = record.words.sorted { $0.key < $1.key }
    var entry = LabEntry(
      .event, record.declaration.name, text: record.text, time: time.seconds, from: lane, level: level,
      detail: values.isEmpty ? nil : .lines(values.map { "\($0): \($1)" }))
    entry.expectation = StepText.expectation(of: record.declaration.name, values, at: lane)
    return entry
  }

  /// Shows the rules that were broken since the last call.
  func addFindings() {
    // A connection has ended when neither side regards the other one as connected.
    hub.add(
      state.withLock { state in
        guard state.connected.isEmpty, state.wasConnected else { return state.findings.news() }
        state.wasConnected = false
        return state.findings.end()
      })
  }

  /// Keeps what the phone's panel shows.
  private func note(_ event: RoleEvent, of role: Role) {
    let words = event.record?.words ?? [:]
    state.withLock { state in
      switch event {
      case .connected:
        state.connected.insert(role)
        state.wasConnected = true
      case .disconnected:
        state.connected.remove(role)
        if role == .headUnit { state.isLive = false }
      case .powerChanged where role == .headUnit:
        if let level = words["BatteryChargeLevel"].flatMap({ Int($0) }) { state.phone.battery = level }
        if let charging = words["BatteryChargingState"] { state.phone.isCharging = charging == "Charging" }
      case .feature where role == .headUnit: state.phone.note(event.name, words)
      default: break
      }
    }
  }
}

extension LabState.Phone {
  /// Takes an event of the head unit about the phone.
  fileprivate mutating func note(_ name: String, _ words: [String: String]) {
    switch name {
    case "nowPlaying":
      var next = song ?? Song(title: "", artist: "", isPlaying: false)
      if let title = words["MediaItemTitle"] { next.title = title }
      if let artist = words["MediaItemArtist"] { next.artist = artist }
      if let status = words["PlaybackStatus"] { next.isPlaying = status == "Playing" }
      song = next
    case "callState":
      guard let name = words["DisplayName"] ?? words["RemoteID"], let status = words["Status"] else { return }
      calls.removeAll { $0.name == name }
      if status != "Disconnected" { calls.append(Call(name: name, state: status)) }
    case "maneuver":
      guidance = Guidance(maneuver: words["ManeuverDescription"] ?? "", roadAfter: words["AfterManeuverRoadName"] ?? "")
    default: break
    }
  }
}
