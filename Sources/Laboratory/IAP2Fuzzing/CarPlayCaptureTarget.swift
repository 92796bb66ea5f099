// swift-iap2 · Apache-2.0

import Basics
import CarPlayAnalysis
import CarPlayCapture
import IAP2
import IAP2Capture
import Synchronization

/// The target for the reader of CarPlay sessions in the packets of a capture, with its key logs and its messages of
/// Bonjour. What is left out without findings changes neither iAP2 nor the explanations.
///
/// Input: the size of a key log in 16 bits, the key log, and packets: a byte for the kind and the sender, a byte for the
/// port of the head unit, the size in 16 bits, and the bytes.
enum CarPlayCaptureTarget {
  static func check(_ bytes: [UInt8]) throws(Finding) {
    var program = Program(bytes)
    let keyLog = program.take(Int(program.number16() & 0x3FF))
    let secrets = try secrets(keyLog)
    var network = Network()
    // A pcap file of IP packets, one each second.
    var file: [UInt8] = [0xD4, 0xC3, 0xB2, 0xA1, 2, 0, 4, 0] + [UInt8](repeating: 0, count: 12) + [101, 0, 0, 0]
    var seconds: UInt32 = 0
    while !program.isOver {
      let packet = network.packet(&program)
      let size = UInt32(packet.count).littleEndianBytes
      file += seconds.littleEndianBytes + [0, 0, 0, 0] + size + size + packet
      seconds += 1
    }
    let whole = read(file, secrets, reportsFindings: true)
    let brief = read(file, secrets, reportsFindings: false)
    try require(whole.pieces == brief.pieces, "\(whole.pieces), without findings \(brief.pieces)")
    try require(whole.explanations == brief.explanations, "another explanation without findings")
    try require(brief.findingCount == min(1, whole.findingCount), "\(brief.findingCount) findings where none is wanted")
    try require(
      whole.findingCount <= 64 + 4 * bytes.count, "\(whole.findingCount) findings of \(bytes.count) bytes")
    try checkCopy(of: file, secrets, whole)
  }

  /// Checks that a copy in the clear has the same findings, and that a recorded session is equal to itself.
  private static func checkCopy(
    of file: [UInt8], _ secrets: SessionSecrets, _ whole: CaptureTarget.PieceSink
  ) throws(Finding) {
    let recorder = CarPlayRecorder()
    let copy = Mutex((bytes: [UInt8](), isOpened: false))
    let output = DecryptedOutput { piece in
      copy.withLock { copy in
        switch piece {
        case .bytes(let bytes): copy.bytes += bytes
        case .opened: copy.isOpened = true
        case .sealed, .isDecrypted: break
        }
      }
    }
    var options = CaptureAnalyzerOptions()
    options.sessions = CarPlaySessions(secrets, recorder: recorder, copy: output)
    var analyzer = CaptureAnalyzer(options: options, sink: CaptureTarget.PieceSink())
    analyzer.append(file)
    analyzer.finish()
    if let session = recorder.session {
      let count = RecordedSessionComparison(session, session).differenceCount
      try require(count == 0, "a session differs from itself in \(count) values")
    }
    let (written, isOpened) = copy.withLock { $0 }
    guard isOpened else { return }
    let again = read(written, SessionSecrets(), reportsFindings: true)
    try require(again.pieces == whole.pieces, "\(whole.pieces), in the copy \(again.pieces)")
    try require(
      again.findingCount == whole.findingCount, "\(whole.findingCount) findings, in the copy \(again.findingCount)")
  }

  /// Reads a key log, once and again.
  private static func secrets(_ keyLog: [UInt8]) throws(Finding) -> SessionSecrets {
    var secrets = SessionSecrets()
    let problem = secrets.add(keyLog).last
    let lines = keyLog.count { $0 == 0x0A } + 1
    try require(secrets.count <= lines, "\(secrets.count) secrets in \(lines) lines")
    if let problem { try require((1...lines).contains(problem.line), "line \(problem.line) of \(lines)") }
    var again = secrets
    again.add(keyLog)
    try require(again.count == secrets.count, "\(secrets.count) secrets, added again \(again.count)")
    return secrets
  }

