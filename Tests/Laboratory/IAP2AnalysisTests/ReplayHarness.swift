// swift-iap2 · Apache-2.0

import IAP2
import IAP2Roles

@testable import IAP2Analysis
@testable import IAP2Capture
@testable import IAP2Replay

/// A harness that connects a replay with a second replay as its peer, without link and transport, in virtual time.
struct ReplayHarness {
  private(set) var replay: Replay
  private(set) var peer: Replay
  private var now = MonotonicTime.zero
  /// The messages that ``replay`` sent, and the events that it reported.
  private(set) var sent: [[UInt8]] = []
  private(set) var events: [(time: MonotonicTime, event: ReplayEvent)] = []
  /// The number of the peer's messages after which the connection is cut; nil for no cut.
  var hangsUpAfter: Int?
  private var peerCount = 0
  private var isCut = false

  /// The maximum number of deliveries; every session needs fewer.
  private static let maximumRounds = 100_000

  init(
    _ script: ReplayScript, options: ReplayOptions = ReplayOptions(), against peer: ReplayScript,
    peerAuthenticates: Bool = false
  ) {
    replay = Replay(script, options: options)
    // The peer waits for whatever it does not receive.
    var patient = ReplayOptions()
    patient.speed = options.speed
    patient.timeoutMilliseconds = 1_000_000
    patient.authenticates = peerAuthenticates
    self.peer = Replay(peer, options: patient)
  }

  private enum Delivery {
    case toPeer(Replay.Input)
    case toReplay(Replay.Input)
  }

  /// Both sides wait, and neither has a deadline.
  struct Stalled: Error {}

  /// Runs until the replay is over.
  mutating func run() throws -> ReplayReport {
    var queue: [Delivery] = [.toReplay(.role(.linkUp(.standard))), .toPeer(.role(.linkUp(.standard)))]
    for _ in 0..<Self.maximumRounds {
      if replay.isOver { return replay.report }
      if queue.isEmpty {
        let deadlines = [replay.nextDeadline, peer.nextDeadline].compactMap { $0 }
        guard let next = deadlines.min() else { throw Stalled() }
        now = max(now, next)
        queue = [.toPeer(.time), .toReplay(.time)]
      }
      switch queue.removeFirst() {
      case .toReplay(let input):
        if case .role(.message) = input { peerCount += 1 }
        let actions = replay.handle(input, at: now)
        for action in actions { deliver(action, isReplay: true, &queue) }
        if let limit = hangsUpAfter, peerCount >= limit, !isCut {
          isCut = true
          queue = [.toReplay(.ended(.transportClosed))]
        }
      case .toPeer(let input):
        for action in peer.handle(input, at: now) { deliver(action, isReplay: false, &queue) }
      }
    }
    throw Stalled()
  }

  private mutating func deliver(_ action: Replay.Action, isReplay: Bool, _ queue: inout [Delivery]) {
    func send(_ input: Replay.Input) -> Delivery { isReplay ? .toPeer(input) : .toReplay(input) }
    func back(_ input: Replay.Input) -> Delivery { isReplay ? .toReplay(input) : .toPeer(input) }
    switch action {
    case .report(let event): if isReplay { events.append((now, event)) }
    case .write(let session, let bytes):
      queue.append(back(.written(isSent: true)))
      if let index = isReplay ? peer.session(ofLive: session) : replay.session(ofLive: session) {
        queue.append(send(.data(session: index, bytes)))
      }
    case .flush: queue.append(back(.written(isSent: true)))
    case .role(.send(let message)):
      if isReplay { sent.append(message) }
      queue.append(send(.role(.message(id: ControlHeader.id(of: message), bytes: message))))
    case .role(.sendFile(let id, let bytes, let type)):
      let setup = FileTransferSetup(byteCount: UInt64(bytes.count), type: type)
      queue.append(send(.role(.file(.offered(id: id, setup)))))
      queue.append(send(.role(.file(.data(id: id, bytes, isLast: true)))))
      queue.append(back(.role(.file(.delivered(id: id)))))
    // An authenticator and a verifier with constant answers; a signature is the reversed challenge.
    case .role(.fetchCertificate): queue.append(back(.role(.certificateReady([1, 2, 3]))))
    case .role(.fetchSerialNumber): queue.append(back(.role(.serialNumberReady([4]))))
    case .role(.sign(let challenge)): queue.append(back(.role(.signatureReady(challenge.reversed()))))
    case .role(.checkCertificate): queue.append(back(.role(.certificateChecked(challenge: [9, 9], reason: nil))))
    case .role(.verify(let response, let challenge, _)):
      let isValid = response == challenge.reversed()
      queue.append(back(.role(.responseChecked(isValid: isValid, reason: isValid ? nil : "another"))))
    case .role: break
    }
  }
}
