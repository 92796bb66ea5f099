// swift-iap2 · Apache-2.0

extension VideoProblem {
  /// The problem in words that follow a colon.
  package var words: String {
    switch self {
    case .notByteStream: "it is not a byte stream of H.264 (Annex B)"
    case .noParameterSets: "it does not begin with a key frame and its parameter sets"
    case .bidirectionalPicture(let number): "its picture \(number + 1) may need a later one (B)"
    case .badSequenceParameterSet: "a sequence parameter set is damaged"
    case .frameTooLong(let count): "a picture has \(count) bytes, more than a message of the screen takes"
    case .startCodes: "it begins with a start code in place of a length"
    case .unitBeyondBody(let offset, let count):
      "the NAL unit at byte \(offset) has a length of \(count), more than its body"
    case .lengthBeyondBody(let offset): "it ends inside the length at byte \(offset)"
    case .tooManyUnits: "it has more than \(FrameBody.maximumUnitCount) NAL units"
    case .recordCut: "the record ends before its parameter sets do"
    case .unknownRecordVersion(let version): "the record has version \(version), not 1"
    case .badLengthSize(let size): "lengths of \(size) bytes"
    case .tooManyParameterSets(let count): "\(count) parameter sets of one kind"
    case .parameterSetTooLong(let count): "a parameter set of \(count) bytes"
    case .changed: "its bytes changed"
    }
  }
}
