// swift-iap2 · Apache-2.0

import Basics
import CarPlayPrograms
import CarPlaySession
import CarPlaySimulation
import Synchronization
import Testing

@Suite("The streams and formats that a phone chooses for its sound, and the packets of an encoder")
struct SoundChoiceTests {
  private typealias Network = MachineNetwork<HeadUnitSession, ProgrammedSession<PhoneProgram>>

  /// An encoder whose packets are the numbers of the samples in them. The last packet is filled.
  private final class Counter: SoundCoder {
    private struct State {
      var byteCount = 0, sentCount = 0
      var state = SoundCoderState.active
    }
    private let format: AudioFormat
    private let failsAt: Int?
    private let state = Mutex(State())

    init(_ format: AudioFormat, failsAt: Int? = nil) { (self.format, self.failsAt) = (format, failsAt) }

    private var packetByteCount: Int { (format.codec == .opus ? format.rate / 50 : 1024) * format.channels * 2 }

    func write(_ samples: [UInt8]) { state.withLock { $0.byteCount += samples.count } }

    func finish() {
      state.withLock { state in
        state.byteCount = (state.byteCount + packetByteCount - 1) / packetByteCount * packetByteCount
        state.state = .ended
      }
    }

    func takePackets() -> (packets: [[UInt8]], state: SoundCoderState) {
      state.withLock { state in
        if let failsAt, state.sentCount >= failsAt { return ([], .failed) }
        let count = state.byteCount / packetByteCount - state.sentCount
        defer { state.sentCount += count }
        return ((0..<count).map { [UInt8(truncatingIfNeeded: state.sentCount + $0)] }, state.state)
      }
    }
  }

  /// A sink that keeps packets.
  private final class Kept: MediaSink {
    let packets = Mutex<[ReceivedPacket]>([])
    func take(_ content: ReceivedContent, at time: MonotonicTime) {
      if case .packet(let packet) = content { packets.withLock { $0.append(packet) } }
    }
  }

  private static func offers(_ change: (inout SessionInfo) -> Void) -> [AudioFormatOffer]? {
    var info = SessionInfo.standard(
      generation: .current, deviceID: "02:00:00:00:00:01", displays: [DisplaySettings(width: 1280, height: 720)])
    change(&info)
    return info.audioFormats
  }

  private static let wired = offers { _ in }
  private static let wireless = offers { $0.offer(.opus, withMicrophone: true) }
  /// Coded formats alone.
  private static let coded = [
    AudioFormatOffer(.mainAudio, nil, output: 1 << 22 | 1 << 28),
    AudioFormatOffer(.alternateAudio, nil, output: 1 << 29),
  ]
  /// OPUS without a stream for wireless music.
  private static let noHighAudio = wireless?.filter { $0.type != StreamType.mainHighAudio.rawValue }

  private static func network(
    _ profile: SessionProfile, _ offers: [AudioFormatOffer]?, codecs: Set<AudioFormat.Codec> = [.aacLC, .opus],
    music: Music? = nil, failsAt: Int? = nil
  ) throws -> Network {
    var settings = PhoneProgram.Settings()
    (settings.profile, settings.music, settings.ends) = (profile, music, music != nil)
    settings.coders = SoundCoders(codecs) { Counter($0, failsAt: failsAt) }
    var network = Network(
      headUnit: try Sessions.headUnit { $0.info.audioFormats = offers },
      phones: [ProgrammedSession(try Sessions.phone(), PhoneProgram(settings))], sign: Sessions.sign)
    network.actPhone { $0.machine.start(port: Network.controlPort, at: $1) }
    network.run(for: .seconds(1))
    return network
  }

  /// Returns the streams of sound that were set up at the head unit.
  private func streams(_ network: Network) -> [String] {
    network.events(of: .headUnit).compactMap {
      if case .stream(let type, .setUp, let format?) = $0 { "\(type.rawValue) \(format)" } else { nil }
    }
  }

