// swift-iap2 · Apache-2.0

/// The package that has the names of Combine on Linux.
enum OpenCombine {
  /// The module with the names of Combine.
  static let module = "OpenCombine"
  /// The product whose module exports these names, and those for timers, notifications, run loops and queues.
  static let product = "OpenCombineShim"
  /// The modules with these names, before and after the port.
  static let modules: Set<String> = ["Combine", module, product]
  static let package = PortReport.Package(
    product: product, url: "https://github.com/OpenCombine/OpenCombine", from: "0.14.0")

  /// Names of Combine that the package lacks, as its file RemainingCombineInterface.swift lists them.
  static let missing: [Porter.MissingName] =
    publishers.map { Porter.MissingName(name: $0, isMember: true, combine: true, reason: reason($0)) } + [
      Porter.MissingName(
        name: "combineLatest", following: ["("], isMember: true, combine: true, reason: reason("combineLatest")),
      Porter.MissingName(
        name: "merge", following: ["(", "with", ":"], isMember: true, combine: true, reason: reason("merge(with:)")),
      Porter.MissingName(
        name: "throttle", following: ["(", "for", ":"], isMember: true, combine: true,
        reason: "OpenCombine has no throttle; use debounce, or keep the time of the last value"),
      Porter.MissingName(
        name: "retry", following: ["("], isMember: true, combine: true,
        reason: "OpenCombine has no retry; subscribe again in catch"),
      Porter.MissingName(
        name: "collect", following: ["(", ".", "byTime"], isMember: true, combine: true,
        reason: "OpenCombine collects by count only; use collect(_:)"),
    ]

  private static let publishers =
    ["CombineLatest", "Merge", "MergeMany"] + (3...4).map { "CombineLatest\($0)" } + (3...8).map { "Merge\($0)" }

  private static func reason(_ name: String) -> String {
    "OpenCombine has no \(name); keep the last values in a subject of your own"
  }
}
