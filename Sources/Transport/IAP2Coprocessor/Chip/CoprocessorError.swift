// swift-iap2 · Apache-2.0

public import IAP2Transport

/// An error of an operation on a coprocessor.
public enum CoprocessorError: Error, Sendable, Equatable {
  /// The bus failed, or the connection to the program that shares the chip.
  case transport(TransportError)
  /// The named file exists, but is not an I2C adapter.
  case noAdapter
  /// The adapter cannot move so many bytes at once.
  case transferTooLong(byteCount: Int, limit: Int)
  /// The chip did not acknowledge within this time.
  case neverAnswered(milliseconds: Int)
  /// The chip acknowledges, but has not finished a signature within this time.
  case neverFinished(milliseconds: Int)
  /// The chip reported an error.
  case chip(ChipError)
  /// The device version is neither 2.0C nor 3.0.
  case unknownVersion(UInt8)
  /// A read of a register returned too few bytes.
  case shortRead(Register, byteCount: Int, wanted: Int)
  /// A length register has a value that it cannot have.
  case badLength(Register, found: Int, allowed: ClosedRange<Int>)
  /// The challenge does not have the length in bytes that this version signs.
  ///
  /// - Parameter wanted: The length that this version signs.
  case wrongChallengeLength(found: Int, wanted: Int)
  /// The program that shares the chip reported this fault.
  case remote(FrameFault)
  /// The bytes from the network do not follow the framing.
  case badFrame(FrameProblem)
  /// No answer arrived over the network within this time.
  case noReply(milliseconds: Int)
  /// The task was cancelled.
  case cancelled
}

extension CoprocessorError: CustomStringConvertible {
  /// A description for users.
  public var description: String {
    switch self {
    case .transport(.refused(let address)):
      "\(address): connection refused; start iap2 coprocessor serve on that machine"
    case .transport(let error): "the coprocessor cannot be reached: \(error)"
    case .noAdapter: "not an I2C adapter"
    case .transferTooLong(let count, let limit):
      "the transfer has \(count) bytes, but the adapter's limit is \(limit) (SMBus; use an adapter with plain I2C)"
    case .neverAnswered(let milliseconds): "no acknowledgement for \(milliseconds) ms"
    case .neverFinished(let milliseconds): "the chip did not finish the signature within \(milliseconds) ms"
    case .chip(let error): "\(error)"
    case .unknownVersion(let number): "device version \(hex2(number)) is neither 05 (2.0C) nor 07 (3.0)"
    case .shortRead(let register, let count, let wanted):
      "\(register.name) (\(hex2(register.address))): \(count) bytes instead of \(wanted)"
    case .badLength(let register, let found, let allowed):
      "\(register.name) (\(hex2(register.address))) has the value \(found); allowed: "
        + (allowed.count == 1 ? "\(allowed.lowerBound)" : "\(allowed.lowerBound) to \(allowed.upperBound)")
    case .wrongChallengeLength(let found, let wanted): "the challenge has \(found) bytes, but this chip signs \(wanted)"
    case .remote(let fault): "the other end reports: \(fault)"
    case .badFrame(let problem): "\(problem)"
    case .noReply(let milliseconds): "no answer for \(milliseconds) ms"
    case .cancelled: "cancelled"
    }
  }
}

/// Returns two hexadecimal digits.
package func hex2(_ number: UInt8) -> String { (number < 16 ? "0" : "") + String(number, radix: 16, uppercase: true) }
