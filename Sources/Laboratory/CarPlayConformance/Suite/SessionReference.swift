// swift-iap2 · Apache-2.0

package import CarPlayPrograms
package import CarPlaySession
import CarPlaySimulation

/// This package's own sides in memory and in virtual time, as peers for checks.
package enum SessionReference {
  /// The settings of the head unit: one display, every sound, and every feature but a cluster.
  package static func headUnitConfiguration() throws(PairingProblem) -> HeadUnitConfiguration {
    HeadUnitConfiguration(
      identity: try TestParties.identity("5EC0FD00-0000-4000-8000-0000000000A0"),
      info: .standard(
        generation: .current, deviceID: "02:00:00:00:00:01",
        displays: [DisplaySettings(width: 800, height: 480), DisplaySettings(width: 480, height: 240)]),
      features: ["altScreen", "iAPChannel", "mainBuffered", "viewAreas"])
  }

  /// Returns a head unit in memory, as a peer of checks. A key of the knob is pressed at the start of each session, and
  /// a key frame is asked for.
  ///
  /// - Parameters:
  ///   - configuration: Its settings; nil for the standard ones.
  ///   - sign: The coprocessor; that of the project's test accessory by default.
  ///   - wrap: Returns the machine that is on the network in place of the head unit.
  package static func headUnit<Machine: SessionMachine>(
    _ configuration: HeadUnitConfiguration? = nil,
    sign: @escaping @Sendable ([UInt8]) -> AccessoryEvidence? = { TestParties.sign($0) },
    wrap: (ProgrammedSession<HeadUnitProgram>) -> Machine
  ) throws(PairingProblem) -> ProbedHeadUnit {
    var own = configuration
    if own == nil { own = try headUnitConfiguration() }
    guard let own else { throw .badKey }
    var settings = HeadUnitProgram.Settings()
    settings.takesScreenOnRequest = true
    settings.commands = [.forceKeyFrame(uuid: own.info.displays?.first?.uuid)]
    if let knob = own.info.inputDevices?.first(where: { $0.descriptor.count < 100 }) {
      settings.commands.append(.inputReport(device: knob.uuid, report: [0, 0, 0, 0]))
    }
    let session = HeadUnitSession(own, random: SeededBytes(1).bytes)
    let request =
      own.info.deviceID.flatMap { DeviceID($0) }.map {
        ControlCall.request($0, sourceVersion: own.generation.sourceVersion, host: "probe.local")
      } ?? []
    let network = MemoryHeadUnit(
      wrap(ProgrammedSession(session, HeadUnitProgram(settings, sinks: []))), request: request,
      sign: sign)
    var peer = ProbedHeadUnit(
      identity: try TestParties.identity("probe"), otherIdentity: try TestParties.identity("other probe"),
      random: SeededBytes(2).bytes,
      judge: { TestParties.judge($0) }, dial: { await network.dial() })
    peer.control = ProbeControl {
      await network.requests
    } announceSecond: {
      .success(await network.announceSecond())
    }
    return peer
  }

  /// Returns the control port of a phone in memory, which connects after a granted request.
  package static func memoryCalls(_ connect: @escaping @Sendable () async -> Void) -> ProbeCalls {
    ProbeCalls { request in
      let status = status(of: request)
      if status == 200 { await connect() }
      return .status(status)
    } hold: { _ in
    }
  }

  /// Returns the status with which a phone answers a control request.
  package static func status(of request: [UInt8]) -> Int {
    switch ControlCall.read(request) {
    case .success: 200
    case .failure(let refusal): refusal.status
    }
  }

  /// Returns a phone in memory, as a peer of checks. It shows a gray film, plays music, and opens buffered music and a
  /// data stream. After each session it connects again with its pairings.
  package static func phone() throws -> ProbedPhone {
    var configuration = PhoneConfiguration(
      identity: try TestParties.identity("reference phone"), judge: { TestParties.judge($0) })
    configuration.request.features = ["altScreen", "iAPChannel", "mainBuffered", "viewAreas"]
    configuration.request.name = "reference phone"
    var settings = PhoneProgram.Settings()
    settings.film = try Film(annexB: SamplePicture(width: 800, height: 480).film(seconds: 60, rate: 10), rate: 10)
    settings.music = Music(littleEndian: [UInt8](repeating: 1, count: 60 * 48_000 * Music.bytesPerFrame))
    settings.ends = false
    let (fixed, content, random) = (configuration, settings, SeededBytes(3))
    let network = MemoryPhone<ProgrammedSession<ReferencePhone>>(
      { before, time in
        var own = fixed
        own.headUnits = before?.program.paired ?? [:]
        var phone = ProgrammedSession(
          PhoneSession(own, random: random.bytes), ReferencePhone(content, paired: own.headUnits))
        phone.machine.start(port: SessionNetwork.controlPort, at: time)
        return phone
      }, sign: { TestParties.sign($0) })
    var peer = ProbedPhone(
      line: network, restart: { await network.restart() }, identity: try TestParties.identity("probe"),
      otherIdentity: try TestParties.identity("other probe"), random: SeededBytes(4).bytes)
    peer.calls = memoryCalls { await network.restart() }
    return peer
  }
}
