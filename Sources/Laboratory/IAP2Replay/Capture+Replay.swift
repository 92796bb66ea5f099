// swift-iap2 · Apache-2.0

public import IAP2Analysis
import IAP2Authentication
public import IAP2Capture
public import IAP2Roles
import IAP2Runtime
public import IAP2Transport

extension Capture {
  /// Plays one role of the capture's first session on a transport, and compares the peer with the recording.
  ///
  /// The replay waits for the peer only, not for the recorded times. An accessory signs with the project's test
  /// certificate, and a phone accepts any certificate.
  ///
  /// - Parameters:
  ///   - role: The role to play; the peer is the other one.
  ///   - transport: An open transport. The replay closes it.
  ///   - clock: The clock of the connection.
  /// - Throws: `Capture.NoSession` of IAP2Analysis if the capture has no iAP2.
  public func replay(
    as role: Role, on transport: any ByteTransport, clock: any RuntimeClock
  ) async throws(NoSession) -> CaptureReplay {
    let script = ReplayScript(try record(limits: ReplayScript.recordLimits).session, as: role.side)
    var replay = ReplayOptions()
    replay.speed = nil
    var options = RoleOptions()
    options.clock = clock
    let port: AuthenticationPort =
      role == .headUnit ? .authenticator(SoftwareAuthenticator.test) : .verifier(.any)
    let side = ReplaySide(script, replay: replay, port: port, options: options) { _, _ in }
    return CaptureReplay(await side.run(on: transport), script)
  }
}

/// The result of a replay.
public struct CaptureReplay: Sendable {
  /// Whether the link came up and the peer behaved as recorded.
  public let isEqual: Bool
  /// The number of messages, EA chunks and files that were sent.
  public let sentCount: Int
  /// The number of messages and files that the peer sent.
  public let receivedCount: Int
  /// The differences from the recording, one sentence each.
  public let differences: [String]

  init(_ report: ReplayReport, _ script: ReplayScript) {
    isEqual = report.isEqual
    sentCount = report.sentCount
    receivedCount = report.receivedCount
    differences = report.differences.map { "\(ReplayWords.subject($0, script)): \(ReplayWords.what($0))" }
  }
}
