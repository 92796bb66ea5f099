// swift-iap2 · Apache-2.0

import Basics
import CarPlayPrograms
import CarPlaySession
import CarPlaySimulation
import Cryptography
import Synchronization
import Testing

/// Requests of a phone of the old generation, which are in the clear, and answers to it.
@Suite("The set-up of a phone") struct PhoneSetUpTests {
  private final class Requests: Sendable {
    let bytes = Mutex<[UInt8]>([])
    let keepAlives = Mutex<[(count: Int, time: MonotonicTime)]>([])

    /// The bodies of requests by a method.
    func bodies(of name: String) -> [PropertyValue] {
      var reader = RequestReader()
      reader.add(bytes.withLock { $0 })
      var found: [PropertyValue] = []
      while let message = try? reader.next() {
        guard case .request(let method, _, _) = message.start, method == name, !message.body.isEmpty else { continue }
        if let body = try? PropertyValue(binary: message.body) { found.append(body) }
      }
      return found
    }
  }

  /// A network in the clear, with what the phone sends.
  private func network(
    _ requests: Requests = Requests(), _ keys: SetUpKeys = .today,
    headUnit: (inout HeadUnitConfiguration) -> Void = { _ in }
  ) throws -> SessionNetwork {
    var network = try Sessions.network(.old, headUnit: headUnit) { $0.keys = keys }
    network.fault = { delivery in
      switch (delivery.node, delivery.socket, delivery.content) {
      case (.headUnit, .control, .bytes(let bytes)): requests.bytes.withLock { $0 += bytes }
      case (.headUnit, .keepAlive, .datagram(let bytes, _)):
        requests.keepAlives.withLock { $0.append((bytes.count, delivery.time)) }
      default: break
      }
      return [delivery]
    }
    return network
  }

