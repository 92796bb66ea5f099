// swift-iap2 · Apache-2.0

import AVFoundation
import CarPlayTesting
import Foundation
import Synchronization
import Testing

extension CarTests {
  /// Tests of `AVAudioEngine`, whose microphone is that of the car.
  @Suite @MainActor
  struct RecordingTests {
    /// The sound that a tap got.
    private final class Heard: Sendable {
      struct State {
        var samples: [Float] = []
        var buffers: [String] = []
        var isOnMainThread = false
      }
      let state = Mutex(State())

      func add(_ buffer: AVAudioPCMBuffer, _ time: AVAudioTime) {
        state.withLock { state in
          state.buffers.append("\(buffer.frameLength) at \(time.sampleTime)")
          if let samples = unsafe buffer.floatChannelData?[0] {
            state.samples += (0..<Int(buffer.frameLength)).map { unsafe samples[$0] }
          }
          state.isOnMainThread = state.isOnMainThread || Thread.isMainThread
        }
      }
    }

    private func launch(_ category: AVAudioSession.Category) async throws -> Car {
      let car = Car(.standard)
      await car.launch(.navigation) { MapScene() }
      try AVAudioSession.sharedInstance().setCategory(category, mode: .voiceChat, options: .mixWithOthers)
      return car
    }

    private func lines(_ car: Car) -> [String] {
      car.log.filter { $0.object == "audio engine" }.map { "\($0.name) \($0.detail)" }
    }

    /// A closure that Swift does not take as one of the main actor. On iOS such a closure ends the app.
    private nonisolated func tap(_ node: AVAudioNode, _ heard: Heard, format: AVAudioFormat? = nil, size: UInt32 = 1024)
    {
      node.installTap(onBus: 0, bufferSize: size, format: format) { heard.add($0, $1) }
    }

    @Test("A tap gets the sound of the car's microphone in buffers of a tenth of a second, until the engine ends")
    func recording() async throws {
      let car = try await launch(.playAndRecord)
      let (engine, heard) = (AVAudioEngine(), Heard())
      #expect(engine.inputNode.outputFormat(forBus: 0).description == "<AVAudioFormat: 1 ch, 48000 Hz, Float32>")
      tap(engine.inputNode, heard)
      await Microphone.shared.take([Int16](repeating: 1, count: 4800))
      #expect(heard.state.withLock { $0.buffers.isEmpty } && !Microphone.shared.isRecording)
      try engine.start()
      #expect(engine.isRunning && Microphone.shared.isRecording)
      let samples = (0..<12_000).map { Int16(truncatingIfNeeded: $0 * 7919) }
      await Microphone.shared.take(Array(samples[..<7000]))
      await Microphone.shared.take(Array(samples[7000...]))
      #expect(heard.state.withLock { $0.buffers } == ["4800 at 0", "4800 at 4800"])
      #expect(heard.state.withLock { $0.samples } == samples[..<9600].map { Float($0) / 32_768 })
      #expect(!heard.state.withLock { $0.isOnMainThread })
      engine.inputNode.removeTap(onBus: 0)
      #expect(!Microphone.shared.isRecording)
      await car.settle()
      #expect(lines(car) == ["record microphone", "stop microphone"])
    }

    @Test("A tap has the form and the size that the app wants, within 100 to 400 ms")
    func formats() async throws {
      _ = try await launch(.record)
      let (engine, heard) = (AVAudioEngine(), Heard())
      let format = try #require(
        AVAudioFormat(commonFormat: .pcmFormatInt16, sampleRate: 48_000, channels: 2, interleaved: true))
      let sides = Mutex<[[Int16]]>([])
      let read: @Sendable (AVAudioPCMBuffer, AVAudioTime) -> Void = { buffer, _ in
        guard let channels = unsafe buffer.int16ChannelData else { return }
        sides.withLock { $0 = (0..<2).map { side in (0..<3).map { unsafe channels[side][$0 * buffer.stride] } } }
      }
      engine.inputNode.installTap(onBus: 0, bufferSize: 100_000, format: format) {
        heard.add($0, $1)
        read($0, $1)
      }
      try engine.start()
      await Microphone.shared.take((0..<20_000).map { Int16($0) })
      #expect(heard.state.withLock { $0.buffers } == ["19200 at 0"])
      #expect(sides.withLock { $0 } == [[0, 1, 2], [0, 1, 2]])
    }

    @Test("The end of the engine, of the app and an interruption end the recording")
    func ends() async throws {
      let car = try await launch(.playAndRecord)
      var engine: AVAudioEngine? = AVAudioEngine()
      tap(try #require(engine).inputNode, Heard())
      try engine?.start()
      await car.interruptSound(true)
      #expect(engine?.isRunning == false && !Microphone.shared.isRecording)
      await car.interruptSound(false)
      #expect(!Microphone.shared.isRecording)
      try engine?.start()
      #expect(Microphone.shared.isRecording)
      engine = nil
      #expect(!Microphone.shared.isRecording)
      let other = AVAudioEngine()
      tap(other.inputNode, Heard())
      try other.start()
      await car.launch(.navigation) { MapScene() }
      #expect(!Microphone.shared.isRecording)
    }

    @Test("A microphone that the category does not open, another rate and a second tap end the app")
    func exceptions() async throws {
      // The words are those of crash reports, see AVAudioNode.installTap.
      let car = try await launch(.playback)
      let engine = AVAudioEngine()
      tap(engine.inputNode, Heard())
      await car.settle()
      #expect(
        car.exception?.description
          == "com.apple.coreaudio.avfaudio: required condition is false: IsFormatSampleRateAndChannelCountValid(format)"
      )

      let other = try await launch(.playAndRecord)
      tap(engine.inputNode, Heard(), format: AVAudioFormat(standardFormatWithSampleRate: 16_000, channels: 1))
      await other.settle()
      #expect(other.exception?.reason.hasPrefix("Failed to create tap due to format mismatch, <AVAudioFormat") == true)

      let third = try await launch(.playAndRecord)
      tap(engine.inputNode, Heard())
      tap(engine.inputNode, Heard())
      await third.settle()
      #expect(third.exception?.reason == "required condition is false: nullptr == Tap()")

      _ = try await launch(.ambient)
      #expect(throws: (any Error).self) { try engine.start() }
    }
  }
}
