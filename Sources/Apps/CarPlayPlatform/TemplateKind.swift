// swift-iap2 · Apache-2.0

/// A template class of the framework.
public enum TemplateKind: String, Sendable, Codable, Hashable, CaseIterable {
  /// `CPActionSheetTemplate`.
  case actionSheet
  /// `CPAlertTemplate`.
  case alert
  /// `CPContactTemplate`.
  case contact
  /// `CPGridTemplate`.
  case grid
  /// `CPInformationTemplate`.
  case information
  /// `CPListTemplate`.
  case list
  /// `CPMapTemplate`.
  case map
  /// `CPNowPlayingTemplate`.
  case nowPlaying
  /// `CPPointOfInterestTemplate`.
  case pointOfInterest
  /// `CPSearchTemplate`.
  case search
  /// `CPTabBarTemplate`.
  case tabBar
  /// `CPVoiceControlTemplate`.
  case voiceControl

  /// The name of the class.
  public var className: String {
    let name = rawValue.prefix(1).uppercased() + rawValue.dropFirst()
    return "CP\(name)Template"
  }

  /// Whether the template is presented above the stack.
  public var isModal: Bool {
    switch self {
    case .alert, .actionSheet, .voiceControl: true
    default: false
    }
  }

  /// The first version of iOS that has the class (H).
  public var firstVersion: IOSVersion {
    switch self {
    case .contact, .information, .nowPlaying, .pointOfInterest, .tabBar: IOSVersion(14)
    default: IOSVersion(12)
    }
  }
}

/// A place for a template.
public enum TemplatePlace: String, Sendable, Codable, Hashable, CaseIterable {
  /// The bottom of the stack.
  case root
  /// A tab of a tab bar.
  case tab
  /// Above another template on the stack.
  case pushed
  /// Above the stack, as a modal template.
  case presented
}
