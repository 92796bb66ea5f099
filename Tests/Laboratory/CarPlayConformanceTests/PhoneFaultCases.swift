// swift-iap2 · Apache-2.0

import CarPlayPrograms
import CarPlaySession
import Testing

@testable import CarPlayConformance

/// A faulty phone, and the check that it fails.
struct FaultCase: Sendable, CustomTestStringConvertible {
  let id: String
  let fault: PhoneFault

  var testDescription: String { id }

  /// The phones, each for one check.
  static let all: [FaultCase] =
    goesOn + refusals + pieces + datagrams + answers + modes + calls
    + [
      // It sends its identity in place of a second attempt.
      FaultCase("CPA-77") { fault in
        fault.change = { _, message, _, _ in
          guard message.path == "/pair-setup", message.sequence != "1", message.body.last == 1 else { return message }
          var message = message
          message.body = TLV8([(.state, [5]), (.encryptedData, [1])]).bytes
          return message
        }
      },
      // A paired one does not pair again.
      FaultCase("CPA-83") { fault in
        fault.change = { _, message, _, isPaired in
          isPaired && message.path == "/pair-setup" ? nil : message
        }
      },
      FaultCase("CPA-84") { fault in
        fault.change = { _, message, _, isPaired in
          guard isPaired, message.path == "/pair-setup" else { return message }
          return RequestMessage(
            .request(method: "GET", path: "/info", protocolWord: "RTSP/1.0"), headers: message.headers)
        }
      },
      FaultCase("CCH-74") { $0.answersAtEnd = true },
      FaultCase("CCH-77") { fault in
        fault.refusesPiece = { $0 == .control(0) && $1.starts(with: "RTSP/1.0 200".utf8) && $1.count > 1000 }
        fault.endless = ["RECORD"]
      },
      FaultCase("CIN-75") { $0.endless = [] },
      FaultCase("CEV-71") { $0.endless = ["SETUP"] },
      FaultCase("CSU-78") { $0.configure = { $0.times.request = .seconds(2) } },
      FaultCase("CSC-71") { fault in
        fault.program = { settings in
          do { settings.film = try OwnPhone.film(interval: 1800, rate: 30) } catch { settings.film = nil }
        }
      },
      FaultCase("CSC-72") { $0.configure = { $0.times.heartbeat = .seconds(4) } },
      FaultCase("CFB-72") { $0.configure = { $0.times.heartbeat = .seconds(4) } },
    ]
    + ["CEN-73", "CEN-74", "CEN-75"].map { id in
      FaultCase(id) { fault in
        fault.change = { _, message, connection, _ in connection > 1 ? nil : message }
      }
    }

  /// Phones with a fault in their control port.
  private static let calls =
    [
      FaultCase("CDI-71") { $0.changeCall = { _, _ in 404 } }, FaultCase("CDI-72") { $0.ignoresCalls = true },
      FaultCase("CDI-76") { $0.blocksCalls = true },
      FaultCase("CDI-77") { $0.changeCall = { request, status in request.contains("ID: 02:") ? 400 : status } },
    ]
    + ["CDI-73", "CDI-74", "CDI-75"].map { id in FaultCase(id) { $0.changeCall = { _, _ in 200 } } }

  /// Phones that break a rule in their ordinary session.
  static let rules: [FaultCase] = [
    FaultCase("CRQ-01") { $0.change = { socket, message, _, _ in socket == .events ? nil : message } },
    FaultCase("CRQ-02") { fault in
      fault.change = { socket, message, _, _ in
        var message = message
        if socket == .events { message.headers = RequestHeaders([("CSeq", "77")]) }
        return message
      }
    },
    FaultCase("CRQ-04") { $0.changeBody("SETUP") { _ in Array("<plist/>".utf8) } },
    FaultCase("CRQ-05") { fault in
      fault.change = { _, message, _, _ in
        var message = message
        message.headers.fields.removeAll { $0.name == "Content-Type" }
        return message
      }
    },
    FaultCase("CPA-01") { $0.changeBody("/pair-verify") { $0.dropLast() } },
    FaultCase("CPA-04") { $0.changeList("/pair-setup", state: 3) { $0.set(.proof, [1]) } },
    FaultCase("CPA-06") { $0.changeList("/pair-verify", state: 1) { $0.set(.publicKey, [1, 2]) } },
    FaultCase("CPA-07") { $0.changeList("/pair-verify", state: 3) { $0.flip(.encryptedData) } },
    FaultCase("CPA-09") { $0.changeList("/pair-setup", state: 1) { $0.set(.flags, [0]) } },
    FaultCase("CAS-01") { $0.changeBody("/auth-setup") { $0 + [0] } },
    FaultCase("CST-03") { $0.changeStreams { $0["streamConnectionID"] = nil } },
    FaultCase("CST-04") { $0.changeStreams { if $0["type"] == 110 { $0["uuid"] = "other" } } },
    FaultCase("CST-05") { $0.changeStreams { if $0["type"] == 100 { $0["audioFormat"] = 3 } } },
    FaultCase("CSC-01") { fault in
      // The last byte of a picture is in its tag.
      fault.changeContent = { $0 == .stream(.screen) && $1.count > 128 && $1[4] == 0 ? $1.dropLast() + [0] : $1 }
    },
    FaultCase("CSC-07") { fault in
      fault.program = { settings in
        do { settings.film = try OwnPhone.film(interval: 1800, rate: 30) } catch { settings.film = nil }
      }
    },
    FaultCase("CSO-01") { $0.changeContent = { $0 == .stream(.mainAudio) ? $1.prefix(20) + $1.suffix(24) : $1 } },
    FaultCase("CSO-02") { $0.changeContent = { $0 == .stream(.bufferedAudio) ? $1.dropLast() + [0xFF] : $1 } },
    FaultCase("CST-06") { $0.changeStreams { if $0["type"] == 103 { $0["shk"] = .data([1]) } } },
    FaultCase("CDA-01") { $0.changeContent = { $0 == .stream(.data) ? $1.dropLast() + [0xFF] : $1 } },
    FaultCase("CCL-01") { $0.changeContent = { $0 == .clock ? $1.dropLast() : $1 } },
    FaultCase("CCL-02") { $0.changeContent = { $0 == .clock ? $1.prefix(8) + $1.suffix(24).reversed() : $1 } },
    FaultCase("CCM-01") { $0.changeBody("/command") { _ in (["params": [:]] as PropertyValue).binary } },
    FaultCase("CCM-02") { $0.changeBody("/command") { _ in (["type": "modesChanged"] as PropertyValue).binary } },
    FaultCase("CCM-04") { $0.change = { socket, message, _, _ in socket == .events ? message.failed : message } },
  ]

