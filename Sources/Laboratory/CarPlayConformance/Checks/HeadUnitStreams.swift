// swift-iap2 · Apache-2.0

import CarPlaySession
import IAP2
import IAP2Conformance

extension SessionCheck {
  static let streamsOfHeadUnits: [SessionCheck] = [
    .formats("CST-51", .mainAudio), .formats("CST-52", .alternateAudio), .formats("CST-53", .mainHighAudio),
    .headUnit(
      "CST-54", .sessionStreams, "buffered music",
      "A head unit that enables mainBuffered takes a stream of type 103 and its packets.", "buffered-audio", .medium
    ) { phone throws(Stop) in
      try await phone.openBuffered()
      await phone.sendBuffered(20)
      await phone.pass(.milliseconds(500))
      try await phone.demandLife(after: "20 packets of buffered music")
      guard !phone.closed.contains(.stream(.bufferedAudio)) else {
        throw .failed("the head unit closed the connection of buffered music")
      }
    },
    .headUnit(
      "CST-55", .sessionStreams, "an unknown type beside a screen",
      "A stream of an unknown type is left out, and the others of the list are set up.", "stream-refused", .medium,
      .recommended
    ) { phone throws(Stop) in
      try await phone.goLive()
      let unknown = StreamBody(values: ["type": 96, "streamConnectionID": 1])
      let screen = await phone.body(of: .screen)
      let answer = try await phone.askStreams([unknown, screen])
      guard answer.status == 200 else { throw .failed("the SETUP got status \(answer.status)") }
      guard let own = phone.answers(in: answer).first(where: { $0.type == .screen }) else {
        throw .failed("the answer leaves the screen out, too")
      }
      try await phone.join(screen, own)
    },
    .headUnit(
      "CST-56", .sessionStreams, "only an unknown type",
      "A SETUP with nothing but an unknown type is answered, and the session continues.", "stream-refused", .medium,
      .recommended
    ) { phone throws(Stop) in
      try await phone.goLive()
      _ = try await phone.askStreams([StreamBody(values: ["type": 96])])
      try await phone.demandLife(after: "a SETUP of type 96")
    },
    .headUnit(
      "CST-57", .sessionStreams, "a screen without an id",
      "A screen without streamConnectionID, from which its key follows, is not set up, and the session continues.",
      "stream-set-up", .high, .recommended
    ) { phone throws(Stop) in
      try await phone.goLive()
      var body = await phone.body(of: .screen)
      body.connectionID = nil
      try await phone.demandLeftOut(body)
    },
    .headUnit(
      "CST-58", .sessionStreams, "a display that is not there",
      "A screen with the uuid of no display is not set up, and the session continues.", "stream-set-up", .high,
      .observed
    ) { phone throws(Stop) in
      try await phone.goLive()
      var body = await phone.body(of: .screen)
      body.uuid = "00000000-0000-4000-8000-00000000FFFF"
      try await phone.demandLeftOut(body)
    },
    .headUnit(
      "CST-59", .sessionStreams, "two formats at once",
      "Sound with two bits in audioFormat is not set up, and the session continues.", "audio-formats", .high,
      .recommended
    ) { phone throws(Stop) in
      try await phone.goLive()
      let formats = phone.formats(of: .mainAudio).map(\.format)
      guard let first = formats.first, let second = formats.first(where: { $0 != first }) else {
        throw .notApplicable("/info offers no two formats of main audio")
      }
      var body = await phone.body(of: .mainAudio, first)
      body.values["audioFormat"] = .integer(Int64(first.rawValue | second.rawValue))
      try await phone.demandLeftOut(body)
    },
    .headUnit(
      "CST-60", .sessionStreams, "a stream again", "A screen that was ended is set up again.", "teardown", .high
    ) { phone throws(Stop) in
      try await phone.goLive()
      for _ in 0..<3 {
        try await phone.openScreen()
        await phone.pass(.milliseconds(100))
        let status = try await phone.end([.screen])
        guard status == 200 else { throw .failed("TEARDOWN of the screen got status \(status)") }
      }
      try await phone.demandLife(after: "the third end of the screen")
    },
    .headUnit(
      "CST-61", .sessionStreams, "the end of a stream that does not run",
      "A TEARDOWN that also names a stream that does not run ends the other one with status 200.", "teardown", .medium
    ) { phone throws(Stop) in
      try await phone.goLive()
      try await phone.openScreen()
      let status = try await phone.end([.screen, .mainAudio])
      guard status == 200 else { throw .failed("the TEARDOWN got status \(status)") }
      try await phone.demandLife(after: "the TEARDOWN")
    },
    .headUnit(
      "CST-62", .sessionStreams, "two streams in a request",
      "Two streams of one SETUP are answered, each with its port.", "stream-set-up", .high
    ) { phone throws(Stop) in
      try await phone.goLive()
      guard let offer = phone.formats(of: .mainAudio).first else {
        throw .notApplicable("/info offers no main audio")
      }
      let bodies = [
        await phone.body(of: .screen), await phone.body(of: .mainAudio, offer.format, kind: offer.kind),
      ]
      let answer = try await phone.askStreams(bodies)
      guard answer.status == 200 else { throw .failed("the SETUP got status \(answer.status)") }
      let types = phone.answers(in: answer).filter { $0.dataPort != nil }.compactMap(\.type)
      guard Set(types) == [.screen, .mainAudio] else {
        throw .failed("the answer has \(types.map(\.name).joined(separator: " and "))")
      }
    },
    .headUnit(
      "CST-63", .sessionStreams, "sound set up twice",
      "Sound that is set up again without an end between is taken, and the session continues.",
      "stream-refused: a real phone did it", .medium, .recommended
    ) { phone throws(Stop) in
      try await phone.goLive()
      try await phone.openSound()
      await phone.playSound(5)
      let format = phone.streams[.mainAudio]?.format
      var body = phone.streams[.mainAudio]?.asked ?? StreamBody(.mainAudio)
      body.connectionID = UInt64(phone.peer.random(1)[0]) + 1000
      body.audioFormat = format
      try await phone.open(body)
      await phone.playSound(5)
      try await phone.demandLife(after: "a second set-up of sound")
    },
    .headUnit(
      "CST-65", .sessionStreams, "the connection of an ended stream",
      "The head unit closes the connection of a screen that was ended.", "teardown", .low
    ) { phone throws(Stop) in
      try await phone.goLive()
      try await phone.openScreen()
      let entry = StreamBody(.screen)
      _ = try await phone.ask(phone.request("TEARDOWN", list: .dictionary(StreamList([entry]).values)))
      let isClosed = await phone.wait(.seconds(3)) { phone.closed.contains(.stream(.screen)) }
      guard isClosed else { throw .failed("the connection stays open for 3 s after TEARDOWN") }
    },
    .headUnit(
      "CST-64", .sessionStreams, "the instrument cluster",
      "A head unit that enables altScreen takes a stream of type 111.", "enabled-features", .medium
    ) { phone throws(Stop) in
      try await phone.goLive()
      guard phone.setUpAnswer?.enabledFeatures.contains("altScreen") == true,
        let display = phone.display(.alternateScreen)
      else { throw .notApplicable("altScreen is not enabled") }
      try await phone.open(await phone.body(of: .alternateScreen))
      let pictures = SamplePicture(width: display.width ?? 640, height: display.height ?? 480)
      await phone.send([pictures.configuration, pictures.frame(0, time: await phone.time)], on: .alternateScreen)
      await phone.pass(.milliseconds(300))
      try await phone.demandLife(after: "a picture of the cluster")
    },
  ]

