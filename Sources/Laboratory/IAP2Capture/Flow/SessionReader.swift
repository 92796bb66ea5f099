// swift-iap2 · Apache-2.0

package import IAP2

/// A reader of the CarPlay sessions in the packets of a capture.
package protocol SessionReader: Sendable {
  /// Takes an IP packet.
  ///
  /// - Parameters:
  ///   - start: The offset of the packet's IP header.
  ///   - comment: The comment of its record; nil for none.
  mutating func take(_ bytes: RawSpan, from start: Int, comment: String?, at moment: CaptureMoment)
  /// Takes a record that is no IP packet.
  ///
  /// - Parameter linkType: The link type of a pcapng file that can have the record.
  mutating func take(other bytes: RawSpan, linkType: UInt16, comment: String?, at moment: CaptureMoment)
  /// Notes that a side of the sessions of the next records wrote them.
  mutating func takeOwnMark()
  /// Notes that the sessions of the next records are in the clear.
  mutating func takeDecryptedMark()
  /// Takes secrets that the capture has, as the text of a key log.
  mutating func take(secrets: [UInt8])
  /// Whether the capture is a copy with its sessions in the clear, of which the given secrets open nothing more.
  var isSealedCopy: Bool { get }
  /// The connections that may be sessions whose beginning the capture lacks.
  var lateSessions: [CaptureNotice] { get }
  /// Ends all connections, behind the last packet.
  mutating func finish(at moment: CaptureMoment)
  /// Removes and returns what was found since the last call, in order.
  mutating func takeFindings() -> [SessionReading]
}

/// A finding of a reader of sessions, or bytes for the readers of links.
package struct SessionReading: Sendable {
  /// The content.
  package enum Content: Sendable {
    case finding(SessionFinding)
    /// Bytes of iAP2 inside a session.
    case link([UInt8])
    /// The explanation of a session, at its end.
    case explanation(SessionExplanation)
  }

  package var content: Content
  package var moment: CaptureMoment
  package var from: Side
  /// The number of the session in the capture, from 0.
  package var session: Int

  /// Creates a reading.
  package init(_ content: Content, at moment: CaptureMoment, from side: Side, session: Int) {
    (self.content, self.moment, self.from, self.session) = (content, moment, side, session)
  }
}
