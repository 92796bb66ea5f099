// swift-iap2 · Apache-2.0

import Basics
import CarPlayPrograms
import CarPlaySession
import CarPlaySimulation
import IAP2
import IAP2Conformance
import Synchronization
import Testing

@testable import CarPlayConformance

/// The phone of this package in memory, which shows a film and plays music.
struct OwnPhone {
  var fault = PhoneFault()
  /// Whether the bytes that the phone sends before a connection closes are received after it.
  var hasLateBytes = false

  /// Runs checks against a new phone.
  func outcomes(of ids: Set<String>? = nil) async throws -> [Outcome] {
    var configuration = PhoneConfiguration(
      identity: try TestParties.identity("phone"), judge: { TestParties.judge($0) })
    configuration.request.features = ["altScreen", "iAPChannel", "mainBuffered", "viewAreas"]
    configuration.request.name = "phone"
    var settings = PhoneProgram.Settings()
    settings.film = try Self.usualFilm.get()
    // Packets of music are most of the work of a run, so only the checks that need sound have it.
    let withSound: Set<Substring> = ["CFB", "CSO", "CST", "CMO-72", "CMO-74"]
    let hasSound = ids?.contains { withSound.contains($0.prefix(3)) || withSound.contains($0[...]) } ?? true
    settings.music = hasSound ? Self.music : nil
    settings.ends = false
    let (fixed, program, fault, random) = (configuration, settings, self.fault, SeededBytes(3))
    let network = MemoryPhone<FaultyPhone>(
      { before, time in
        FaultyPhone(fixed, program, fault, after: before, random: random.bytes, at: time)
      }, sign: { TestParties.sign($0) })
    let line: any ProbeLine = hasLateBytes ? LateLine(network: network) : network
    var peer = ProbedPhone(
      line: line, restart: { await network.restart() }, identity: try TestParties.identity("head unit"),
      otherIdentity: try TestParties.identity("other head unit"), random: SeededBytes(4).bytes)
    let isHeld = Mutex(false)
    peer.calls = ProbeCalls { request -> PhoneCaller.Outcome? in
      guard !(fault.blocksCalls && isHeld.withLock(\.self)) else { return .none(reason: "no answer") }
      let status = fault.changeCall(String(decoding: request, as: UTF8.self), SessionReference.status(of: request))
      if status == 200, !fault.ignoresCalls { await network.restart() }
      return .status(status)
    } hold: { _ in
      isHeld.withLock { $0 = true }
    }
    return await SessionSuite(SessionCheck.all(of: .device).filter { ids?.contains($0.check.id) ?? true }).run(peer)
  }

  private static let usualFilm = Result { try film() }
  private static let music = Music(littleEndian: [UInt8](repeating: 1, count: 60 * 48_000 * Music.bytesPerFrame))

  /// Returns a gray film.
  ///
  /// - Parameters:
  ///   - interval: The pictures from one key frame to the next.
  ///   - rate: The pictures in a second.
  ///   - seconds: The length.
  static func film(interval: Int = 10, rate: Int = 10, seconds: Int = 60) throws -> Film {
    let pictures = SamplePicture(width: 800, height: 480)
    let start: [UInt8] = [0, 0, 0, 1]
    let record = pictures.configuration.body
    let count = Int(record[6]) << 8 + Int(record[7])
    let sets = start + record[8..<8 + count] + start + record[(8 + count + 3)...]
    var bytes: [UInt8] = []
    for number in 0..<seconds * rate {
      let place = number % interval
      if place == 0 { bytes += sets }
      bytes += start + pictures.frame(place, time: 0).body.dropFirst(4)
    }
    return try Film(annexB: bytes, rate: Double(rate))
  }
}

/// A phone's network on which a close takes effect late. What the phone sends until then is received after the close.
private actor LateLine: ProbeLine {
  private let network: MemoryPhone<FaultyPhone>
  private var late: [Occurrence] = []

  init(network: MemoryPhone<FaultyPhone>) { self.network = network }

  var now: MonotonicTime { get async { await network.now } }

  func act(_ actions: [SessionAction]) async {
    if actions.contains(where: { if case .close = $0 { true } else { false } }) {
      let end = await network.now.advanced(by: .milliseconds(100))
      while await network.now < end {
        let occurrences = await network.next(until: end)
        late += occurrences
      }
    }
    await network.act(actions)
  }

  func next(until deadline: MonotonicTime) async -> [Occurrence] {
    guard late.isEmpty else {
      defer { late = [] }
      return late
    }
    return await network.next(until: deadline)
  }

  func close() async { await network.close() }
}