  /// Creates the check that every offered format of a type of sound is taken and played.
  private static func formats(_ id: String, _ type: StreamType) -> SessionCheck {
    .headUnit(
      id, .sessionStreams, "each format of \(type.name)",
      "Each format that /info offers for type \(type.rawValue) is set up, takes packets, and ends.", "audio-formats",
      .high
    ) { phone throws(Stop) in
      try await phone.goLive()
      var seen: Set<AudioFormat> = []
      let offers = phone.formats(of: type).filter { seen.insert($0.format).inserted }
      guard !offers.isEmpty else { throw .notApplicable("/info offers no sound of type \(type.rawValue)") }
      for offer in offers {
        do throws(Stop) {
          try await phone.open(await phone.body(of: type, offer.format, kind: offer.kind))
        } catch { throw .failed("\(offer.format): \(error.reason)") }
        await phone.playSound(3, of: type)
        let status = try await phone.end([type])
        guard status == 200 else { throw .failed("\(offer.format): TEARDOWN got status \(status)") }
      }
      try await phone.demandLife(after: "\(offers.count) formats")
    }
  }
}

extension ScriptedPhone {
  /// Demands that a stream is not set up, and that the session continues.
  fileprivate func demandLeftOut(_ body: StreamBody) async throws(Stop) {
    let answer = try await askStreams([body])
    let isTaken = answer.status == 200 && answers(in: answer).contains { $0.type == body.type }
    guard !isTaken else { throw .failed("the stream was set up") }
    try await demandLife(after: "the SETUP")
  }
}
