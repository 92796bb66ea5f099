// swift-iap2 · Apache-2.0

import IAP2
public import IAP2Transport

/// A chip on an I2C bus of this machine. Its transfers block only its own thread.
public actor I2CPort: RegisterPort {
  private let thread = OwnThread(name: "iap2-i2c")
  /// The executor on the port's own thread.
  public nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe thread.asUnownedSerialExecutor() }

  private let path: String
  private let chip: UInt8
  private var adapter: I2CAdapter?
  /// The register that the chip has selected and, because it was busy, has not returned yet; nil if there is none.
  private var selected: UInt8?

  /// The transport string with the chip's bus address.
  public nonisolated var address: String { "\(I2CAddress.scheme):\(path)@0x\(hex2(chip))" }

  private init(path: String, chip: UInt8) {
    self.path = path
    self.chip = chip
  }

  private func open() throws(CoprocessorError) {
    adapter = try I2CAdapter(path)
  }

  /// Opens the adapter and finds the chip.
  ///
  /// - Parameters:
  ///   - address: The path of the adapter. Without the address of a chip, the known addresses are tried in order.
  ///   - clock: The clock for the time limits.
  ///   - timeouts: The time limits. A busy chip must answer within them.
  public static func open(
    _ address: I2CAddress, clock: any RuntimeClock, timeouts: CoprocessorTimeouts = CoprocessorTimeouts()
  ) async throws(CoprocessorError) -> I2CPort {
    let ports = (address.chip.map { [$0] } ?? Register.addresses).map { I2CPort(path: address.path, chip: $0) }
    for port in ports { try await port.open() }
    let end = clock.now.adding(milliseconds: timeouts.answerMilliseconds)
    do throws(CoprocessorError) {
      while true {
        for port in ports where try await port.answers() {
          for other in ports where other !== port { await other.close() }
          return port
        }
        guard clock.now < end else { throw .neverAnswered(milliseconds: timeouts.answerMilliseconds) }
        do { try await clock.sleep(until: clock.now.adding(milliseconds: timeouts.retryMilliseconds)) } catch {
          throw CoprocessorError.cancelled
        }
      }
    } catch {
      for port in ports { await port.close() }
      throw error
    }
  }

  private func answers() throws(CoprocessorError) -> Bool {
    do throws(RegisterPortError) {
      _ = try read(Register.deviceVersion.address, count: 1)
      return true
    } catch {
      switch error {
      case .notAcknowledged: return false
      case .tooLong(let count, let limit): throw .transferTooLong(byteCount: count, limit: limit)
      case .failed(let failure): throw .transport(failure)
      }
    }
  }

  /// Closes the adapter.
  public func close() {
    adapter?.close()
    adapter = nil
  }

  /// Reads from a register. Throws `notAcknowledged` while the chip is busy.
  public func read(_ register: UInt8, count: Int) throws(RegisterPortError) -> [UInt8] {
    guard let adapter else { throw .failed(.closed) }
    var bytes = [UInt8](repeating: 0, count: count)
    switch adapter.way {
    case .messages:
      // The chip has already selected the register, so only the read is repeated.
      if selected != register {
        var pointer = [register]
        try adapter.transfer(chip, &pointer, isRead: false)
        selected = register
      }
      do throws(RegisterPortError) { try adapter.transfer(chip, &bytes, isRead: true) } catch {
        if error != .notAcknowledged { selected = nil }
        throw error
      }
      selected = nil
    case .smbus: try adapter.smbus(chip, register, &bytes, isRead: true)
    }
    return bytes
  }

  /// Writes to a register. Throws `notAcknowledged` while the chip is busy.
  public func write(_ register: UInt8, _ bytes: [UInt8]) throws(RegisterPortError) {
    guard let adapter else { throw .failed(.closed) }
    selected = nil
    switch adapter.way {
    case .messages:
      var message = [register] + bytes
      try adapter.transfer(chip, &message, isRead: false)
    case .smbus:
      var bytes = bytes
      try adapter.smbus(chip, register, &bytes, isRead: false)
    }
  }
}
