// swift-iap2 · Apache-2.0

package import ArgumentParser
import CarPlaySession
import CommandSupport
package import FaultModel

/// The faults of a CarPlay session beside an iAP2 link, whose own faults are those of `--fault`.
package struct SessionFaultOptions: ParsableArguments {
  @Option(
    name: .customLong("session-fault"),
    help: ArgumentHelp(
      "Inject faults into the sockets of the session, as `iap2 carplay --fault` does; --fault concerns the link. Repeatable.",
      valueName: "faults"))
  package var faults: [String] = []

  package init() {}

  package func validate() throws { _ = try read(seed: 1) }

  package var isGiven: Bool { !faults.isEmpty }

  /// Whether the faults draw from the seed of the command, because the option names no seed.
  package var needsSeed: Bool { isGiven && namedSeed == nil }

  private var namedSeed: UInt64? { FaultPlan.namedSeed(in: faults.joined(separator: ",")) }

  /// Checks the option beside the seed of the command.
  package func check(seed: UInt64?) throws {
    if let seed, let namedSeed, namedSeed != seed {
      throw ValidationError("--seed \(seed), but --session-fault says seed=\(namedSeed)")
    }
  }

  /// Returns the faults and prints how to repeat them. The plan is empty without faults.
  ///
  /// - Parameter seed: The seed of the command, unless the option names one.
  package func plan(seed: UInt64) throws -> FaultPlan {
    guard let plan = try read(seed: seed) else { return FaultPlan() }
    Output.note("faults of the session: \(plan); again with --session-fault \(plan)")
    return plan
  }

  private func read(seed: UInt64) throws -> FaultPlan? {
    try FaultOptions.plan(faults, of: Self.option, seed: seed, events: Set(SessionEvent.declarations.map(\.name)))
  }

  private static let option = "--session-fault"
}
