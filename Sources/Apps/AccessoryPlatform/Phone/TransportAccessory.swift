// swift-iap2 · Apache-2.0

import IAP2
import IAP2Authentication
import IAP2Faults
import IAP2Runtime
import IAP2Transport
import IAP2Transports
import Synchronization

/// The accessories that connect over a transport of this machine, one after another.
package final class TransportAccessory: Sendable {
  private let platform: Platform
  private let source: ReopenedSource
  private let address: AnyTransportAddress
  private let faults: FaultPlan?
  private let place: String
  private let startMilliseconds: Int
  private let verifier: AuthenticationVerifier?
  /// The last refusal of an accessory that was told. The same one of the next connection is not told again.
  private let refusal = Mutex<String?>(nil)
  private let task = Mutex<Task<Void, Never>?>(nil)
  private let current = Mutex<AccessoryConnection?>(nil)

  init(_ platform: Platform, _ description: TransportDescription) {
    self.platform = platform
    address = description.address
    faults = description.faults
    place = description.place
    startMilliseconds = description.startMilliseconds
    verifier = description.verifier
    source = ReopenedSource(
      description.address, as: .device, waiting: { note("waits for an accessory at \($0)") },
      report: { if let text = $0.text { note("\($0.address): \(text)") } })
  }

  /// The present connection; nil without one.
  package var connection: AccessoryConnection? { current.withLock { $0 } }

  package func start() {
    let serving = Task(executorPreference: platform.phoneThread) { await self.serve() }
    task.withLock { $0 = serving }
  }

  private func serve() async {
    let clock = platform.phoneThread
    do { try await clock.sleep(until: clock.now.adding(milliseconds: startMilliseconds)) } catch { return }
    var lastProblem = ""
    var pause = Self.retryMilliseconds
    while !Task.isCancelled {
      do throws(TransportError) {
        guard let transport = try await source.next() else { return }
        lastProblem = ""
        if await runs(transport) {
          pause = Self.retryMilliseconds
          continue
        }
        do { try await clock.sleep(until: clock.now.adding(milliseconds: pause)) } catch { return }
        pause = min(2 * pause, Self.longestPause)
        continue
      } catch {
        let problem = AnyTransportAddress.explanation(of: error)
        if problem != lastProblem { note("\(problem); tries again until it works") }
        lastProblem = problem
      }
      do { try await clock.sleep(until: clock.now.adding(milliseconds: Self.retryMilliseconds)) } catch { return }
    }
  }

  /// Serves a connection to its end. Returns whether the accessory was authenticated and identified.
  private func runs(_ transport: any ByteTransport) async -> Bool {
    var setup = PhoneSetup(place: place)
    setup.verifier = verifier
    setup.report = { [self] text in reportOnce(text) }
    let connection = AccessoryConnection(platform, faults: faults, setup: setup)
    current.withLock { $0 = connection }
    await connection.run(on: transport)
    current.withLock { $0 = nil }
    guard connection.hasAppeared else { return false }
    refusal.withLock { $0 = nil }
    return true
  }

  /// Reports a refusal that is not the one of the connection before.
  private func reportOnce(_ text: String) {
    let isNew = refusal.withLock { last in
      defer { last = text }
      return last != text
    }
    if isNew { note(text) }
  }

  private static var retryMilliseconds: Int { 1000 }
  /// The pause doubles from connection to connection with an accessory that is refused, up to this time.
  private static var longestPause: Int { 8000 }

  /// Closes the transport without an orderly end, as a pulled cable does. Another connection may follow.
  package func drop() async { await connection?.phone.drop() }

  package func end() async {
    let serving = task.withLock { $0 }
    serving?.cancel()
    await source.close()
    await connection?.phone.drop()
    await serving?.value
  }
}