@Suite("Checks of phones")
struct PhoneCheckTests {
  @Test func ownPhoneFailsNoCheck() async throws {
    let outcomes = try await OwnPhone().outcomes()
    let others = outcomes.filter { $0.verdict.kind != .pass }.map { "\($0.check.id): \($0.verdict.reason ?? "")" }
    #expect(
      others == [
        "CSU-05: the session had pair-verify, so that no session key is needed",
        "CSO-74: the phone asks for no microphone",
      ])
    #expect(outcomes.count > 100)
  }

  @Test func phoneWithMicrophonePasses() async throws {
    var phone = OwnPhone()
    phone.fault.speaks = true
    #expect(try await phone.outcomes(of: ["CSO-74"]).map(\.verdict) == [.pass])
  }

  /// The checks with a second connection judge nothing that the phone sent on the first one.
  @Test(arguments: ["CPA-83", "CPA-84", "CPA-85", "CEN-73", "CEN-74", "CEN-75"])
  func secondConnectionIsJudgedAlone(_ id: String) async throws {
    #expect(try await OwnPhone(hasLateBytes: true).outcomes(of: [id]).map(\.verdict) == [.pass])
  }

  /// A phone whose film ends during a check is not at fault.
  @Test(arguments: ["CSC-71", "CSC-72"])
  func endOfFilmIsInconclusive(_ id: String) async throws {
    var phone = OwnPhone()
    let film = try OwnPhone.film(interval: 1800, seconds: 2)
    phone.fault.program = { $0.film = film }
    let verdicts = try await phone.outcomes(of: [id]).map(\.verdict)
    #expect(verdicts.map(\.kind) == [.inconclusive], "\(verdicts)")
    #expect(verdicts.first?.reason?.hasPrefix("the phone stopped screen during the check") == true, "\(verdicts)")
  }

  /// A phone repeats GETANCHOR until its buffered music has an anchor, and may end the session without an answer.
  @Test func theAnchorOfBufferedMusicIsAnswered() async throws {
    let identity = try TestParties.identity("head unit")
    let headUnit = ScriptedHeadUnit(
      ProbedPhone(
        line: ProgramLine(accepts: true), identity: identity, otherIdentity: identity, random: SeededBytes(4).bytes))
    func answer(_ method: String, _ body: PropertyValue) async -> RequestMessage {
      let request = RequestMessage(
        .request(method: method, path: "rtsp://carplay/1", protocolWord: "RTSP/1.0"), body: body.binary)
      return await headUnit.usualAnswer(to: request, .other(method))
    }
    let before = await answer("GETANCHOR", ["rate": 1])
    #expect(before.status == 200 && before.values == ["rate": 0])
    #expect(await answer("SETRATE", ["rtpTime": 5, "rate": 1]).status == 200)
    let running = try #require(await answer("GETANCHOR", ["rate": 1]).values)
    #expect(running["rate"] == 1 && running["rtpTime"] == 5 && running["networkTimeSecs"] != nil)
    #expect(await answer("SETRATEANCHORTIME", ["rate": 0]).status == 200)
    let paused = try #require(await answer("GETANCHOR", ["rate": 1]).values)
    #expect(paused["rate"] == 0 && paused["rtpTime"] == 5)
  }

  @Test(arguments: FaultCase.all)
  func faultyPhoneFails(_ fault: FaultCase) async throws {
    let outcomes = try await OwnPhone(fault: fault.fault).outcomes(of: [fault.id])
    #expect(outcomes.map(\.verdict.kind) == [.fail], "\(outcomes.map(\.verdict))")
  }

  @Test(arguments: FaultCase.rules)
  func faultyPhoneBreaksRule(_ fault: FaultCase) async throws {
    let outcomes = try await OwnPhone(fault: fault.fault).outcomes(of: [fault.id])
    #expect(outcomes.map(\.verdict.kind) == [.fail], "\(outcomes.map(\.verdict))")
  }

  /// Checks, and the reason for which the phone of this package ends its session in them.
  private static let ends: [(String, SessionEnd)] = [
    ("CPA-71", .badProof), ("CPA-72", .badPublicKey), ("CPA-73", .badTag), ("CPA-74", .badSignature),
    ("CPA-75", .pairingRefused), ("CPA-76", .badAnswer), ("CPA-78", .badPublicKey), ("CPA-79", .badTag),
    ("CPA-80", .badSignature), ("CPA-81", .badTag), ("CPA-82", .pairingRefused), ("CPA-86", .unknownPeer),
    ("CPA-87", .notPaired), ("CRQ-76", .badRequest), ("CCH-71", .badFrame), ("CCH-72", .badFrame),
    ("CCH-73", .badFrame), ("CCH-74", .badFrame), ("CAS-71", .badSignature), ("CAS-72", .badCertificate),
    ("CAS-73", .badPublicKey), ("CAS-74", .badAnswer), ("CSU-71", .badValue), ("CSU-72", .busy), ("CSU-73", .badPlist),
    ("CSU-77", .requestTimeout), ("CIN-71", .badInfo), ("CIN-72", .badPlist), ("CIN-75", .badInfo),
    ("CDA-72", .badFrame), ("CFB-71", .feedbackSilent), ("CEN-71", .controlLost), ("CEN-72", .eventLost),
    ("CEV-71", .eventLost), ("CSC-73", .streamLost),
  ]

  @Test(arguments: ends)
  func provocationEndsSession(_ id: String, _ end: SessionEnd) async throws {
    let ends = Mutex<[SessionEnd]>([])
    var phone = OwnPhone()
    phone.fault.noteEnd = { end in ends.withLock { $0.append(end) } }
    _ = try await phone.outcomes(of: [id])
    #expect(ends.withLock { $0.first } == end)
  }

  @Test func everyProvokingCheckHasAFaultyPhone() {
    let ids = SessionCheck.all(of: .device).map(\.check.id).filter { (Int($0.suffix(2)) ?? 0) > 70 }
    #expect(Set(ids) == Set(FaultCase.all.map(\.id)))
  }
}