  private static func read(
    _ file: [UInt8], _ secrets: SessionSecrets, reportsFindings: Bool
  ) -> CaptureTarget.PieceSink {
    var options = CaptureAnalyzerOptions()
    options.sessions = CarPlaySessions(secrets, explains: true, reportsFindings: reportsFindings)
    var analyzer = CaptureAnalyzer(options: options, sink: CaptureTarget.PieceSink())
    analyzer.append(file)
    analyzer.finish()
    return analyzer.sink
  }

  // MARK: Packets

  /// A network with one phone and one head unit.
  private struct Network {
    /// The next sequence number of each port of the head unit and sender.
    private var next: [[UInt8]: UInt32] = [:]

    private static let phone: [UInt8] = [10, 0, 0, 1], headUnit: [UInt8] = [10, 0, 0, 2]
    /// The first port of the head unit, and that of the phone.
    private static let firstPort: UInt16 = 5000, phonePort: UInt16 = 6000
    private static let bonjourPort: UInt16 = 5353

    mutating func packet(_ program: inout Program) -> [UInt8] {
      let (kind, port) = (program.byte(), program.byte())
      let data = program.take(Int(program.number16() & 0x7FF))
      let isFromPhone = kind & 0x10 == 0
      let ends = (phone: Self.phonePort, headUnit: Self.firstPort + UInt16(port))
      switch kind & 7 {
      case 0: return datagram(data, isFromPhone, ends.phone, ends.headUnit)
      case 1: return datagram(data, isFromPhone, Self.bonjourPort, Self.bonjourPort)
      case 2: return segment([], flags: isFromPhone ? 2 : 0x12, port, isFromPhone, ends)
      case 3: return segment(data, flags: 0x11, port, isFromPhone, ends)
      case 4:
        // The capture lacks bytes.
        next[[port, isFromPhone ? 1 : 0], default: 0] += 1
        return segment(data, flags: 0x10, port, isFromPhone, ends)
      default: return segment(data, flags: 0x10, port, isFromPhone, ends)
      }
    }

    private mutating func segment(
      _ data: [UInt8], flags: UInt8, _ port: UInt8, _ isFromPhone: Bool, _ ends: (phone: UInt16, headUnit: UInt16)
    ) -> [UInt8] {
      let (own, other) = ([port, isFromPhone ? 1 : 0], [port, isFromPhone ? 0 : 1])
      let sequence = next[own, default: 0]
      next[own] = sequence &+ UInt32(data.count) &+ (flags & 3 == 0 ? 0 : 1)
      let ports = isFromPhone ? (ends.phone, ends.headUnit) : (ends.headUnit, ends.phone)
      let head = ports.0.bigEndianBytes + ports.1.bigEndianBytes + sequence.bigEndianBytes
      let acknowledged = next[other, default: 0].bigEndianBytes
      return packet(head + acknowledged + [0x50, flags, 0xFF, 0xFF, 0, 0, 0, 0] + data, 6, isFromPhone)
    }

    private func datagram(_ data: [UInt8], _ isFromPhone: Bool, _ phone: UInt16, _ headUnit: UInt16) -> [UInt8] {
      let ports = isFromPhone ? (phone, headUnit) : (headUnit, phone)
      let length = UInt16(8 + data.count).bigEndianBytes
      return packet(ports.0.bigEndianBytes + ports.1.bigEndianBytes + length + [0, 0] + data, 17, isFromPhone)
    }

    private func packet(_ content: [UInt8], _ number: UInt8, _ isFromPhone: Bool) -> [UInt8] {
      let length = UInt16(20 + content.count).bigEndianBytes
      let addresses = isFromPhone ? Self.phone + Self.headUnit : Self.headUnit + Self.phone
      return [0x45, 0] + length + [0, 0, 0, 0, 64, number, 0, 0] + addresses + content
    }
  }
}
