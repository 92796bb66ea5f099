// swift-iap2 · Apache-2.0

import CarPlaySession
import IAP2

/// The target for a whole session of either role. Whatever arrives on whatever socket: the end comes once and nothing
/// follows it, no deadline stays in the past, no socket is left open, and the queues have bounds.
///
/// Input: a byte for the state from which it begins, then steps: a byte for the operation, and its arguments.
enum CarPlaySessionTarget {
  /// Longer programs only repeat themselves.
  private static let stepLimit = 200

  static func checkHeadUnit(_ bytes: [UInt8]) throws(Finding) {
    var program = Program(bytes)
    guard let pair = pair(program.byte()) else { return }
    var script = CarPlayScript(pair, .headUnit)
    try run(pair.headUnit, &script, &program)
  }

  static func checkPhone(_ bytes: [UInt8]) throws(Finding) {
    var program = Program(bytes)
    guard let pair = pair(program.byte()) else { return }
    var script = CarPlayScript(pair, .phone)
    try run(pair.phone, &script, &program)
  }

  private static func pair(_ byte: UInt8) -> CarPlayPair? {
    let stage = CarPlayPair.Stage.allCases[Int(byte & 0x7F) % CarPlayPair.Stage.allCases.count]
    return (byte & 0x80 == 0 ? CarPlayPair.stages : CarPlayPair.clear)[stage]
  }

  private static func run(
    _ machine: some FuzzedSession, _ script: inout CarPlayScript, _ program: inout Program
  ) throws(Finding) {
    var machine = machine
    var checks = CarPlayScriptChecks(machine)
    var count = 0
    while !program.isOver, count < stepLimit {
      let isTimer = script.step(&machine, &program)
      for action in machine.takeActions() {
        try checks.take(action)
        script.take(action)
      }
      if isTimer, let next = machine.nextDeadline {
        try require(next > script.now, "the deadline \(next) is not over at \(script.now)")
      }
      try checks.examine(machine)
      count += 1
    }
    // Time alone must end what is left, because nothing arrives any more.
    for _ in 0..<500 {
      guard let deadline = machine.nextDeadline else { return }
      script.now = max(script.now, deadline)
      machine.handleDeadline(at: script.now)
      for action in machine.takeActions() { try checks.take(action) }
      try checks.examine(machine)
      if let next = machine.nextDeadline {
        try require(next > script.now, "the deadline \(next) is not over at \(script.now)")
      }
    }
    throw Finding("deadlines without an end")
  }
}

/// A session whose state the target sees.
protocol FuzzedSession: SessionMachine {
  var inspection: SessionInspection { get }
  var queues: SessionQueues { get }
  /// Whether no connection is left and none is expected, so that nothing more may be reported.
  var isIdle: Bool { get }
  /// Lets the owner do something.
  mutating func own(_ word: UInt8, _ bytes: [UInt8], at time: MonotonicTime)
}

extension HeadUnitSession: FuzzedSession {
  var isIdle: Bool { inspection.sockets.isEmpty && !inspection.isWaitingForPhone }

  mutating func own(_ word: UInt8, _ bytes: [UInt8], at time: MonotonicTime) {
    switch word & 3 {
    case 0: send(.inputReport(device: "1", report: bytes), at: time)
    case 1: send(.changeModes(ModeRequest(reason: "fuzz")), at: time)
    case 2: send(iAP: bytes, at: time)
    default: send(microphone: bytes, frameCount: 10)
    }
  }
}

extension PhoneSession: FuzzedSession {
  var isIdle: Bool { isEnded }

  mutating func own(_ word: UInt8, _ bytes: [UInt8], at time: MonotonicTime) {
    switch word & 7 {
    case 0: send(.suggestUI(urls: ["maps:"]), at: time)
    case 1: change(ModeRequest([(.screen, .untake)]), at: time)
    case 2: send(iAP: bytes, at: time)
    case 3: send(ScreenMessage(.frame, isKeyFrame: true, body: bytes), of: .screen, at: time)
    case 4: tearDown([.screen, .mainAudio], at: time)
    case 5: setUp(StreamRequest(.screen), at: time)
    case 6: setUp(StreamRequest(.alternateAudio, format: .pcm(rate: 48_000, channels: 2)), at: time)
    default: tearDown(at: time)
    }
  }
}

/// The invariants of a session under a script.
struct CarPlayScriptChecks {
  private var open: Set<SessionSocket>
  private var hasEnded = false
  /// Whether an end was reported, and no connection is left.
  private var isOver = false

  init(_ machine: some FuzzedSession) {
    open = machine.inspection.sockets
  }

  mutating func take(_ action: SessionAction) throws(Finding) {
    switch action {
    case .bind(let socket, _):
      try require(open.insert(socket).inserted, "\(socket) is bound while it is open")
    case .close(let socket): open.remove(socket)
    case .report(let event):
      if case .state(.connected) = event { (isOver, hasEnded) = (false, false) }
      try require(!isOver, "\(event) behind the end")
      if case .ended = event { hasEnded = true }
    default: break
    }
  }

  mutating func examine(_ machine: some FuzzedSession) throws(Finding) {
    // Several connections may end at one moment.
    isOver = hasEnded && machine.isIdle
    let queues = machine.queues
    try require(queues.unreadByteCount < (1 << 20) + (1 << 17), "\(queues.unreadByteCount) bytes wait")
    try require(queues.commandCount <= 256, "\(queues.commandCount) commands wait")
    try require(queues.soundCount <= AudioReceiver.maximumWaitingCount, "\(queues.soundCount) packets wait")
    try require(queues.pictureCount <= 16, "\(queues.pictureCount) pictures wait")
    guard machine.isIdle else { return }
    let left = open.filter { if case .control = $0 { false } else { true } }
    try require(left.isEmpty, "\(left) is left open")
    try require(machine.nextDeadline == nil, "a session that is over waits")
  }
}
