// swift-iap2 · Apache-2.0

package import IAP2
package import IAP2Capture

/// A sink that keeps how CarPlay sessions ended, by their numbers from 0.
package struct SessionEndSink: DecodedSink {
  /// The explanations so far.
  package private(set) var explanations: [Int: SessionExplanation] = [:]

  /// Creates a sink without sessions.
  package init() {}

  package mutating func session(_ explanation: SessionExplanation, number: Int) { explanations[number] = explanation }

  package mutating func detect(at place: DecodedPlace) {}

  package mutating func link(
    _ header: LinkHeader, header state: DecodedLine.ChecksumState, payload: DecodedLine.ChecksumState,
    isRepeated: Bool, at place: DecodedPlace
  ) {}

  package mutating func synchronization(_ parameters: LinkSynchronization, at place: DecodedPlace) {}

  package mutating func message(_ bytes: RawSpan, offset: Int, at place: DecodedPlace) {}

  package mutating func externalAccessory(session: UInt16, data: RawSpan, at place: DecodedPlace) {}

  package mutating func fileTransfer(
    file: UInt8, _ operation: FileTransferOperation, data: RawSpan, at place: DecodedPlace
  ) {}

  package mutating func error(_ message: String, offset: Int, at place: DecodedPlace) {}

  package mutating func fileDamage(_ message: String, offset: Int, at place: DecodedPlace) {}
}
