// swift-iap2 · Apache-2.0

import IAP2Transport

/// What a user of one function needs of the whole gadget.
protocol GadgetUse: Sendable {
  /// A connection has ended.
  func dropped()
  /// The stream of a session of a native EA protocol.
  func nativeStream(of name: String) -> GadgetTransport?
}

/// One use of a gadget's function: the link from the host's enabling it to its end, or a session of a native EA protocol;
/// or until it was closed.
///
/// Invariant for `@unchecked`: the function's lock guards what changes.
final class GadgetTransport: ByteTransport, @unchecked Sendable {
  /// Bytes to the host, and who waits until they are gone.
  struct Outgoing {
    var number: Int
    var bytes: [UInt8]
    /// Nil for the empty packet at the end, which `drain` waits for.
    var done: CheckedContinuation<TransportError?, Never>?
  }

  private let gadget: any GadgetUse
  private let function: GadgetFunction
  let inbox = Inbox()
  var outgoing: Outgoing?
  /// No more bytes go either way.
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
      // Waits for reads and writes that the host may have kept.
      do { try await onOwnThread { function.leave(self) } } catch {}
    } else {
      do { try await onOwnThread { function.drain(self) } } catch {}
      function.cancel(self)
      gadget.dropped()
    }
    inbox.finish()
  }

  func nativeStream(of name: String, among protocols: [String]) -> (any ByteTransport)? {
    gadget.nativeStream(of: name)
  }
}
