// swift-iap2 · Apache-2.0

/// The bytes of a film or of music. Those of a file can be read as they are played, so that they are not held in memory.
public protocol MediaBytes: Sendable {
  /// The number of bytes.
  var count: Int { get }

  /// Returns the bytes of a range that lies within the count. They are fewer if the file has changed or cannot be read
  /// any more.
  func bytes(in range: Range<Int>) -> [UInt8]
}

extension [UInt8]: MediaBytes {
  /// Returns the bytes of a range.
  public func bytes(in range: Range<Int>) -> [UInt8] { range == indices ? self : Array(self[range]) }
}
