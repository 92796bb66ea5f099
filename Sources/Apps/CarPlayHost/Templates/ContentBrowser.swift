// swift-iap2 · Apache-2.0

import CarPlay
import CarPlayPlatform
import Foundation
import MediaPlayer

/// The screen of an app with the old content API. The phone asks the app's data source for every row.
@MainActor
final class ContentBrowser {
  /// The state of a level.
  enum State {
    case loading
    /// The number of all items, including those that a limit hides.
    case loaded(count: Int)
    case failed
  }

  /// An item and its position in the tree.
  private typealias Place = (path: IndexPath, item: MPContentItem)

  let host: CarHost
  /// The position of the shown level: empty for the root.
  private(set) var path = IndexPath()
  private(set) var state = State.loading
  private var timeout: HostEvents.ID?
  private var load = 0
  /// The number of reloads by the app since the driver's last action.
  private var reloads = (count: 0, turn: 0)
  /// The number of calls to the data source since the last reload.
  private(set) var questions = 0
  private var busy: IndexPath?
  /// The items of the level that the car shows, and those of the tabs. Each load asks the app for them once.
  private var items: [Place] = []
  private var tabItems: [Place] = []

  init(host: CarHost) { self.host = host }

  private var manager: MPPlayableContentManager { .shared() }
  private var hasTabs: Bool { host.app?.description.manifest.hasSectionedBrowsing ?? false }

  private var limits: PlayableContentLimits { manager.context.limits }

  // MARK: Loading

  /// Loads the level again, as `reloadData()` requests.
  func reload() {
    load += 1
    questions = 0
    state = .loading
    reloads = (reloads.turn == host.turn ? reloads.count + 1 : 1, host.turn)
    guard reloads.count <= Self.maximumReloads else {
      host.events.cancel(timeout)
      return host.report(
        CarDiagnostic(
          .rate, what: "the content was reloaded \(reloads.count) times without an act of the driver",
          carShows: "a spinner for ever, if each load reloads it again",
          remedy: "do not call reloadData in the methods of the data source"))
    }
    show(path)
  }

  /// The maximum number of reloads between two actions of the driver. Ours: content that arrives from a network in
  /// parts is reloaded a few times.
  private static let maximumReloads = 20

  private func show(_ path: IndexPath) {
    self.path = path
    state = .loading
    load += 1
    let load = load
    host.events.cancel(timeout)
    guard let source = manager.dataSource else {
      host.report(
        CarDiagnostic(
          .setup, what: "MPPlayableContentManager has no data source", carShows: "an error",
          remedy: "set the data source in didFinishLaunching, before a car connects"))
      state = .failed
      return
    }
    timeout = host.events.after(host.settings.behavior.contentTimeout, .timer) { [weak self] in
      self?.fail(load, "the content of \(Self.text(path)) was not loaded in time")
    }
    let answer = ContentAnswer { [weak self] error in self?.loaded(load, error) }
    host.callDelegate(source, "data source", "beginLoadingChildItems(at:completionHandler:)", Self.text(path)) {
      $0.beginLoadingChildItems(at: path) { answer.give($0) }
    }
  }

  private func fail(_ load: Int, _ what: String) {
    guard load == self.load, case .loading = state else { return }
    state = .failed
    host.report(
      CarDiagnostic(
        .completion, what: what, carShows: "a spinner, then a text that loading failed",
        remedy: "call the completion of beginLoadingChildItems on every path, with an error if there is one"))
  }

  private func loaded(_ load: Int, _ error: (any Error)?) {
    guard load == self.load, host.app != nil, let source = manager.dataSource else { return }
    host.events.cancel(timeout)
    host.note(.fromApp, "completion", "of beginLoadingChildItems", object: "closure")
    guard error == nil else {
      state = .failed
      return
    }
    questions += 1
    let count = source.numberOfChildItems(at: path)
    if count < 0 {
      host.report(
        CarDiagnostic(
          .note, what: "numberOfChildItems(at:) of \(Self.text(path)) is \(count)", carShows: "no rows",
          remedy: "return 0 for a level without items"))
    }
    if path.isEmpty, count <= 0 {
      host.report(
        CarDiagnostic(
          .setup, what: "the root of the content has no item", carShows: "an error",
          remedy: "give at least one row, such as one that asks the user to log in on the phone"))
      state = .failed
      return
    }
    if hasTabs {
      let count = path.isEmpty ? count : source.numberOfChildItems(at: IndexPath())
      let kept = host.settings.limits.maximumContentTabs
      host.reportCut(
        "tabs", given: count, kept: kept, of: manager, "reloadData", remedy: "give at most \(kept) items in the root")
      tabItems = ask(source, IndexPath(), min(count, kept))
      if path.isEmpty { return show(IndexPath(index: 0)) }
    }
    state = .loaded(count: max(0, count))
    askForItems()
  }

