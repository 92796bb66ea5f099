// swift-iap2 · Apache-2.0

import CarPlaySession
import CarPlaySimulation
import Crypto
import Foundation
import IAP2

/// The streams of a CarPlay session on the head unit: from the bytes of a socket to the event.
enum StreamBenchmarks {
  /// The bytes of a frame of the screen: 10 Mbit/s at 60 frames a second.
  private static let frameByteCount = 20_000
  /// The frames and packets that are sealed once and received again and again. Those of a measured time fit the cache
  /// of a core, as do bytes that a socket has just filled. More are counted for allocations, so that the start of a
  /// round weighs less.
  private static let (timedFrames, countedFrames) = (40, 400)
  private static let (timedPackets, countedPackets) = (400, 4000)
  private static let key = SymmetricKey(data: [UInt8](repeating: 7, count: 32))

  static func run() throws {
    var session = try ReceivingSession()
    let frames = session.frames(countedFrames, byteCount: frameByteCount)
    let packets = session.packets(countedPackets)
    for (name, size) in [("64 KiB", 65_536), ("1500 bytes", 1500)] {
      func round(_ count: Int) -> () -> Void {
        let bytes = Array(frames[..<count].joined())
        let pieces = stride(from: 0, to: bytes.count, by: size).map { Array(bytes[$0...].prefix(size)) }
        return { session.receive(pieces, on: .stream(.screen), expecting: count - 1) }
      }
      try compare(
        "screen, frames of 20 kB in pieces of \(name)", byteCount: frameByteCount,
        authenticated: ScreenMessage.headerByteCount, timed: (timedFrames - 1, round(timedFrames)),
        counted: (countedFrames - 1, round(countedFrames)))
    }
    func round(_ count: Int) -> () -> Void {
      let pieces = Array(packets[..<count])
      return { session.receive(pieces, on: .stream(.mainAudio), expecting: count) }
    }
    try compare(
      "sound, packets of a datagram", byteCount: ReceivingSession.samples.count, authenticated: 8,
      timed: (timedPackets, round(timedPackets)), counted: (countedPackets, round(countedPackets)))
  }

  /// Measures rounds of the head unit and the bare cipher in turn, so that other work on the machine meets both.
  ///
  /// - Parameters:
  ///   - byteCount: The bytes of one payload.
  ///   - authenticated: The bytes that a tag covers beside the payload.
  ///   - timed: The payloads of a round whose time counts, and the round.
  ///   - counted: The payloads of a round whose allocations count, and the round.
  private static func compare(
    _ name: String, byteCount: Int, authenticated: Int, timed: (count: Int, round: () -> Void),
    counted: (count: Int, round: () -> Void)
  ) throws {
    let open = try bareOpen(byteCount: byteCount, authenticated: authenticated)
    var (rate, bareRate) = (0.0, 0.0)
    for _ in 0..<3 {
      bareRate = max(bareRate, Measure.rate(Double(byteCount), open))
      rate = max(rate, Measure.rate(Double(timed.count * byteCount), timed.round))
    }
    report(Figure(name: name, rate: bareRate, unit: "B", limit: "bare cipher"), Allocations.count(of: open))
    let allocations = Allocations.count(of: counted.round).map { $0 / Double(counted.count) }
    report(Figure(name: name, rate: rate, unit: "B", ratio: rate / bareRate, limit: "bare cipher"), allocations)
  }

  private static func report(_ figure: Figure, _ allocations: Double?) {
    var figure = figure
    figure.name += figure.ratio == nil ? ": the bare cipher" : ": the head unit"
    print(figure.line + (allocations.map { String(format: "   %.2f allocations each", $0) } ?? ""))
  }

  /// Returns a call that opens one box of ChaCha20-Poly1305.
  private static func bareOpen(byteCount: Int, authenticated: Int) throws -> () -> Void {
    let header = [UInt8](repeating: 1, count: authenticated)
    let text = [UInt8](repeating: 2, count: byteCount)
    let box = try ChaChaPoly.seal(text, using: key, authenticating: header)
    return {
      do { use(try ChaChaPoly.open(box, using: key, authenticating: header)) } catch { fatalError("\(error)") }
    }
  }
}

