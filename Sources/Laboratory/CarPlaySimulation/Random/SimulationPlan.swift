// swift-iap2 · Apache-2.0

import Basics
import CarPlaySession

/// The settings of one simulated meeting of a head unit and its phones, drawn from a seed.
struct SimulationPlan: Sendable {
  var generation = Generation.current
  /// Whether the first phone and the head unit are not paired yet.
  var pairs = false
  /// Whether the head unit has lost the pairing with the first phone.
  var forgot = false
  var phoneCount = 1
  var hasClock = true
  var authenticates = true
  /// Whether the network has no faults, so that everything must arrive.
  var isCalm = true
  var faults = Faults()
  /// Whether the bytes of TCP connections arrive as they were sent, and in time.
  var keepsConnections = true
  var actionCount = 0
  /// The longest time between two actions, in nanoseconds.
  var pause: Int64 = 100_000_000
  /// The faults that happen at random moments.
  var moments: [Moment] = []

  /// A fault that happens at a moment.
  enum Moment: CaseIterable, Sendable {
    case cut, silence, close, lateness, injection, stranger, stall, stop
  }

  init(_ random: inout SeededGenerator) {
    // A pairing takes far longer than everything else, so it is rare.
    pairs = random.chance(0.001)
    forgot = random.chance(0.001)
    generation = Generation.allCases.randomElement(using: &random) ?? .current
    phoneCount = random.chance(0.1) ? Int.random(in: 2...3, using: &random) : 1
    hasClock = !random.chance(0.1)
    authenticates = !random.chance(0.3)
    actionCount = Int.random(in: 0...40, using: &random)
    faults.splitting = random.chance(0.5) ? 0.3 : 0
    faults.joining = random.chance(0.5) ? 0.5 : 0
    faults.maximumLatency = [1_000_000, 5_000_000, 20_000_000].randomElement(using: &random) ?? 1_000_000
    faults.maximumLocalDelay = random.chance(0.5) ? 2_000_000 : 0
    isCalm = random.chance(0.3)
    if !isCalm { addFaults(&random) }
  }

  private mutating func addFaults(_ random: inout SeededGenerator) {
    pause = [1_000_000, 30_000_000, 300_000_000, 1_500_000_000].randomElement(using: &random) ?? pause
    if random.chance(0.4) { faults.loss = [0.01, 0.1, 0.5].randomElement(using: &random) ?? 0 }
    if random.chance(0.3) { faults.duplication = 0.1 }
    if random.chance(0.3) { faults.delay = 0.1 }
    if random.chance(0.2) { faults.flippedDatagrams = 0.05 }
    if random.chance(0.15) { (faults.flippedBytes, keepsConnections) = (0.02, false) }
    if random.chance(0.05) { (faults.refusedBind, keepsConnections) = (0.2, false) }
    if random.chance(0.05) { (faults.refusedSignature, keepsConnections) = (0.5, false) }
    if random.chance(0.2) { faults.maximumLatency = 400_000_000 }
    if random.chance(0.2) { faults.maximumLocalDelay = 50_000_000 }
    guard random.chance(0.6) else { return }
    keepsConnections = false
    for _ in 0..<Int.random(in: 1...3, using: &random) {
      if let moment = Moment.allCases.randomElement(using: &random) { moments.append(moment) }
    }
  }
}
