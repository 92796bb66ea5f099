// swift-iap2 · Apache-2.0

import Foundation
import IAP2
import IAP2Formats
import IAP2Transport
import Synchronization

/// A head unit or a phone on a USB device controller. It has the link's function. A head unit also has one function for
/// each native EA protocol, and CarPlay's network, which the kernel serves itself.
///
/// A gadget has one connection at a time, one after another.
///
/// Invariant for `@unchecked`: `changed` guards all mutable state.
final class Gadget: GadgetUse, @unchecked Sendable {
  let address: String
  var controller: String { tree.controller }
  private let tree: GadgetTree
  private let link: GadgetFunction
  private let natives: [(name: String, function: GadgetFunction)]
  private let changed = NSCondition()
  /// Whether further connections are refused.
  private var isStopping = false
  private var isClosing = false
  private var isRemoved = false
  private let leaving = Leaving()
  /// Notified when a connection may start or the controller may have been removed.
  let enabled = Signal()

  /// Creates the gadget and attaches it to the bus.
  ///
  /// - Parameters:
  ///   - functions: The functions beside the link.
  ///   - onEvent: Called for bus events of the link's function, on one of its threads.
  ///   - describeLink: Describes the link's function to the kernel. It receives the function's folder and the address.
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

  /// Calls `body` under the lock and wakes all waiting threads.
  private func locked<Result>(_ body: () -> Result) -> Result {
    changed.lock()
    defer {
      changed.broadcast()
      changed.unlock()
    }
    return body()
  }

  /// Refuses further connections, and removes the gadget when the current connection has ended. Blocks, but not until
  /// that end.
  func stop() {
    locked { isStopping = true }
    enabled.notify()
    if link.isIdle { close() }
  }

  /// Detaches the gadget from the bus, ends its threads and removes everything. Blocks until then.
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
    // Detaching also ends pending reads and writes.
    tree.detach()
    link.close()
    for native in natives { native.function.close() }
    tree.remove()
    tree.release()
    locked { isRemoved = true }
  }

  /// Returns a new connection if the link's function is ready and has no connection.
  private func connect() -> GadgetTransport? { isOver ? nil : link.connect(self) }

  /// Waits for the next connection. Returns nil if something else has happened meanwhile.
  func nextConnection() async throws(TransportError) -> GadgetTransport? {
    if let transport = connect() { return transport }
    // The kernel does not bind the gadget again when a removed controller comes back.
    guard GadgetTree.allControllers().contains(tree.controller) else { throw .notFound(address: address) }
    await enabled.wait()
    if let transport = connect() { return transport }
    if !isOver { do { try await Task.sleep(for: Self.leavingTime) } catch {} }
    return nil
  }

  /// The time that a controller is still listed after it has unbound the gadget because it is being removed.
  private static let leavingTime = Duration.milliseconds(100)

  /// Returns the stream of a session. It carries bytes once the previous session has ended.
  func nativeStream(of name: String) -> GadgetTransport? {
    natives.first { $0.name == name }?.function.connect(self)
  }

  var networkInterface: String? { tree.networkInterface }

  var isOver: Bool { locked { isStopping } }

  func dropped() {
    if isOver, link.isIdle { startThread(usbThread) { self.close() } }
    enabled.notify()
  }
}

/// A flag that this program is removing the gadget. The host does not cause the bus events from then on.
private final class Leaving: Sendable {
  private let state = Atomic(false)

  var hasBegun: Bool { state.load(ordering: .acquiring) }

  func begin() { state.store(true, ordering: .releasing) }
}
