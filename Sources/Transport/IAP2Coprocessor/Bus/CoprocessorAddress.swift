// swift-iap2 · Apache-2.0

import IAP2Sockets
public import IAP2Transport

/// A chip on a bus: `i2c:/dev/i2c-N[@ADDRESS]`.
public struct I2CAddress: Sendable, Equatable {
  public var path: String
  /// Seven bits; nil: whichever of ``Register/addresses`` answers.
  public var chip: UInt8?

  static let scheme = "i2c"

  public init(path: String, chip: UInt8? = nil) {
    self.path = path
    self.chip = chip
  }
}

/// Where a coprocessor is, as one string.
public enum CoprocessorAddress: Sendable, Equatable {
  case i2c(I2CAddress)
  /// Shared by `iap2 coprocessor serve`.
  case tcp(host: String, port: Int)
  /// A test device.
  case emulated(ChipVersion)

  public static let forms = "i2c:/dev/i2c-N[@ADDRESS] (ADDRESS in hexadecimal), tcp:HOST:PORT, emulated[:2.0C|3.0]"

  /// Not one of the forms.
  public struct Problem: Error, Equatable, Sendable {
    public var text: String
  }

  public init(parsing text: String) throws(Problem) {
    let problem = Problem(text: text)
    let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
    let rest = parts.dropFirst().first.map(String.init)
    switch (parts[0], rest) {
    case ("emulated", let name):
      guard let version = ChipVersion.allCases.first(where: { $0.name == name ?? ChipVersion.version3.name }) else {
        throw problem
      }
      self = .emulated(version)
    case ("tcp", _):
      do throws(TransportAddress.Problem) {
        guard case .tcp(let host, let port) = try TransportAddress(parsing: text) else { throw .unknownScheme(text) }
        self = .tcp(host: host, port: port)
      } catch { throw problem }
    case ("i2c", let rest?):
      let fields = rest.split(separator: "@", maxSplits: 1, omittingEmptySubsequences: false)
      guard fields[0].hasPrefix("/") else { throw problem }
      guard let digits = fields.dropFirst().first else {
        self = .i2c(I2CAddress(path: rest))
        return
      }
      // As i2cdetect writes it, with or without 0x. Below 08 and above 77 addresses are not for chips.
      let number = UInt8(digits.hasPrefix("0x") ? digits.dropFirst(2) : digits, radix: 16)
      guard let number, (0x08...0x77).contains(number) else { throw problem }
      self = .i2c(I2CAddress(path: String(fields[0]), chip: number))
    case (_, _): throw problem
    }
  }

  /// Finds the chip.
  public func open(clock: any RuntimeClock) async throws(CoprocessorError) -> any CoprocessorAccess {
    switch self {
    case .i2c(let address): return Coprocessor(port: try await I2CPort.open(address, clock: clock), clock: clock)
    case .tcp(let host, let port): return try await RemoteCoprocessor.open(host: host, port: port, clock: clock)
    case .emulated(let version):
      return Coprocessor(port: EmulatedChip(EmulatedChip.Conduct(version), clock: clock), clock: clock)
    }
  }

  /// Answers in any clock's time; the others take the wall clock's.
  public var isEmulated: Bool { if case .emulated = self { true } else { false } }
}

extension CoprocessorAddress: CustomStringConvertible {
  public var description: String {
    switch self {
    case .i2c(let address): "\(I2CAddress.scheme):\(address.path)" + (address.chip.map { "@0x\(hex2($0))" } ?? "")
    case .tcp(let host, let port): "tcp:\(host.contains(":") ? "[\(host)]" : host):\(port)"
    case .emulated(let version): "emulated:\(version.name)"
    }
  }
}
