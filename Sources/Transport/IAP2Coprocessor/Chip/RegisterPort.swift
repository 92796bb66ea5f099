// swift-iap2 · Apache-2.0

public import IAP2Transport

/// Moves bytes to and from a chip's registers: a bus, or an emulated chip. One call at a time.
public protocol RegisterPort: Sendable {
  /// - Parameter count: 1…1280; the transfer goes on in the following registers of the block.
  func read(_ register: UInt8, count: Int) async throws(RegisterPortError) -> [UInt8]
  func write(_ register: UInt8, _ bytes: [UInt8]) async throws(RegisterPortError)
  func close() async
  /// As `--authenticator` takes it.
  var address: String { get }
}

/// Why a transfer was not made.
public enum RegisterPortError: Error, Sendable, Equatable {
  /// Nobody acknowledged: the chip is busy, or there is none.
  case notAcknowledged
  /// More bytes than this adapter moves at once.
  case tooLong(byteCount: Int, limit: Int)
  case failed(TransportError)
}
