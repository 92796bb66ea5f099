// swift-iap2 · Apache-2.0

import ArgumentParser

/// A use of the sound that a head unit receives, as an option: a folder, `mix:` and a file, or `device`.
package enum AudioTarget: ExpressibleByArgument, Hashable, Sendable {
  /// A folder with a file for each stream.
  case folder(String)
  /// A file with all sound as the driver hears it.
  case mix(String)
  /// The sound device of this machine.
  case device

  package init?(argument: String) {
    if argument == "device" {
      self = .device
    } else if argument.hasPrefix("mix:") {
      self = .mix(String(argument.dropFirst("mix:".count)))
    } else {
      self = .folder(argument)
    }
  }

  private var kind: String {
    switch self {
    case .folder: "a folder"
    case .mix: "a file after mix:"
    case .device: "the device"
    }
  }

  /// Returns the reason why a head unit cannot have all of these; nil without one.
  static func problem(of targets: [AudioTarget]) -> String? {
    if targets.contains(.mix("")) { return "mix: needs a file, such as --audio mix:drive.wav" }
    let kinds = targets.map(\.kind)
    return kinds.enumerated().first { kinds[..<$0.offset].contains($0.element) }
      .map { "\($0.element) can be given once" }
  }
}
