// swift-iap2 · Apache-2.0

import IAP2Sockets
public import IAP2Transport

/// The address of a coprocessor in one string.
public enum CoprocessorAddress: Sendable, Equatable {
  /// A chip on an I2C bus of this machine.
  case i2c(I2CAddress)
  /// A chip that `iap2 coprocessor serve` shares.
  case tcp(host: String, port: Int)
  /// An emulated chip for tests.
  case emulated(ChipVersion)

  /// The accepted forms of an address.
  public static let forms = "i2c:/dev/i2c-N[@ADDRESS] (ADDRESS in hexadecimal), tcp:HOST:PORT, emulated[:2.0C|3.0]"

  /// A text that has none of the forms.
  public struct Problem: Error, Equatable, Sendable {
    /// The whole text.
    public var text: String
  }

  /// Parses one of ``forms``.
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
      // The address is written as i2cdetect prints it, with or without 0x. Addresses below 08 and above 77 are not for
      // chips.
      let number = UInt8(digits.hasPrefix("0x") ? digits.dropFirst(2) : digits, radix: 16)
      guard let number, (0x08...0x77).contains(number) else { throw problem }
      self = .i2c(I2CAddress(path: String(fields[0]), chip: number))
    case (_, _): throw problem
    }
  }

  /// Opens the bus or the connection, or creates the emulated chip. On a bus, waits until the chip answers.
  ///
  /// - Parameter clock: The clock of all time limits.
  public func open(clock: any RuntimeClock) async throws(CoprocessorError) -> any CoprocessorAccess {
    switch self {
    case .i2c(let address): return Coprocessor(port: try await I2CPort.open(address, clock: clock), clock: clock)
    case .tcp(let host, let port): return try await RemoteCoprocessor.open(host: host, port: port, clock: clock)
    case .emulated(let version):
      return Coprocessor(port: EmulatedChip(EmulatedChip.Behavior(version), clock: clock), clock: clock)
    }
  }

  /// Whether the chip is emulated. An emulated chip runs by any clock, the others only by the wall clock.
  public var isEmulated: Bool { if case .emulated = self { true } else { false } }
}

extension CoprocessorAddress: CustomStringConvertible {
  /// The address in one of ``forms``.
  public var description: String {
    switch self {
    case .i2c(let address): "\(I2CAddress.scheme):\(address.path)" + (address.chip.map { "@0x\(hex2($0))" } ?? "")
    case .tcp(let host, let port): "tcp:\(host.contains(":") ? "[\(host)]" : host):\(port)"
    case .emulated(let version): "emulated:\(version.name)"
    }
  }
}
