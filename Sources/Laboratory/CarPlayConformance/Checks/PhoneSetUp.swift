// swift-iap2 · Apache-2.0

import CarPlayAnalysis
import CarPlaySession
import IAP2
import IAP2Conformance

extension SessionCheck {
  /// The requests of a phone that ends or starts anew after a refusal.
  private static let ends: Set<ScriptedHeadUnit.Step> = [.feedback, .tearDown, .tearDownStreams, .other("OPTIONS")]

  /// Wrong proofs of the coprocessor, and the set-up of the session.
  static let setUpOfPhones: [SessionCheck] = [
    proofFault(
      71, "wrong signature", "A phone verifies the signature of the coprocessor.", "auth-setup-keys",
      "a wrong signature of the coprocessor"
    ) { flipped($0) },
    proofFault(
      72, "broken certificate", "A phone reads the certificate of the coprocessor.", "auth-setup-form",
      "a certificate of zeros"
    ) { bytes in
      let count = min(Int(UInt32(bigEndianBytes: bytes.dropFirst(32).prefix(4))), max(0, bytes.count - 36))
      return bytes.prefix(36) + [UInt8](repeating: 0, count: count) + bytes.dropFirst(36 + count)
    },
    proofFault(
      73, "key 0", "A phone refuses a key of zeros in auth-setup.", "auth-setup-form", "the key 0 in auth-setup"
    ) { [UInt8](repeating: 0, count: 32) + $0.dropFirst(32) },
    proofFault(
      74, "wrong length", "A phone refuses a part that is longer than the answer of auth-setup.", "auth-setup-form",
      "a certificate that is longer than the answer"
    ) { $0.prefix(32) + [0x7F, 0xFF, 0xFF, 0xFF] + $0.dropFirst(36) },
    setUpChange(
      71, "SETUP without eventPort", "A phone does not start a session that has no event channel.", "set-up-request",
      .high, .recommended, "an answer to SETUP without eventPort"
    ) { $0.changing { $0["eventPort"] = nil } },
    setUpChange(
      72, "another session", "A phone that gets 453 does not go on.", "states", .medium, .recommended,
      "status 453 for SETUP"
    ) { $0.refused(453) },
    setUpChange(
      73, "answer that is no property list", "A phone does not go on without a dictionary in the answer to SETUP.",
      "property-lists", .high, .recommended, "an answer to SETUP without a property list"
    ) { $0.replacing(body: Array("<plist/>".utf8)) },
    tolerance(
      "CSU-74", .sessionSetUp, "SETUP without timingPort", "A phone does without the clock of the head unit.",
      "set-up-request: a rule of our own", .low, "an answer to SETUP without timingPort"
    ) { headUnit in headUnit.change(.setUp) { $0.changing { $0["timingPort"] = nil } } },
    tolerance(
      "CSU-75", .sessionSetUp, "SETUP without features", "A phone does without features that are not enabled.",
      "enabled-features", .medium, "an answer to SETUP without enabledFeatures", .recommended
    ) { headUnit in
      headUnit.change(.setUp) { $0.changing { $0["enabledFeatures"] = nil } }
      for key in ["mainBufferedInfo", "hevcInfo"] { headUnit.info.values[key] = nil }
    },
    .phone(
      "CSU-76", .sessionSetUp, "RECORD refused", "A phone whose RECORD is refused opens no streams.",
      "states: that a phone keeps this is a rule of our own", .low
    ) { headUnit throws(Stop) in
      headUnit.change(.record) { $0.refused(455) }
      try await headUnit.until(.record)
      try await headUnit.demandStop(after: "status 455 for RECORD", allowing: ends.union([.record]))
    },
    .phone(
      "CSU-77", .sessionSetUp, "SETUP without an answer", "A phone gives a session up whose SETUP gets no answer.",
      "session-times", .low
    ) { headUnit throws(Stop) in
      headUnit.change(.setUp) { _ in nil }
      try await headUnit.until(.setUp)
      try await headUnit.demandEnd(after: "a SETUP without an answer", within: .seconds(30))
    },
    tolerance(
      "CSU-78", .sessionSetUp, "slow head unit", "A phone waits 3 s for the answer to SETUP.",
      "session-times: the limit of one program is 11 s", .low, "an answer to SETUP after 3 s"
    ) { $0.delay(.setUp, by: .seconds(3)) },
    .phone(
      "CEV-71", .sessionSetUp, "refused event connection",
      "A phone sets no streams up while it has no event connection.", "order", .high, .recommended
    ) { headUnit throws(Stop) in
      headUnit.refusesEvents = true
      try await headUnit.until(.setUp, within: headUnit.peer.answer * 3)
      _ = await headUnit.wait(headUnit.peer.answer * 2) { headUnit.isClosed || headUnit.handled.contains(.streams) }
      guard !headUnit.handled.contains(.streams) else {
        throw .failed("the phone set streams up without an event connection")
      }
    },
  ]

