// swift-iap2 · Apache-2.0

public import IAP2Transport

/// Why a coprocessor did not give what it was asked for.
public enum CoprocessorError: Error, Sendable, Equatable {
  /// The way to the chip: the bus, or the connection to whoever shares it.
  case medium(TransportError)
  /// What was named is there, and is no I2C adapter.
  case noAdapter
  /// More bytes than the adapter moves at once.
  case transferTooLong(byteCount: Int, limit: Int)
  /// Not acknowledged for so long.
  case neverAnswered(milliseconds: Int)
  /// It answers, but has not ended a signature in that time.
  case neverFinished(milliseconds: Int)
  case chip(ChipError)
  case unknownVersion(UInt8)
  case shortRead(Register, byteCount: Int, wanted: Int)
  /// A length that its register cannot mean.
  case badLength(Register, found: Int, allowed: ClosedRange<Int>)
  /// - Parameter wanted: what this version signs.
  case wrongChallengeLength(found: Int, wanted: Int)
  /// Whoever shares the chip said so.
  case remote(FrameFault)
  /// What came over the network is not of the framing.
  case badFrame(FrameProblem)
  /// No answer over the network in that time.
  case noReply(milliseconds: Int)
  case cancelled
}

extension CoprocessorError: CustomStringConvertible {
  public var description: String {
    switch self {
    case .medium(.refused(let address)):
      "\(address): nobody listens there; start iap2 coprocessor serve on that machine"
    case .medium(let error): "cannot be reached: \(error)"
    case .noAdapter: "not an I2C adapter"
    case .transferTooLong(let count, let limit):
      "\(count) bytes at once are needed, the adapter moves \(limit) (SMBus; one with plain I2C moves all)"
    case .neverAnswered(let milliseconds): "no acknowledgement for \(milliseconds) ms"
    case .neverFinished(let milliseconds): "no end of the signature after \(milliseconds) ms"
    case .chip(let error): "\(error)"
    case .unknownVersion(let number): "device version \(hex2(number)) is neither 05 (2.0C) nor 07 (3.0)"
    case .shortRead(let register, let count, let wanted):
      "\(register.name) (\(hex2(register.address))): \(count) bytes instead of \(wanted)"
    case .badLength(let register, let found, let allowed):
      "\(register.name) (\(hex2(register.address))) says \(found), possible are "
        + (allowed.count == 1 ? "\(allowed.lowerBound)" : "\(allowed.lowerBound) to \(allowed.upperBound)")
    case .wrongChallengeLength(let found, let wanted): "a challenge of \(found) bytes, this chip signs \(wanted)"
    case .remote(let fault): "the other end says: \(fault)"
    case .badFrame(let problem): "\(problem)"
    case .noReply(let milliseconds): "no answer for \(milliseconds) ms"
    case .cancelled: "given up"
    }
  }
}

/// Two hexadecimal digits.
package func hex2(_ number: UInt8) -> String { (number < 16 ? "0" : "") + String(number, radix: 16, uppercase: true) }
