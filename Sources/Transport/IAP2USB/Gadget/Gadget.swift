// swift-iap2 · Apache-2.0

import Foundation
import IAP2
import IAP2Formats
import IAP2Transport
import Synchronization

/// A head unit or a phone on a USB device controller: the link's function, and beside a head unit's one for each native EA
/// protocol, and CarPlay's network, which the kernel does by itself.
///
/// Connections come and go on it, one at a time.
///
/// Invariant for `@unchecked`: `changed` guards everything that changes.
final class Gadget: GadgetUse, @unchecked Sendable {
  let address: String
  var controller: String { tree.controller }
  private let tree: GadgetTree
  private let link: GadgetFunction
  private let natives: [(name: String, function: GadgetFunction)]
  private let changed = NSCondition()
  /// No further connection.
  private var isStopping = false
  private var isClosing = false
  private var isRemoved = false
  private let leaving = Leaving()
  /// Wakes the source: a connection may begin, or the controller may have gone.
  let enabled = Signal()

  /// - Parameters:
  ///   - functions: what there is beside the link.
  ///   - onEvent: told what the bus does to the link's function, on a thread of it.
  ///   - describeLink: tells the kernel of the link's function, whose folder and address it is given.
  init(
    controller: String, identity: GadgetIdentity, functions: AccessoryFunctions = AccessoryFunctions(),
    onEvent: @escaping @Sendable (GadgetEvent) -> Void,
    describeLink: (String, String) throws(TransportError) -> any GadgetFiles
  ) throws(TransportError) {
    let address = identity.address(controller)
    self.address = address
    let tree = try GadgetTree(controller: controller, identity: identity)
    self.tree = tree
    var made: [any GadgetFiles] = []
    do throws(TransportError) {
      try tree.make()
      made.append(try describeLink(try tree.addFunction(0), address))
      for name in functions.nativeProtocols {
        made.append(try FunctionFiles(.native(name), folder: try tree.addFunction(made.count), address: address))
      }
      if functions.hasCarPlay { try tree.addNetwork() }
    } catch {
      for files in made { files.close() }
      tree.remove()
      tree.release()
      throw error
    }
    let (enabled, leaving) = (enabled, leaving)
    link = GadgetFunction(made[0], isNative: false, address: address) { event in
      if event == .enable || event == .unbind { enabled.notify() }
      guard !leaving.hasBegun || event == .unbind else { return }
      if let event = GadgetEvent(event, state: { tree.controllerState }) { onEvent(event) }
    }
    natives = zip(functions.nativeProtocols, made.dropFirst()).map {
      ($0, GadgetFunction($1, isNative: true, address: address))
    }
    do { try tree.attach() } catch {
      close()
      throw error
    }
  }

  /// Does something under the lock, and wakes whoever waits to look at it.
  private func locked<Result>(_ body: () -> Result) -> Result {
    changed.lock()
    defer {
      changed.broadcast()
      changed.unlock()
    }
    return body()
  }

  /// Gives no further connection, and goes when the one there is has ended. Blocks, though not for that end.
  func stop() {
    locked { isStopping = true }
    enabled.notify()
    if link.isIdle { close() }
  }

  /// Takes the gadget off the bus, ends the threads, removes everything. Blocks.
  func close() {
    let isFirst = locked {
      defer { isClosing = true }
      return !isClosing
    }
    guard isFirst else {
      changed.lock()
      while !isRemoved { changed.wait() }
      return changed.unlock()
    }
    leaving.begin()
    // This also ends reads and writes under way.
    tree.detach()
    link.close()
    for native in natives { native.function.close() }
    tree.remove()
    tree.release()
    locked { isRemoved = true }
  }

  /// A new connection if the link's function is ready for one and there is none yet.
  private func connect() -> GadgetTransport? { isOver ? nil : link.connect(self) }

  /// Waits for the next connection; nil when something else has happened meanwhile.
  func nextConnection() async throws(TransportError) -> GadgetTransport? {
    if let transport = connect() { return transport }
    // When it comes back, the kernel does not bind the gadget again.
    guard GadgetTree.allControllers().contains(tree.controller) else { throw .notFound(address: address) }
    await enabled.wait()
    if let transport = connect() { return transport }
    if !isOver { do { try await Task.sleep(for: Self.leavingTime) } catch {} }
    return nil
  }

  /// A controller that goes is listed for a moment after it has let the gadget go.
  private static let leavingTime = Duration.milliseconds(100)

  /// The stream of a session; bytes cross it once the session before it is over.
  func nativeStream(of name: String) -> GadgetTransport? {
    natives.first { $0.name == name }?.function.connect(self)
  }

  var networkInterface: String? { tree.networkInterface }

  var isOver: Bool { locked { isStopping } }

  func dropped() {
    if isOver, link.isIdle { startThread { self.close() } }
    enabled.notify()
  }
}

/// Whether the gadget is going by itself: of what happens on the bus from then on, no host is the cause.
private final class Leaving: Sendable {
  private let state = Atomic(false)

  var hasBegun: Bool { state.load(ordering: .acquiring) }

  func begin() { state.store(true, ordering: .releasing) }
}
