// swift-iap2 · Apache-2.0

import CarPlayCapture
package import CarPlayCommand
import Foundation
import IAP2Analysis
package import IAP2Capture
import Synchronization

/// The messages of a run, kept in memory for the picture in its report.
package final class RunLadder: Sendable {
  private final class Store: Sendable {
    /// The most bytes that are kept. The picture shows the beginning of a longer run.
    private static let maximumByteCount = 16 << 20

    let bytes = Mutex<[UInt8]>([])

    func take(_ more: [UInt8]) {
      bytes.withLock { if $0.count + more.count <= Self.maximumByteCount { $0 += more } }
    }
  }

  package let log: CaptureLog
  private let store = Store()

  /// - Parameters:
  ///   - hasSockets: Whether the sockets of CarPlay sessions are kept, too: those of ``tap``.
  ///   - now: nanoseconds since the Unix epoch.
  package init(hasSockets: Bool = false, now: @escaping @Sendable () -> Int64) {
    log = CaptureLog(.pcapng, hasPackets: hasSockets, now: now) { [store] bytes in
      store.take(bytes)
      return true
    }
  }

  /// The function that receives the records of the sockets of a CarPlay session.
  package var tap: SocketTap { SocketTap(secrets: { [log] in log.add(secrets: $0) }, { [log] in log.add($0, on: $1) }) }

  /// Draws the messages in SVG; nil without any.
  package func picture(name: String) -> String? {
    var options = CaptureAnalyzerOptions()
    options.sessions = CarPlaySessions()
    var analyzer = CaptureAnalyzer(options: options, sink: SequenceDiagramSink())
    analyzer.append(store.bytes.withLock(\.self))
    analyzer.finish()
    let diagram = analyzer.diagram
    guard !diagram.connections.isEmpty else { return nil }
    var text = ""
    DiagramDocument(
      name: name, diagram: diagram, transports: analyzer.transports(of: diagram), start: nil,
      time: .folded(pause: SequenceDiagramOptions().pause)
    ).write(.svg) { text += $0 }
    return text
  }
}
