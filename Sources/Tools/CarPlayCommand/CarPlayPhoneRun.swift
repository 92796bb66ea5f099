// swift-iap2 · Apache-2.0

import CarPlayLive
package import CarPlaySession
import CommandSupport
import Crypto
import Foundation
package import IAP2
package import IAP2Authentication
package import IAP2Transport

/// A phone that has one CarPlay session with a head unit.
package struct CarPlayPhoneRun: Sendable {
  typealias Runner = SessionRunner<ProgrammedSession<PhoneProgram>>

  private let runner: Runner
  private let output: SessionOutput
  private let address: HostPort
  private let isBrief: Bool
  /// The time after which the session ends in order, whatever was sent; nil for none.
  private let limit: Duration?

  /// - Parameter isBrief: Whether the phone ends the session once its content was sent and the time is over.
  package init(
    _ options: CarPlayPhoneOptions, address: HostPort, verifier: AuthenticationVerifier, name: String?, json: Bool,
    isBrief: Bool, duration: Duration?, isLinked: Bool = false, clock: any RuntimeClock,
    onEvent: @escaping @Sendable (SessionEvent, _ linkCause: String?) -> Void = { _, _ in }
  ) throws {
    let path = options.pairings ?? PairingFile.standardPath(of: .phone)
    let pairings: PairingFile
    do throws(PairingFile.Problem) { pairings = try PairingFile(path: path) } catch { throw error.failure }
    var request = SessionSetUpRequest()
    request.name = name ?? "iap2 phone"
    request.model = "swift-iap2"
    request.deviceID = pairings.identity.macAddress
    request.macAddress = pairings.identity.macAddress
    request.sessionUUID = UUID().uuidString
    request.features = ["iAPChannel", "viewAreas"]
    var configuration = PhoneConfiguration(
      identity: pairings.identity, headUnits: pairings.keys, generation: options.generation, request: request,
      judge: { Self.judge($0, verifier) })
    if options.airplayPairing { configuration.pairingKinds = (3, 3) }
    configuration.authenticates = !options.skipAuthSetup
    let output = SessionOutput(
      .phone, json: json, isLinked: isLinked, pairings: pairings, now: { clock.now }, onEvent: onEvent)
    runner = Runner(
      ProgrammedSession(
        PhoneSession(configuration, random: SessionSystem.random),
        PhoneProgram(try Self.settings(options, isBrief: isBrief, duration: duration))),
      onEvent: { output.take($0) })
    (self.output, self.address) = (output, address)
    (self.isBrief, limit) = (isBrief, isBrief ? nil : duration)
  }

  private static func settings(
    _ options: CarPlayPhoneOptions, isBrief: Bool, duration: Duration?
  ) throws -> PhoneProgram.Settings {
    var settings = PhoneProgram.Settings()
    if let video = options.video {
      let bytes = try InputFile.bytes(video, limit: maximumContent)
      do throws(VideoProblem) { settings.film = try Film(annexB: bytes, rate: options.rate) } catch {
        throw CommandFailure(
          .badInput,
          "\(video): \(error.words); make a film that a phone can send: "
            + "ffmpeg -i FILE -c:v libx264 -bf 0 -bsf:v h264_mp4toannexb -f h264 film.h264")
      }
    }
    if let music = options.music {
      let bytes = try InputFile.bytes(music, limit: maximumContent)
      guard !bytes.isEmpty, bytes.count % Music.bytesPerFrame == 0 else {
        throw CommandFailure(
          .badInput,
          "\(music) has \(bytes.count) bytes, and music has 4 for each sample of both channels; make it: "
            + "ffmpeg -i FILE -ac 2 -ar 48000 -f s16le music.pcm")
      }
      settings.music = Music(littleEndian: bytes)
    }
    (settings.ends, settings.duration) = (isBrief, duration)
    return settings
  }

  /// The bytes of a film or a piece of music, which are kept in memory: an hour and a half of PCM.
  private static let maximumContent = 1 << 30

  private static func judge(
    _ evidence: AuthSetupPhone.Evidence, _ verifier: AuthenticationVerifier
  ) -> PhoneConfiguration.Judgement {
    do throws(AuthenticationError) {
      try verifier.verify(
        response: evidence.signature, challenge: Array(SHA256.hash(data: evidence.signed)),
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
    await runner.act { step(&$0.machine, $1) }
  }

  /// Ends the session, because its iAP2 link is gone for a cause.
  package func linkEnded(_ cause: String) async {
    output.endsWithLink(cause)
    await runner.act { $0.stop(.linkLost, at: $1) }
  }

  /// Ends the session in order.
  package func stop() async { await runner.act { $0.stop(.stopped, at: $1) } }

  /// Connects, and returns after the end of the session.
  ///
  /// - Parameter isAlone: Whether Ctrl-C ends the session; otherwise its owner does.
  /// - Returns: Whether the session was set up, carried its content and ended in order.
  package func run(isAlone: Bool = true) async throws -> Bool {
    await runner.act { $0.machine.start(port: UInt16(clamping: address.port), at: $1) }
    do { try await runner.connect(host: address.host, port: address.port) } catch {
      await runner.close()
      let advice = isAlone ? "" : "; the head unit named this address over iAP2: start it with --carplay"
      throw CommandFailure(
        .unavailable, "no head unit at \(address): \(SocketFacts.reason(of: error))\(advice)")
    }
    if isAlone { await output.wait(once: true, duration: limit) } else { for await _ in output.ends { break } }
    await runner.act { $0.stop(.stopped, at: $1) }
    await output.waitForEnd()
    let isComplete = await runner.act { machine, _ in machine.program.isComplete }
    await runner.close()
    // A user may stop a session before its content ended. With --once the content is the task.
    return output.isComplete && (isComplete || output.wasStopped && !isBrief)
  }
}

extension VideoProblem {
  /// The reason why a film cannot be sent.
  fileprivate var words: String {
    switch self {
    case .notByteStream: "it is no byte stream of H.264 (Annex B)"
    case .noParameterSets: "it does not begin with a key frame and its parameter sets"
    case .bidirectionalPicture(let number): "its picture \(number + 1) may need a later one (B)"
    default: "\(self)"
    }
  }
}
