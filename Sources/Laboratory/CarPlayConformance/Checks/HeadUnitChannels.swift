// swift-iap2 · Apache-2.0

import CarPlaySession
import IAP2
import IAP2Conformance

extension SessionCheck {
  static let channelsOfHeadUnits: [SessionCheck] = [
    .headUnit(
      "CCH-51", .sessionChannels, "a changed bit",
      "A frame with a changed bit is not taken: neither it nor a right frame after it is answered.", "frame", .high
    ) { phone throws(Stop) in
      let what = "a frame with a changed bit"
      try await phone.sendDamaged()
      guard await phone.answerOrEnd() == nil else { throw .failed("\(what) was answered") }
      guard !phone.isClosed else { return }
      await phone.send(phone.request("GET", "/info"))
      guard await phone.answerOrEnd() == nil else { throw .failed("a frame after \(what) was answered") }
    },
    .headUnit(
      "CCH-59", .sessionChannels, "the end after a changed bit", "A frame with a changed bit ends the connection.",
      "frame-end: LIVI keeps it open, and answers nothing more", .low, .recommended
    ) { phone throws(Stop) in
      try await phone.sendDamaged()
      _ = await phone.answerOrEnd()
      guard phone.isClosed else { throw .failed("the connection stays open after a frame with a changed bit") }
    },
    .headUnit(
      "CCH-52", .sessionChannels, "a frame twice", "A frame that comes twice is not answered twice.", "frame", .high
    ) { phone throws(Stop) in
      try await phone.enter()
      let message = phone.request("GET", "/info")
      let frames = phone.channel.sealed(message.bytes)
      phone.expect(message)
      await phone.sendRaw(frames)
      _ = try await phone.answer()
      phone.expect(message)
      await phone.sendRaw(frames)
      guard await phone.answerOrEnd() == nil else { throw .failed("a frame that came twice was answered twice") }
    },
    .headUnit(
      "CCH-53", .sessionChannels, "frames out of order", "Frames in another order are not answered.", "frame", .high
    ) { phone throws(Stop) in
      try await phone.enter()
      let message = phone.request("GET", "/info")
      let half = message.bytes.count / 2
      let first = phone.channel.sealed(Array(message.bytes.prefix(half)))
      let second = phone.channel.sealed(Array(message.bytes.dropFirst(half)))
      phone.expect(message)
      await phone.sendRaw(second + first)
      guard await phone.answerOrEnd() == nil else { throw .failed("frames out of order were answered") }
    },
    .headUnit(
      "CCH-54", .sessionChannels, "a request in the clear",
      "After pair-verify a request in the clear is not answered.", "pair-verify-keys", .high
    ) { phone throws(Stop) in
      try await phone.enter()
      let message = phone.request("GET", "/info")
      phone.expect(message)
      await phone.sendRaw(message.bytes)
      guard await phone.answerOrEnd() == nil else {
        throw .failed("a request in the clear was answered after pair-verify")
      }
    },
    .headUnit(
      "CCH-55", .sessionChannels, "frames of one byte", "A request may be in many frames.", "frame-end", .high
    ) { phone throws(Stop) in
      try await phone.enter()
      let message = phone.request("GET", "/info")
      phone.expect(message)
      await phone.sendRaw(message.bytes.flatMap { phone.channel.sealed([$0]) })
      _ = try await phone.answer()
    },
    .headUnit(
      "CCH-56", .sessionChannels, "two requests in a frame", "A frame may have several requests.", "frame-end", .high,
      .recommended
    ) { phone throws(Stop) in
      try await phone.enter()
      let messages = (0..<2).map { _ in phone.request("GET", "/info") }
      for message in messages { phone.expect(message) }
      await phone.sendRaw(phone.channel.sealed(messages.flatMap(\.bytes)))
      for _ in messages { _ = try await phone.answer() }
    },
    .headUnit(
      "CCH-57", .sessionChannels, "a frame in two segments",
      "A frame whose bytes come in pieces is waited for.", "frame: TCP keeps no boundaries", .high
    ) { phone throws(Stop) in
      try await phone.enter()
      let message = phone.request("GET", "/info")
      phone.expect(message)
      let frames = phone.channel.sealed(message.bytes)
      await phone.sendRaw(Array(frames.prefix(1)))
      await phone.pass(.milliseconds(50))
      await phone.sendRaw(Array(frames.dropFirst().prefix(20)))
      await phone.pass(.milliseconds(50))
      await phone.sendRaw(Array(frames.dropFirst(21)))
      _ = try await phone.answer()
    },
    .headUnit(
      "CCH-58", .sessionChannels, "a changed bit on the event channel",
      "After a frame of the event channel with a changed bit nothing more is read from it.", "frame", .high,
      .recommended
    ) { phone throws(Stop) in
      try await phone.goLive()
      let message = phone.request("POST", "/feedback")
      var frames = phone.events.sealed(message.bytes)
      frames[frames.count - 1] ^= 1
      await phone.line.act([.send(.events, frames)])
      await phone.pass(.seconds(1))
      let next = phone.request("POST", "/feedback")
      await phone.line.act([.send(.events, phone.events.sealed(next.bytes))])
      let isRead = await phone.wait(.seconds(3)) { phone.eventAnswers.contains(next.sequence ?? "") }
      guard !isRead else { throw .failed("a frame after one with a changed bit was answered") }
    },
    .headUnit(
      "CAS-51", .sessionProof, "the proof",
      "The signature of auth-setup was made with the key of the certificate over both public keys.", "auth-setup-keys",
      .high
    ) { phone throws(Stop) in
      try await phone.enter()
      try await phone.authenticate()
    },
    .headUnit(
      "CAS-52", .sessionProof, "a key of 0", "auth-setup with a key that gives a secret of zeros is refused.",
      "auth-setup-faults", .medium, .recommended
    ) { phone throws(Stop) in
      try await phone.enter()
      try await phone.demandProofRefused([1] + [UInt8](repeating: 0, count: 32), "a key of 0")
    },
    .headUnit(
      "CAS-53", .sessionProof, "another version", "auth-setup of another version than 1 is refused.",
      "auth-setup-faults", .medium, .recommended
    ) { phone throws(Stop) in
      try await phone.enter()
      try await phone.demandProofRefused([9] + phone.peer.random(32), "version 9")
    },
    .headUnit(
      "CAS-54", .sessionProof, "a short body", "auth-setup of another length than 33 bytes is refused.",
      "auth-setup-faults", .low, .recommended
    ) { phone throws(Stop) in
      try await phone.enter()
      try await phone.demandProofRefused([1] + phone.peer.random(8), "9 bytes")
    },
    .headUnit(
      "CAS-55", .sessionProof, "a new key", "Each auth-setup has a new public key.", "auth-setup-form", .high,
      .recommended
    ) { phone throws(Stop) in
      let first = try await phone.newProofKey()
      await phone.leave()
      let next = try await phone.another()
      let second = try await next.newProofKey()
      await next.leave()
      guard first != second else { throw .failed("two connections got the same key") }
    },
  ]
}