  init(_ id: String, _ make: (inout PhoneFault) -> Void) {
    self.id = id
    var fault = PhoneFault()
    make(&fault)
    self.fault = fault
  }

  /// Phones that go on in place of an end.
  private static let goesOn: [FaultCase] = [
    "CPA-71", "CPA-72", "CPA-73", "CPA-74", "CPA-75", "CPA-76", "CPA-78", "CPA-79", "CPA-80", "CPA-81", "CPA-82",
    "CPA-85", "CPA-86", "CPA-87", "CPA-88", "CPA-89", "CDA-72", "CRQ-76", "CCH-71", "CCH-72", "CCH-73", "CAS-71",
    "CAS-72", "CAS-73",
    "CAS-74", "CSU-71", "CSU-72", "CSU-73",
    "CSU-76", "CSU-77", "CIN-71", "CIN-72", "CSC-73", "CFB-71", "CEN-71", "CEN-72",
  ].map { id in FaultCase(id) { $0.endless = ["GET", "RECORD"] } }

  /// Phones that end the session at an unusual message.
  private static let refusals: [FaultCase] = [
    refusing("CRQ-71") { $0.headers.fields.contains { $0.name == "cseq" } },
    refusing("CRQ-72") { if case .answer(_, "", _) = $0.start { true } else { false } },
    refusing("CRQ-73") { $0.headers["X-Unknown"] != nil },
    refusing("CRQ-74") { $0.content["xUnknown"] != nil },
    refusing("CRQ-75") { if case .real? = $0.content["eventPort"] { true } else { false } },
    refusing("CSU-74") { $0.content["eventPort"] != nil && $0.content["timingPort"] == nil },
    refusing("CSU-75") { $0.content["eventPort"] != nil && $0.content["enabledFeatures"] == nil },
    refusing("CIN-73") { $0.content["displays"] != nil && $0.content["audioFormats"] == nil },
    refusing("CIN-74") { if case .real? = $0.content["features"] { true } else { false } },
    refusing("CIN-76") { $0.content["displays"]?.array?.count == 2 },
    refusing("CST-71") { $0.content["streams"] == [] },
    refusing("CST-72") { $0.hasSound { $0["controlPort"] != nil && $0["streamConnectionID"] == nil } },
    refusing("CST-73") { $0.hasSound { $0["dataPort"] != nil && $0["controlPort"] == nil } },
    refusing("CST-74") { ($0.content["streams"]?.array ?? []).contains { $0["dataPort"] == 9 } },
    refusing("CCM-80") {
      if case .real? = $0.content["params"]?["appStates"]?.array?.first?["appStateID"] { true } else { false }
    },
    refusing("CCM-81") { $0.body.count > 65_536 },
    refusing("CCM-71") { $0.content["type"]?.text == "xUnknownCommand" },
    refusing("CCM-72") { $0.path == "/command" && $0.content["params"] != nil && $0.content["type"] == nil },
    refusing("CCM-73") { $0.path == "/command" && $0.body.first == UInt8(ascii: "<") },
    refusing("CCM-74") { $0.path == "/unknown" },
    refusing("CHI-71") { $0.content["uuid"]?.text == "ffffffff" },
    refusing("CHI-72") { $0.content["hidReport"]?.data == [1] },
    refusing("CHI-73") { $0.content["type"]?.text == "hidSendReport" && $0.content["uuid"] == nil },
  ]

