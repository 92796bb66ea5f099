// swift-iap2 · Apache-2.0

/// The interruptions of the sound of a phone's apps: a value that follows who uses the speakers.
package struct SoundInterruptions: Sendable {
  /// The reason of an interruption.
  package enum Reason: Sendable, Hashable {
    /// Siri, or a call of another app. Its end gives the sound back.
    case call
    /// The head unit has the speakers. Their return gives the sound back.
    case car
    /// Another app plays. Only the driver lets the app play again.
    case app
  }

  /// An app at one moment.
  package struct App: Sendable, Hashable {
    /// Whether it plays or records sound, and a call stops that.
    package var isPlaying: Bool
    /// Whether its sound goes on beside that of other apps.
    package var mixes: Bool
    /// Whether it has a call.
    package var hasCall: Bool
    /// Whether Siri is open over it.
    package var showsSiri: Bool

    package init(isPlaying: Bool = false, mixes: Bool = false, hasCall: Bool = false, showsSiri: Bool = false) {
      (self.isPlaying, self.mixes, self.hasCall, self.showsSiri) = (isPlaying, mixes, hasCall, showsSiri)
    }
  }

  /// A notification for an app, by its index: an interruption began or ended.
  package struct Notice: Sendable, Hashable {
    package var app: Int
    package var isInterrupted: Bool

    package init(app: Int, isInterrupted: Bool) { (self.app, self.isInterrupted) = (app, isInterrupted) }
  }

  private var reasons: [Int: Reason] = [:]
  /// The apps that played at the last look.
  private var playing: Set<Int> = []
  /// Whether the phone has the speakers for itself.
  private var hasSpeakers = false

  package init() {}

  /// Returns whether the sound of an app is interrupted.
  package func isInterrupted(_ app: Int) -> Bool { reasons[app] != nil }

  /// Forgets an app that has ended.
  package mutating func remove(_ app: Int) {
    reasons[app] = nil
    playing.remove(app)
  }

  /// Gives the speakers to the phone or to the head unit. A head unit that takes them interrupts the apps that play, and
  /// those that wait for the end of a call.
  ///
  /// - Parameters:
  ///   - hasSpeakers: Whether the phone has them for itself, and does not only borrow them.
  ///   - apps: The apps by their index.
  package mutating func set(hasSpeakers: Bool, _ apps: [App]) -> [Notice] {
    let isLost = self.hasSpeakers && !hasSpeakers
    self.hasSpeakers = hasSpeakers
    guard isLost else { return look(at: apps) }
    return apps.indices.filter { apps[$0].isPlaying || reasons[$0] == .call }.compactMap { interrupt($0, by: .car) }
  }

  /// Looks at the apps after a change.
  package mutating func look(at apps: [App]) -> [Notice] {
    var notices: [Notice] = []
    for (index, app) in apps.enumerated() {
      let begins = app.isPlaying && !playing.contains(index)
      if app.isPlaying { playing.insert(index) } else { playing.remove(index) }
      let isCovered = Self.isCovered(index, apps)
      switch reasons[index] {
      case nil where isCovered && app.isPlaying: notices += [interrupt(index, by: .call)].compactMap { $0 }
      case nil where begins && !app.mixes:
        for other in apps.indices where other != index && apps[other].isPlaying && !apps[other].mixes {
          notices += [interrupt(other, by: Self.isCovered(other, apps) ? .call : .app)].compactMap { $0 }
        }
      case .call where !isCovered, .car where hasSpeakers && !isCovered:
        reasons[index] = nil
        notices.append(Notice(app: index, isInterrupted: false))
      // The driver lets it play again, and it may take the speakers.
      case .car where begins && !isCovered, .app where begins && !isCovered: reasons[index] = nil
      default: break
      }
    }
    return notices
  }

  /// Returns whether Siri, or a call of another app, stops the sound of an app.
  private static func isCovered(_ index: Int, _ apps: [App]) -> Bool {
    apps.contains(where: \.showsSiri) || apps.indices.contains { $0 != index && apps[$0].hasCall }
  }

  /// Interrupts an app. Returns nil if it is interrupted already, and only the reason changes.
  private mutating func interrupt(_ app: Int, by reason: Reason) -> Notice? {
    let isFirst = reasons[app] == nil
    reasons[app] = reason
    return isFirst ? Notice(app: app, isInterrupted: true) : nil
  }
}