  private static let profiles: [(SessionProfile, [AudioFormatOffer]?, Set<AudioFormat.Codec>, [String])] = [
    (.wired, wired, [.aacLC, .opus], ["100 pcm/48000/16/2", "100 pcm/32000/16/1", "101 pcm/48000/16/2"]),
    (.wired, wireless, [.aacLC, .opus], ["100 pcm/48000/16/2", "100 pcm/32000/16/1", "101 pcm/48000/16/2"]),
    (.wireless, wired, [.aacLC, .opus], ["102 aac-lc/48000/16/2", "100 pcm/32000/16/1", "101 pcm/48000/16/2"]),
    (.wireless, wireless, [.aacLC, .opus], ["102 aac-lc/48000/16/2", "100 opus/24000/16/1", "101 opus/48000/16/1"]),
    (.wireless, noHighAudio, [.aacLC, .opus], ["100 pcm/48000/16/2", "100 opus/24000/16/1", "101 opus/48000/16/1"]),
    // Without an encoder.
    (.wireless, wireless, [.opus], ["100 pcm/48000/16/2", "100 opus/24000/16/1", "101 opus/48000/16/1"]),
    (.wireless, wireless, [], ["100 pcm/48000/16/2", "100 pcm/32000/16/1", "101 pcm/48000/16/2"]),
    // A wired phone encodes for a head unit without PCM.
    (.wired, coded, [.aacLC, .opus], ["100 opus/16000/16/1", "100 opus/16000/16/1", "101 opus/24000/16/1"]),
    (.wired, coded, [], []),
  ]

  @Test("The profile, the offer and the encoders decide the stream and the format", arguments: profiles.indices)
  func choice(index: Int) throws {
    let (profile, offers, codecs, expected) = Self.profiles[index]
    var network = try Self.network(profile, offers, codecs: codecs)
    let sound = Music(littleEndian: [UInt8](repeating: 1, count: 4800 * Music.bytesPerFrame))
    for kind in [MainAudioKind.media, .telephony] {
      network.actPhone { $0.play(kind, at: $1) }
      network.run(for: .seconds(1))
      let running = network.phones[0].program.runningAudio
      #expect((running?.kind == kind && running?.format.codec == .pcm) == !expected.isEmpty)
    }
    let isSaid = network.actPhone { $0.say(sound, ducks: false, at: $1) }
    network.run(for: .seconds(1))
    #expect(streams(network) == expected && isSaid == !expected.isEmpty)
    #expect(network.phones[0].program.refusedAudio == (expected.isEmpty ? [.media, .telephony] : []))
  }

  @Test("Coded music is sent whole, with the samples of its packets in the timestamps, and ends the session")
  func codedMusic() throws {
    let music = Music(littleEndian: [UInt8](repeating: 1, count: 48_000 * Music.bytesPerFrame))
    var network = try Self.network(.wireless, Self.wireless, music: music)
    network.run(for: .seconds(3))
    var packets: [(UInt32, UInt8)] = []
    for case .sound(.mainHighAudio, let timestamp, let payload) in network.events(of: .headUnit) {
      packets.append((timestamp, payload[0]))
    }
    #expect(packets.map(\.1) == Array(0..<47))
    let first = try #require(packets.first).0
    #expect(packets.map(\.0) == (0..<47).map { first &+ UInt32($0 * 1024) })
    #expect(network.phones[0].program.isComplete && network.ends(of: .phone(0)) == [.teardown])
  }

  @Test("Samples of the owner become packets of the encoder, with their samples in the timestamps")
  func ownersSamples() throws {
    var network = try Self.network(.wireless, Self.wireless)
    network.actPhone { $0.play(.media, at: $1) }
    network.run(for: .seconds(1))
    for _ in 1...10 {
      network.actPhone { $0.send(mainAudio: [UInt8](repeating: 1, count: 512 * 4), at: $1) }
      network.run(for: .milliseconds(10))
    }
    network.run(for: .seconds(1))
    let times = network.events(of: .headUnit).compactMap { event -> UInt32? in
      if case .sound(.mainHighAudio, let timestamp, _) = event { timestamp } else { nil }
    }
    #expect(times == (0..<5).map { (times.first ?? 0) &+ $0 * 1024 })
  }

  @Test("Buffered sound is passed on at its places, without a time")
  func bufferedPackets() throws {
    let kept = Kept()
    var network = MachineNetwork(
      headUnit: ProgrammedSession(try Sessions.headUnit(), HeadUnitProgram(HeadUnitProgram.Settings(), sinks: [kept])),
      phones: [try Sessions.phone()], sign: Sessions.sign)
    network.actPhone { $0.start(port: Network.controlPort, at: $1) }
    network.run(for: .seconds(1))
    let aac = try #require(AudioFormat.all.first { $0.codec == .aacLC })
    network.actPhone { _ = $0.setUp(StreamRequest(.bufferedAudio, format: aac), at: $1) }
    network.run(for: .seconds(1))
    for number in 0..<3 as Range<UInt16> {
      let packet = AudioPacket(
        type: 103, sequence: number, timestamp: UInt32(number) * 1024, source: 1, payload: [UInt8(number)])
      let problem = network.actPhone { phone, _ -> BufferedAudioProblem? in
        do throws(BufferedAudioProblem) { try phone.send(buffered: packet) } catch { return error }
        return nil
      }
      #expect(problem == nil)
    }
    network.run(for: .seconds(1))
    let packets = kept.packets.withLock { $0 }
    #expect(packets.map(\.position) == [0, 1024, 2048] && packets.map(\.bytes) == [[0], [1], [2]])
    #expect(packets.allSatisfy { $0.type == .bufferedAudio && $0.format == aac && $0.start == nil })
  }

