// swift-iap2 · Apache-2.0

package import ArgumentParser
package import FaultModel

/// Options that inject faults into a transport.
package struct FaultOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Inject faults into the transport: \(FaultPlan.names.joined(separator: ", ")), each =VALUE, separated by commas; prefix to-headunit: or to-phone: for one direction. Repeatable.",
      valueName: "faults"))
  package var fault: [String] = []

  @Option(help: "The seed of the random faults (default: a new one for each run, which is printed).")
  package var seed: UInt64?

  package init() {}

  package func validate() throws {
    if let seed, let named, named != seed { throw ValidationError("--seed \(seed), but --fault says seed=\(named)") }
  }

  private var text: String { fault.joined(separator: ",") }
  private var named: UInt64? { FaultPlan.namedSeed(in: text) }

  /// The seed of all random choices of a command; nil for a new one.
  package var chosenSeed: UInt64? { seed ?? named }
  package var isEmpty: Bool { fault.isEmpty && seed == nil }

  package static func anySeed() -> UInt64 { UInt64.random(in: 1...999_999) }

  /// Returns the faults of the options, or nil without any.
  ///
  /// - Parameter events: the event names that a fault's moment may use.
  package func plan(seed: UInt64, events: Set<String>) throws -> FaultPlan? {
    try Self.plan(fault, of: "--fault", seed: seed, events: events)
  }

  /// Returns the faults of an option, or nil without any.
  package static func plan(
    _ values: [String], of option: String, seed: UInt64, events: Set<String>
  ) throws -> FaultPlan? {
    guard !values.isEmpty else { return nil }
    guard !values.contains("") else { throw ValidationError("\(option) is empty: name a fault") }
    do {
      return try FaultPlan(parsing: values.joined(separator: ","), seed: seed, events: events)
    } catch { throw ValidationError("\(option): \(error.text)") }
  }

  /// Returns the plan for a command whose only random choices are its faults, and prints the seed on stderr.
  package func drawn(events: Set<String>) throws -> FaultPlan? {
    let plan = try plan(seed: seed ?? Self.anySeed(), events: events)
    if let plan { Self.report(plan) }
    return plan
  }

  /// Checks the options of such a command.
  package func check(events: Set<String>) throws {
    guard seed == nil || !fault.isEmpty else {
      throw ValidationError("--seed is the seed of --fault: name a fault, or leave out --seed")
    }
    _ = try plan(seed: 1, events: events)
  }

  /// Prints on stderr the option that repeats the run.
  package static func report(_ plan: FaultPlan) { Output.note("faults: \(plan); again with --fault \(plan)") }
}
