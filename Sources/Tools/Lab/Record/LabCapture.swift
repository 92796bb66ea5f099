// swift-iap2 · Apache-2.0

/// The bytes of a session's capture, as pcapng, up to a limit. Later ones are shown and not kept.
struct LabCapture: Sendable {
  private(set) var bytes: [UInt8] = []
  private var isFull = false

  /// The largest capture. Ours.
  private static let maximumByteCount = 64 << 20

  /// Adds whole records. Behind the first one without room none is kept, so that the capture has no hole.
  mutating func add(_ new: [UInt8]) {
    isFull = isFull || bytes.count + new.count > Self.maximumByteCount
    if !isFull { bytes += new }
  }
}