  @Test("A phone of today sends the keys of iOS 18.3.1, asks for /info with a dictionary, and keeps the link alive")
  func today() throws {
    let requests = Requests()
    var network = try network(requests)
    network.run(for: .seconds(25))
    let body = try #require(requests.bodies(of: "SETUP").first)
    for (key, value) in [
      ("model", "iPhone13,3"), ("osName", "iPhone OS"), ("osVersion", "18.3.1"), ("osBuildVersion", "22D72"),
      ("sourceVersion", "845.6.1"),
    ] { #expect(body[key]?.text == value) }
    for key in ["statsCollectionEnabled", "updateSessionRequest"] { #expect(body[key]?.bool == false) }
    #expect(body["keepAliveLowPower"]?.bool == true && body["timingProtocol"] == nil && body["timingPort"] != nil)
    #expect(body["sessionCorrelationUUID"]?.text?.count == 36)
    #expect(requests.bodies(of: "GET") == [.dictionary([:])])
    let beats = requests.keepAlives.withLock { $0 }
    #expect(beats.map(\.count) == [4, 4, 4])
    #expect(beats[1].time == beats[0].time.advanced(by: .seconds(10)))
  }

  @Test("The least keys leave those out")
  func least() throws {
    let requests = Requests()
    var network = try network(requests, .least)
    network.run(for: .seconds(25))
    let body = try #require(requests.bodies(of: "SETUP").first)
    for key in ["osName", "osBuildVersion", "keepAliveLowPower", "sessionCorrelationUUID"] { #expect(body[key] == nil) }
    #expect(body["timingProtocol"]?.text == "NTP" && requests.bodies(of: "GET").isEmpty)
    #expect(requests.keepAlives.withLock { $0.isEmpty })
  }

  @Test("A stream of sound has the keys of today, and its id 8 bytes")
  func sound() throws {
    let requests = Requests()
    var network = try network(requests)
    network.run(for: .seconds(1))
    for type in [StreamType.mainAudio, .alternateAudio, .mainHighAudio] {
      network.actPhone { _ = $0.setUp(StreamRequest(type, format: Music.formats[0]), at: $1) }
    }
    network.run(for: .seconds(1))
    let entries = requests.bodies(of: "SETUP").flatMap { $0["streams"]?.array ?? [] }
    #expect(entries.count == 3)
    for entry in entries {
      for key in ["input", "supportsHighAccuracyTimestamps", "supportsRTPPacketRedundancy"] {
        #expect(entry[key]?.bool == false)
      }
      if case .integer? = entry["streamConnectionID"] {} else { Issue.record("\(entry)") }
    }
  }

  /// Changes the answers of the head unit to `SETUP` of streams.
  private func changing(_ change: @escaping @Sendable (inout [String: PropertyValue]) -> Void) throws -> SessionNetwork
  {
    var network = try network()
    network.fault = { delivery in
      guard case (.phone, .control, .bytes(let bytes)) = (delivery.node, delivery.socket, delivery.content) else {
        return [delivery]
      }
      var reader = RequestReader()
      reader.add(bytes)
      guard let message = try? reader.next(), case .dictionary(var values)? = try? PropertyValue(binary: message.body),
        let entries = values["streams"]?.array
      else { return [delivery] }
      values["streams"] = .array(
        entries.map { entry in
          guard case .dictionary(var values) = entry else { return entry }
          change(&values)
          return .dictionary(values)
        })
      var delivery = delivery
      let headers = message.headers.fields.filter { $0.name != "Content-Length" }.map { ($0.name, $0.value) }
      delivery.content = .bytes(
        RequestMessage(
          message.start, headers: RequestHeaders(headers), body: PropertyValue.dictionary(values).binary
        ).bytes)
      return [delivery]
    }
    network.run(for: .seconds(1))
    network.actPhone { _ = $0.setUp(StreamRequest(.mainAudio, format: Music.formats[0]), at: $1) }
    network.run(for: .seconds(1))
    return network
  }

  private func states(_ network: SessionNetwork) -> [StreamState] {
    network.events(of: .phone(0)).compactMap { if case .stream(_, let state, _) = $0 { state } else { nil } }
  }

  @Test("Without pair-verify, an answer for sound may leave the id out; another id ends the stream")
  func idOfSound() throws {
    #expect(states(try changing { $0["streamConnectionID"] = nil }) == [.setUp, .running])
    let other = try changing { $0["streamConnectionID"] = 1 }
    #expect(states(other) == [.setUp, .notEchoed, .stopped] && other.ends(of: .phone(0)).isEmpty)
  }

  @Test("A type that the head unit leaves out of its answer ends that stream alone")
  func leftOut() throws {
    let network = try changing { $0["type"] = 101 }
    #expect(states(network) == [.notEchoed, .stopped] && network.ends(of: .phone(0)).isEmpty)
    let problems = network.events(of: .phone(0)).compactMap {
      if case .tolerated(let problem) = $0 { "\(problem)" } else { nil }
    }
    #expect(problems == ["answer to SETUP: streams is a list of 1, expected type 100"])
  }

  @Test("A refused event connection is tried again for two seconds", arguments: [3, 100])
  func refusedEvents(count: Int) throws {
    var network = try network()
    while network.states(of: .phone(0)).last != .setUp { network.run(for: .milliseconds(1)) }
    var (phone, actions) = (network.phones[0], [SessionAction]())
    var tries = 0
    var ends: [SessionEnd] = []
    phone.closed(.events, at: network.now)
    while let time = phone.nextDeadline, tries < count, ends.isEmpty {
      phone.handleDeadline(at: time)
      phone.takeActions(into: &actions)
      for action in actions {
        switch action {
        case .connect(.events, _):
          tries += 1
          if tries < count { phone.closed(.events, at: time) } else { phone.connected(.events, at: time) }
        case .report(.ended(let end, _)): ends.append(end)
        default: break
        }
      }
    }
    phone.takeActions(into: &actions)
    let asks = actions.contains { if case .send(.control, _) = $0 { true } else { false } }
    #expect(asks == (count == 3) && ends == (count == 3 ? [] : [.eventLost]))
    #expect(tries == (count == 3 ? 3 : 19))
  }

  @Test("A phone repeats a pair-setup whose proof was refused, once", arguments: [1, 2])
  func secondTry(count: Int) throws {
    var network = try Sessions.network()
    let refused = Mutex(0)
    network.fault = { delivery in
      // M4 of pair-setup has a proof of 64 bytes.
      guard case (.phone, .control, .bytes(let bytes)) = (delivery.node, delivery.socket, delivery.content),
        refused.withLock({ $0 < count })
      else { return [delivery] }
      var reader = RequestReader()
      reader.add(bytes)
      guard let message = try? reader.next(), message.body.starts(with: [6, 1, 4, 4, 64]) else { return [delivery] }
      refused.withLock { $0 += 1 }
      var delivery = delivery
      let headers = message.headers.fields.filter { $0.name != "Content-Length" }.map { ($0.name, $0.value) }
      delivery.content = .bytes(
        RequestMessage(message.start, headers: RequestHeaders(headers), body: [6, 1, 4, 7, 1, 2]).bytes)
      return [delivery]
    }
    network.run(for: .seconds(2))
    #expect(network.phones[0].isLive == (count == 1))
    #expect(network.ends(of: .phone(0)) == (count == 1 ? [] : [.pairingRefused]))
  }

  @Test("What a phone misses in /info is named")
  func info() throws {
    for (change, problem) in Self.infos {
      var network = try network(headUnit: change)
      network.run(for: .seconds(1))
      let ends = network.events(of: .phone(0)).compactMap {
        if case .ended(let end, let problem) = $0 { "\(end.rawValue) \(problem.map { "\($0)" } ?? "")" } else { nil }
      }
      #expect(ends.count == 1 && ends[0].hasPrefix("badInfo /info: \(problem)"), "\(ends)")
    }
  }

  private static let infos: [(@Sendable (inout HeadUnitConfiguration) -> Void, String)] = [
    ({ $0.info.deviceID = nil }, "deviceID is missing, expected a MAC address"),
    ({ $0.info.values["features"] = "x" }, "features is the text \"x\", expected the number"),
    ({ $0.info.values["displays"] = [] }, "displays is a list of 0, expected a list of at least one display"),
    ({ $0.info.displays?[0].uuid = nil }, "displays[0].uuid is missing, expected a text"),
    ({ $0.info.displays?[0].width = 0 }, "displays[0].widthPixels is 0, expected a number of pixels"),
    ({ $0.info.values["hidDevices"] = 5 }, "hidDevices is 5, expected a list of at most 32 devices"),
    (
      { $0.info.values["hidDevices"] = [["uuid": "1", "hidDescriptor": .data([0x05])]] },
      "hidDevices[0].hidDescriptor is data of 1 bytes, expected a report descriptor"
    ),
  ]
}
