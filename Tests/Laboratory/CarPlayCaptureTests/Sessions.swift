// swift-iap2 · Apache-2.0

import CaptureSupport
import CarPlayCapture
import CarPlaySession
import IAP2
import IAP2Analysis
import IAP2Capture
import Synchronization

/// A capture of a session with a peer of another implementation.
enum Sample: String, CaseIterable {
  /// The Python phone at this project's head unit: film, music, a prompt, buffered sound and iAP2.
  case phone = "peer-phone"
  /// The Python head unit with this project's phone: two touches.
  case headUnit = "peer-headunit"

  var bytes: [UInt8] { get throws { try CaptureFiles.bytes("carplay/\(rawValue).pcap") } }
  var keyLog: [UInt8] { get throws { try CaptureFiles.bytes("carplay/\(rawValue).keys") } }
}

/// The pieces of all streams, in order.
final class Extracted: Sendable {
  let pieces = Mutex<[(source: Extraction.Source, piece: Extraction.Piece)]>([])

  var extraction: Extraction { Extraction { source, piece in self.pieces.withLock { $0.append((source, piece)) } } }

  /// Returns the joined bytes of a stream.
  func bytes(_ name: String) -> [UInt8] {
    pieces.withLock { pieces in
      pieces.filter { $0.source.name == name && $0.source.side == .phone }.flatMap { piece in
        switch piece.piece {
        case .video(let bytes), .sound(let bytes, _): bytes
        }
      }
    }
  }
}

/// Returns the findings of a capture.
///
/// - Parameter size: The bytes that are read at once.
func lines(
  _ bytes: [UInt8], keys: [UInt8] = [], size: Int = 1 << 16, filter: String? = nil, extract: Extraction? = nil
) throws -> [DecodedLine] {
  var secrets = SessionSecrets()
  secrets.add(keys)
  var options = CaptureAnalyzerOptions()
  options.sessions = CarPlaySessions(secrets, extract: extract)
  let wanted = try filter.map { text throws in try FindingFilter(parsing: text) }
  var analyzer = CaptureAnalyzer(options: options, sink: FilterSink(LineSink(), filter: wanted))
  for start in stride(from: 0, to: bytes.count, by: size) {
    analyzer.append(Array(bytes[start..<min(bytes.count, start + size)]))
  }
  analyzer.finish()
  return analyzer.sink.base.take()
}

extension [DecodedLine] {
  /// The findings of sessions.
  var findings: [SessionFinding] { compactMap { if case .session(let finding) = $0.content { finding } else { nil } } }

  func findings(_ layer: SessionFinding.Layer) -> [SessionFinding] { findings.filter { $0.layer == layer } }
}

/// Returns the explanations of the sessions of a capture.
func sessionExplanations(_ bytes: [UInt8], keys: [UInt8] = []) -> [SessionExplanation] {
  var secrets = SessionSecrets()
  secrets.add(keys)
  var options = CaptureAnalyzerOptions()
  options.sessions = CarPlaySessions(secrets, explains: true, sortsPackets: true)
  var analyzer = CaptureAnalyzer(options: options, sink: ExplanationSink())
  analyzer.append(bytes)
  analyzer.finish()
  return analyzer.sink.sessions.map(\.explanation)
}
