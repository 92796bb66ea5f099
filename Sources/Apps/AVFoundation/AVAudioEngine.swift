// swift-iap2 · Apache-2.0

public import Foundation
import Synchronization

/// An engine of nodes, of which the microphone has sound. The tap of its input node gets the sound of the car's
/// microphone in a session of `iap2 carplay`. Nothing that an engine plays is heard.
///
/// Any thread may use it.
///
/// Invariant for `@unchecked Sendable`: the state is used under its lock only.
open class AVAudioEngine: NSObject, @unchecked Sendable {
  private struct State {
    var isRunning = false
    var nodes: Set<AVAudioNode> = []
  }

  /// The microphone.
  public let inputNode = AVAudioInputNode()
  /// The speakers.
  public let outputNode = AVAudioOutputNode()
  /// The mixer before the speakers.
  public let mainMixerNode = AVAudioMixerNode()
  /// Whether the engine pauses by itself when it has nothing to do. It changes nothing here.
  open var isAutoShutdownEnabled = false
  private let state = Mutex(State())

  /// Creates an engine.
  public override init() {
    super.init()
    for node in [inputNode, outputNode, mainMixerNode] { attach(node) }
  }

  deinit { Microphone.shared.end(ObjectIdentifier(self)) }

  /// Whether the engine runs.
  open var isRunning: Bool { state.withLock { $0.isRunning } }

  /// The nodes of the engine.
  open var attachedNodes: Set<AVAudioNode> { state.withLock { $0.nodes } }

  /// Adds a node.
  open func attach(_ node: AVAudioNode) {
    node.engine = self
    state.withLock { _ = $0.nodes.insert(node) }
  }

  /// Removes a node.
  open func detach(_ node: AVAudioNode) {
    node.engine = nil
    state.withLock { _ = $0.nodes.remove(node) }
  }

  /// Connects two nodes. What passes between them is not heard.
  open func connect(_ node1: AVAudioNode, to node2: AVAudioNode, format: AVAudioFormat?) {}

  /// Ends the connections to a node.
  open func disconnectNodeInput(_ node: AVAudioNode) {}

  /// Ends the connections from a node.
  open func disconnectNodeOutput(_ node: AVAudioNode) {}

  /// Prepares the start.
  open func prepare() {}

  /// Starts the engine.
  ///
  /// - Throws: The microphone has a tap, and the category of the audio session does not open it. The error is ours.
  open func start() throws {
    guard !hasTap || AVAudioSession.sharedInstance().current.category.records else {
      throw NSError(
        domain: Microphone.exceptionName, code: Self.noMicrophone,
        userInfo: [
          NSLocalizedDescriptionKey:
            "The category of the audio session does not open the microphone: set playAndRecord."
        ])
    }
    state.withLock { $0.isRunning = true }
    update()
  }

  private static let noMicrophone = -1

  /// Rests. ``start()`` goes on.
  open func pause() { rest() }

  /// Stops.
  open func stop() { rest() }

  /// Forgets the sound that was not processed.
  open func reset() { for node in attachedNodes { node.reset() } }

  func rest() {
    state.withLock { $0.isRunning = false }
    update()
  }

  private var hasTap: Bool { inputNode.tap.withLock { $0 != nil } }

  /// Begins or ends the recording after a change.
  func update() {
    if isRunning, hasTap {
      Microphone.shared.begin(self)
    } else {
      Microphone.shared.end(ObjectIdentifier(self))
    }
  }
}

extension NSNotification.Name {
  // swift-format-ignore: AlwaysUseLowerCamelCase
  /// The name of the notification that the format of the microphone or the speakers changed. It is not posted here.
  public static let AVAudioEngineConfigurationChange = NSNotification.Name(
    "AVAudioEngineConfigurationChangeNotification")
}
