// swift-iap2 · Apache-2.0

import Dispatch
import Synchronization

/// The car's microphone: the engines of the app that record, and their sound.
///
/// Any thread may use it.
package final class Microphone: Sendable {
  /// An event of the app's recordings.
  package enum Event: Sendable, Hashable {
    /// The first engine begins to record, or the last one ends.
    case records(Bool)
    /// The system ends the app with an exception, by its reason.
    case exception(String)
  }

  private struct Engine: Sendable { weak var engine: AVAudioEngine? }

  private struct State {
    var engines: [ObjectIdentifier: Engine] = [:]
    var observer: (@Sendable (Event) -> Void)?
  }

  package static let shared = Microphone()
  /// The samples in a second. The microphone has one channel. Ours: what cars send is converted.
  package static let rate = 48_000
  /// The name of the exceptions of engines.
  package static let exceptionName = "com.apple.coreaudio.avfaudio"
  static let format = AVAudioFormat(standardFormatWithSampleRate: Double(rate), channels: 1) ?? .none
  private let state = Mutex(State())
  private let queue = DispatchQueue(label: "iap2.microphone")

  private init() {}

  /// Sets the observer. It is called on the thread of the change.
  package func setObserver(_ observer: (@Sendable (Event) -> Void)?) { state.withLock { $0.observer = observer } }

  /// Forgets the engines of a former app.
  package func reset() { state.withLock { $0.engines = [:] } }

  /// Whether the app records.
  package var isRecording: Bool { state.withLock { !$0.engines.isEmpty } }

  /// Passes sound to the engines, and returns when their taps have it.
  package func take(_ samples: [Int16]) async {
    await withCheckedContinuation { taken in
      queue.async { [self] in
        for engine in engines { engine.inputNode.take(samples) }
        taken.resume()
      }
    }
  }

  /// Pauses all engines, as the system does when a call or the car interrupts the app's sound.
  package func interruptAll() { for engine in engines { engine.rest() } }

  private var engines: [AVAudioEngine] { state.withLock { $0.engines.values.compactMap(\.engine) } }

  func begin(_ engine: AVAudioEngine) { change { $0[ObjectIdentifier(engine)] = Engine(engine: engine) } }

  func end(_ engine: ObjectIdentifier) { change { $0[engine] = nil } }

  private func change(_ body: (inout [ObjectIdentifier: Engine]) -> Void) {
    let (observer, before, after) = state.withLock { state in
      let before = state.engines.isEmpty
      body(&state.engines)
      return (state.observer, before, state.engines.isEmpty)
    }
    if before != after { observer?(.records(!after)) }
  }

  /// Ends the app with an exception.
  func raise(_ reason: String) {
    guard let observer = state.withLock({ $0.observer }) else {
      // The real framework ends the app here.
      fatalError("Terminating app due to uncaught exception '\(Self.exceptionName)', reason: '\(reason)'")
    }
    observer(.exception(reason))
  }
}
