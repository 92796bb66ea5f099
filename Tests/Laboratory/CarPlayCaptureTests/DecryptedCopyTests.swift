// swift-iap2 · Apache-2.0

import CaptureSupport
import CarPlayCapture
import Foundation
import IAP2
import IAP2Analysis
import IAP2Capture
import Synchronization
import Testing

/// Copies of captures with their sessions in the clear: a reader without keys finds in them what a reader with keys
/// finds in the capture.
@Suite struct DecryptedCopyTests {
  /// A copy, and what its writer states.
  private struct Copy {
    var bytes: [UInt8] = []
    var hasOpened = false
    var isDecrypted = false
    var sealed: [String: Int] = [:]
  }

  private static func copy(_ bytes: [UInt8], _ keys: [UInt8]) -> (copy: Copy, json: [NSDictionary]) {
    let copy = Mutex(Copy())
    let output = DecryptedOutput { piece in
      copy.withLock { copy in
        switch piece {
        case .bytes(let bytes): copy.bytes += bytes
        case .opened: copy.hasOpened = true
        case .sealed(let source, let byteCount, _): copy.sealed[source.name, default: 0] += byteCount
        case .isDecrypted: copy.isDecrypted = true
        }
      }
    }
    var secrets = SessionSecrets()
    secrets.add(keys)
    let json = json(bytes, CarPlaySessions(secrets, copy: output))
    return (copy.withLock { $0 }, json)
  }