  private static func refusing(_ id: String, _ refuses: @escaping @Sendable (RequestMessage) -> Bool) -> FaultCase {
    FaultCase(id) { $0.refuses = refuses }
  }

  /// Phones that end the session at unusual pieces of bytes.
  private static let pieces: [FaultCase] = [
    FaultCase("CCH-75") { $0.refusesPiece = { $0 == .control(0) && $1.count == 1 } },
    FaultCase("CCH-76") { $0.refusesPiece = { $0 == .control(0) && $1.starts(with: [1, 0]) } },
    FaultCase("CCM-77") { $0.refusesPiece = { $0 == .events && $1.count == 1 } },
    FaultCase("CSO-73") { $0.refusesPiece = { $0 == .streamControl(.mainAudio) && $1.count == 600 } },
    FaultCase("CSO-74") { fault in
      (fault.speaks, fault.refusesPiece) = (true, { socket, _ in socket == .stream(.mainAudio) })
    },
    FaultCase("CCL-74") { $0.refusesPiece = { $0 == .clock && $1.count == 31 } },
  ]

  /// Phones with faults of their datagrams and their clock.
  private static let datagrams: [FaultCase] = [
    // A reply is the only frame of this size.
    FaultCase("CDA-71") { $0.changeContent = { $0 == .stream(.data) && $1.count == 50 ? nil : $1 } },
    FaultCase("CCL-71") { $0.changeContent = { $0 == .clock ? $1.prefix(8) + $1.suffix(24).reversed() : $1 } },
    FaultCase("CCL-72") { $0.refusesSecondPort = true },
    FaultCase("CCL-73") { $0.needsClock = true },
    FaultCase("CSO-71") { $0.changeContent = { $0 == .streamControl(.mainAudio) ? nil : $1 } },
    FaultCase("CSO-72") { $0.changeContent = { $0 == .streamControl(.mainAudio) ? nil : $1 } },
  ]

  /// Phones with faults of their answers and commands.
  private static let answers: [FaultCase] = [
    FaultCase("CCM-75") { $0.change = { socket, message, _, _ in socket == .events ? message.failed : message } },
    FaultCase("CHI-74") { $0.change = { socket, message, _, _ in socket == .events ? message.failed : message } },
    FaultCase("CCM-76") { fault in
      fault.change = { socket, message, _, _ in
        guard socket == .events else { return message }
        var message = message
        message.headers = RequestHeaders([("CSeq", "1")])
        return message
      }
    },
    FaultCase("CCM-78") { $0.change = { _, message, _, _ in message.isNewMode ? nil : message } },
    FaultCase("CCM-79") { fault in
      fault.change = { socket, message, _, _ in
        guard socket == .events, message.content["status"]?.integer == 1 else { return message }
        var message = message
        message.body = (["status": 0] as PropertyValue).binary
        return message
      }
    },
  ]
}

extension PhoneFault {
  /// Changes the bodies of the requests with a method or a path.
  fileprivate mutating func changeBody(_ name: String, _ body: @escaping @Sendable ([UInt8]) -> [UInt8]) {
    change = { socket, message, _, _ in
      guard socket == .control(0), message.path == name || message.name == name else { return message }
      return message.replacing(body: body(message.body))
    }
  }

  /// Changes the list of a message of pairing.
  fileprivate mutating func changeList(
    _ path: String, state: UInt8, _ change: @escaping @Sendable (inout TLV8) -> Void
  ) {
    self.change = { _, message, _, _ in
      message.path == path && message.list?.byte(.state) == state ? message.changingList { change(&$0) } : message
    }
  }

  /// Changes the streams that the phone sets up.
  fileprivate mutating func changeStreams(_ change: @escaping @Sendable (inout [String: PropertyValue]) -> Void) {
    self.change = { _, message, _, _ in
      guard message.name == "SETUP", message.values?["streams"] != nil else { return message }
      return message.changing { values in
        var streams = StreamList(values: values).streams ?? []
        for index in streams.indices { change(&streams[index].values) }
        values = StreamList(streams).values
      }
    }
  }
}

extension RequestMessage {
  /// The dictionary of the body; empty for another body.
  fileprivate var content: [String: PropertyValue] { values ?? [:] }

  /// Whether the streams of the body have one of sound with a property.
  fileprivate func hasSound(_ isFound: (PropertyValue) -> Bool) -> Bool {
    (content["streams"]?.array ?? []).contains { (100...102).contains($0["type"]?.integer ?? 0) && isFound($0) }
  }

  /// Whether the message reports that the head unit uses the screen.
  fileprivate var isNewMode: Bool {
    do throws(BodyProblem) {
      guard case .modesChanged(let modes)? = try CommandBody(bytes: body).command else { return false }
      return modes.screen.user == .headUnit
    } catch { return false }
  }

  /// The answer with status 400.
  fileprivate var failed: RequestMessage {
    RequestMessage(.answer(status: 400, reason: "", protocolWord: "RTSP/1.0"), headers: headers)
  }
}
