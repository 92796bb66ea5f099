// swift-iap2 · Apache-2.0

import Dispatch
import IAP2
import IAP2Analysis
package import IAP2Capture
import Synchronization

/// The lab of a recorded session: its messages, what `iap2 explain` objects to, and a slider for the time.
package final class CaptureLab: LabSession {
  private let hub: LabHub
  private let name: String
  private let bytes: [UInt8]
  /// The thread of what takes time.
  private let queue = DispatchQueue(label: "iap2-lab")
  private let range: LabState.Range
  private let time: Mutex<Double>

  /// Reads a capture.
  ///
  /// - Parameters:
  ///   - bytes: The file, of any format of `iap2 decode`.
  ///   - options: The options of the pass for its findings.
  ///   - explaining: The options of the pass for its explanations.
  /// - Returns: Nil if nothing of iAP2 is in it.
  package init?(
    _ bytes: [UInt8], name: String, _ options: CaptureAnalyzerOptions = .init(),
    explaining: CaptureAnalyzerOptions = .init(), hub: LabHub
  ) {
    (self.hub, self.name, self.bytes) = (hub, name, bytes)
    guard let all = Self.rows(of: bytes, options, explaining: explaining) else { return nil }
    let times = all.compactMap(\.time).filter(\.isFinite)
    range = LabState.Range(start: times.min() ?? 0, end: times.max() ?? 0)
    time = Mutex(range.end)
    var hello = LabHello(.capture, title: name, lanes: [.headUnit, .phone], times.isEmpty ? [] : [.seek])
    hello.saves = [LabRequest.Product.capture, .html].map(\.rawValue)
    hub.begin(hello)
    hub.add(all)
    show()
  }

  /// Returns the rows of a capture: what was decoded, and the findings; nil if nothing of iAP2 is in it.
  package static func rows(
    of bytes: [UInt8], _ options: CaptureAnalyzerOptions, explaining: CaptureAnalyzerOptions
  ) -> [LabEntry]? {
    entries(in: bytes, options).map { merged($0, findings(in: bytes, explaining)) }
  }

  /// The bytes that are read at once.
  private static let pieceByteCount = 1 << 20

  /// Returns the last entries of a capture, as many as the record keeps; nil if nothing of iAP2 is in it.
  private static func entries(in bytes: [UInt8], _ options: CaptureAnalyzerOptions) -> [LabEntry]? {
    var link = LinkEntries(options: options)
    var entries: [LabEntry] = []
    for start in stride(from: 0, to: bytes.count, by: pieceByteCount) {
      entries += link.take(Array(bytes[start..<min(start + pieceByteCount, bytes.count)]))
      if entries.count > 2 * LabRecord.maximumCount { entries.removeFirst(entries.count - LabRecord.maximumCount) }
    }
    entries += link.finish()
    return link.isEmpty ? nil : entries
  }

  package func take(_ request: LabRequest) { queue.async { self.answer(request) } }

  private func answer(_ request: LabRequest) {
    switch request {
    case .seek(let wanted):
      time.withLock { $0 = max(range.start, min(range.end, wanted)) }
      show()
    case .save(.capture): hub.deliver(name, .bytes(bytes))
    case .save(.html): hub.deliverPage(picture: nil)
    default: break
    }
  }

  private func show() {
    var state = LabState()
    (state.time, state.range, state.isPaused) = (time.withLock { $0 }, range, true)
    hub.set(state)
  }

  // MARK: Findings

  /// Returns what `iap2 explain` says, with the records: the rules that the sessions break, the point at which each of
  /// them stopped, and how the sides of a CarPlay session found each other.
  private static func findings(
    in bytes: [UInt8], _ options: CaptureAnalyzerOptions
  ) -> [(record: Int, entry: LabEntry)] {
    var analyzer = CaptureAnalyzer(options: options, sink: ExplanationSink())
    analyzer.append(bytes)
    analyzer.finish()
    return Explanation.all(analyzer).flatMap { explanation in
      explanation.breaches.map { ($0.record, LabEntry($0)) }
        + [LabEntry(explanation)].compactMap { entry in entry.map { (explanation.last?.record ?? 0, $0) } }
    } + analyzer.sessions.flatMap { LabEntry.rows(of: $0.explanation) }
  }

  /// Puts each finding behind the last entry of its record. A step of discovery whose record has an entry, as an
  /// announcement has, is left out.
  private static func merged(
    _ entries: [LabEntry], _ findings: [(record: Int, entry: LabEntry)]
  ) -> [LabEntry] {
    let shown = Set(entries.compactMap { entry in if case .line(let line) = entry.detail { line.record } else { nil } })
    var rest =
      findings.filter { !($0.entry.kind == .event && shown.contains($0.record)) }.sorted { $0.record < $1.record }[...]
    var all: [LabEntry] = []
    for entry in entries {
      if case .line(let line) = entry.detail {
        while let next = rest.first, next.record < line.record { all.append(rest.removeFirst().entry) }
      }
      all.append(entry)
    }
    return all + rest.map(\.entry)
  }
}