  /// The JSON lines of a capture without the numbers of records: a record of a capture may be several in a copy.
  private static func json(_ bytes: [UInt8], _ sessions: CarPlaySessions = CarPlaySessions()) -> [NSDictionary] {
    var options = CaptureAnalyzerOptions()
    options.sessions = sessions
    var analyzer = CaptureAnalyzer(options: options, sink: JSONSink())
    analyzer.append(bytes)
    analyzer.finish()
    return String(decoding: analyzer.sink.takeBytes(), as: UTF8.self).split(separator: "\n").compactMap { line in
      do {
        guard let object = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any] else { return [:] }
        // The copy of a damaged file is whole.
        guard (object["message"] as? String)?.hasPrefix("the file ends within") != true else { return nil }
        return NSDictionary(dictionary: object.filter { $0.key != "record" })
      } catch { return ["error": "\(error)"] }
    }
  }

  /// The captures with sessions, without their endings.
  static let captures: [String] = {
    let folder = CaptureFiles.root.appending(path: "carplay")
    return ["", "failures/"].flatMap { part in
      ((FileManager.default.enumerator(atPath: folder.appending(path: part).path(percentEncoded: false))?.allObjects
        ?? [])
        .compactMap { $0 as? String }.filter { $0.hasSuffix(".pcap") && !$0.contains("/") })
        .map { "\(part)\($0.dropLast(5))" }
    }.sorted()
  }()

  private static func keys(_ name: String) throws -> [UInt8] {
    let path = CaptureFiles.root.appending(path: "carplay/\(name).keys").path(percentEncoded: false)
    return FileManager.default.fileExists(atPath: path) ? try CaptureFiles.bytes("carplay/\(name).keys") : []
  }

  /// Compares a copy with its capture.
  private static func compare(
    _ bytes: [UInt8], _ keys: [UInt8], _ comment: Comment? = nil,
    _ place: SourceLocation = #_sourceLocation
  ) -> Copy {
    let (copy, found) = copy(bytes, keys)
    let again = json(copy.bytes)
    #expect(found.count == again.count, comment, sourceLocation: place)
    for (line, other) in zip(found, again) {
      #expect(line == other, comment, sourceLocation: place)
    }
    return copy
  }

  @Test("A copy has the findings of its capture", arguments: captures)
  func findings(name: String) throws {
    let copy = try Self.compare(CaptureFiles.bytes("carplay/\(name).pcap"), Self.keys(name))
    #expect(!copy.isDecrypted)
  }

  @Test("Without keys everything stays sealed, and a copy shows the same", arguments: captures)
  func noKeys(name: String) throws {
    let copy = try Self.compare(CaptureFiles.bytes("carplay/\(name).pcap"), [])
    #expect(!copy.hasOpened)
  }

  @Test("Nothing of a whole session stays sealed", arguments: Sample.allCases)
  func nothingSealed(sample: Sample) throws {
    let (copy, _) = Self.copy(try sample.bytes, try sample.keyLog)
    #expect(copy.hasOpened && copy.sealed.isEmpty)
  }

  @Test("A wrong secret opens nothing, and a copy says where", arguments: Sample.allCases)
  func wrongSecret(sample: Sample) throws {
    let text = String(decoding: try sample.keyLog, as: UTF8.self).split(separator: "\n").map { line in
      line.hasPrefix("CARPLAY_PAIR_VERIFY") ? String(line.dropLast(4)) + "0000" : String(line)
    }
    let copy = Self.compare(try sample.bytes, Array(text.joined(separator: "\n").utf8))
    #expect(!copy.hasOpened && copy.sealed["control"] != nil)
  }

  @Test("A capture without some records has a copy with the same gaps", arguments: Sample.allCases)
  func gaps(sample: Sample) throws {
    let (header, records) = BadCaptureTests.records(try sample.bytes)
    for place in stride(from: 0, to: records.count, by: 11) {
      var some = records
      some.remove(at: place)
      _ = Self.compare(header + some.flatMap(\.self), try sample.keyLog, "without record \(place)")
      _ = Self.compare(header + some.flatMap(\.self), [], "without record \(place), without keys")
    }
  }

  @Test("A capture with a damaged bit has a copy with the same damage", arguments: Sample.allCases)
  func damage(sample: Sample) throws {
    let (header, records) = BadCaptureTests.records(try sample.bytes)
    for place in stride(from: 20, to: records.count, by: 5) where records[place].count > 100 {
      var some = records
      some[place][records[place].count - 5] ^= 1
      _ = Self.compare(header + some.flatMap(\.self), try sample.keyLog, "a damaged bit in record \(place)")
    }
  }

  @Test("Records in another order and records that come twice have the same copy", arguments: Sample.allCases)
  func order(sample: Sample) throws {
    let (header, records) = BadCaptureTests.records(try sample.bytes)
    for place in stride(from: 1, to: records.count, by: 17) {
      var some = records
      some.swapAt(place - 1, place)
      some.insert(records[place], at: place + 1)
      _ = Self.compare(header + some.flatMap(\.self), try sample.keyLog, "from record \(place)")
    }
  }

  @Test("A capture that ends anywhere has a copy of what is there", arguments: Sample.allCases)
  func truncated(sample: Sample) throws {
    let bytes = try sample.bytes
    for end in stride(from: 30, to: bytes.count, by: 2999) {
      _ = Self.compare(Array(bytes.prefix(end)), try sample.keyLog, "\(end) bytes")
    }
  }

  /// The explanations of a capture without the numbers of records.
  private static func explanations(_ bytes: [UInt8], _ sessions: CarPlaySessions) -> [String] {
    var options = CaptureAnalyzerOptions()
    options.sessions = sessions
    var analyzer = CaptureAnalyzer(options: options, sink: ExplanationSink())
    analyzer.append(bytes)
    analyzer.finish()
    return analyzer.sink.sessions.map { _, explanation in
      let rules = ([explanation.finding].compactMap(\.self) + explanation.others).map {
        "\($0.id) \($0.side) \($0.detail)"
      }
      let words = ["\(explanation.point) \(explanation.stage) \(explanation.text)"] + rules + explanation.details
      return words.joined(separator: "\n").replacing(#/record \d+/#, with: "record")
    }
  }

  private static func compareExplanations(_ bytes: [UInt8], _ keys: [UInt8], _ comment: Comment? = nil) {
    var secrets = SessionSecrets()
    secrets.add(keys)
    let found = explanations(bytes, CarPlaySessions(secrets, explains: true))
    #expect(explanations(copy(bytes, keys).copy.bytes, CarPlaySessions(explains: true)) == found, comment)
  }

  @Test("A copy is explained like its capture", arguments: captures)
  func explained(name: String) throws {
    Self.compareExplanations(try CaptureFiles.bytes("carplay/\(name).pcap"), try Self.keys(name))
  }

  @Test("A copy of damaged streams is explained like its capture", arguments: Sample.allCases)
  func explainedDamage(sample: Sample) throws {
    let (header, records) = BadCaptureTests.records(try sample.bytes)
    for place in stride(from: 0, to: records.count, by: 7) where records[place].count > 100 {
      var some = records
      some[place][records[place].count - 5] ^= 1
      Self.compareExplanations(header + some.flatMap(\.self), try sample.keyLog, "a damaged byte in record \(place)")
    }
  }

  @Test("A copy of a capture without some records is explained like it", arguments: Sample.allCases)
  func explainedGaps(sample: Sample) throws {
    let (header, records) = BadCaptureTests.records(try sample.bytes)
    for place in stride(from: 0, to: records.count, by: 19) {
      var some = records
      some.remove(at: place)
      Self.compareExplanations(header + some.flatMap(\.self), try sample.keyLog, "without record \(place)")
    }
  }

  @Test("A copy is known as one, and another comment of the section is no mark", arguments: Sample.allCases)
  func mark(sample: Sample) throws {
    let (copy, found) = Self.copy(try sample.bytes, try sample.keyLog)
    #expect(Self.copy(copy.bytes, []).copy.isDecrypted)
    let comment = Array("in the clear".utf8)
    let place = try #require(copy.bytes.firstRange(of: comment))
    var other = copy.bytes
    other.replaceSubrange(place, with: Array("in the cloud".utf8))
    // Without the mark, the plain bytes are frames of a connection whose secrets the copy has.
    let requests = { (lines: [NSDictionary]) in lines.filter { $0["method"] as? String == "SETUP" } }
    #expect(requests(Self.json(other)).isEmpty && !requests(found).isEmpty)
  }
}
