// swift-iap2 · Apache-2.0

import Basics
import CarPlaySession
import CarPlaySimulation
import Cryptography
import Synchronization
import Testing

/// The answers to `/feedback`, decrypted with the key log from what the head unit sends.
@Suite("The answers to feedback") struct FeedbackTests {
  /// Returns the streams of each answer to `/feedback`.
  private func answers(_ network: SessionNetwork, _ bytes: [UInt8]) throws -> [[PropertyValue]] {
    let secret = try #require(network.keyLog.first { $0.secret.procedure == .pairVerify }).secret.secret
    var reader = RequestReader()
    var start: Int?
    for (index, byte) in bytes.enumerated() where start == nil {
      reader.add([byte])
      // The last answer in the clear is that to M3 of pair-verify.
      if try reader.next()?.body == [6, 1, 4] { start = index + 1 }
    }
    var opener = FrameOpener(key: ChannelKeys.control(secret).headUnit)
    reader = RequestReader()
    reader.add(try opener.open(Array(bytes[try #require(start)...])))
    var found: [[PropertyValue]] = []
    while let message = try reader.next() {
      guard !message.body.isEmpty, case .dictionary(let body)? = try? PropertyValue(binary: message.body),
        let streams = body["streams"]?.array, streams.contains(where: { $0["sampleRate"] != nil })
      else { continue }
      found.append(streams)
    }
    return found
  }

  @Test("A stream is listed from its set-up on, and its sample is the first one until the latency has passed")
  func listedFromSetUpOn() throws {
    let sent = Mutex<[UInt8]>([])
    var network = try Sessions.network()
    network.fault = { delivery in
      if case (.phone(0), .control, .bytes(let bytes)) = (delivery.node, delivery.socket, delivery.content) {
        sent.withLock { $0 += bytes }
      }
      return [delivery]
    }
    network.run(for: .seconds(1))
    let format = try #require(AudioFormat.pcm(rate: 48_000, channels: 2))
    network.actPhone {
      _ = $0.setUp(
        StreamRequest(.mainAudio, format: format, audioType: "media", latencyMilliseconds: 3000), at: $1)
    }
    network.run(for: .seconds(2))
    let before = try answers(network, sent.withLock { $0 })
    #expect(before.count >= 2)
    for streams in before {
      #expect(streams.count == 1 && streams[0]["type"]?.integer == 100 && streams[0]["sampleRate"]?.integer == 48_000)
      #expect(streams[0]["sampleTime"] == nil)
    }
    network.actPhone { $0.send(sound: [1, 2, 3, 4], frameCount: 1, of: .mainAudio, at: $1) }
    network.run(for: .seconds(6))
    let samples = try answers(network, sent.withLock { $0 }).compactMap { $0[0]["sampleTime"]?.integer }
    #expect(samples.count >= 5 && samples.allSatisfy { $0 >= 0 && $0 <= 48_000 * 4 })
    #expect(samples.prefix(3).allSatisfy { $0 == samples[0] } && samples.last ?? 0 >= samples[0] + 48_000)
  }
}
