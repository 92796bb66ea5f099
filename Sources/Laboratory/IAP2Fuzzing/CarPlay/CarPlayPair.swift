// swift-iap2 · Apache-2.0

import CarPlaySession
import Cryptography
import IAP2

/// A head unit and a phone that talk without a network: what one sends arrives at once. It brings both to the states from
/// which the session targets begin, and keeps the keys with which the fuzzer writes as either side.
struct CarPlayPair {
  /// The steps at which a state is taken.
  enum Stage: Int, CaseIterable {
    case connected, verified, live
  }

  var headUnit: HeadUnitSession
  var phone: PhoneSession
  private(set) var now = MonotonicTime(nanoseconds: 1_000_000_000)
  /// The writing sides of the control channel, by the side that writes.
  private(set) var control: [SessionSide: FrameSealer] = [:]
  private(set) var events: [SessionSide: FrameSealer] = [:]
  private var openers: [SessionSide: FrameOpener] = [:]
  private var eventOpeners: [SessionSide: FrameOpener] = [:]
  private var queue: [(side: SessionSide, socket: SessionSocket, bytes: [UInt8]?)] = []
  /// Both sides as they are when they are verified: one element, or none.
  private var verified: [CarPlayPair]?

  private init(_ generation: Generation) {
    let (car, pocket) = (Self.identity(1), Self.identity(101))
    let displays = [DisplaySettings(width: 1280, height: 720), DisplaySettings(width: 800, height: 400)]
    let info = SessionInfo.standard(generation: generation, deviceID: "02:00:00:00:00:01", displays: displays)
    headUnit = HeadUnitSession(
      HeadUnitConfiguration(
        identity: car, info: info, generation: generation, phones: [pocket.identifier: pocket.publicKey]),
      random: { (0..<$0).map { UInt8(truncatingIfNeeded: $0 &* 7 &+ 3) } })
    var configuration = PhoneConfiguration(
      identity: pocket, headUnits: [car.identifier: car.publicKey], generation: generation, judge: { _ in .trusted })
    configuration.authenticates = false
    phone = PhoneSession(configuration, random: { (0..<$0).map { UInt8(truncatingIfNeeded: $0 &* 5 &+ 1) } })
  }

  private static func identity(_ byte: UInt8) -> PairingIdentity {
    do throws(PairingProblem) {
      return try PairingIdentity(identifier: "side \(byte)", privateKey: Secret((0..<32).map { byte &+ $0 }))
    } catch { preconditionFailure("32 bytes are a key: \(error)") }
  }

  /// The states of the newest generation, and those of the oldest one, which does not encrypt.
  static let stages: [Stage: CarPlayPair] = build(.current)
  static let clear: [Stage: CarPlayPair] = build(.old)

  private static func build(_ generation: Generation) -> [Stage: CarPlayPair] {
    var pair = CarPlayPair(generation)
    pair.phone.start(port: 7000, at: pair.now)
    pair.headUnit.connected(.control(1), at: pair.now)
    pair.phone.connected(.control(0), at: pair.now)
    var stages: [Stage: CarPlayPair] = [:]
    stages[.connected] = pair.quiet.first
    pair.verified = pair.quiet
    pair.run()
    stages[.verified] = pair.verified?.first
    for request in [
      StreamRequest(.screen), StreamRequest(.data), StreamRequest(.bufferedAudio),
      StreamRequest(.mainAudio, format: .pcm(rate: 16_000, channels: 1), wantsMicrophone: true),
    ] { pair.phone.setUp(request, at: pair.now) }
    pair.run()
    pair.verified = nil
    stages[.live] = pair
    return stages
  }

  /// The pair without what is under way.
  private var quiet: [CarPlayPair] {
    var copy = self
    _ = (copy.headUnit.takeActions(), copy.phone.takeActions())
    (copy.queue, copy.verified) = ([], nil)
    return [copy]
  }

  private mutating func run() {
    while true {
      let actions = headUnit.takeActions()
      for action in actions { perform(action, of: .headUnit) }
      let more = phone.takeActions()
      for action in more { perform(action, of: .phone) }
      guard actions.isEmpty, more.isEmpty else { continue }
      guard !queue.isEmpty else { return }
      let next = queue.removeFirst()
      deliver(next.bytes, next.socket, to: next.side)
    }
  }

  /// Keeps a side as it is when it is verified, with no frame written yet.
  private mutating func keepVerified(_ side: SessionSide) {
    guard var kept = verified?.first, let secret, let present = quiet.first else { return }
    if side == .headUnit { kept.headUnit = present.headUnit } else { kept.phone = present.phone }
    let keys = ChannelKeys.control(secret)
    kept.control = [.phone: FrameSealer(key: keys.phone), .headUnit: FrameSealer(key: keys.headUnit)]
    verified = [kept]
  }

  private mutating func deliver(_ bytes: [UInt8]?, _ socket: SessionSocket, to side: SessionSide) {
    switch (side, bytes) {
    case (.headUnit, let bytes?): headUnit.receive(bytes, on: socket, from: 9, at: now)
    case (.phone, let bytes?): phone.receive(bytes, on: socket, from: 9, at: now)
    case (.headUnit, nil): headUnit.connected(socket, at: now)
    case (.phone, nil): phone.connected(socket, at: now)
    }
  }

  private static func translated(_ socket: SessionSocket) -> SessionSocket {
    switch socket {
    case .control(let number): .control(1 - number)
    default: socket
    }
  }

  private mutating func perform(_ action: SessionAction, of side: SessionSide) {
    switch action {
    case .bind(let socket, _):
      if side == .headUnit {
        headUnit.bound(socket, port: 6000, at: now)
      } else {
        phone.bound(socket, port: 5000, at: now)
      }
    case .connect(.control, _): break
    case .connect(let socket, _): queue += [(.headUnit, socket, nil), (.phone, socket, nil)]
    case .send(let socket, let bytes):
      note(bytes, socket, side)
      queue.append((side.other, Self.translated(socket), bytes))
    case .sign: headUnit.signed(AccessoryEvidence(certificate: [1], signature: [2]), at: now)
    case .report(.state(.verified)): keepVerified(side)
    case .sendDatagram, .close, .setReading, .log, .report: break
    }
  }

  /// Counts the frames of a side, so that the fuzzer's next frame has the next nonce.
  private mutating func note(_ bytes: [UInt8], _ socket: SessionSocket, _ side: SessionSide) {
    guard let secret = headUnit.secret(of: 1), !bytes.starts(with: Array("RTSP/1.0".utf8)) else { return }
    do throws(FrameOpener.WrongFrame) {
      switch socket {
      case .control where !bytes.starts(with: Array("POST".utf8)):
        let keys = ChannelKeys.control(secret)
        let key = side == .phone ? keys.phone : keys.headUnit
        var (opener, sealer) = (openers[side] ?? FrameOpener(key: key), control[side] ?? FrameSealer(key: key))
        _ = sealer.seal(try opener.open(bytes))
        (openers[side], control[side]) = (opener, sealer)
      case .events:
        let keys = ChannelKeys.events(secret)
        let key = side == .phone ? keys.phone : keys.headUnit
        var (opener, sealer) = (eventOpeners[side] ?? FrameOpener(key: key), events[side] ?? FrameSealer(key: key))
        _ = sealer.seal(try opener.open(bytes))
        (eventOpeners[side], events[side]) = (opener, sealer)
      default: break
      }
    } catch { preconditionFailure("the pair writes other frames than it should: \(error)") }
  }

  /// The secret of the session; nil without encryption.
  var secret: Secret? { headUnit.secret(of: 1) }
}
