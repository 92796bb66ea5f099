// swift-iap2 · Apache-2.0

import CarPlayAnalysis
import CarPlaySession
import IAP2Conformance

// The session from which the rules are judged: every part that the head unit offers, once, as a phone plays it.
extension ScriptedPhone {
  /// Plays an ordinary session as far as the head unit goes.
  ///
  /// - Returns: Why it stopped early; nil if it went to its end.
  func playOrdinarySession() async -> String? {
    do throws(Stop) {
      try await pair()
      try await verify()
      try await authenticate()
      try await setUp()
      try await openEvents()
      try await readAdvertisement()
      try await inform()
      try await startRecording()
      await beginFeedback()
      await playStreams()
      // The head unit's clock, its answers to /feedback and its commands, while all streams run.
      await pass(peer.ordinary)
      _ = try await command(
        SessionCommand.modesChanged(ModeSnapshot(ModeArbiter(), reason: "")).body)
      if !streams.isEmpty { _ = try await end(streams.keys.sorted { $0.rawValue < $1.rawValue }) }
      try await tearDown()
      return nil
    } catch {
      record.settle()
      switch error {
      case .failed(let reason), .inconclusive(let reason), .notApplicable(let reason): return reason
      }
    }
  }

  /// Asks for the TXT record of Bonjour, which some head units have in `/info` if it is asked for by name.
  private func readAdvertisement() async throws(Stop) {
    let answer = try await ask(request("GET", "/info", list: ["qualifier": ["txtAirPlay"]]))
    do throws(BodyProblem) {
      guard answer.status == 200, let bytes = try SessionInfo(bytes: answer.body).values["txtAirPlay"]?.data else {
        return
      }
      record.judge.textRecord = Self.textRecord(bytes)
      record.reach(.advertisement)
    } catch { return }
  }

  /// Reads a TXT record: texts after their lengths, each with a key and a value.
  private static func textRecord(_ bytes: [UInt8]) -> [String: String] {
    var rest = bytes[...]
    var values: [String: String] = [:]
    while let count = rest.popFirst() {
      let parts = String(decoding: rest.prefix(Int(count)), as: UTF8.self).split(separator: "=", maxSplits: 1)
      if parts.count == 2 { values[parts[0].lowercased()] = String(parts[1]) }
      rest = rest.dropFirst(Int(count))
    }
    return values
  }

  /// Plays each stream that the head unit offers. One that does not begin is the matter of another check.
  private func playStreams() async {
    do throws(Stop) {
      try await openScreen()
      for number in 1...10 {
        await send([pictures.frame(number, time: await time)])
        await pass(.milliseconds(33))
      }
      await send([ScreenMessage(.heartbeat)])
    } catch {}
    if !formats(of: .mainAudio, inputs: true).isEmpty {
      do throws(Stop) {
        try await openSound(.mainAudio, wantsMicrophone: true)
        await playSound(20)
      } catch {}
    }
    for type in [StreamType.mainAudio, .alternateAudio, .mainHighAudio] where streams[type] == nil {
      do throws(Stop) {
        try await openSound(type)
        await playSound(20, of: type)
      } catch {}
    }
    guard setUpAnswer?.enabledFeatures.contains("iAPChannel") == true else { return }
    do throws(Stop) {
      try await open(await body(of: .data))
      // Without a body the package asks for a reply, and begins no iAP2.
      await send([DataPackage(sequence: 0)])
    } catch {}
  }
}
