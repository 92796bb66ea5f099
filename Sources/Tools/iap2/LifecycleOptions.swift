// swift-iap2 · Apache-2.0

import ArgumentParser
import CarPlaySession
import CommandSupport
import IAP2
import IAP2Faults
import IAP2Roles
import IAP2Runtime
import IAP2Scenario
import IAP2Simulation
import Synchronization

/// Options for the disconnect policy and for injected faults and notification loss.
struct LifecycleOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "The evidence for a disconnect: evidence (all of it, verified by a probe of the link), charging (the platform's notification and the end of charging), notification (the platform's notification only).",
      valueName: "policy"), completion: .list(LifecyclePolicy.allCases.map(\.rawValue)),
    transform: { text in
      guard let policy = LifecyclePolicy(rawValue: text) else {
        throw ValidationError(
          "\(text) is not one of \(LifecyclePolicy.allCases.map(\.rawValue).joined(separator: ", "))")
      }
      return policy
    })
  var policy: LifecyclePolicy?

  @Option(
    help: ArgumentHelp(
      "Seconds of silence after which the other side is probed; 0: never (default: 15 live, and the scenario's value in run).",
      valueName: "seconds"))
  var silence: Double?

  @Option(
    help: ArgumentHelp(
      "Seconds that probes stay unanswered after a notification or the end of charging, before the disconnect is reported (default: 0.8). A longer time tolerates a longer pause.",
      valueName: "seconds"))
  var confirmation: Double?

  @Option(
    help: ArgumentHelp(
      "The probability that the platform's notification of a disconnect is lost. Some platforms lost one in five.",
      valueName: "probability"))
  var noticeLoss: Double?

  @OptionGroup var faults: FaultOptions

  /// Whether no option was given.
  var isEmpty: Bool { policy == nil && silence ?? confirmation ?? noticeLoss == nil && faults.isEmpty }

  func validate() throws {
    if let silence, silence != 0, !(0.001...3600).contains(silence) {
      throw ValidationError("--silence takes 0.001 to 3600 seconds, or 0 for never")
    }
    if let confirmation { try Self.check(confirmation: confirmation) }
    _ = try faults.plan(seed: 1, events: Self.events)
    if let noticeLoss, !(0...1).contains(noticeLoss) {
      throw ValidationError("--notice-loss takes a probability of 0 to 1")
    }
  }

  static func check(confirmation: Double) throws {
    guard (0.01...600).contains(confirmation) else {
      throw ValidationError("--confirmation takes 0.01 to 600 seconds")
    }
  }

  /// The events of a link, and those of a CarPlay session beside it.
  private static let events = RoleEvent.names.union(SessionEvent.declarations.map(\.name))

  /// Returns the conditions of a run, and prints on stderr the option that repeats it, if it depends on chance.
  ///
  /// - Parameters:
  ///   - base: The conditions of a scenario, or the default ones. Options override them.
  ///   - events: The events at which a fault may begin.
  ///   - hasSessionFaults: Whether the faults of a CarPlay session draw from the seed, too.
  func conditions(
    _ base: LifecycleConditions, events: Set<String> = events, hasSessionFaults: Bool = false
  ) throws -> LifecycleConditions {
    var life = base
    if let policy { life.policy = policy }
    if let silence { life.silenceMilliseconds = silence == 0 ? nil : Int(silence * 1000) }
    if let confirmation { life.confirmationMilliseconds = Int(confirmation * 1000) }
    if let noticeLoss { life.noticeLoss = noticeLoss }
    let isChance = life.noticeLoss > 0 && life.noticeLoss < 1 || !faults.fault.isEmpty || base.fault != nil
    guard faults.seed == nil || isChance || noticeLoss != nil || hasSessionFaults else {
      throw CommandFailure(
        .usage,
        "--seed is the seed of --fault and --notice-loss, and neither is given: name one, or leave out --seed")
    }
    life.seed =
      faults.chosenSeed ?? (base.hasSeed ? base.seed : isChance || hasSessionFaults ? FaultOptions.anySeed() : 1)
    life.fault?.seed = life.seed
    // A seed without faults leaves a scenario's faults unchanged.
    if let plan = try faults.plan(seed: life.seed, events: events), base.fault == nil || !plan.isEmpty {
      life.fault = plan
    }
    if let plan = life.fault { FaultOptions.report(plan) }
    if life.noticeLoss > 0, life.noticeLoss < 1 {
      let again = life.fault == nil ? "; again with --seed \(life.seed)" : ", by the same seed"
      Output.note("notifications are lost with probability \(life.noticeLoss)\(again)")
    }
    return life
  }

  /// Checks that a fault of the link begins at an event of a CarPlay session only beside one.
  func check(hasSession: Bool) throws {
    guard !hasSession else { return }
    do { _ = try faults.plan(seed: 1, events: RoleEvent.names) } catch {
      // With the events of sessions, `validate` has read it.
      throw ValidationError("--fault names an event of a CarPlay session: add --carplay, or name an event of the link")
    }
  }

  /// Returns the conditions of a live side.
  ///
  /// - Parameters:
  ///   - hasSession: Whether a CarPlay session runs beside the link, so that faults may begin at its events.
  ///   - hasSessionFaults: Whether the faults of that session draw from the seed, too.
  func live(
    _ scenario: Scenario? = nil, hasSession: Bool = false, hasSessionFaults: Bool = false
  ) throws -> LifecycleConditions {
    var usual = scenario?.life ?? LifecycleConditions()
    usual.silenceMilliseconds = usual.silenceMilliseconds ?? LifecycleTimes.liveSilenceMilliseconds
    return try conditions(
      usual, events: hasSession ? Self.events : RoleEvent.names, hasSessionFaults: hasSessionFaults)
  }
}
