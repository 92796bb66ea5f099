// swift-iap2 · Apache-2.0

extension LabHub {
  /// Gives the session as a page without a server to the client that asked for it.
  ///
  /// - Parameter picture: The screen as PNG; nil for none.
  func deliverPage(picture: [UInt8]?) {
    deliver("session.html", .text(LabPage.offline(record: stored(picture: picture))))
  }
}
