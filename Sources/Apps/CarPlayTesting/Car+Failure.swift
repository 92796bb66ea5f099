// swift-iap2 · Apache-2.0

#if canImport(Testing)
  import Testing
#endif

extension Car {
  /// Reports that a verb failed, as an issue of the running test. Outside of a test it stops the program, because the
  /// following steps would test another state.
  func fail(_ text: String, fileID: String, filePath: String, line: Int, column: Int) {
    #if canImport(Testing)
      if Test.current != nil {
        if let picture = pictureOfFailure() { Attachment.record(Array(picture), named: "screen.png") }
        Issue.record(
          Comment(rawValue: text),
          sourceLocation: SourceLocation(fileID: fileID, filePath: filePath, line: line, column: column))
        return
      }
    #endif
    preconditionFailure("\(filePath):\(line): \(text)")
  }
}
