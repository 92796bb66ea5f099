// swift-iap2 · Apache-2.0

import IAP2Transport

/// The operations of a whole gadget that a user of one function needs.
protocol GadgetUse: Sendable {
  /// Reports that a connection has ended.
  func dropped()
  /// Returns the stream of a session of a native EA protocol.
  func nativeStream(of name: String) -> GadgetTransport?
}

/// One use of a gadget's function: the link while the host has the function enabled, or one session of a native EA
/// protocol. It ends earlier if it is closed.
///
/// Invariant for `@unchecked`: the function's lock guards all mutable state.
final class GadgetTransport: ByteTransport, @unchecked Sendable {
  /// Bytes to the host, and the task that waits until they are sent.
  struct Outgoing {
    var number: Int
    var bytes: [UInt8]
    /// The waiting task; nil for the empty packet that `drain` waits for.
    var done: CheckedContinuation<TransportError?, Never>?
  }

  private let gadget: any GadgetUse
  private let function: GadgetFunction
  let inbox = Inbox()
  var outgoing: Outgoing?
  /// Whether the use has ended in both directions.
  var isOver = false

  var address: String { function.address }

  init(_ function: GadgetFunction, of gadget: any GadgetUse) {
    self.function = function
    self.gadget = gadget
  }

  func receive() async throws(TransportError) -> [UInt8]? {
    let bytes = try await inbox.take()
    function.caughtUp()
    return bytes
  }

  func send(_ bytes: [UInt8]) async throws(TransportError) {
    guard !bytes.isEmpty else { return }
    let failure = await withTaskCancellationHandler {
      await function.send(bytes, of: self)
    } onCancel: {
      function.cancel(self)
    }
    if let failure { throw failure }
  }

  func close() async {
    let function = function
    if function.isNative {
      // Blocks until pending reads and writes have ended, which the host may delay.
      do { try await onOwnThread(usbThread) { function.leave(self) } } catch {}
    } else {
      do { try await onOwnThread(usbThread) { function.drain(self) } } catch {}
      function.cancel(self)
      gadget.dropped()
    }
    inbox.finish()
  }

  func nativeStream(of name: String, among protocols: [String]) -> (any ByteTransport)? {
    gadget.nativeStream(of: name)
  }
}