  @Test("An encoder that fails makes the music incomplete, and the session goes on to its end")
  func failingEncoder() throws {
    let music = Music(littleEndian: [UInt8](repeating: 1, count: 48_000 * Music.bytesPerFrame))
    var network = try Self.network(.wireless, Self.wireless, music: music, failsAt: 10)
    network.run(for: .seconds(3))
    #expect(!network.phones[0].program.isComplete && network.ends(of: .phone(0)) == [.teardown])
  }

  @Test("Coded prompts are heard whole, the later ones in an encoder of their own")
  func prompts() throws {
    var network = try Self.network(.wireless, Self.wireless)
    let sound = Music(littleEndian: [UInt8](repeating: 1, count: 48_000 * Music.bytesPerFrame))
    for _ in 1...2 { #expect(network.actPhone { $0.say(sound, ducks: true, at: $1) }) }
    network.run(for: .milliseconds(2050))
    // The last prompt has been read, and its stream waits for its end.
    #expect(network.actPhone { $0.say(sound, ducks: false, at: $1) })
    network.run(for: .seconds(3))
    let payloads = network.events(of: .headUnit).compactMap { event -> UInt8? in
      if case .sound(.alternateAudio, _, let payload) = event { payload[0] } else { nil }
    }
    #expect(payloads == Array(0..<100) + Array(0..<50))
    #expect(streams(network) == ["101 opus/48000/16/1"])
  }

  @Test("Music has 8 kHz behind a call until its stream ends, as a phone of the field has it")
  func shortCall() throws {
    var network = try Self.network(.shortCall, Self.wired)
    for kind in [MainAudioKind.media, .telephony, .media, nil, .media] {
      network.actPhone { $0.play(kind, at: $1) }
      network.run(for: .seconds(1))
    }
    #expect(
      streams(network) == [
        "100 pcm/48000/16/2", "100 pcm/32000/16/1", "100 pcm/8000/16/2", "100 pcm/48000/16/2",
      ])
  }

  @Test("A head unit passes coded packets on at the places of their timestamps, and knows the length of each")
  func headUnit() throws {
    let kept = Kept()
    var settings = HeadUnitProgram.Settings()
    let opus = try #require(AudioFormat.all.first { $0.codec == .opus && $0.rate == 24_000 })
    settings.codedMicrophone = [opus: [[1], [2]]]
    var network = MachineNetwork(
      headUnit: ProgrammedSession(
        try Sessions.headUnit { $0.info.audioFormats = Self.wireless }, HeadUnitProgram(settings, sinks: [kept])),
      phones: [try Sessions.phone()], sign: Sessions.sign)
    network.actPhone { $0.start(port: Network.controlPort, at: $1) }
    network.run(for: .seconds(1))
    network.actPhone {
      _ = $0.setUp(
        StreamRequest(
          .mainAudio, format: opus, audioType: "telephony", latencyMilliseconds: 100, wantsMicrophone: true),
        at: $1)
    }
    network.run(for: .milliseconds(20))
    // One frame of 20 ms of OPUS, two of them, and bytes that are no packet.
    for (bytes, frameCount) in [([0x08, 1], 480), ([0x09, 1], 960), ([0x03, 0], 480), ([0x08, 2], 480)] {
      network.actPhone { $0.send(sound: bytes.map { UInt8($0) }, frameCount: frameCount, of: .mainAudio, at: $1) }
      network.run(for: .milliseconds(20))
    }
    network.run(for: .milliseconds(500))
    let packets = kept.packets.withLock { $0 }
    #expect(packets.map(\.position) == [0, 480, 1920] && packets.map(\.bytes) == [[8, 1], [9, 1], [8, 2]])
    #expect(packets.allSatisfy { $0.format == opus && $0.number == 1 && $0.start != nil })
    let spoken = network.events(of: .phone(0)).compactMap { event -> [UInt8]? in
      if case .sound(.mainAudio, _, let payload) = event { payload } else { nil }
    }
    #expect(spoken.starts(with: [[1], [2], [2]]))
  }
}
