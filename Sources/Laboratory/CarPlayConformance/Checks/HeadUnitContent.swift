// swift-iap2 · Apache-2.0

import Basics
import CarPlaySession
import IAP2
import IAP2Conformance

extension SessionCheck {
  static let contentOfHeadUnits: [SessionCheck] = [
    .headUnit(
      "CSC-51", .sessionScreen, "messages beside pictures",
      "Heartbeats, statistics and messages of an unknown type are read and change nothing.", "screen-statistics", .high
    ) { phone throws(Stop) in
      try await phone.goLive()
      try await phone.openScreen()
      var unknown = ScreenMessage(.ignored, body: [1, 2, 3])
      unknown.type = 77
      let statistics: PropertyValue = ["txUsageAvg": 0.0, "lossAvg": 0.0]
      await phone.send([
        ScreenMessage(.heartbeat), ScreenMessage(.statistics, body: statistics.binary), ScreenMessage(.ignored),
        unknown,
        phone.pictures.frame(1, time: await phone.time),
      ])
      try await phone.demandScreenLives(after: "messages beside pictures")
    },
    .headUnit(
      "CSC-52", .sessionScreen, "another size",
      "A new configuration with another size, and its key frame, are taken in a running stream.", "video-size", .high,
      .recommended
    ) { phone throws(Stop) in
      try await phone.goLive()
      try await phone.openScreen()
      let size = phone.pictures
      let smaller = SamplePicture(width: size.width * 2 / 3 & ~1, height: size.height & ~1)
      await phone.send([smaller.configuration, smaller.frame(0, time: await phone.time)])
      await phone.pass(.milliseconds(200))
      await phone.send([phone.pictures.configuration, phone.pictures.frame(0, time: await phone.time)])
      try await phone.demandScreenLives(after: "two changes of the size")
    },
    .headUnit(
      "CSC-53", .sessionScreen, "a large picture", "A picture of 1 MiB is taken.", "screen-header", .high, .recommended
    ) { phone throws(Stop) in
      try await phone.goLive()
      try await phone.openScreen()
      await phone.send([phone.pictures.frame(0, time: await phone.time, padding: 1 << 20)])
      try await phone.demandScreenLives(after: "a picture of 1 MiB")
    },
    .headUnit(
      "CSC-54", .sessionScreen, "60 pictures a second", "Ten seconds of 60 pictures a second, 14 Mbit/s, are read.",
      "screen-unread: the limit is ours", .medium, .required
    ) { phone throws(Stop) in
      try await phone.goLive()
      try await phone.openScreen()
      for number in 1...600 {
        await phone.send([phone.pictures.frame(number % 60, time: await phone.time, padding: 30_000)])
        await phone.pass(.microseconds(16_667))
      }
      let isRead = await phone.wait(.seconds(5)) { !phone.full.contains(.stream(.screen)) }
      guard isRead else { throw .failed("the head unit does not read the screen") }
      try await phone.demandScreenLives(after: "600 pictures")
    },
    .headUnit(
      "CSC-55", .sessionScreen, "pictures in pieces", "Pictures whose bytes come in pieces of any size are read.",
      "screen-header: TCP keeps no boundaries", .high
    ) { phone throws(Stop) in
      try await phone.goLive()
      try await phone.openScreen()
      await phone.sendPieces(of: phone.pictures.frame(1, time: await phone.time), by: 7)
      try await phone.demandScreenLives(after: "a picture in pieces of 7 bytes")
    },
    .headUnit(
      "CSC-56", .sessionScreen, "a picture with a changed bit",
      "After a picture with a wrong tag a new session works.", "screen-frame", .high, .recommended
    ) { phone throws(Stop) in
      try await phone.goLive()
      try await phone.openScreen()
      var bytes = phone.sealedPicture(1, time: await phone.time)
      bytes[bytes.count - 1] ^= 1
      await phone.line.act([.send(.stream(.screen), bytes)])
      await phone.pass(.seconds(1))
      try await phone.demandNewSession(after: "a picture with a wrong tag")
    },
    .headUnit(
      "CSC-57", .sessionScreen, "a body of 4 GiB",
      "After a message of a screen that announces 4 GiB a new session works.",
      "screen-header", .low, .recommended
    ) { phone throws(Stop) in
      try await phone.goLive()
      try await phone.openScreen()
      let header: [UInt8] = [0xFF, 0xFF, 0xFF, 0xFF, 1] + [UInt8](repeating: 0, count: 123)
      await phone.line.act([.send(.stream(.screen), header + [UInt8](repeating: 0, count: 100_000))])
      await phone.pass(.seconds(1))
      try await phone.demandNewSession(after: "a body of 4 GiB")
    },
    .headUnit(
      "CSO-51", .sessionSound, "another payload type", "Sound with the payload type 96 is taken.", "audio-packet",
      .medium, .recommended
    ) { phone throws(Stop) in
      try await phone.goLive()
      try await phone.openSound()
      for _ in 0..<10 { await phone.sendSound(phone.nextSound(of: .mainAudio, payloadType: 96), of: .mainAudio) }
      await phone.pass(.milliseconds(300))
      try await phone.demandLife(after: "sound of payload type 96")
    },
    .headUnit(
      "CSO-52", .sessionSound, "sound twice", "Packets of sound that come twice end nothing.", "audio-packet", .high
    ) { phone throws(Stop) in
      try await phone.goLive()
      try await phone.openSound()
      for _ in 0..<10 {
        let packet = phone.nextSound(of: .mainAudio)
        await phone.sendSound(packet, of: .mainAudio)
        await phone.sendSound(packet, of: .mainAudio)
      }
      await phone.pass(.milliseconds(300))
      try await phone.demandLife(after: "packets that came twice")
    },
    .headUnit(
      "CSO-53", .sessionSound, "sound with changed bits", "Packets of sound with a wrong tag end nothing.",
      "audio-packet", .high
    ) { phone throws(Stop) in
      try await phone.goLive()
      try await phone.openSound()
      for number in 0..<20 {
        var packet = phone.nextSound(of: .mainAudio)
        if number.isMultiple(of: 5) { packet[packet.count - 10] ^= 1 }
        await phone.sendSound(packet, of: .mainAudio)
      }
      await phone.pass(.milliseconds(300))
      try await phone.demandLife(after: "packets with a wrong tag")
    },
    .headUnit(
      "CSO-54", .sessionSound, "a long gap", "Sound continues after a gap of 200 packets.", "audio-order", .high
    ) { phone throws(Stop) in
      try await phone.goLive()
      try await phone.openSound()
      await phone.playSound(5)
      for _ in 0..<200 { _ = phone.nextSound(of: .mainAudio) }
      await phone.playSound(20)
      try await phone.demandLife(after: "a gap of 200 packets")
    },
    .headUnit(
      "CSO-55", .sessionSound, "a lost packet", "A head unit asks for a packet that did not arrive.",
      "audio-control: for AirPlay; LIVI does not ask", .low
    ) { phone throws(Stop) in
      try await phone.goLive()
      try await phone.openSound()
      await phone.playSound(5)
      _ = phone.nextSound(of: .mainAudio)
      await phone.playSound(10)
      let requests = (phone.received[.streamControl(.mainAudio)] ?? []).compactMap(AudioControlPacket.init(bytes:))
      let asks = requests.contains {
        if case .retransmitRequest(let request) = $0 { request.first == 5 } else { false }
      }
      guard asks else { throw .failed("nothing asked for packet 5") }
    },
    .headUnit(
      "CSO-56", .sessionSound, "the microphone",
      "A stream with input gets packets of the microphone that open with the head unit's key.", "microphone", .low
    ) { phone throws(Stop) in
      try await phone.goLive()
      try await phone.openSound(wantsMicrophone: true)
      // Some head units begin with the first packet of the phone.
      await phone.playSound(20)
      let hasSound = await phone.wait(.seconds(3)) { !(phone.received[.stream(.mainAudio)] ?? []).isEmpty }
      guard hasSound else { throw .failed("no packet of the microphone came within 3 s") }
    },
    .headUnit(
      "CSO-57", .sessionSound, "music ahead of its time",
      "Buffered music may come faster than it plays, until the head unit stops reading.", "buffered-audio", .medium
    ) { phone throws(Stop) in
      try await phone.openBuffered()
      await phone.sendBuffered(500)
      await phone.pass(.seconds(1))
      try await phone.demandLife(after: "11 s of music at once")
    },
    .headUnit(
      "CDA-51", .sessionData, "replies on the data stream", "A package that asks for a reply gets it, with its number.",
      "data-package: LIVI sends none", .medium, .observed
    ) { phone throws(Stop) in
      try await phone.goLive()
      guard phone.setUpAnswer?.enabledFeatures.contains("iAPChannel") == true else {
        throw .notApplicable("iAPChannel is not enabled")
      }
      try await phone.open(await phone.body(of: .data))
      await phone.send([DataPackage(sequence: 41, body: [0xFF, 0x55, 2, 0, 0xEE, 0x10])])
      let reply = Array("rply".utf8) + UInt64(41).bigEndianBytes
      let isAnswered = await phone.wait(.seconds(3)) { phone.received[.stream(.data)]?.contains(reply) == true }
      guard isAnswered else { throw .failed("package 41 got no reply within 3 s") }
    },
    .headUnit(
      "CDA-52", .sessionData, "iAP2 as a command", "iAPSendMessage of the phone is answered with 200.", "command-names",
      .medium
    ) { phone throws(Stop) in
      try await phone.goLive()
      try await phone.demandCommandTaken(.iAP([0xFF, 0x55, 2, 0, 0xEE, 0x10]))
    },
    .headUnit(
      "CDA-53", .sessionData, "a package of 4 GiB", "After a package that announces 4 GiB a new session works.",
      "data-package", .low, .recommended
    ) { phone throws(Stop) in
      try await phone.goLive()
      guard phone.setUpAnswer?.enabledFeatures.contains("iAPChannel") == true else {
        throw .notApplicable("iAPChannel is not enabled")
      }
      try await phone.open(await phone.body(of: .data))
      let bytes = phone.streams[.data]?.data?.sealer.seal([0xFF, 0xFF, 0xFF, 0xFF] + phone.peer.random(60)) ?? []
      await phone.line.act([.send(.stream(.data), bytes)])
      await phone.pass(.seconds(1))
      try await phone.demandNewSession(after: "a package of 4 GiB")
    },
  ]
}

