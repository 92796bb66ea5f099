// swift-iap2 · Apache-2.0

import CarPlaySession
import IAP2
import IAP2Conformance

extension SessionCheck {
  static let requestsOfHeadUnits: [SessionCheck] = [
    .headUnit(
      "CRQ-51", .sessionRequests, "header names in lower case",
      "The names of headers ignore case: a request with cseq is answered with its number.", "request", .high
    ) { phone throws(Stop) in
      var message = phone.request("GET", "/info")
      for index in message.headers.fields.indices {
        message.headers.fields[index].name = message.headers.fields[index].name.lowercased()
      }
      let answer = try await phone.ask(message)
      guard answer.sequence == message.sequence else {
        throw .failed("the answer has CSeq \(answer.sequence ?? "nothing"), not \(message.sequence ?? "")")
      }
    },
    .headUnit(
      "CRQ-52", .sessionRequests, "requests in one segment",
      "Several requests that come at once are answered in their order.", "request", .high, .recommended
    ) { phone throws(Stop) in
      let messages = (0..<3).map { _ in phone.request("GET", "/info") }
      for message in messages { phone.expect(message) }
      await phone.sendRaw(messages.flatMap(\.bytes))
      for message in messages {
        let answer = try await phone.answer()
        guard answer.sequence == message.sequence else {
          throw .failed("the answer has CSeq \(answer.sequence ?? "nothing"), not \(message.sequence ?? "")")
        }
      }
    },
    .headUnit(
      "CRQ-53", .sessionRequests, "a request in single bytes", "A request whose bytes come one by one is answered.",
      "request: TCP keeps no boundaries", .high
    ) { phone throws(Stop) in
      let message = phone.request("GET", "/info", headers: [("X-Apple-Conformance", "split")])
      phone.expect(message)
      for byte in message.bytes {
        await phone.sendRaw([byte])
        await phone.pass(.milliseconds(1))
      }
      _ = try await phone.answer()
    },
    .unknown("CRQ-54", "CRQ-66", "an unknown path", "POST", "/conformance").answered,
    .unknown("CRQ-54", "CRQ-66", "an unknown path", "POST", "/conformance").refused,
    .unknown("CRQ-55", "CRQ-67", "an unknown method", "CONFORM", "rtsp://carplay/1").answered,
    .unknown("CRQ-55", "CRQ-67", "an unknown method", "CONFORM", "rtsp://carplay/1").refused,
    .headUnit(
      "CRQ-56", .sessionRequests, "OPTIONS", "OPTIONS is answered with 200.", "feedback: LIVI counts it as a heartbeat",
      .medium, .recommended
    ) { phone throws(Stop) in
      try await phone.enter()
      let answer = try await phone.ask(phone.request("OPTIONS", "*"))
      guard answer.status == 200 else { throw .failed("OPTIONS got status \(answer.status)") }
    },
    .headUnit(
      "CRQ-57", .sessionRequests, "the word HTTP/1.1", "The answer repeats the protocol word of its request.",
      "request",
      .high, .recommended
    ) { phone throws(Stop) in
      var message = phone.request("GET", "/info")
      message.start = .request(method: "GET", path: "/info", protocolWord: "HTTP/1.1")
      let answer = try await phone.ask(message)
      guard case .answer(_, _, let word) = answer.start, word == "HTTP/1.1" else {
        throw .failed("the answer to a request of HTTP/1.1 has another word")
      }
    },
    .survival(
      "CRQ-58", .sessionRequests, "a first line of nothing", "request-limits", "bytes without a first line"
    ) { _ in Array("\u{0}\u{1}hello\r\n\r\n".utf8) },
    .survival(
      "CRQ-59", .sessionRequests, "a negative length", "request-limits", "Content-Length -1"
    ) { _ in Array("POST /feedback RTSP/1.0\r\nCSeq: 1\r\nContent-Length: -1\r\n\r\n".utf8) },
    .survival(
      "CRQ-60", .sessionRequests, "a length of 1 GiB", "request-limits", "Content-Length 1073741824"
    ) { _ in Array("POST /feedback RTSP/1.0\r\nCSeq: 1\r\nContent-Length: 1073741824\r\n\r\n".utf8) },
    .survival(
      "CRQ-68", .sessionRequests, "a folded header", "request-limits", "a header that is folded over two lines"
    ) { _ in Array("GET /info RTSP/1.0\r\nCSeq: 1\r\nUser-Agent: first\r\n second\r\n\r\n".utf8) },
    .survival(
      "CRQ-61", .sessionRequests, "headers without an end", "request-limits", "1 MiB of headers"
    ) { _ in
      Array("GET /info RTSP/1.0\r\nCSeq: 1\r\n".utf8) + Array(String(repeating: "X-A: b\r\n", count: 1 << 17).utf8)
    },
    .setUpWith(
      "CRQ-62", "unknown keys in SETUP", "Unknown keys of SETUP are ignored.",
      "set-up-today: each version of iOS adds some", .medium, .required
    ) { body in
      body.values["conformanceKey"] = ["a", 1, true]
      body.values["zzz"] = .data([1, 2, 3])
    },
    .setUpWith(
      "CRQ-63", "numbers as real ones", "A whole number in SETUP may be a real one.", "property-numbers", .medium,
      .recommended
    ) { body in
      for (key, value) in body.values {
        if case .integer(let number) = value { body.values[key] = .real(Double(number)) }
      }
    },
    .headUnit(
      "CRQ-64", .sessionRequests, "a body in XML",
      "A SETUP whose body is no binary property list gets an error status, and a new session works.", "property-lists",
      .high, .recommended
    ) { phone throws(Stop) in
      try await phone.enter()
      let text = "<?xml version=\"1.0\"?><plist version=\"1.0\"><dict/></plist>"
      await phone.send(phone.request("SETUP", type: "application/x-apple-plist", body: Array(text.utf8)))
      if let answer = await phone.answerOrEnd(), answer.status == 200 { throw .failed("SETUP in XML got status 200") }
      try await phone.demandNewSession(after: "SETUP in XML")
    },
    .headUnit(
      "CRQ-65", .sessionRequests, "a list nested in itself",
      "A property list that contains itself ends nothing but its request or its connection.", "property-lists", .low,
      .recommended
    ) { phone throws(Stop) in
      try await phone.enter()
      // An array whose only element is itself.
      let body: [UInt8] =
        Array("bplist00".utf8) + [0xA1, 0x00, 0x08] + [UInt8](repeating: 0, count: 6) + [1, 1]
        + [0, 0, 0, 0, 0, 0, 0, 1] + [UInt8](repeating: 0, count: 8) + [0, 0, 0, 0, 0, 0, 0, 10]
      await phone.send(phone.request("SETUP", type: "application/x-apple-binary-plist", body: body))
      if let answer = await phone.answerOrEnd(), answer.status == 200 { throw .failed("the SETUP got status 200") }
      try await phone.demandNewSession(after: "a list in itself")
    },
  ]

