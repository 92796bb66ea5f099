// swift-iap2 · Apache-2.0

package import ArgumentParser
package import IAP2Authentication
package import IAP2Coprocessor
import IAP2Runtime
package import IAP2Transport

/// The options for the authentication of a head unit, for every command that plays one.
package struct AuthenticatorOptions: ParsableArguments {
  @Option(
    help: "The accessory's certificate, PKCS#7 or X.509, PEM or DER (default: the project's test accessory).",
    completion: .file())
  package var certificate: String?

  @Option(help: "The certificate's P-256 private key, PEM.", completion: .file()) package var key: String?

  @Option(
    help: ArgumentHelp(
      "A coprocessor that signs in place of --key: \(CoprocessorAddress.forms). The emulated one is a test device.",
      valueName: "coprocessor"))
  package var authenticator: String?

  package init() {}

  package func validate() throws {
    guard (certificate == nil) == (key == nil) else {
      throw ValidationError("--certificate and --key need each other: give both or neither")
    }
    guard certificate == nil || authenticator == nil else {
      throw ValidationError("--authenticator has its own certificate and key: leave out --certificate and --key")
    }
    _ = try coprocessor()
  }

  package var isGiven: Bool { certificate != nil || authenticator != nil }

  /// Returns the address of `--authenticator`, or nil without the option.
  package func coprocessor() throws -> CoprocessorAddress? { try authenticator.map { try Self.coprocessor($0) } }

  package static func coprocessor(_ text: String) throws -> CoprocessorAddress {
    do { return try CoprocessorAddress(parsing: text) } catch {
      throw ValidationError("\"\(text)\" is not a coprocessor address; the forms are \(CoprocessorAddress.forms)")
    }
  }

  /// Reads the files or opens the coprocessor.
  package func open(clock: any RuntimeClock) async throws -> any Authenticator {
    if let address = try coprocessor() {
      return CoprocessorAuthenticator(try await CoprocessorFailure.open(address, clock: clock))
    }
    guard let certificate, let key else { return SoftwareAuthenticator.test }
    do {
      return try SoftwareAuthenticator(
        certificatePEMOrDER: try InputFile.bytes(certificate),
        privateKeyPEM: String(decoding: try InputFile.bytes(key), as: UTF8.self))
    } catch let error as AuthenticationError {
      throw CommandFailure(.badInput, "\(certificate), \(key): \(error)")
    }
  }
}

/// The command's failures for a coprocessor that cannot be used, with the remedy.
package enum CoprocessorFailure {
  package static func open(_ address: CoprocessorAddress, clock: any RuntimeClock) async throws -> any CoprocessorAccess
  {
    do { return try await address.open(clock: clock) } catch { throw of(error, address) }
  }

  package static func of(_ error: CoprocessorError, _ address: CoprocessorAddress) -> CommandFailure {
    switch error {
    case .transport(.permissionDenied):
      CommandFailure(
        .noPermission,
        "\(address): no permission; I2C adapters belong to the group i2c: sudo adduser $USER i2c, then log in again")
    case .transport(.notFound):
      CommandFailure(
        .unavailable, "\(address): " + (isNetwork(address) ? "no such host" : "no such adapter; try modprobe i2c-dev"))
    case .noAdapter:
      CommandFailure(
        .unavailable,
        "\(address): \(error); give i2c:/dev/i2c-N (i2cdetect -l lists adapters; without any, try modprobe i2c-dev)")
    case .transport(.refused):
      CommandFailure(.unavailable, "\(address): connection refused; start iap2 coprocessor serve on that machine")
    // The connection can close before the request or after it.
    case .transport(.closed) where isNetwork(address): of(.badFrame(.truncated), address)
    case .transport(let failure): CommandFailure(.unavailable, "\(address): \(CommandFailure(failure).text)")
    case .neverAnswered:
      CommandFailure(
        .unavailable,
        "\(address): no chip answers, \(error); check its power and wiring, and its address with i2cdetect")
    case .remote(let fault) where fault.reason == .tooManyClients:
      CommandFailure(
        .unavailable,
        "\(address): \(error); end one of them, or wait: a client without requests is disconnected after "
          + "\(CoprocessorServer.idleSeconds) s")
    case .remote(let fault) where fault.reason == .unavailable:
      CommandFailure(
        .unavailable, "\(address): \(error); test it on that machine: iap2 coprocessor --authenticator i2c:/dev/i2c-N")
    case .badFrame, .noReply:
      CommandFailure(.unavailable, "\(address): \(error); start iap2 coprocessor serve of the same version there")
    case .transferTooLong, .neverFinished, .chip, .unknownVersion, .shortRead, .badLength, .wrongChallengeLength,
      .remote,
      .cancelled:
      CommandFailure(.failed, "\(address): \(error)")
    }
  }

  private static func isNetwork(_ address: CoprocessorAddress) -> Bool {
    if case .tcp = address { true } else { false }
  }
}