  /// Asks the app for the items that changed limits allow, unless the app reloads its content for them.
  func limitsChanged() {
    let load = load
    host.checks.append { [weak self] in
      guard let self, self.load == load else { return }
      self.askForItems()
    }
  }

  private func askForItems() {
    guard case .loaded(let count) = state, let source = manager.dataSource else { return }
    let kept = min(count, limits.areEnforced ? limits.itemCount : host.settings.limits.maximumItemCount)
    host.reportCut(
      "content items", given: count, kept: kept, of: manager, "reloadData",
      remedy: "read enforcedContentItemsCount and put the most important items first")
    items = ask(source, path, kept)
    guard questions > host.settings.behavior.contentQuestions else { return }
    host.report(
      CarDiagnostic(
        .slow, what: "the data source was asked more than \(host.settings.behavior.contentQuestions) times in a load",
        carShows: "a slow list", remedy: "give fewer rows in a level, and prepare them before the completion"))
  }

  private func ask(_ source: any MPPlayableContentDataSource, _ path: IndexPath, _ count: Int) -> [Place] {
    (0..<max(0, count)).compactMap { index in
      questions += 1
      let path = path.appending(index)
      return source.contentItem(at: path).map { (path, $0) }
    }
  }

  // MARK: The screen

  func element() -> Element {
    var parts: [Element] = []
    switch state {
    case .loading: parts.append(Element(ScreenNode(.spinner, hasSpinner: true)))
    case .failed: parts.append(Element(ScreenNode(.error, "Unable to load content")))
    case .loaded: parts += items.map(row)
    }
    if canGoBack {
      parts.insert(Element(ScreenNode(.back, "Back"), focusGroup: 0) { [weak self] in self?.back() }, at: 0)
    }
    return Element(ScreenNode(.content), children: nowPlayingButton + parts + tabs())
  }

  /// The button at the top right while content plays (S2).
  private var nowPlayingButton: [Element] {
    guard host.nowPlaying.shown != nil else { return [] }
    return [
      Element(ScreenNode(.button, "Now Playing"), focusGroup: 0) { [host] in host.openNowPlaying() }
    ]
  }

  private func tabs() -> [Element] {
    guard path.count <= 1 else { return [] }
    return tabItems.map { path, item in
      let room = TextRoom(
        points: host.settings.screen.appArea.width / Double(host.settings.limits.maximumContentTabs))
      let title = FittedText(item.title ?? "", in: room)
      return host.reporting {
        if title.isCut {
          host.report(
            CarDiagnostic(
              .text, what: "a tab's title does not fit", carShows: "\"\(title.text)\"", remedy: "give a shorter title"))
        }
        return Element(
          ScreenNode(.tab, title.text, isSelected: self.path == path, isCut: title.isCut), title, focusGroup: 3
        ) { [weak self] in self?.show(path) }
      }
    }
  }

  private func row(_ path: IndexPath, _ item: MPContentItem) -> Element {
    let room = TextRoom(points: host.settings.screen.appArea.width - SystemLayout.accessory)
    let title = FittedText(item.title ?? "", in: room)
    let detail = FittedText(item.subtitle ?? "", in: room)
    var marks: [ScreenMark] = []
    if item.isExplicitContent { marks.append(.explicit) }
    if item.isStreamingContent { marks.append(.cloud) }
    if item.playbackProgress >= 0 { marks.append(.progress(item.playbackProgress)) }
    if item.isContainer { marks.append(.disclosure) }
    return Element(
      ScreenNode(
        .row, title.text, detail: detail.text, isCut: title.isCut || detail.isCut, hasSpinner: busy == path,
        marks: marks), title, detail
    ) { [weak self] in self?.tap(path, item) }
  }

  // MARK: Input

