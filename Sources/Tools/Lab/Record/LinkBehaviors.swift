// swift-iap2 · Apache-2.0

import IAP2Scenario

extension LabHello.Failure {
  /// The bundled profiles, whose link, timing and quirks a side of a scenario can have.
  private static let profiles: [Profile] = BundledProfiles.names.compactMap { name in
    do { return try BundledProfiles.profile(name) } catch { preconditionFailure("\(name): \(error)") }
  }

  /// A button for each of them.
  static let ofLinks: [Self] = profiles.enumerated().map { index, profile in
    Self(index + 1, profile.name, .behave(as: profile.role, profile.name), profile.summary)
  }

  /// Returns the profile of a button; nil for no button.
  static func profile(_ number: Int) -> Profile? {
    profiles.indices.contains(number - 1) ? profiles[number - 1] : nil
  }
}
