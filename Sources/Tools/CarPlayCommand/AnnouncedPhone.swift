// swift-iap2 · Apache-2.0

import Bonjour
import CarPlayLive
package import CarPlaySession
import CommandSupport
import Synchronization

/// A phone's control port that is announced by Bonjour, and keeps the requests that come.
package final class AnnouncedPhone: Sendable {
  /// The requests, the first ones up to a limit.
  private final class Log: Sendable {
    private let requests = Mutex<[Result<ControlCall, ControlCall.Refusal>]>([])
    private let limit: Int

    init(limit: Int) { self.limit = limit }

    func add(_ request: Result<ControlCall, ControlCall.Refusal>) {
      requests.withLock { if $0.count < limit { $0.append(request) } }
    }

    var all: [Result<ControlCall, ControlCall.Refusal>] { requests.withLock { $0 } }
  }

  private let log: Log
  private let server: ControlServer
  private let directory: AvahiDirectory

  /// The control requests so far.
  package var requests: [Result<ControlCall, ControlCall.Refusal>] { log.all }

  /// Listens and announces the port.
  ///
  /// - Parameters:
  ///   - name: The name that people read.
  ///   - bluetoothID: The Bluetooth address of the phone.
  ///   - limit: The most requests that are kept.
  /// - Throws: What is missing on this machine.
  package static func announce(
    _ name: String, bluetoothID: DeviceID, keeping limit: Int
  ) async throws -> AnnouncedPhone {
    try DiscoveryName.check(name, of: "--announce")
    let log = Log(limit: limit)
    let server = try await ControlServer.listen { log.add($0) }
    let record = PhoneRecord.text(bluetoothID: bluetoothID, sourceVersion: Generation.current.sourceVersion)
    let service = AdvertisedService(.control, name: name, port: server.port, text: record)
    do throws(DirectoryProblem) {
      let directory = try AvahiDirectory(advertising: [service], searching: []) { event in
        switch event {
        case .advertised(_, let name, let port): Output.note("announced as the phone \(name), port \(port)")
        case .failed(let problem): Output.note(problem.explanation)
        case .daemonGone: Output.note("Avahi is gone, so the phone is not announced")
        case .changed, .daemonBack, .crowded: break
        }
      }
      return AnnouncedPhone(log, server, directory)
    } catch {
      await server.close()
      throw error.failure
    }
  }

  private init(_ log: Log, _ server: ControlServer, _ directory: AvahiDirectory) {
    (self.log, self.server, self.directory) = (log, server, directory)
  }

  /// Stops listening and announcing.
  package func close() async {
    await directory.close()
    await server.close()
  }
}
