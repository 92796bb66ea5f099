// swift-iap2 · Apache-2.0

import ArgumentParser
import IAP2
import IAP2Faults
import IAP2Roles
import IAP2Runtime
import IAP2Scenario
import IAP2Simulation
import Synchronization

/// What goes wrong on a transport, as options.
struct FaultOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "What goes wrong on the transport: \(FaultPlan.names.joined(separator: ", ")), each =VALUE, separated by commas; to-headunit: or to-phone: in front for one direction. Repeatable.",
      valueName: "faults"))
  var fault: [String] = []

  @Option(help: "What chance goes by (default: another each time, which is told).")
  var seed: UInt64?

  func validate() throws {
    if let seed, let named, named != seed { throw ValidationError("--seed \(seed), but --fault says seed=\(named)") }
  }

  private var text: String { fault.joined(separator: ",") }
  private var named: UInt64? { FaultPlan.namedSeed(in: text) }

  /// What chance is to go by, in all that a command does; nil: anything.
  var chosenSeed: UInt64? { seed ?? named }

  static func anySeed() -> UInt64 { UInt64.random(in: 1...999_999) }

  /// Nil where nothing was asked for.
  ///
  /// - Parameter events: the names that a moment may have.
  func plan(seed: UInt64, events: Set<String>) throws -> FaultPlan? {
    guard !fault.isEmpty else { return nil }
    guard !fault.contains("") else { throw ValidationError("--fault: no faults are named") }
    do {
      return try FaultPlan(parsing: text, seed: seed, events: events)
    } catch { throw ValidationError("--fault: \(error.text)") }
  }

  /// What a command needs whose chance is all in its faults; told on stderr.
  func drawn(events: Set<String>) throws -> FaultPlan? {
    let plan = try plan(seed: seed ?? Self.anySeed(), events: events)
    if let plan { Self.report(plan) }
    return plan
  }

  /// For such a command.
  func check(events: Set<String>) throws {
    guard seed == nil || !fault.isEmpty else {
      throw ValidationError("--seed is what --fault goes by, and none is named")
    }
    _ = try plan(seed: 1, events: events)
  }

  /// Tells on stderr what makes the same run again.
  static func report(_ plan: FaultPlan) { Output.note("faults: \(plan); again with --fault \(plan)") }
}

/// What a connection's end is judged by, and what goes wrong on its way.
struct LifecycleOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "What a disconnect is believed by: evidence (everything, checked by asking the link), charging (the platform's notice and charging that stops), notification (the notice alone).",
      valueName: "policy"),
    transform: { text in
      guard let policy = LifecyclePolicy(rawValue: text) else {
        throw ValidationError("\(text) is none of \(LifecyclePolicy.allCases.map(\.rawValue).joined(separator: ", "))")
      }
      return policy
    })
  var policy: LifecyclePolicy?

  @Option(
    help: ArgumentHelp(
      "Seconds of silence after which the other side is asked for a sign of life; 0: never (default: 1 live, and what a scenario says in run).",
      valueName: "seconds"))
  var silence: Double?

  @Option(
    help: ArgumentHelp(
      "With this probability the platform loses its notice of a disconnect, as some did one in five.",
      valueName: "probability"))
  var noticeLoss: Double?

  @OptionGroup var faults: FaultOptions

  func validate() throws {
    if let silence, silence != 0, !(0.001...3600).contains(silence) {
      throw ValidationError("--silence takes 0.001 to 3600 seconds, or 0 for never")
    }
    _ = try faults.plan(seed: 1, events: RoleEvent.names)
    if let noticeLoss, !(0...1).contains(noticeLoss) {
      throw ValidationError("--notice-loss takes a probability of 0 to 1")
    }
  }

  /// - Parameter base: a scenario's, or what is usual; options count for more.
  ///
  /// Tells on stderr what makes the same run again.
  func conditions(_ base: LifecycleConditions) throws -> LifecycleConditions {
    var life = base
    if let policy { life.policy = policy }
    if let silence { life.silenceMilliseconds = silence == 0 ? nil : Int(silence * 1000) }
    if let noticeLoss { life.noticeLoss = noticeLoss }
    let isChance = life.noticeLoss > 0 && life.noticeLoss < 1 || !faults.fault.isEmpty || base.fault != nil
    guard faults.seed == nil || isChance || noticeLoss != nil else {
      throw CommandFailure(
        .usage,
        "--seed is what --fault and --notice-loss go by, and nothing is left to chance here: leave it out, or name one")
    }
    life.seed = faults.chosenSeed ?? (base.hasSeed ? base.seed : isChance ? FaultOptions.anySeed() : 1)
    life.fault?.seed = life.seed
    // A seed alone leaves a scenario's faults as they are.
    if let plan = try faults.plan(seed: life.seed, events: RoleEvent.names), base.fault == nil || !plan.isEmpty {
      life.fault = plan
    }
    if let plan = life.fault { FaultOptions.report(plan) }
    if life.noticeLoss > 0, life.noticeLoss < 1 {
      let again = life.fault == nil ? "; again with --seed \(life.seed)" : ", by the same seed"
      Output.note("notices are lost with probability \(life.noticeLoss)\(again)")
    }
    return life
  }

  /// Of a live side.
  func live(_ scenario: Scenario? = nil) throws -> LifecycleConditions {
    var usual = scenario?.life ?? LifecycleConditions()
    usual.silenceMilliseconds = usual.silenceMilliseconds ?? LifecycleTimes.liveSilenceMilliseconds
    return try conditions(usual)
  }
}