  /// Answers to `/info`.
  static let informationOfPhones: [SessionCheck] = [
    .phone(
      "CIN-71", .sessionInformation, "empty /info", "A phone does not start a session without a display.",
      "info-demands", .medium, .recommended
    ) { headUnit throws(Stop) in
      headUnit.change(.information) { $0.changing { $0 = [:] } }
      try await headUnit.until(.information)
      try await headUnit.demandStop(after: "an empty /info", allowing: ends.union([.information]))
    },
    .phone(
      "CIN-72", .sessionInformation, "/info that is no property list",
      "A phone does not go on without a dictionary in /info.", "property-lists", .high, .recommended
    ) { headUnit throws(Stop) in
      headUnit.change(.information) { $0.replacing(body: Array("<plist/>".utf8)) }
      try await headUnit.until(.information)
      try await headUnit.demandStop(after: "an /info without a property list", allowing: ends.union([.information]))
    },
    informationChange(
      73, "head unit without sound", "A phone works with a head unit that has no sound.", "info-demands", .medium,
      .recommended, "an /info without audioFormats"
    ) { values in
      for key in ["audioFormats", "audioLatencies", "mainBufferedInfo"] { values[key] = nil }
    },
    informationChange(
      74, "real numbers in /info", "A phone reads whole numbers of /info that are real ones.", "property-numbers",
      .medium, .recommended, "real numbers in /info"
    ) { $0 = $0.mapValues(\.withRealNumbers) },
    .phone(
      "CIN-75", .sessionInformation, "unreadable report descriptor",
      "A phone goes on without an input device whose descriptor cannot be read, or ends the session.",
      "hid-descriptors: what follows is not public", .low
    ) { headUnit throws(Stop) in
      headUnit.change(.information) { answer in
        answer.changing { values in
          values["hidDevices"] = [["uuid": "1", "name": "broken", "hidDescriptor": .data([0xFE, 0xFF, 0x00, 0xA1])]]
        }
      }
      try await headUnit.until(.information)
      let count = headUnit.requests.count
      let isDone = { headUnit.isClosed || headUnit.requests.count > count }
      guard await headUnit.wait(headUnit.peer.answer, for: isDone) else {
        throw .failed("after a broken report descriptor the phone neither goes on nor ends the session")
      }
    },
    .phone(
      "CIN-76", .sessionInformation, "second display",
      "A phone works with a second display, and its screens name displays of /info.", "stream-set-up", .high,
      .recommended
    ) { headUnit throws(Stop) in
      let displays = [DisplaySettings(width: 800, height: 480), DisplaySettings(width: 400, height: 240)]
      headUnit.info.displays =
        SessionInfo.standard(generation: .current, deviceID: "02:00:00:00:00:01", displays: displays).displays
      try await headUnit.demand(.record, after: "a second display")
      try await headUnit.demandLife(after: "a second display")
      let breach = headUnit.record.breaches.first { $0.rule.id == "CST-04" && $0.side == .phone }
      if let breach { throw .failed("\(breach.problem)") }
    },
  ]

  /// Returns the check of a wrong answer to auth-setup.
  private static func proofFault(
    _ number: Int, _ title: String, _ requirement: String, _ anchor: String, _ what: String,
    _ change: @escaping @Sendable ([UInt8]) -> [UInt8]
  ) -> SessionCheck {
    .phone("CAS-\(number)", .sessionProof, title, requirement, anchor, .high, .required) { headUnit throws(Stop) in
      headUnit.change(.authSetup) { $0.status == 200 ? $0.replacing(body: change($0.body)) : $0 }
      let limit = headUnit.peer.answer * 3
      _ = await headUnit.wait(limit) { headUnit.handled.contains(.authSetup) || headUnit.handled.contains(.setUp) }
      if headUnit.handled.contains(.setUp) { throw .notApplicable("the phone asks for no proof") }
      try await headUnit.until(.authSetup, within: .zero)
      guard case .some(_?) = headUnit.evidence else { throw .inconclusive("the probe's coprocessor did not sign") }
      try await headUnit.demandStop(after: what)
    }
  }

  /// Returns the check of an answer to SETUP after which the phone must not go on.
  private static func setUpChange(
    _ number: Int, _ title: String, _ requirement: String, _ anchor: String, _ confidence: Confidence,
    _ strictness: Strictness, _ what: String, _ change: @escaping @Sendable (RequestMessage) -> RequestMessage
  ) -> SessionCheck {
    .phone("CSU-\(number)", .sessionSetUp, title, requirement, anchor, confidence, strictness) {
      headUnit throws(Stop) in
      headUnit.change(.setUp, change)
      try await headUnit.until(.setUp, within: headUnit.peer.answer * 3)
      try await headUnit.demandStop(after: what, allowing: ends.union([.setUp]))
    }
  }

  /// Returns the check of an `/info` with which the session lives.
  private static func informationChange(
    _ number: Int, _ title: String, _ requirement: String, _ anchor: String, _ confidence: Confidence,
    _ strictness: Strictness, _ what: String, _ change: @escaping @Sendable (inout [String: PropertyValue]) -> Void
  ) -> SessionCheck {
    .phone("CIN-\(number)", .sessionInformation, title, requirement, anchor, confidence, strictness) {
      headUnit throws(Stop) in
      // The features of the set-up follow from the same values.
      change(&headUnit.info.values)
      try await headUnit.until(.setUp, within: headUnit.peer.answer * 3)
      try await headUnit.demand(.record, after: what)
      try await headUnit.demandLife(after: what)
    }
  }
}