extension ScriptedPhone {
  /// Demands that the screen and the session live on.
  fileprivate func demandScreenLives(after what: String) async throws(Stop) {
    await pass(.milliseconds(300))
    guard !closed.contains(.stream(.screen)) else { throw .failed("the head unit closed the screen after \(what)") }
    try await demandLife(after: what)
  }

  /// Returns the sealed bytes of a picture.
  fileprivate func sealedPicture(_ number: Int, time: UInt64) -> [UInt8] {
    streams[.screen]?.screen?.seal(pictures.frame(number, time: time)) ?? []
  }

  /// Sends a picture in pieces.
  fileprivate func sendPieces(of message: ScreenMessage, by size: Int) async {
    let bytes = streams[.screen]?.screen?.seal(message) ?? []
    for start in stride(from: 0, to: bytes.count, by: size) {
      await line.act([.send(.stream(.screen), Array(bytes[start..<min(start + size, bytes.count)]))])
      await pass(.milliseconds(1))
    }
  }

  /// Opens buffered music in a live session.
  func openBuffered() async throws(Stop) {
    try await goLive()
    guard setUpAnswer?.enabledFeatures.contains("mainBuffered") == true,
      let offer = formats(of: .bufferedAudio).first
    else { throw .notApplicable("mainBuffered is not enabled") }
    try await open(await body(of: .bufferedAudio, offer.format, kind: offer.kind))
  }

  /// Sends packets of buffered music as fast as the head unit reads them.
  func sendBuffered(_ count: Int) async {
    for number in 0..<count {
      let packet = AudioPacket(
        type: UInt8(StreamType.bufferedAudio.rawValue), sequence: UInt16(truncatingIfNeeded: number),
        timestamp: UInt32(number * 1024), source: 1, payload: [0x21, 0x10, 0x04, 0x60, 0x8C, 0x1C])
      do throws(BufferedAudioProblem) {
        let bytes = try streams[.bufferedAudio]?.buffered?.seal(packet)
        await line.act([.send(.stream(.bufferedAudio), bytes ?? [])])
      } catch {}
    }
  }
}
