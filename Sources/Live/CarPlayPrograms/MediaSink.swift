// swift-iap2 · Apache-2.0

public import Basics
public import CarPlaySession

/// A receiver of content, such as files, a pipe or a window.
public protocol MediaSink: Sendable {
  /// Takes a piece of content. It does not wait: what cannot be written at once waits in the sink.
  ///
  /// - Parameters:
  ///   - content: The piece.
  ///   - time: The time of the session at which it arrived.
  func take(_ content: ReceivedContent, at time: MonotonicTime)

  /// Sets the reaction to a change of back-pressure: whether the sink holds so much content that the session should read
  /// no more of a stream.
  ///
  /// - Parameter react: Receives the type of the stream, and a closure that returns whether there is back-pressure now.
  ///   It is called on any thread.
  func whenPressureChanges(_ react: @escaping @Sendable (StreamType, @escaping @Sendable () -> Bool) -> Void)
}

extension MediaSink {
  /// Does nothing: a sink without waiting content has no back-pressure.
  public func whenPressureChanges(_ react: @escaping @Sendable (StreamType, @escaping @Sendable () -> Bool) -> Void) {}
}
