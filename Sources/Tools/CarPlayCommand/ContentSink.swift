// swift-iap2 · Apache-2.0

import CarPlayPrograms

/// A sink whose content has an end, such as a file.
protocol ContentSink: MediaSink {
  /// Writes the waiting content and closes what was opened.
  ///
  /// - Throws: A failure if content was lost.
  func close() throws
}