extension ScriptedPhone {
  /// Sends a request whose frame has a changed bit.
  fileprivate func sendDamaged() async throws(Stop) {
    try await enter()
    let message = request("GET", "/info")
    expect(message)
    var frames = channel.sealed(message.bytes)
    frames[frames.count - 1] ^= 1
    await sendRaw(frames)
  }

  fileprivate func demandProofRefused(_ body: [UInt8], _ what: String) async throws(Stop) {
    await send(request("POST", "/auth-setup", type: "application/octet-stream", body: body))
    guard let answer = await answerOrEnd(within: peer.answer * 2) else { return }
    guard answer.status != 200 else { throw .failed("auth-setup with \(what) got status 200") }
  }

  /// Pairs, asks for auth-setup and returns the head unit's key.
  fileprivate func newProofKey() async throws(Stop) -> [UInt8] {
    try await enter()
    let answer = try await ask(
      request("POST", "/auth-setup", type: "application/octet-stream", body: [1] + peer.random(32)),
      within: peer.answer * 2)
    guard answer.status == 200, answer.body.count > 32 else { throw .inconclusive("auth-setup was refused") }
    return Array(answer.body.prefix(32))
  }

  /// Demands that the next request of a connection that is not live yet is answered.
  func demandAnswer(after what: String) async throws(Stop) {
    do throws(Stop) { _ = try await ask(request("GET", "/info")) } catch {
      throw .failed("after \(what) the connection does not continue: \(error.reason)")
    }
  }
}
