// swift-iap2 · Apache-2.0

import Foundation
import IAP2
import IAP2Runtime

/// A head unit on a USB device controller: the link's function, one for each native EA protocol, and CarPlay's network,
/// which the kernel does by itself.
///
/// Connections come and go on it, one at a time.
///
/// Invariant for `@unchecked`: `changed` guards everything that changes.
final class Gadget: @unchecked Sendable {
  let address: String
  private let tree: GadgetTree
  private let link: GadgetFunction
  private let natives: [(name: String, function: GadgetFunction)]
  private let changed = NSCondition()
  /// No further connection.
  private var isStopping = false
  private var isClosing = false
  private var isRemoved = false
  /// Wakes the source.
  let enabled = Signal()

  init(
    controller: String, productName: String, functions: AccessoryFunctions,
    onEvent: @escaping @Sendable (GadgetEvent) -> Void
  ) throws(TransportError) {
    let address = "\(USBGadgetAddress.scheme):\(controller)"
    self.address = address
    let tree = try GadgetTree(controller: controller)
    self.tree = tree
    var made: [FunctionFiles] = []
    do throws(TransportError) {
      try tree.make(productName: productName)
      for function in [.link] + functions.nativeProtocols.map(FunctionDescriptors.native) {
        made.append(try FunctionFiles(function, folder: try tree.addFunction(made.count), address: address))
      }
      if functions.hasCarPlay { try tree.addNetwork() }
    } catch {
      for files in made { files.close() }
      tree.remove()
      tree.release()
      throw error
    }
    let enabled = enabled
    link = GadgetFunction(made[0], isNative: false, address: address) { event in
      if event == .enable { enabled.notify() }
      onEvent(event)
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
  private func close() {
    let isFirst = locked {
      defer { isClosing = true }
      return !isClosing
    }
    guard isFirst else {
      changed.lock()
      while !isRemoved { changed.wait() }
      return changed.unlock()
    }
    // This also ends reads and writes under way.
    tree.detach()
    link.close()
    for native in natives { native.function.close() }
    tree.remove()
    tree.release()
    locked { isRemoved = true }
  }

  /// A new connection if the host has enabled the link's function and there is none yet.
  func connect() -> GadgetTransport? { isOver ? nil : link.connect(self) }

  /// The stream of a session; bytes cross it once the session before it is over.
  func nativeStream(of name: String) -> GadgetTransport? {
    natives.first { $0.name == name }?.function.connect(self)
  }

  var networkInterface: String? { tree.networkInterface }

  var isOver: Bool { locked { isStopping } }

  /// A connection has ended.
  func dropped() {
    if isOver, link.isIdle { startThread { self.close() } }
    enabled.notify()
  }
}
