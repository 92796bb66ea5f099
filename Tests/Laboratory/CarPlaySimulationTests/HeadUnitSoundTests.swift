// swift-iap2 · Apache-2.0

import Basics
import CarPlayPrograms
import CarPlaySession
import CarPlaySimulation
import FaultModel
import Foundation
import Synchronization
import Testing

@Suite("The sound that a head unit passes on")
struct HeadUnitSoundTests {
  private typealias Network = MachineNetwork<
    FaultySession<ProgrammedSession<HeadUnitProgram>>, FaultySession<ProgrammedSession<PhoneProgram>>
  >

  /// A sink that keeps sound, and mixes it.
  private final class Heard: MediaSink {
    struct State {
      var sounds: [ReceivedSound] = []
      var mixer = SoundMixer()
      var mix: [Int16] = []
    }
    let state = Mutex(State())

    func take(_ content: ReceivedContent, at time: MonotonicTime) {
      state.withLock { state in
        if case .sound(let sound) = content { state.sounds.append(sound) }
        for piece in state.mixer.take(content, at: time) {
          switch piece {
          case .silence(let frameCount): state.mix += [Int16](repeating: 0, count: Int(frameCount) * 2)
          case .samples(let samples): state.mix += samples
          }
        }
      }
    }
  }

  private static func network(
    _ settings: PhoneProgram.Settings, faults: String, seed: UInt64
  ) throws -> (network: Network, heard: Heard) {
    let heard = Heard()
    let program = HeadUnitProgram(HeadUnitProgram.Settings(), sinks: [heard])
    let plan = try FaultPlan(parsing: faults, seed: seed, events: [])
    var network = Network(
      headUnit: FaultySession(
        ProgrammedSession(try Sessions.headUnit(), program), side: .headUnit, plan: FaultPlan()),
      phones: [
        FaultySession(ProgrammedSession(try Sessions.phone(), PhoneProgram(settings)), side: .phone, plan: plan)
      ], sign: Sessions.sign)
    network.actPhone { $0.machine.machine.start(port: Network.controlPort, at: $1) }
    return (network, heard)
  }

  /// Packets, requests for lost ones and retransmitted ones are lost alike.
  @Test("Music of which one datagram in twenty is lost arrives without a gap, and in time", arguments: 1...5)
  func loss(seed: UInt64) throws {
    let random = SeededBytes(seed)
    let music = random.bytes(72_000 * Music.bytesPerFrame)
    var settings = PhoneProgram.Settings()
    settings.music = Music(littleEndian: music)
    var (network, heard) = try Self.network(settings, faults: "loss=0.05,jitter=15", seed: seed)
    network.run(for: .seconds(10))
    let sounds = heard.state.withLock { $0.sounds }
    #expect(network.ends(of: .phone(0)) == [.teardown])
    #expect(!network.events(of: .headUnit).contains { if case .soundLost = $0 { true } else { false } })
    #expect(sounds.flatMap(\.samples) == music)
    #expect(sounds.map(\.position) == sounds.indices.map { Int64($0 * Music.framesPerPacket) })
    // No packet comes after the time at which it is heard, so the time of the stream does not move.
    #expect(Set(sounds.map(\.start)).count == 1)
    // The driver hears each sample once. Random samples are not silent at their ends.
    let mix = heard.state.withLock { SoundMixer.bytes($0.mix) }
    #expect(mix.count >= music.count && Array(mix.prefix(music.count)) == music)
    #expect(mix.dropFirst(music.count).allSatisfy { $0 == 0 })
  }

