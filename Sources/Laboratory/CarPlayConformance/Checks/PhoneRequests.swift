// swift-iap2 · Apache-2.0

import CarPlaySession
import IAP2
import IAP2Conformance

extension SessionCheck {
  /// Unusual and damaged forms of answers.
  static let requestsOfPhones: [SessionCheck] = [
    tolerance(
      "CRQ-71", .sessionRequests, "header names in lower case", "A phone reads header names in any case.", "request",
      .high, "header names in lower case"
    ) { $0.textOfAll = { [lowercasedNames($0)] } },
    tolerance(
      "CRQ-72", .sessionRequests, "answers without a reason", "A phone reads an answer whose reason is empty.",
      "request: the reason is no part of the fact", .low, "answers without a reason"
    ) { headUnit in
      headUnit.changeAll = { answer in
        var answer = answer
        if case .answer(let status, _, let word) = answer.start {
          answer.start = .answer(status: status, reason: "", protocolWord: word)
        }
        return answer
      }
    },
    tolerance(
      "CRQ-73", .sessionRequests, "unknown headers", "A phone skips headers that it does not know.",
      "request: unknown headers are no part of the fact", .low, "unknown headers"
    ) { headUnit in
      headUnit.changeAll = { answer in
        var answer = answer
        let usual = answer.headers.fields.map { ($0.name, $0.value) }
        answer.headers = RequestHeaders([("X-Unknown", "a: b, c")] + usual + [("Server", "AirTunes/320.17")])
        return answer
      }
    },
    tolerance(
      "CRQ-74", .sessionRequests, "unknown keys", "A phone skips keys that it does not know.", "property-lists", .low,
      "unknown keys in answers"
    ) { headUnit in
      for step in [ScriptedHeadUnit.Step.setUp, .information, .streams] {
        headUnit.change(step) { answer in
          answer.changing { $0.merge(["xUnknown": ["a": [1, 2.5, "b"]], "zUnknown": true]) { $1 } }
        }
      }
    },
    tolerance(
      "CRQ-75", .sessionRequests, "real numbers for whole ones", "A phone reads whole numbers that are real ones.",
      "property-numbers", .medium, "real numbers in the answer to SETUP", .recommended
    ) { headUnit in
      headUnit.change(.setUp) { answer in answer.changing { $0 = $0.mapValues(\.withRealNumbers) } }
    },
    .phone(
      "CRQ-76", .sessionRequests, "broken Content-Length", "A phone does not go on after a length that is no number.",
      "request", .high, .recommended
    ) { headUnit throws(Stop) in
      headUnit.replaceText(of: .information) { bytes in
        var message = RequestMessage(.answer(status: 200, reason: "OK", protocolWord: "RTSP/1.0"))
        message.headers = RequestHeaders([("CSeq", headUnit.requests.last?.message.sequence ?? "")])
        let head = message.bytes.dropLast(4 + "Content-Length: 0".utf8.count)
        return head + Array("Content-Length: 12x4\r\n\r\n".utf8) + bytes.suffix(100)
      }
      try await headUnit.until(.information)
      try await headUnit.demandStop(after: "a Content-Length that is no number", allowing: [])
    },
    .phone(
      "CCH-71", .sessionChannels, "damaged frame", "A phone does not read a frame whose tag is wrong.", "frame", .high,
      .required
    ) { headUnit throws(Stop) in
      headUnit.replaceBytes(of: .information) { [flipped($0)] }
      try await headUnit.until(.information)
      try await headUnit.demandStop(after: "a frame with a wrong tag", allowing: [])
    },
    .phone(
      "CCH-72", .sessionChannels, "repeated frame", "A phone ends the connection when a frame comes twice.", "frame",
      .high, .recommended
    ) { headUnit throws(Stop) in
      try await headUnit.goLive()
      headUnit.forgetSteps()
      headUnit.replaceBytes(of: .feedback) { [$0, $0] }
      try await headUnit.until(.feedback)
      headUnit.restore(.feedback)
      try await headUnit.demandEnd(after: "a repeated frame")
    },
    .phone(
      "CCH-73", .sessionChannels, "frames in another order", "A phone does not read frames in another order.", "frame",
      .high, .required
    ) { headUnit throws(Stop) in
      headUnit.replaceBytes(of: .information) { [frames(of: $0).reversed().flatMap { $0 }] }
      try await headUnit.until(.information)
      try await headUnit.demandStop(after: "frames in the reversed order", allowing: [])
    },
    .phone(
      "CCH-74", .sessionChannels, "damaged frame of a command", "A phone does not obey a command whose tag is wrong.",
      "frame", .high, .required
    ) { headUnit throws(Stop) in
      try await headUnit.goLive()
      let message = headUnit.request(SessionCommand.setNightMode(true).body.binary)
      await headUnit.sendEvents([flipped(headUnit.sealed(message))])
      _ = await headUnit.wait(headUnit.peer.answer) {
        !headUnit.commandAnswers.isEmpty || headUnit.isClosed || headUnit.closed.contains(.events)
      }
      guard headUnit.commandAnswers.isEmpty else {
        throw .failed("the phone answered a command whose tag is wrong")
      }
    },
    tolerance(
      "CCH-75", .sessionChannels, "answers byte by byte", "A phone joins the pieces of an answer.", "frame", .high,
      "answers in pieces of one byte", .required
    ) { $0.splitAll = { $0.map { [$0] } } },
    tolerance(
      "CCH-76", .sessionChannels, "frames of one byte", "A phone joins the text of frames.", "frame-end", .low,
      "frames with one byte of text"
    ) { $0.textOfAll = { $0.map { [$0] } } },
    .phone(
      "CCH-77", .sessionChannels, "answer in the clear", "A phone reads no answer in the clear after pair-verify.",
      "pair-verify-keys", .high, .required
    ) { headUnit throws(Stop) in
      var text: [UInt8] = []
      headUnit.replaceText(of: .information) { bytes in
        text = bytes
        return bytes
      }
      headUnit.replaceBytes(of: .information) { _ in [text] }
      try await headUnit.until(.information)
      try await headUnit.demandStop(after: "an answer in the clear", allowing: [])
    },
  ]

