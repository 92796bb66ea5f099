// swift-iap2 · Apache-2.0

import COpenSSL
import CarPlaySession
import CarPlaySimulation
import Cryptography
import Foundation
import IAP2

/// The streams of a CarPlay session on the head unit: from the bytes of a socket to the event.
enum StreamBenchmarks {
  /// The bytes of a frame of the screen: 10 Mbit/s at 60 frames a second.
  private static let frameByteCount = 20_000
  /// The frames and packets of a measured round. They fit the cache of a core, as do bytes that a socket has just
  /// filled.
  private static let (timedFrames, timedPackets) = (40, 400)
  /// The frames and packets of a round whose allocations count. A round of twice as many counts, too, so that the start
  /// of both has no weight.
  private static let (countedFrames, countedPackets) = (200, 2000)

  static func run() throws {
    var session = try ReceivingSession()
    let frames = session.frames(2 * countedFrames, byteCount: frameByteCount)
    let packets = session.packets(2 * countedPackets)
    for (name, size) in [("64 KiB", 65_536), ("1500 bytes", 1500)] {
      compare(
        "screen, frames of 20 kB in pieces of \(name)", byteCount: frameByteCount,
        authenticated: ScreenMessage.headerByteCount, timed: timedFrames, counted: countedFrames
      ) { count in
        // The first message is the configuration.
        let bytes = Array(frames[...count].joined())
        let pieces = stride(from: 0, to: bytes.count, by: size).map { Array(bytes[$0...].prefix(size)) }
        return { session.receive(pieces, on: .stream(.screen), expecting: count) }
      }
    }
    compare(
      "sound, packets of a datagram", byteCount: ReceivingSession.samples.count, authenticated: 8, timed: timedPackets,
      counted: countedPackets
    ) { count in
      let pieces = Array(packets[..<count])
      return { session.receive(pieces, on: .stream(.mainAudio), expecting: count) }
    }
  }

  /// Measures rounds of the head unit and the bare cipher in turn, so that other work on the machine meets both.
  ///
  /// - Parameters:
  ///   - byteCount: The bytes of one payload.
  ///   - authenticated: The bytes that a tag covers beside the payload.
  ///   - timed: The payloads of a round whose time counts.
  ///   - counted: The payloads of the shorter round whose allocations count.
  ///   - round: Returns a round of a number of payloads.
  private static func compare(
    _ name: String, byteCount: Int, authenticated: Int, timed: Int, counted: Int, round: (Int) -> () -> Void
  ) {
    let bare = BareCipher(byteCount: byteCount, authenticated: authenticated)
    let timedRound = round(timed)
    var (rate, bareRate) = (0.0, 0.0)
    for _ in 0..<3 {
      bareRate = max(bareRate, Measure.rate(Double(byteCount), bare.run))
      rate = max(rate, Measure.rate(Double(timed * byteCount), timedRound))
    }
    report(Figure(name: name, rate: bareRate, unit: "B", limit: "bare cipher"), Allocations.count(of: bare.run))
    let (many, few) = (Allocations.count(of: round(2 * counted)), Allocations.count(of: round(counted)))
    report(
      Figure(name: name, rate: rate, unit: "B", ratio: rate / bareRate, limit: "bare cipher"),
      many.flatMap { many in few.map { (many - $0) / Double(counted) } })
  }

  private static func report(_ figure: Figure, _ allocations: Double?) {
    var figure = figure
    figure.name += figure.ratio == nil ? ": the bare cipher" : ": the head unit"
    print(figure.line + (allocations.map { String(format: "   %.2f allocations each", $0) } ?? ""))
  }
}

/// OpenSSL's ChaCha20-Poly1305 alone.
@safe private final class BareCipher {
  private let context: OpaquePointer?
  private let header: [UInt8]
  private var text: [UInt8]
  private var tag = [UInt8](repeating: 0, count: 16)
  private let key = [UInt8](repeating: 7, count: 32)
  private let nonce = [UInt8](repeating: 0, count: 12)

  /// - Parameters:
  ///   - byteCount: The bytes of the text.
  ///   - authenticated: The bytes that the tag covers beside it.
  init(byteCount: Int, authenticated: Int) {
    header = [UInt8](repeating: 1, count: authenticated)
    text = [UInt8](repeating: 2, count: byteCount)
    unsafe context = EVP_CIPHER_CTX_new()
    precondition(unsafe EVP_CipherInit_ex(context, EVP_chacha20_poly1305(), nil, nil, nil, 1) == 1)
  }

  deinit { unsafe EVP_CIPHER_CTX_free(context) }

  /// Seals the text where it is. To open one costs the same, but needs a new one each time.
  func run() {
    var written: CInt = 0
    let isDone =
      unsafe EVP_CipherInit_ex(context, nil, nil, key, nonce, 1) == 1
      && EVP_CipherUpdate(context, nil, &written, header, CInt(header.count)) == 1
      && text.withUnsafeMutableBufferPointer {
        unsafe EVP_CipherUpdate(context, $0.baseAddress, &written, $0.baseAddress, CInt($0.count)) == 1
      }
      && EVP_CipherFinal_ex(context, nil, &written) == 1
      && EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_GET_TAG, 16, &tag) == 1
    precondition(isDone)
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
    let random: @Sendable (Int) -> [UInt8] = { SecureRandom.bytes($0) }
    let info = SessionInfo.standard(
      generation: .current, deviceID: "02:00:00:00:00:01", displays: [DisplaySettings(width: 1280, height: 720)])
    func identity(_ name: String) throws -> PairingIdentity {
      try PairingIdentity(identifier: name, privateKey: Secret(random(32)))
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
      phone.setUp(StreamRequest(.screen), at: time)
      phone.setUp(StreamRequest(.mainAudio, format: AudioFormat.pcm(rate: 48_000, channels: 2)), at: time)
    }
    network.run(for: .milliseconds(100))
    (self.headUnit, self.phone, time) = (network.headUnit, network.phones[0], network.now)
  }

  /// Returns the messages of a screen: a configuration, and frames behind it.
  mutating func frames(_ count: Int, byteCount: Int) -> [[UInt8]] {
    phone.send(ScreenMessage(.configuration, body: [1]), of: .screen, at: time)
    for _ in 0..<count {
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

/// The counter of tools/bench/count-allocations.
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
