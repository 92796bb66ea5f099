// swift-iap2 · Apache-2.0

import CarPlaySession
import IAP2
import IAP2Conformance

extension SessionCheck {
  /// Answers to the set-up of streams, and their content.
  static let streamsOfPhones: [SessionCheck] = [
    streamChange(
      71, "stream left out", "A session goes on without a stream that the answer leaves out.", "stream-refused",
      "an answer without the stream"
    ) { _ in nil },
    streamChange(
      72, "sound without its id", "A session goes on after an answer for sound without streamConnectionID.",
      "stream-set-up", "an answer for sound without streamConnectionID", isSound: true
    ) { body in
      var body = body
      body.values["streamConnectionID"] = nil
      return body
    },
    streamChange(
      73, "sound without controlPort", "A session goes on after an answer for sound without controlPort.",
      "audio-control: high for AirPlay", "an answer for sound without controlPort", isSound: true, .low
    ) { body in
      var body = body
      body.controlPort = nil
      return body
    },
    .phone(
      "CST-74", .sessionStreams, "stream that was not asked for",
      "A session goes on after an answer that has a stream more than the request.",
      "stream-set-up: that a phone skips it is a rule of our own", .low
    ) { headUnit throws(Stop) in
      headUnit.change(.streams) { answer in
        answer.changing { values in
          var other = StreamBody(.data)
          other.dataPort = 9
          values = StreamList((StreamList(values: values).streams ?? []) + [other]).values
        }
      }
      try await headUnit.goLive()
      guard await headUnit.wait(headUnit.peer.answer, for: { !headUnit.openedStreams.isEmpty }) else {
        throw .notApplicable("the phone opens no stream")
      }
      try await headUnit.demandLife(after: "a stream that was not asked for")
    },
    .phone(
      "CSC-71", .sessionScreen, "key frame on request", "A key frame follows forceKeyFrame within 2 s.",
      "command-parameters: the limit is ours", .medium, .recommended
    ) { headUnit throws(Stop) in
      let type = try await headUnit.goLive(with: { $0 == .screen }, "pictures")
      let count = headUnit.streams[type]?.keyFrameCount ?? 0
      _ = try await headUnit.command(.forceKeyFrame(uuid: headUnit.mainDisplay?.uuid))
      guard await headUnit.wait(.seconds(2), for: { headUnit.streams[type]?.keyFrameCount ?? 0 > count }) else {
        try headUnit.demandRunning(type)
        throw .failed("no key frame followed forceKeyFrame within 2 s")
      }
    },
    .phone(
      "CSC-72", .sessionScreen, "heartbeat of the screen", "A phone sends a heartbeat on the screen every second.",
      "screen-time", .high, .recommended
    ) { headUnit throws(Stop) in
      let type = try await headUnit.goLive(with: { $0 == .screen }, "pictures")
      let count = headUnit.streams[type]?.heartbeatCount ?? 0
      await headUnit.pass(.milliseconds(4500))
      let sent = (headUnit.streams[type]?.heartbeatCount ?? 0) - count
      guard sent < 2 else { return }
      try headUnit.demandRunning(type)
      throw .failed("the screen had \(sent) heartbeats in 4.5 s")
    },
    .phone(
      "CSC-73", .sessionScreen, "connection of the screen lost",
      "A phone whose screen loses its connection ends the session or the stream, or opens it again.",
      "session-times: a rule of our own", .low
    ) { headUnit throws(Stop) in
      _ = try await headUnit.goLive(with: { $0 == .screen }, "pictures")
      headUnit.forgetSteps()
      await headUnit.close([.stream(.screen)])
      let limit = headUnit.peer.answer
      let isNoticed = {
        headUnit.isClosed || headUnit.closed.contains(.events)
          || headUnit.handled.contains { [.streams, .tearDownStreams, .tearDown].contains($0) }
      }
      guard await headUnit.wait(limit, for: isNoticed) else {
        throw .failed("the phone did not notice within \(limit.seconds) that the screen was closed")
      }
    },
    .phone(
      "CSO-71", .sessionSound, "lost packet", "A phone sends a packet of sound again that the head unit asks for.",
      "audio-control: high for AirPlay", .low
    ) { headUnit throws(Stop) in
      let type = try await headUnit.goLive(with: { $0.family == .audio }, "sound")
      guard let packet = headUnit.streams[type]?.packets.last, let port = headUnit.streams[type]?.asked.controlPort
      else { throw .notApplicable("the phone states no controlPort") }
      let request = AudioControlPacket.retransmitRequest(AudioRetransmitRequest(first: packet.sequence, count: 1))
      await headUnit.line.act([.sendDatagram(.streamControl(type), request.bytes, port: port)])
      let answer = AudioControlPacket.retransmitted(sequence: packet.sequence, packet: packet.bytes)
      guard
        await headUnit.wait(.seconds(1), for: { headUnit.streams[type]?.controlPackets.contains(answer) == true })
      else { throw .failed("packet \(packet.sequence) did not come again within 1 s") }
    },
    .phone(
      "CSO-72", .sessionSound, "time of the sound", "A phone sends sync datagrams with its sound.",
      "audio-control: high for AirPlay", .low
    ) { headUnit throws(Stop) in
      let type = try await headUnit.goLive(with: { $0.family == .audio }, "sound")
      let isSynchronized = {
        headUnit.streams[type]?.controlPackets.contains { if case .sync = $0 { true } else { false } } == true
      }
      guard await headUnit.wait(.seconds(4), for: isSynchronized) else {
        throw .failed("\(type.name) had no sync within 4 s")
      }
    },
    .phone(
      "CSO-73", .sessionSound, "unusual control datagrams", "Sound goes on after control datagrams of other forms.",
      "audio-control: high for AirPlay", .low
    ) { headUnit throws(Stop) in
      let type = try await headUnit.goLive(with: { $0.family == .audio }, "sound")
      guard let port = headUnit.streams[type]?.asked.controlPort else {
        throw .notApplicable("the phone states no controlPort")
      }
      let all = AudioControlPacket.retransmitRequest(AudioRetransmitRequest(first: 0, count: .max)).bytes
      for bytes in [all, [], [0x80], [0x80, 0xD5, 0, 1, 0], [UInt8](repeating: 0xFF, count: 600)] {
        await headUnit.line.act([.sendDatagram(.streamControl(type), bytes, port: port)])
      }
      let count = headUnit.streams[type]?.packetCount ?? 0
      guard await headUnit.wait(headUnit.peer.answer, for: { headUnit.streams[type]?.packetCount ?? 0 > count }) else {
        throw .failed("no sound followed unusual control datagrams")
      }
    },
    .phone(
      "CSO-74", .sessionSound, "sound of the microphone",
      "A session continues with the microphone's sound, and with packets of it that do not open.", "microphone", .low
    ) { headUnit throws(Stop) in
      try await headUnit.goLive()
      let wanted = { headUnit.streams.values.first { $0.type.family == .audio && $0.asked.wantsInput } }
      _ = await headUnit.wait(headUnit.peer.answer) { wanted() != nil }
      guard let stream = wanted() else { throw .notApplicable("the phone asks for no microphone") }
      guard let port = stream.asked.dataPort, let id = stream.asked.connectionID, let secret = headUnit.secret else {
        throw .failed("the phone asks for a microphone without dataPort or streamConnectionID")
      }
      var sealer = AudioSealer(.verified(secret), id: id, from: .headUnit)
      let format = stream.asked.audioFormat
      let count = (format?.rate ?? 16_000) / 50
      for number in 0..<50 {
        let packet = AudioPacket(
          type: UInt8(stream.type.rawValue), sequence: UInt16(number), timestamp: UInt32(number * count), source: 1,
          payload: [UInt8](repeating: 0, count: count * (format?.frameByteCount ?? 2)))
        var bytes = sealer.seal(packet)
        if number % 10 == 9 { bytes[bytes.count - 1] ^= 1 }
        await headUnit.line.act([.sendDatagram(.stream(stream.type), bytes, port: port)])
        await headUnit.pass(.milliseconds(20))
      }
      try await headUnit.demandLife(after: "the sound of the microphone")
    },
    .phone(
      "CDA-71", .sessionData, "package of the head unit", "A phone replies to a package with its sequence number.",
      "data-package", .medium, .recommended
    ) { headUnit throws(Stop) in
      _ = try await headUnit.goLive(with: { $0 == .data }, "iAP2 on a data stream")
      await headUnit.send(DataPackage(sequence: 7, body: [0xFF, 0x55, 2, 0, 0xEE, 0x10]))
      guard await headUnit.wait(.seconds(2), for: { headUnit.streams[.data]?.replies.contains(7) == true }) else {
        throw .failed("package 7 got no reply within 2 s")
      }
    },
    .phone(
      "CDA-72", .sessionData, "damaged package", "A phone ends a data stream with a wrong tag, or its session.",
      "frame-end", .low
    ) { headUnit throws(Stop) in
      _ = try await headUnit.goLive(with: { $0 == .data }, "iAP2 on a data stream")
      await headUnit.send(DataPackage(sequence: 7, body: [0xFF, 0x55, 2, 0, 0xEE, 0x10])) { flipped($0) }
      let limit = headUnit.peer.answer
      let isOver = {
        headUnit.isClosed || headUnit.closed.contains(.events) || headUnit.closed.contains(.stream(.data))
          || headUnit.streams[.data] == nil
      }
      guard await headUnit.wait(limit, for: isOver) else {
        throw .failed("\(limit.seconds) after a wrong tag the phone still has the data stream")
      }
    },
  ]

  /// Returns the check of a changed answer to the set-up of streams, with which the session lives.
  private static func streamChange(
    _ number: Int, _ title: String, _ requirement: String, _ anchor: String, _ what: String,
    isSound: Bool = false, _ confidence: Confidence = .medium, _ change: @escaping @Sendable (StreamBody) -> StreamBody?
  ) -> SessionCheck {
    .phone(
      "CST-\(number)", .sessionStreams, title, requirement, anchor, confidence, confidence == .low ? nil : .recommended
    ) {
      headUnit throws(Stop) in
      let isWanted = { (type: StreamType) in !isSound || type.family == .audio }
      headUnit.change(.streams) { answer in
        answer.changing { values in
          let bodies = StreamList(values: values).streams ?? []
          values = StreamList(bodies.compactMap { $0.type.map(isWanted) == true ? change($0) : $0 }).values
        }
      }
      try await headUnit.goLive()
      guard await headUnit.wait(headUnit.peer.answer, for: { headUnit.openedStreams.contains(where: isWanted) }) else {
        throw .notApplicable("the phone opens no such stream")
      }
      try await headUnit.demandLife(after: what)
    }
  }
}
