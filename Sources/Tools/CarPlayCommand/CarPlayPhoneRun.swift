// swift-iap2 · Apache-2.0

import CarPlayControl
import CarPlayLive
import CarPlayPhone
import CarPlayPlatform
import CarPlayPrograms
package import CarPlaySession
import CarPlaySimulation
import CommandSupport
import Cryptography
package import FaultModel
import Foundation
import IAP2
package import IAP2Authentication
package import IAP2Roles
package import IAP2Transport

/// A phone that runs one CarPlay session with a head unit.
package struct CarPlayPhoneRun: Sendable {
  typealias Runner = SessionRunner<FaultySession<ProgrammedSession<PhoneProgram>>>

  private let runner: Runner
  private let app: AppPhone?
  /// The sink of the microphone's sound; nil without apps and a file.
  private let microphone: DecodedSound?
  private let output: SessionOutput
  private let keyLog: KeyLog?
  private let places: HeadUnitPlaces
  private let viewer: SessionViewer?
  private let isBrief: Bool
  /// The phone's Bluetooth address.
  private let bluetoothID: String
  /// Whether the user or the network gave the address; otherwise the head unit did over iAP2.
  private let isChosen: Bool
  private let onReport: @Sendable (AppReport?, _ before: AppReport?) async -> Void
  /// The time after which the session ends cleanly, even if content is left; nil for no limit.
  private let limit: Duration?

  /// - Parameters:
  ///   - expected: The name of the head unit in its start message; nil for none.
  ///   - isBrief: Whether the phone ends the session after it sent its content and the time is over.
  ///   - onReport: Receives what the apps report to the head unit over iAP2, after an earlier report; nil at the end.
  ///   - inner: iAP2 inside the session; nil for none.
  ///   - number: The number of sessions before this one, so that each has its own faults from one seed.
  package init(
    _ options: CarPlayPhoneOptions, content: PhoneContent, places: HeadUnitPlaces, verifier: AuthenticationVerifier,
    expected: HeadUnitName? = nil, name: String?, json: Bool, isBrief: Bool, duration: Duration?,
    isLinked: Bool = false, inner: LiveInnerLink? = nil, faults: FaultPlan = FaultPlan(), number: Int = 0,
    tap: SocketTap? = nil,
    keyLog: KeyLog? = nil, viewer: SessionViewer? = nil, clock: any RuntimeClock,
    onReport: @escaping @Sendable (AppReport?, _ before: AppReport?) async -> Void = { _, _ in },
    onEvent: @escaping @Sendable (CarPlaySession.SessionEvent, _ linkCause: String?) -> Void = { _, _ in }
  ) throws {
    let pairings = try Self.pairings(options)
    var request = SessionSetUpRequest()
    request.name = name ?? "iap2 phone"
    request.deviceID = pairings.identity.macAddress
    request.macAddress = pairings.identity.macAddress
    request.features = ["altScreen", "iAPChannel", "viewAreas"]
    var configuration = PhoneConfiguration(
      identity: pairings.identity, headUnits: pairings.keys, generation: options.generation, request: request,
      judge: { Self.judge($0, verifier) })
    if options.airplayPairing { configuration.pairingKinds = (3, 3) }
    configuration.keys = options.setUpKeys
    configuration.expectedHeadUnit = expected
    configuration.authenticates = !options.skipAuthSetup
    var settings = PhoneProgram.Settings()
    (settings.film, settings.music) = (content.film, content.music)
    settings.profile = options.sessionProfile
    settings.coders = StreamEncoder.coders(content.codecs)
    // A session over the air has no cable that charges the phone.
    let link: CarLink = inner != nil || options.sessionProfile == .wireless ? .wireless : .wired
    let app = try content.apps?.phone(link: link, json: json, viewer: viewer)
    settings.showsPictures = app != nil
    var sinks: [any MediaSink] = content.microphone.map { [$0] } ?? []
    if let app { sinks.append(SoundMix(AppMicrophone(app))) }
    let microphone = sinks.isEmpty ? nil : DecodedSound(sinks, codecs: content.codecs.intersection([.opus]))
    // An app has no end of its own.
    (settings.ends, settings.duration) = (isBrief && (app == nil || duration != nil), duration)
    // The steps of a scenario open other streams.
    settings.fillsOtherStreams = true
    let output = SessionOutput(
      .phone, json: json, hasLines: viewer == nil, isLinked: isLinked, pairings: pairings, now: { clock.now },
      onEvent: onEvent)
    bluetoothID = pairings.identity.macAddress
    runner = Runner(
      FaultySession(
        ProgrammedSession(
          PhoneSession(configuration, random: SessionSystem.random),
          PhoneProgram(settings, sinks: microphone.map { [$0] } ?? [])),
        side: .phone, plan: faults, session: number),
      tap: tap?.receive, keyLog: keyLog?.receive,
      onEvent: {
        output.take($0)
        app?.take($0)
        inner?.take($0)
      })
    (self.app, self.microphone, self.output, self.places, self.keyLog) = (app, microphone, output, places, keyLog)
    (self.onReport, self.viewer) = (onReport, viewer)
    inner?.join(output) { [runner] bytes in await runner.act { $0.machine.machine.send(iAP: bytes, at: $1) } }
    (self.isBrief, isChosen, limit) = (isBrief, options.connect != nil || !isLinked, isBrief ? nil : duration)
  }

  /// Opens the pairings of a phone, or creates the file.
  @discardableResult
  package static func pairings(_ options: CarPlayPhoneOptions) throws -> PairingFile {
    let path = options.pairings ?? PairingFile.standardPath(of: .phone)
    do throws(PairingFile.Problem) { return try PairingFile(path: path) } catch { throw error.failure }
  }

  private static func judge(
    _ evidence: AuthSetupPhone.Evidence, _ verifier: AuthenticationVerifier
  ) -> PhoneConfiguration.Verdict {
    do throws(AuthenticationError) {
      try verifier.verify(
        response: evidence.signature, challenge: HashFunction.sha256.hash(evidence.signed),
        certificate: evidence.certificate)
      return .trusted
    } catch {
      switch error {
      case .wrongSignature, .wrongResponseLength: return .badSignature
      default: return .badCertificate
      }
    }
  }

  /// Runs a step of a scenario.
  ///
  /// - Returns: nil on success, otherwise the reason.
  package func run(_ step: @escaping @Sendable (inout PhoneSession, MonotonicTime) -> String?) async -> String? {
    await runner.act { step(&$0.machine.machine, $1) }
  }

  /// Makes the next picture of the apps one that stands alone, for a viewer.
  package func requestKeyFrame() { app?.requestKeyFrame() }

  /// Ends the session, because its iAP2 link ended for a cause.
  package func linkEnded(_ cause: String) async {
    output.endsWithLink(cause)
    await runner.act { $0.stop(.linkLost, at: $1) }
  }

  /// Sends `disableBluetooth`.
  func disableBluetooth() async {
    await runner.act { [bluetoothID] in
      _ = $0.machine.machine.send(.disableBluetooth(deviceID: bluetoothID), at: $1)
    }
  }

  /// Passes what the head unit asked for over iAP2 to the apps.
  package func perform(_ requests: [PhoneRequest]) { for request in requests { app?.take(request) } }

  /// Passes the car's position to the apps.
  package func move(to location: LocationReading) { app?.take(location) }

  /// Whether apps decide what the phone plays.
  package var hasApps: Bool { app != nil }

  /// Ends the session cleanly.
  package func stop() async { await runner.act { $0.stop(.stopped, at: $1) } }

  /// Ends the session cleanly, because the user wants it.
  func stopByUser() async {
    output.stop()
    await stop()
  }

  /// Shows an app until the session ends. The end of the app ends the session.
  private func show(_ app: AppPhone) async -> CarFailure? {
    let (work, sender) = AsyncStream<AppPhone.Work>.makeStream()
    let speaker = PhoneSpeaker(port)
    let playing = Task { await speaker.run() }
    let prompts = PhonePrompts()
    let speaking = Task { [runner] in
      await prompts.run { sound, ducks in await runner.act { _ = $0.machine.say(sound, ducks: ducks, at: $1) } }
    }
    let sending = Task { [runner, onReport] in
      var reported: AppReport?
      for await work in work {
        switch work {
        case .show(let picture, let type):
          viewer?.show(SessionViewer.Picture(type: type, isKeyFrame: picture.isKeyFrame, bytes: picture.bytes))
          let isSent = await runner.act { session, time in
            do throws(VideoProblem) {
              return session.machine.show(try Film.Picture(annexB: picture.bytes), on: type, at: time)
            } catch { return false }
          }
          app.taken(type, isSent: isSent)
        case .change(let requests):
          await runner.act { session, time in
            for request in requests { session.machine.machine.change(request, at: time) }
          }
        case .say(let speech): prompts.take(speech)
        case .send(let command): await runner.act { _ = $0.machine.machine.send(command, at: $1) }
        case .report(let report, let before):
          reported = report
          await onReport(report, before)
        case .play(let sounds):
          speaker.play(sounds)
          prompts.take(sounds)
        }
      }
      // Without a session the apps are not in a car.
      if let reported { await onReport(nil, reported) }
    }
    let failure = await app.run { sender.yield($0) }
    sender.finish()
    await sending.value
    speaker.finish()
    prompts.finish()
    for task in [playing, speaking] { task.cancel() }
    await playing.value
    if failure != nil { await stop() }
    return failure
  }

  /// The session's side of the apps' sound.
  private var port: PhoneSpeaker.Port {
    PhoneSpeaker.Port(
      play: { [runner] kind in
        await runner.act { session, time in
          session.machine.play(kind, at: time)
          return session.machine.program.runningAudio
        }
      },
      send: { [runner] packets in
        await runner.act { session, time in
          for packet in packets { session.machine.send(mainAudio: packet, at: time) }
          return session.machine.program.runningAudio != nil
        }
      })
  }

  /// Connects to the first place that answers.
  ///
  /// - Throws: The error of the last attempt.
  private func connect() async throws {
    let end = ContinuousClock.now + places.patience
    var last: any Error = CommandFailure(.unavailable, "no network with link-local addresses is there")
    repeat {
      for place in places.present() where !output.isOver {
        do {
          return try await runner.connect(host: place.host, port: place.port) {
            $0.machine.machine.start(port: UInt16(clamping: place.port), at: $1)
          }
        } catch { last = error }
      }
      if ContinuousClock.now < end { try await Task.sleep(for: HeadUnitPlaces.retryTime) }
    } while ContinuousClock.now < end && !output.isOver
    throw last
  }

  /// Connects, and returns after the end of the session.
  ///
  /// - Parameter isAlone: Whether Ctrl-C ends the session; otherwise its owner does.
  /// - Returns: Whether the session was set up, carried its content and ended cleanly.
  package func run(isAlone: Bool = true) async throws -> Bool {
    try keyLog?.begin()
    let showing = app.map { app in Task { await show(app) } }
    do { try await connect() } catch {
      await runner.close()
      app?.end()
      // An app that ended by itself has stopped the session while it connected.
      if let showing, let failure = await showing.value { throw CommandFailure(failure) }
      var advice = ""
      if let network = places.turnOnCables() {
        advice = "; \(network)"
      } else if !isAlone, !isChosen {
        advice =
          "; the head unit named this address over iAP2: start it with --carplay, and with --listen '[::]:0' for other machines"
      }
      throw CommandFailure(
        .unavailable, "no head unit at \(places): \(SocketAddresses.reason(of: error))\(advice)")
    }
    if isAlone { await output.wait(once: true, duration: limit) } else { for await _ in output.ends { break } }
    await runner.act { $0.stop(.stopped, at: $1) }
    await output.waitForEnd()
    let program = await runner.act { machine, _ in machine.machine.program }
    await runner.close()
    await microphone?.close()
    let failure = await showing?.value
    if let count = app?.lostInputCount, count > 0 {
      Output.note("\(count) inputs of the driver were lost, because they came faster than the app took them")
    }
    if let words = app?.pictureTimes.words { Output.note(words) }
    if program.problem != nil {
      Output.note("the film or the music changed while it was played, so its rest was not sent")
    }
    if let rate = program.slowedRate {
      Output.note("the display shows \(Int(rate)) pictures a second, so the film was shown at that rate, not at --rate")
    }
    for kind in program.refusedAudio.map(\.rawValue).sorted() {
      Output.note(
        "the head unit offers no format that this phone sends for the sound of kind \(kind), so it was not sent")
    }
    if program.isMusicRefused {
      Output.note("the head unit offers no format that this phone sends for music, so the music was not sent")
    }
    if program.droppedPictureCount > 0 {
      Output.note(
        "\(program.droppedPictureCount) pictures were not sent, because the head unit did not read the earlier ones in time"
      )
    }
    if let failure { throw CommandFailure(failure) }
    // A user may stop a session before its content ended. With --once the content must be complete.
    return output.isComplete && (program.isComplete || output.wasStopped && !isBrief)
  }
}