  /// Creates the checks of a request that a head unit does not know.
  private static func unknown(
    _ id: String, _ refusalID: String, _ what: String, _ method: String, _ path: String
  ) -> (answered: SessionCheck, refused: SessionCheck) {
    let answered = SessionCheck.headUnit(
      id, .sessionRequests, what, "A request with \(what) is answered, and the connection continues.", "states", .low,
      .recommended
    ) { phone throws(Stop) in
      try await phone.enter()
      _ = try await phone.ask(phone.request(method, path))
      try await phone.demandAnswer(after: what)
    }
    let refused = SessionCheck.headUnit(
      refusalID, .sessionRequests, "the status of \(what)", "A request with \(what) gets an error status.",
      "states: LIVI answers 200", .low
    ) { phone throws(Stop) in
      try await phone.enter()
      let answer = try await phone.ask(phone.request(method, path))
      guard answer.status >= 400 else { throw .failed("\(method) \(path) got status \(answer.status)") }
    }
    return (answered, refused)
  }

  /// Creates a check that a new session works after malformed bytes.
  private static func survival(
    _ id: String, _ area: Area, _ title: String, _ anchor: String, _ what: String,
    _ bytes: @escaping @Sendable (ScriptedPhone) -> [UInt8]
  ) -> SessionCheck {
    .headUnit(
      id, area, title, "After \(what), which anybody on the network can send, a new session works.", anchor, .low,
      .recommended
    ) { phone throws(Stop) in
      await phone.sendRaw(bytes(phone))
      await phone.pass(.seconds(1))
      try await phone.demandNewSession(after: what)
    }
  }

  /// Creates a check of a SETUP with other values: the session is set up as without them.
  static func setUpWith(
    _ id: String, _ title: String, _ requirement: String, _ anchor: String, _ confidence: Confidence,
    _ strictness: Strictness? = nil, _ change: @escaping @Sendable (inout SessionSetUpRequest) -> Void
  ) -> SessionCheck {
    .headUnit(
      id, id.hasPrefix("CRQ") ? .sessionRequests : .sessionSetUp, title, requirement, anchor, confidence, strictness
    ) { phone throws(Stop) in
      try await phone.enter()
      var body = await phone.setUpBody()
      change(&body)
      do throws(Stop) {
        try await phone.setUp(body)
        try await phone.openEvents()
      } catch {
        guard !phone.peer.experience.neverWorked else {
          throw .inconclusive("the ordinary session does not get farther either: \(error.reason)")
        }
        throw error
      }
    }
  }
}
