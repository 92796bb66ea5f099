// swift-iap2 · Apache-2.0

import CarPlayControl
import CarPlayPlatform
import IAP2
import IAP2Capture

/// The record of one life of an app in its car: its calls, and the messages between head unit and phone.
final class CarLog {
  private let hub: LabHub
  private var writer = CaptureWriter(.pcapng)
  private var link = LinkEntries()
  private var findings = LiveFindings()
  /// The number of the present connection; nil between two of them.
  private var connection: Int?
  /// The bytes between head unit and phone so far, as pcapng.
  var capture: [UInt8] { kept.bytes }
  private var kept = LabCapture()
  /// The number of entries that are not only packets.
  private(set) var eventCount = 0

  init(_ hub: LabHub) {
    self.hub = hub
    kept.add(writer.header)
    _ = link.take(writer.header)
    findings.take(writer.header, at: 0)
  }

  func add(_ line: CarLine) { if let entry = LabEntry(line) { add(entry) } }

  func add(_ entry: LabEntry) {
    if entry.kind != .packet { eventCount += 1 }
    hub.add([entry])
  }

  func add(_ sent: CarReport.LinkBytes) {
    if let connection, connection != sent.connection { hub.add(findings.end()) }
    connection = sent.connection
    let record = CaptureWriter.Record(
      nanoseconds: Int64(max(0, min(sent.time, 1e9)) * 1e9), from: sent.isFromHeadUnit ? .accessory : .device,
      connection: UInt16(clamping: sent.connection), bytes: [UInt8](sent.bytes))
    let bytes = writer.record(record)
    kept.add(bytes)
    findings.take(bytes, at: sent.time)
    for var entry in link.take(bytes) {
      // The decoder counts from the first record.
      entry.time = sent.time
      add(entry)
    }
  }

  /// Shows the rules that were broken since the last call, and the point at which a connection that has ended stopped.
  func addFindings(isConnected: Bool) {
    guard !isConnected, connection != nil else { return hub.add(findings.news()) }
    connection = nil
    hub.add(findings.end())
  }
}

extension LabState {
  /// Creates the state of an app's car.
  init(_ car: CarState, car name: String, app: String) {
    self.init()
    (time, front, isConnected) = (car.time, car.front.rawValue, car.isConnected)
    (isDriving, isLocked, screen) = (car.isDriving, car.isLocked, car.screen)
    if let shown = car.look {
      look = Look(
        name: name, pixelWidth: shown.screen.pixelWidth, pixelHeight: shown.screen.pixelHeight,
        drivingSide: shown.screen.drivingSide.rawValue, appearance: shown.appearance.rawValue)
    }
    phone.apps = [app]
    (phone.battery, phone.isCharging) = (car.battery, car.isCharging)
    displays =
      [.screen] + (car.dashboard == nil ? [] : [.dashboard]) + (car.cluster == nil ? [] : [.cluster])
    guard let headUnit = car.headUnit else { return }
    phone.song = headUnit.song.map { Phone.Song(title: $0.title, artist: $0.artist, isPlaying: $0.isPlaying) }
    phone.calls = headUnit.calls.map { Phone.Call(name: $0.name, state: $0.state) }
    phone.guidance = headUnit.guidance.map { Phone.Guidance(maneuver: $0.maneuver, roadAfter: $0.roadAfter) }
  }
}