  @Test("The sound of the microphone arrives at the phone's sinks as it was, with the time between two calls")
  func microphone() throws {
    let heard = Heard()
    var settings = HeadUnitProgram.Settings()
    // Half a second of 32 kHz, which only the first call hears: the microphone goes on meanwhile, and is silent later.
    settings.microphone = SeededBytes(7).bytes(32_000)
    var phone = PhoneProgram.Settings()
    (phone.showsPictures, phone.ends) = (true, false)
    var network = Network(
      headUnit: FaultySession(
        ProgrammedSession(try Sessions.headUnit(), HeadUnitProgram(settings, sinks: [])), side: .headUnit,
        plan: FaultPlan()),
      phones: [
        FaultySession(
          ProgrammedSession(try Sessions.phone(), PhoneProgram(phone, sinks: [heard])), side: .phone,
          plan: FaultPlan())
      ], sign: Sessions.sign)
    network.actPhone { $0.machine.machine.start(port: Network.controlPort, at: $1) }
    network.run(for: .seconds(1))
    let borrow = ModeTransfer.borrow(.userInitiated, unborrow: .anytime)
    network.actPhone { $0.machine.machine.change(ModeRequest([(.mainAudio, borrow)], reason: "call"), at: $1) }
    for kind in [MainAudioKind.telephony, nil, .speechRecognition] {
      network.actPhone { $0.machine.play(kind, at: $1) }
      network.run(for: .seconds(1))
    }
    let sounds = heard.state.withLock { $0.sounds }
    #expect(Set(sounds.map(\.format.description)) == ["pcm/32000/16/1"] && Set(sounds.map(\.number)) == [1, 2])
    let first = sounds.filter { $0.number == 1 }
    #expect(Array(first.flatMap(\.samples).prefix(32_000)) == settings.microphone)
    #expect(first.map(\.position) == first.indices.map { Int64($0 * 640) } && (49...51).contains(first.count))
    let starts = try sounds.map { try #require($0.start) }
    #expect(Set(starts).count == 2)
    let pause = starts[0].duration(to: starts[starts.count - 1])
    #expect(pause >= .seconds(1.99) && pause <= .seconds(2.01))
  }

  @Test("The first packets of a stream are requested as later ones are", arguments: [1, 2, 63, 64])
  func firstPackets(count: Int) throws {
    var network = try Sessions.network()
    network.run(for: .seconds(1))
    let format = try #require(AudioFormat.pcm(rate: 48_000, channels: 2))
    network.actPhone {
      _ = $0.setUp(
        StreamRequest(.mainAudio, format: format, framesPerPacket: 48, latencyMilliseconds: 500), at: $1)
    }
    network.run(for: .milliseconds(20))
    network.fault = { delivery in
      if delivery.socket == .stream(.mainAudio), case .datagram(let bytes, _) = delivery.content,
        bytes[2] == 0, bytes[3] < count
      {
        return []
      }
      return [delivery]
    }
    for number in 0..<100 as Range<UInt8> {
      network.actPhone {
        $0.send(sound: [UInt8](repeating: number, count: 192), frameCount: 48, of: .mainAudio, at: $1)
      }
      network.run(for: .milliseconds(1))
    }
    network.run(for: .milliseconds(400))
    var heard: [UInt8] = []
    for case .sound(_, _, let payload) in network.events(of: .headUnit) { heard.append(payload[0]) }
    // A packet 64 numbers before the newest one is not accepted any more.
    #expect(heard == Array((count < 64 ? 0 : 64)..<100))
  }

  @Test("A missing packet of a stream with a short latency is given up before the next ones are late")
  func shortLatency() throws {
    var network = try Sessions.network()
    network.run(for: .seconds(1))
    let format = try #require(AudioFormat.pcm(rate: 48_000, channels: 2))
    network.actPhone {
      _ = $0.setUp(StreamRequest(.alternateAudio, format: format, latencyMilliseconds: 100), at: $1)
    }
    network.run(for: .milliseconds(20))
    network.fault = { delivery in
      switch delivery.socket {
      // The second packet is lost whenever it is sent.
      case .stream(.alternateAudio):
        if case .datagram(let bytes, _) = delivery.content, bytes[3] == 1 { return [] }
      case .streamControl(.alternateAudio): return []
      default: break
      }
      return [delivery]
    }
    for number in 0..<40 {
      network.actPhone { $0.send(sound: [UInt8(number), 0, 0, 0], frameCount: 480, of: .alternateAudio, at: $1) }
      network.run(for: .milliseconds(10))
    }
    let sounds = network.entries.filter {
      if $0.node == .headUnit, case .sound = $0.event { true } else { false }
    }
    #expect(sounds.count == 39)
    // The third packet is sent 20 ms after the first one, and heard 120 ms after it.
    #expect(sounds[0].time.duration(to: sounds[1].time) <= .milliseconds(120))
  }

  /// The times of the commands are those at which the head unit received them.
  @Test("A prompt lowers the music in the mix for as long as the phone says")
  func prompt() throws {
    var settings = PhoneProgram.Settings()
    let music = (0..<4 * 48_000).flatMap { _ in [0x10, 0x27, 0x10, 0x27] as [UInt8] }
    settings.music = Music(littleEndian: music)
    var (network, heard) = try Self.network(settings, faults: "", seed: 1)
    network.run(for: .seconds(1))
    let silence = Music(littleEndian: [UInt8](repeating: 0, count: 48_000 * Music.bytesPerFrame))
    network.actPhone { _ = $0.machine.say(silence, ducks: true, at: $1) }
    network.run(for: .seconds(8))
    let (sounds, mix) = heard.state.withLock { ($0.sounds, $0.mix) }
    let start = try #require(sounds.first { $0.type == .mainAudio }?.start).advanced(by: SoundMixer.minimumDelay)
    func time(_ name: String) throws -> Double {
      let entry = network.entries.first {
        if $0.node == .headUnit, case .command(let command, _, _) = $0.event { command.name == name } else { false }
      }
      return start.duration(to: try #require(entry).time) / .milliseconds(1)
    }
    let (down, up) = (try time("duckAudio"), try time("unduckAudio"))
    #expect(up - down > 1000 && up + 500 < 4000)
    for frame in stride(from: 0, to: 4 * 48_000, by: 7) {
      let now = Double(frame) / 48
      let lowered = -20 * min(1, max(0, (now - down) / 300))
      let decibels = now < up ? lowered : -20 * (1 - min(1, (now - up) / 500))
      let expected = 10_000 * pow(10, decibels / 20)
      guard abs(Double(mix[frame * 2]) - expected) > 2 else { continue }
      Issue.record("\(mix[frame * 2]) at \(now) ms, expected \(expected)")
      break
    }
  }
}
