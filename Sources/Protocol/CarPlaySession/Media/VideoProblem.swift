// swift-iap2 · Apache-2.0

/// A reason why bytes are not H.264 video that a screen stream can carry.
public enum VideoProblem: Error, Sendable, Hashable {
  /// The file has other bytes than zeros before its first start code, or no start code.
  case notByteStream
  /// The record has a version other than 1.
  case unknownRecordVersion(UInt8)
  /// The record ends before its parameter sets do.
  case recordCut
  /// NAL units in frames have lengths of a size other than 1, 2 and 4 bytes.
  case badLengthSize(Int)
  /// The picture with this number, from 0, may need a later one (B). A phone sends none.
  case bidirectionalPicture(Int)
  /// No sequence parameter set or no picture parameter set is known.
  case noParameterSets
  /// A record cannot have as many parameter sets of one kind.
  case tooManyParameterSets(Int)
  /// A record cannot have a parameter set of this many bytes.
  case parameterSetTooLong(Int)
  /// The bits of a sequence parameter set end too early or have a value that the standard excludes.
  case badSequenceParameterSet
  /// A frame ends inside the length of the NAL unit at a byte offset.
  case lengthBeyondBody(offset: Int)
  /// The NAL unit whose length is at a byte offset is longer than the rest of the frame.
  case unitBeyondBody(offset: Int, byteCount: Int)
  /// A frame has start codes in place of the lengths of its NAL units.
  case startCodes
  /// A frame has more NAL units than ``FrameBody/maximumUnitCount``.
  case tooManyUnits
  /// A frame has more bytes than ``FrameBody/maximumByteCount``.
  case frameTooLong(Int)
  /// The bytes changed while they were read.
  case changed
}
