// swift-iap2 · Apache-2.0

extension LabHub {
  /// Gives the session as a page without a server to the client that asked for it.
  ///
  /// - Parameter picture: The screen as PNG; nil for none.
  func deliverPage(picture: [UInt8]?) {
    deliver("session.html", .text(LabPage.offline(record: stored(picture: picture))))
  }
}

extension LabHub {
  /// Hands the step that expects the event of a row to a recorder, with the row's time. For a row without one, the page
  /// gets a note.
  func expect(_ number: Int, _ record: (_ line: String, _ time: Double) -> Void) {
    guard let entry = entries(from: number, limit: 1).first, entry.number == number,
      let line = entry.entry.expectation, let time = entry.entry.time
    else { return send(.note("this row cannot be expected", level: .warning)) }
    record(line, time)
  }
}