  private func tap(_ path: IndexPath, _ item: MPContentItem) {
    guard busy == nil else { return host.note(.car, "list is busy") }
    if item.isContainer { return open(path) }
    guard item.isPlayable, let delegate = manager.delegate else { return host.note(.car, "no reaction") }
    busy = path
    let answer = ContentAnswer { [weak self] error in self?.started(error) }
    let report = host.events.after(host.settings.behavior.handlerReportDelay, .timer) { [weak self] in
      guard let self, self.busy == path else { return }
      self.host.report(
        CarDiagnostic(
          .completion, what: "the completion of initiatePlaybackOfContentItemAt was not called",
          carShows: "a list that waits for ever", remedy: "call it on every path"))
    }
    pendingReport = report
    host.callDelegate(
      delegate, "content delegate", "playableContentManager(_:initiatePlaybackOfContentItemAt:completionHandler:)",
      Self.text(path)
    ) {
      $0.playableContentManager(manager, initiatePlaybackOfContentItemAt: path) { answer.give($0) }
    }
  }

  private var pendingReport: HostEvents.ID?

  private func started(_ error: (any Error)?) {
    host.events.cancel(pendingReport)
    busy = nil
    host.note(.fromApp, "completion", "of initiatePlayback", object: "closure")
    guard error == nil, host.app != nil, host.content === self, host.front == .app else { return }
    if MPNowPlayingInfoCenter.default().nowPlayingInfo == nil {
      host.report(
        CarDiagnostic(
          .order, what: "the playback completion was called before the Now Playing information was set",
          carShows: "an empty Now Playing screen", remedy: "set nowPlayingInfo first, then call the completion"))
    }
    host.openNowPlaying()
  }

  private func open(_ path: IndexPath) {
    if path.count >= limits.treeDepth {
      host.report(
        CarDiagnostic(
          .depth, what: "a content level of depth \(path.count + 1), \(limits.treeDepth) allowed",
          carShows: "the app is ended", remedy: "read enforcedContentTreeDepth and give no deeper containers"))
      return host.end(.killed(signal: 9, reason: "the content tree is deeper than the car allows"))
    }
    show(path)
  }

  /// Whether there is a level above the shown one.
  var canGoBack: Bool { path.count > (hasTabs ? 1 : 0) }

  func back() {
    guard canGoBack else { return }
    show(path.dropLast())
  }

  /// Cancels the pending work.
  func stop() {
    load += 1
    host.events.cancel(timeout)
    host.events.cancel(pendingReport)
  }

  private static func text(_ path: IndexPath) -> String { "[\(path.map(String.init).joined(separator: ", "))]" }
}

/// A thread-safe path for a completion of the old content API to the host. An app may call it from any thread.
final class ContentAnswer: @unchecked Sendable {
  // Unsafe: the closure is created on the main actor and runs only there.
  private let body: @MainActor ((any Error)?) -> Void

  init(_ body: @escaping @MainActor ((any Error)?) -> Void) { self.body = body }

  func give(_ error: (any Error)?) {
    CarHost.onMain { self.body(error) }
  }
}

extension CarHost {
  /// Opens an app of the old content API.
  func startContent() {
    front = .app
    guard content == nil else { return }
    let browser = ContentBrowser(host: self)
    content = browser
    MPPlayableContentManager.shared().changes.set { [weak self] change in
      Self.onMain {
        self?.activity &+= 1
        switch change {
        case .reload, .dataSource, .updates(0): self?.content?.reload()
        case .delegate, .updates, .nowPlaying: break
        }
      }
    }
    contentLimitsChanged()
    browser.reload()
  }

  /// Closes the app of the old content API.
  func endContent() {
    guard let content else { return }
    content.stop()
    self.content = nil
    setContentLimits(isConnected: false)
  }

  /// Passes the current limits to the app.
  func contentLimitsChanged() {
    guard content != nil else { return }
    setContentLimits(isConnected: true)
    content?.limitsChanged()
  }

  private func setContentLimits(isConnected: Bool) {
    let isLimited = session.limitedUserInterfaces.contains(.lists)
    let limits = PlayableContentLimits(
      itemCount: isLimited ? settings.limits.enforcedContentItems : .max,
      treeDepth: settings.limits.enforcedContentDepth, areEnforced: isLimited, isEndpointAvailable: isConnected)
    let manager = MPPlayableContentManager.shared()
    manager.setLimits(limits)
    callDelegate(
      manager.delegate, "content delegate", "playableContentManager(_:didUpdate:)",
      isLimited ? "\(limits.itemCount) items" : "no limit"
    ) { $0.playableContentManager(manager, didUpdate: manager.context) }
  }
}
