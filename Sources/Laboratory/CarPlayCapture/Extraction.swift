// swift-iap2 · Apache-2.0

package import CarPlaySession

/// The content of streams for files: H.264 as a byte stream, and payloads of sound.
package struct Extraction: Sendable {
  /// A stream of a session.
  package struct Source: Sendable, Hashable {
    /// The number of the session in the capture, and of the stream in the session, from 0.
    package var session, stream: Int
    /// The name of the type.
    package var name: String
    /// The side that sends.
    package var side: SessionSide
  }

  /// A piece of a stream.
  package enum Piece: Sendable {
    /// NAL units behind start codes.
    case video([UInt8])
    /// A payload of sound in a format; nil for one that is not known.
    case sound([UInt8], AudioFormat?)
  }

  /// The keys of a session, as far as a capture shows them at its end.
  package enum Keys: Sendable, Hashable {
    /// The session was read; whether a stream with content was set up in it.
    case known(hasStream: Bool)
    /// No key log has its secret.
    case missing
    /// The secret that a key log has of it opens nothing.
    case wrong
  }

  private let take: @Sendable (Source, Piece) -> Void
  /// Receives the state of the keys at the end of each session.
  let end: @Sendable (Keys) -> Void

  /// - Parameters:
  ///   - end: Receives the state of the keys at the end of each session.
  ///   - take: Receives the pieces in their order.
  package init(
    end: @escaping @Sendable (Keys) -> Void = { _ in }, _ take: @escaping @Sendable (Source, Piece) -> Void
  ) {
    (self.take, self.end) = (take, end)
  }

  func picture(_ message: ScreenMessage, of name: String, stream: Int, session: Int, isOpened: Bool) {
    guard isOpened else { return }
    let source = Source(session: session, stream: stream, name: name, side: .phone)
    do throws(VideoProblem) {
      switch message.kind {
      case .configuration:
        let sets = try AVCConfiguration(body: message.body)
        take(source, .video(AnnexB.bytes(of: sets.sequenceParameterSets + sets.pictureParameterSets)))
      case .frame: take(source, .video(AnnexB.bytes(of: try FrameBody.units(of: message.body))))
      default: break
      }
    } catch {
      // A picture that is no H.264 has no place in a file of it.
    }
  }

  func sound(
    _ payload: [UInt8], of name: String, stream: Int, session: Int, from side: SessionSide, format: AudioFormat?
  ) {
    take(Source(session: session, stream: stream, name: name, side: side), .sound(payload, format))
  }
}
