// swift-iap2 · Apache-2.0

import CarPlaySession
import IAP2
import IAP2Conformance

extension SessionCheck {
  static let setUpOfHeadUnits: [SessionCheck] = [
    .headUnit(
      "CSU-51", .sessionSetUp, "a session from the beginning",
      "Pairing, SETUP, the event connection, /info and RECORD give a live session.", "order", .high
    ) { phone throws(Stop) in
      try await phone.pair()
      try await phone.verify()
      try await phone.setUp()
      try await phone.openEvents()
      try await phone.inform()
      try await phone.startRecording()
      await phone.beginFeedback()
      await phone.pass(.seconds(2))
      try await phone.demandLife(after: "nothing")
    },
    .setUpWith(
      "CSU-52", "no features", "A SETUP that names no features is taken.", "features-unasked", .medium, .recommended
    ) { $0.values["features"] = nil },
    .headUnit(
      "CSU-53", .sessionSetUp, "no clock", "A session with timingProtocol None and without timingPort is taken.",
      "set-up-request", .low, .recommended
    ) { phone throws(Stop) in
      try await phone.demandLive(with: await phone.setUpBody(hasClock: false))
      await phone.pass(.seconds(7))
      try await phone.demandLife(after: "7 s without a clock")
    },
    .headUnit(
      "CSU-54", .sessionSetUp, "streams before the session",
      "A SETUP of streams before that of the session is refused.",
      "order", .high, .recommended
    ) { phone throws(Stop) in
      try await phone.enter()
      let answer = try await phone.askStreams([await phone.body(of: .screen)])
      guard answer.status != 200 || phone.answers(in: answer).isEmpty else {
        throw .failed("a screen was set up before the session")
      }
    },
    .headUnit(
      "CSU-55", .sessionSetUp, "a second SETUP", "A second SETUP of the session does not end it.",
      "set-up-request", .low
    ) { phone throws(Stop) in
      try await phone.goLive()
      _ = try await phone.ask(phone.request("SETUP", list: .dictionary(await phone.setUpBody(hasClock: false).values)))
      try await phone.demandLife(after: "a second SETUP")
    },
    .headUnit(
      "CSU-56", .sessionSetUp, "another generation of keys",
      "A SETUP with few keys, as phones of old send it, is taken.", "set-up-request", .medium, .recommended
    ) { phone throws(Stop) in
      var body = SessionSetUpRequest()
      body.deviceID = "02:00:00:00:01:01"
      body.sessionUUID = "00000000-0000-4000-8000-000000000001"
      body.timingProtocol = "None"
      try await phone.demandLive(with: body)
      try await phone.demandLife(after: "a SETUP with few keys")
    },
    .headUnit(
      "CEV-51", .sessionSetUp, "a late event connection",
      "A phone may connect to eventPort after /info, here 2 s after the answer to SETUP.",
      "order: a phone connects before it sets streams up; the time is ours", .medium, .recommended
    ) { phone throws(Stop) in
      try await phone.enter()
      do throws(Stop) { try await phone.setUp() } catch { throw error.before("before the check") }
      try await phone.inform()
      await phone.pass(.seconds(2))
      try await phone.openEvents()
      try await phone.startRecording()
      await phone.beginFeedback()
      await phone.pass(.seconds(2))
      guard !phone.closed.contains(.events) else { throw .failed("the head unit closed the late event connection") }
      try await phone.demandLife(after: "a late event connection")
    },
    .headUnit(
      "CIN-51", .sessionInformation, "/info before pairing", "/info is answered before pair-verify.", "states", .low
    ) { phone throws(Stop) in
      let answer = try await phone.ask(phone.request("GET", "/info"))
      guard answer.status == 200 else { throw .failed("GET /info before pairing got status \(answer.status)") }
    },
    .headUnit(
      "CIN-52", .sessionInformation, "the same /info twice",
      "Two answers to /info of a session name the same deviceID and features.", "info-form", .high, .recommended
    ) { phone throws(Stop) in
      try await phone.prepare()
      let first = phone.info
      try await phone.inform()
      guard first?.deviceID == phone.info?.deviceID, first?.features == phone.info?.features else {
        throw .failed("deviceID or features changed between two answers")
      }
    },
    .headUnit(
      "CIN-53", .sessionInformation, "the key in /info",
      "pk in /info is the long-term key of the pairing, and pi its identifier.", "info-form: inferred from AirPlay",
      .low
    ) { phone throws(Stop) in
      try await phone.prepare()
      guard let info = phone.info, info.values["pk"] != nil || info.values["pi"] != nil else {
        throw .notApplicable("/info has neither pk nor pi")
      }
      if let key = info.values["pk"]?.data, key != phone.headUnit?.publicKey {
        throw .failed("pk is not the key of the pairing")
      }
      if let name = info.values["pi"]?.text, name != phone.headUnit?.identifier {
        throw .failed("pi is \"\(name)\", and the pairing has \"\(phone.headUnit?.identifier ?? "")\"")
      }
    },
  ]
}