  /// Returns a check of a form of answers with which the phone goes on to `RECORD`, and then lives.
  static func tolerance(
    _ id: String, _ area: Area, _ title: String, _ requirement: String, _ anchor: String, _ confidence: Confidence,
    _ what: String, _ strictness: Strictness? = nil, _ prepare: @escaping @Sendable (ScriptedHeadUnit) -> Void
  ) -> SessionCheck {
    .phone(id, area, title, requirement, anchor, confidence, strictness) { headUnit throws(Stop) in
      prepare(headUnit)
      try await headUnit.demand(.record, after: what)
      try await headUnit.demandLife(after: what)
    }
  }

  /// Returns bytes whose last bit is flipped.
  static func flipped(_ bytes: [UInt8]) -> [UInt8] { bytes.dropLast() + [(bytes.last ?? 0) ^ 1] }

  /// Returns the frames in the bytes of an encrypted channel.
  private static func frames(of bytes: [UInt8]) -> [[UInt8]] {
    var frames: [[UInt8]] = []
    var rest = bytes[...]
    while let low = rest.first, let high = rest.dropFirst().first {
      let count = 2 + Int(low) + Int(high) << 8 + 16
      frames.append(Array(rest.prefix(count)))
      rest = rest.dropFirst(count)
    }
    return frames
  }

  /// Returns a message whose header names have small letters.
  private static func lowercasedNames(_ bytes: [UInt8]) -> [UInt8] {
    let end = bytes.indices.first { bytes[$0...].starts(with: [13, 10, 13, 10]) } ?? bytes.endIndex
    var isName = false
    var isFirst = true
    let head = bytes[..<end].map { byte -> UInt8 in
      if byte == 10 { (isName, isFirst) = (true, false) }
      if byte == UInt8(ascii: ":") { isName = false }
      let isCapital = (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte)
      return isName && !isFirst && isCapital ? byte + 32 : byte
    }
    return head + bytes[end...]
  }
}

extension PropertyValue {
  /// The value with real numbers in place of whole ones.
  var withRealNumbers: PropertyValue {
    switch self {
    case .integer(let number): .real(Double(number))
    case .unsigned(let number): .real(Double(number))
    case .array(let values): .array(values.map(\.withRealNumbers))
    case .dictionary(let values): .dictionary(values.mapValues(\.withRealNumbers))
    default: self
    }
  }
}
