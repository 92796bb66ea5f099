// swift-iap2 · Apache-2.0

/// The receiver of a copy of a capture whose CarPlay sessions are in the clear.
package struct DecryptedOutput: Sendable {
  /// A connection or a stream of a session.
  package struct Source: Sendable, Hashable {
    /// The number of the session in the capture, from 0.
    package var session: Int
    /// The name, such as `control` or `screen`.
    package var name: String
  }

  /// A reason why bytes of a session stay as they were captured.
  package enum Reason: Sendable, Hashable {
    /// No key of them is known.
    case noKey
    /// A key does not open them, in words.
    case notOpened(String)
    /// The capture lacks bytes before them.
    case gap
    /// The capture ends before the end of a frame, a packet or a picture.
    case incomplete
  }

  /// A part of the output.
  package enum Piece: Sendable {
    /// The next bytes of the file, which can be read if it ends behind them.
    case bytes([UInt8])
    /// Bytes of a session were opened.
    case opened
    /// Bytes of a session stay as they were captured.
    case sealed(Source, byteCount: Int, Reason)
    /// The sessions of the capture are in the clear already.
    case isDecrypted
  }

  let take: @Sendable (Piece) -> Void

  /// - Parameter take: Receives the pieces in their order.
  package init(_ take: @escaping @Sendable (Piece) -> Void) { self.take = take }
}
