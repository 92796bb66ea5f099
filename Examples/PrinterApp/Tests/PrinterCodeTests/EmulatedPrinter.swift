import ExternalAccessoryTesting
import PrinterCode
import Synchronization

/// The printer's side of the protocol.
final class EmulatedPrinter: Sendable {
  private let state = Mutex((documents: [[UInt8]](), receivedByteCount: 0, isJammed: false))

  var documents: [[UInt8]] { state.withLock { $0.documents } }
  /// The bytes of all sessions, also of documents that have not arrived to the end.
  var receivedByteCount: Int { state.withLock { $0.receivedByteCount } }

  /// Whether the printer reads and prints nothing.
  var isJammed: Bool {
    get { state.withLock { $0.isJammed } }
    set { state.withLock { $0.isJammed = newValue } }
  }

  /// Attaches a printer and plugs it in, as the only accessory.
  func attach() async throws -> AttachedAccessory {
    await AccessoryBench.reset()
    AccessoryBench.declare(protocols: [PrinterProtocol.name])
    return try await AccessoryBench.attach(
      name: "Printer", protocols: [PrinterProtocol.name], services: [PrinterProtocol.name: serve])
  }

  @Sendable private func serve(_ session: ExternalAccessoryStream) async {
    var bytes: [UInt8] = []
    while let more = await session.read() {
      bytes += more
      state.withLock { $0.receivedByteCount += more.count }
      guard bytes.count >= 4 else { continue }
      let count = bytes.prefix(4).reduce(0) { $0 << 8 | Int($1) }
      guard bytes.count >= 4 + count, !isJammed else { continue }
      state.withLock { $0.documents.append(Array(bytes[4..<(4 + count)])) }
      bytes.removeFirst(4 + count)
      do { try await session.write([PrinterProtocol.printed]) } catch { return }
    }
  }
}
