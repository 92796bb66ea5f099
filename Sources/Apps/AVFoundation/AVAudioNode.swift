// swift-iap2 · Apache-2.0

public import Foundation
import Synchronization

/// Receives sound of a node. It is called on a thread of the engine, not on the main thread.
public typealias AVAudioNodeTapBlock = (AVAudioPCMBuffer, AVAudioTime) -> Void

/// A part of an engine.
///
/// Invariant for `@unchecked Sendable`: the state is used under its lock only.
open class AVAudioNode: NSObject, @unchecked Sendable {
  /// A tap, with the sound that does not fill a buffer yet.
  ///
  /// Invariant for `@unchecked`: the closure is called on the queue of the microphone alone.
  struct Tap: @unchecked Sendable {
    let block: AVAudioNodeTapBlock
    let format: AVAudioFormat
    let frameCount: Int
    var waiting: [Int16] = []
    /// The place of the first sample that waits.
    var place: AVAudioFramePosition = 0
  }

  private let ownEngine = Mutex<WeakEngine>(WeakEngine())
  private struct WeakEngine { weak var engine: AVAudioEngine? }
  let tap = Mutex<Tap?>(nil)

  /// The sizes of the buffers of a tap in samples: 100 to 400 ms. A tap that wants others gets the nearest. Ours.
  private static let frameCounts = (Microphone.rate / 10)...(Microphone.rate / 10 * 4)

  /// The engine that has the node.
  public final internal(set) var engine: AVAudioEngine? {
    get { ownEngine.withLock { $0.engine } }
    set { ownEngine.withLock { $0.engine = newValue } }
  }

  /// Returns the format of an output.
  open func outputFormat(forBus bus: AVAudioNodeBus) -> AVAudioFormat { Microphone.format }

  /// Returns the format of an input.
  open func inputFormat(forBus bus: AVAudioNodeBus) -> AVAudioFormat { Microphone.format }

  /// Lets a closure receive the sound of an output. Only the input node has sound here.
  ///
  /// Two taps of one output, another rate than that of the node, and a microphone that the category of the audio session
  /// does not open end the app with an exception, as on iOS.
  ///
  /// - Parameters:
  ///   - bus: The output.
  ///   - bufferSize: The wanted samples of each channel in a buffer: 4800 to 19200 are taken.
  ///   - format: The format of the buffers; nil for that of the output.
  ///   - tapBlock: The closure.
  open func installTap(
    onBus bus: AVAudioNodeBus, bufferSize: AVAudioFrameCount, format: AVAudioFormat?,
    block tapBlock: @escaping AVAudioNodeTapBlock
  ) {
    let own = outputFormat(forBus: bus)
    let format = format ?? own
    // The first two reasons are those of crash reports: argmaxinc/argmax-oss-swift 261, ryleighnewman/YapToText 6. The
    // third one is unverified.
    guard own.sampleRate > 0, format.sampleRate > 0 else {
      return Microphone.shared.raise("required condition is false: IsFormatSampleRateAndChannelCountValid(format)")
    }
    guard format.sampleRate == own.sampleRate else {
      return Microphone.shared.raise("Failed to create tap due to format mismatch, \(format)")
    }
    let count = min(max(Int(bufferSize), Self.frameCounts.lowerBound), Self.frameCounts.upperBound)
    let next = Tap(block: tapBlock, format: format, frameCount: count)
    let isFirst = tap.withLock { tap in
      guard tap == nil else { return false }
      tap = next
      return true
    }
    guard isFirst else { return Microphone.shared.raise("required condition is false: nullptr == Tap()") }
    engine?.update()
  }

  /// Ends the tap of an output.
  open func removeTap(onBus bus: AVAudioNodeBus) {
    let removed = tap.withLock { tap in
      defer { tap = nil }
      return tap
    }
    withExtendedLifetime(removed) {}
    engine?.update()
  }

  /// Forgets the sound that was not processed.
  open func reset() { tap.withLock { $0?.waiting = [] } }

  /// Takes sound, and fills the buffers of the tap.
  func take(_ samples: [Int16]) {
    guard var taken = tap.withLock({ $0 }) else { return }
    taken.waiting += samples
    while taken.waiting.count >= taken.frameCount {
      if let buffer = AVAudioPCMBuffer(pcmFormat: taken.format, frameCapacity: AVAudioFrameCount(taken.frameCount)) {
        buffer.frameLength = buffer.frameCapacity
        for (frame, sample) in taken.waiting.prefix(taken.frameCount).enumerated() {
          for channel in 0..<Int(taken.format.channelCount) { buffer[channel, frame] = Double(sample) / 0x8000 }
        }
        taken.block(
          buffer,
          AVAudioTime(
            hostTime: DispatchTime.now().uptimeNanoseconds, sampleTime: taken.place,
            atRate: taken.format.sampleRate))
      }
      taken.waiting.removeFirst(taken.frameCount)
      taken.place += AVAudioFramePosition(taken.frameCount)
    }
    // The closure may have removed the tap.
    tap.withLock { tap in
      tap?.waiting = taken.waiting
      tap?.place = taken.place
    }
  }
}

/// A node of the sound that comes from the machine or goes to it.
open class AVAudioIONode: AVAudioNode, @unchecked Sendable {
  private let processesVoice = Mutex(false)

  /// Whether echo and noise are removed. It changes nothing here.
  open var isVoiceProcessingEnabled: Bool { processesVoice.withLock { $0 } }

  /// Sets ``isVoiceProcessingEnabled``.
  open func setVoiceProcessingEnabled(_ enabled: Bool) throws { processesVoice.withLock { $0 = enabled } }
}

/// The microphone.
///
/// In a session of `iap2 carplay` it is the head unit's. Elsewhere it has no sound, and its tap is not called.
open class AVAudioInputNode: AVAudioIONode, @unchecked Sendable {
  /// Returns the format of the microphone, which has neither rate nor channels if the category of the audio session does
  /// not open it.
  open override func inputFormat(forBus bus: AVAudioNodeBus) -> AVAudioFormat { outputFormat(forBus: bus) }

  /// Returns the format of the microphone, which has neither rate nor channels if the category of the audio session does
  /// not open it.
  open override func outputFormat(forBus bus: AVAudioNodeBus) -> AVAudioFormat {
    AVAudioSession.sharedInstance().current.category.records ? super.outputFormat(forBus: bus) : .none
  }
}

/// The speakers. What is connected to them is not heard.
open class AVAudioOutputNode: AVAudioIONode, @unchecked Sendable {}

/// A mixer. What is connected to it is not heard.
open class AVAudioMixerNode: AVAudioNode, @unchecked Sendable {
  private let volume = Mutex<Float>(1)

  /// The volume, from 0 to 1.
  open var outputVolume: Float {
    get { volume.withLock { $0 } }
    set { volume.withLock { $0 = newValue } }
  }
}
