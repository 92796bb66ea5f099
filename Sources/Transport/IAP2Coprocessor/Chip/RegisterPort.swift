// swift-iap2 · Apache-2.0

public import IAP2Transport

/// A port that moves bytes to and from a chip's registers: a bus or an emulated chip. One call may run at a time.
public protocol RegisterPort: Sendable {
  /// Reads from a register.
  ///
  /// - Parameters:
  ///   - register: The first register.
  ///   - count: The number of bytes, 1…1280. The read continues in the following registers of the block.
  func read(_ register: UInt8, count: Int) async throws(RegisterPortError) -> [UInt8]
  /// Writes to a register.
  func write(_ register: UInt8, _ bytes: [UInt8]) async throws(RegisterPortError)
  /// Closes the port.
  func close() async
  /// The address in the form that `--authenticator` accepts.
  var address: String { get }
}

/// The reason why a transfer failed.
public enum RegisterPortError: Error, Sendable, Equatable {
  /// The transfer was not acknowledged: the chip is busy or absent.
  case notAcknowledged
  /// The adapter cannot move so many bytes at once.
  case tooLong(byteCount: Int, limit: Int)
  /// The bus failed.
  case failed(TransportError)
}