/// A live session whose streams run, and the bytes that its phone sends.
private struct ReceivingSession {
  /// A packet of PCM that fills a datagram.
  static let samples = [UInt8](repeating: 3, count: 1408)

  private var phone: PhoneSession
  /// The head unit before the first byte of a stream. Every round begins with a copy.
  private let headUnit: HeadUnitSession
  private let time: MonotonicTime

  init() throws {
    let random: @Sendable (Int) -> [UInt8] = { count in
      var generator = SystemRandomNumberGenerator()
      return (0..<count).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
    }
    let info = SessionInfo.standard(
      generation: .current, deviceID: "02:00:00:00:00:01", displays: [DisplaySettings(width: 1280, height: 720)])
    func identity(_ name: String) throws -> PairingIdentity {
      try PairingIdentity(identifier: name, privateKey: random(32))
    }
    let headUnit = HeadUnitSession(
      HeadUnitConfiguration(identity: try identity("head unit"), info: info), random: random)
    let phone = PhoneSession(
      PhoneConfiguration(identity: try identity("phone"), judge: { _ in .trusted }), random: random)
    var network = SessionNetwork(headUnit: headUnit, phones: [phone]) { _ in
      AccessoryEvidence(certificate: [1], signature: [2])
    }
    network.start()
    network.run(for: .seconds(1))
    network.actPhone { phone, time in
      phone.setUp(StreamWish(.screen), at: time)
      phone.setUp(StreamWish(.mainAudio, format: AudioFormat.pcm(rate: 48_000, channels: 2)), at: time)
    }
    network.run(for: .milliseconds(100))
    (self.headUnit, self.phone, time) = (network.headUnit, network.phones[0], network.now)
  }

  /// Returns the messages of a screen: a configuration, and frames as all others.
  mutating func frames(_ count: Int, byteCount: Int) -> [[UInt8]] {
    phone.send(ScreenMessage(.configuration, body: [1]), of: .screen, at: time)
    for _ in 1..<count {
      phone.send(ScreenMessage(.frame, body: [UInt8](repeating: 5, count: byteCount)), of: .screen, at: time)
    }
    return phone.takeActions().compactMap {
      if case .send(.stream(.screen), let bytes) = $0 { bytes } else { nil }
    }
  }

  /// Returns packets of sound.
  mutating func packets(_ count: Int) -> [[UInt8]] {
    for _ in 0..<count {
      phone.send(sound: Self.samples, frameCount: Self.samples.count / 4, of: .mainAudio, at: time)
    }
    return phone.takeActions().compactMap {
      if case .sendDatagram(.stream(.mainAudio), let bytes, _) = $0 { bytes } else { nil }
    }
  }

  /// Receives the bytes of a round on a new copy of the head unit.
  func receive(_ pieces: [[UInt8]], on socket: SessionSocket, expecting count: Int) {
    var unit = headUnit
    var seen = 0
    var actions: [SessionAction] = []
    for piece in pieces {
      unit.receive(piece, on: socket, from: 0, at: time)
      unit.takeActions(into: &actions)
      for action in actions {
        switch action {
        case .report(.picture(_, let message)) where message.kind == .frame: seen += 1
        case .report(.sound): seen += 1
        default: break
        }
      }
      if !actions.isEmpty { actions.removeAll(keepingCapacity: true) }
    }
    precondition(seen == count, "\(seen) events of \(count)")
  }
}

/// The counter of tools/count-allocations.
enum Allocations {
  private static let counter: (@convention(c) () -> UInt)? = {
    let symbol = unsafe dlsym(nil, "iap2_allocation_count")
    return unsafe unsafeBitCast(symbol, to: (@convention(c) () -> UInt)?.self)
  }()

  /// Returns the allocations of the second call of a body; nil if the counter is not loaded.
  static func count(of body: () -> Void) -> Double? {
    guard let counter else { return nil }
    body()
    let before = counter()
    body()
    return Double(counter() - before)
  }
}
