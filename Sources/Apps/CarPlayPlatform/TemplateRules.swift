// swift-iap2 · Apache-2.0

/// The templates an app may use, by category and version: CarPlay/Frameworks.md#matrix as data.
public struct TemplateRules: Sendable, Hashable {
  /// The categories of the app.
  public var categories: Set<AppCategory>
  /// The version of iOS.
  public var iOSVersion: IOSVersion

  /// Creates the rules of an app.
  public init(categories: Set<AppCategory>, iOSVersion: IOSVersion) {
    self.categories = categories
    self.iOSVersion = iOSVersion
  }

  /// The templates that the app may use anywhere.
  public var allowed: Set<TemplateKind> {
    categories.reduce(into: []) { $0.formUnion(Self.allowed($1, iOSVersion)) }
  }

  /// The maximum number of templates on the stack, with the root. The largest of the categories counts.
  public var depth: Int { categories.map(Self.depth).max() ?? 0 }

  /// Returns whether a template may be at a place.
  public func allows(_ kind: TemplateKind, at place: TemplatePlace, searchAsRoot: Bool = false) -> Bool {
    guard allowed.contains(kind) else { return false }
    if kind == .search, place == .root { return searchAsRoot }
    if kind == .voiceControl, place != .tab, categories.contains(.voiceConversation) { return true }
    if place == .tab, categories == [.audio] { return kind == .list || kind == .grid }
    return Self.places(of: kind).contains(place)
  }

  /// The class names that an exception's text lists for a place, sorted.
  public func allowedClassNames(at place: TemplatePlace) -> [String] {
    allowed.filter { allows($0, at: place) }.map(\.className).sorted()
  }

  /// Returns the allowed places of a kind, for every category (D; section 2.4).
  public static func places(of kind: TemplateKind) -> Set<TemplatePlace> {
    switch kind {
    case .tabBar: [.root]
    case .map, .contact: [.root, .pushed]
    case .list, .grid, .information, .pointOfInterest: [.root, .tab, .pushed]
    case .search: [.pushed]
    // Now Playing as a root is unusual, but no source says that it raises.
    case .nowPlaying: [.root, .pushed]
    case .alert, .actionSheet, .voiceControl: [.presented]
    }
  }

  /// Returns the templates of a category on a version (G 2025; section 2.2).
  public static func allowed(_ category: AppCategory, _ version: IOSVersion) -> Set<TemplateKind> {
    guard version >= category.firstVersion else { return [] }
    let rows = table(category).filter { version >= max($0.from, $0.kind.firstVersion) }
    return Set(rows.map(\.kind))
  }

  /// Returns the depth of a category (G 2025; section 2.3).
  public static func depth(_ category: AppCategory) -> Int {
    switch category {
    case .fueling: 3
    case .drivingTask, .quickOrdering: 2
    case .automaker: 0
    default: 5
    }
  }

  private static let common: [TemplateKind] = [.alert, .grid, .list, .tabBar]

  private static func table(_ category: AppCategory) -> [(kind: TemplateKind, from: IOSVersion)] {
    func from(_ version: IOSVersion, _ kinds: [TemplateKind]) -> [(kind: TemplateKind, from: IOSVersion)] {
      kinds.map { ($0, version) }
    }
    let first = category.firstVersion
    // Unverified: the guide's 2026 edition, as others quote it, opens search and voice control in 26.4 or 27.
    let later = from(IOSVersion(26, 4), [.search, .voiceControl])
    switch category {
    case .audio: return from(first, common + [.nowPlaying]) + from(IOSVersion(17), [.actionSheet]) + later
    case .communication:
      return from(first, common + [.actionSheet, .information, .contact]) + from(IOSVersion(17), [.nowPlaying])
    case .drivingTask, .fueling: return from(first, common + [.actionSheet, .information, .pointOfInterest])
    case .charging: return from(first, common + [.actionSheet, .information, .pointOfInterest]) + later
    case .navigation:
      return from(first, common + [.actionSheet, .information, .contact, .map, .search, .voiceControl])
    case .parking, .quickOrdering, .publicSafety:
      return from(first, common + [.actionSheet, .information, .pointOfInterest])
    case .voiceConversation: return from(first, common + [.actionSheet, .information, .voiceControl])
    case .automaker: return []
    }
  }
}
