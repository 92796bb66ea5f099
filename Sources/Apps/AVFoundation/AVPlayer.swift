// swift-iap2 · Apache-2.0

public import Foundation
import PortingSupport
import Synchronization

/// A player of items, with its state, its observers and its ends. The sound passes in the car's time. A phone of
/// `iap2 carplay` lets it be heard at the head unit; elsewhere nothing is heard.
///
/// Any thread may use it. On iOS it belongs to the main actor.
///
/// Invariant for `@unchecked Sendable`: the state is used under its lock only.
open class AVPlayer: NSObject, @unchecked Sendable {
  /// Whether the player can play.
  public enum Status: Int, Sendable {
    /// No item has been loaded.
    case unknown
    /// It can play.
    case readyToPlay
    /// It cannot play any more. That does not happen here.
    case failed
  }

  /// Whether sound passes.
  public enum TimeControlStatus: Int, Sendable {
    /// The player rests.
    case paused
    /// The player shall play, and has no item that is ready.
    case waitingToPlayAtSpecifiedRate
    /// The player plays.
    case playing
  }

  /// The action of the player at the end of an item.
  public enum ActionAtItemEnd: Int, Sendable {
    /// The next item plays.
    case advance
    /// The player rests.
    case pause
    /// The player stays at the end of the item, with its rate.
    case none
  }

  struct State: Sendable {
    /// The current item and those after it.
    var items: [AVPlayerItem] = []
    var status = Status.unknown
    var rate: Float = 0
    /// The speed before the present interruption; nil without one, and if the app has set another speed since.
    var interruptedRate: Float?
    var defaultRate: Float = 1
    var volume: Float = 1
    var isMuted = false
    var actionAtItemEnd = ActionAtItemEnd.pause
    /// The item that plays, and the number of its sound for the clock.
    var playing: (item: AVPlayerItem, sound: Int)?
    /// The number of the last change. An end or a tick of an earlier one is void.
    var turn = 0
    var observers: [TimeObserver] = []

    /// The volume that is heard.
    var loudness: Double { isMuted ? 0 : Double(volume) }

    /// The current item, if it is ready and shall play.
    var wanted: AVPlayerItem? { items.first.flatMap { rate > 0 && $0.status == .readyToPlay ? $0 : nil } }

    /// Whether the player shall play on from the end of an item.
    var isStuck: Bool { playing == nil && wanted != nil && actionAtItemEnd != .none }

    mutating func stop() {
      if let playing { PlaybackClock.shared.end(playing.sound) }
      playing?.item.rest()
      playing = nil
      turn += 1
    }

    mutating func start(interrupt: @escaping @Sendable () -> PlaybackClock.Interrupted) {
      guard let item = wanted, !item.isAtEnd else { return }
      let sound = PlaybackClock.Sound(
        file: item.asset.file, place: item.place, rate: Double(rate), volume: loudness)
      item.run(rate: sound.rate)
      playing = (item, PlaybackClock.shared.start(sound, interrupt: interrupt))
    }
  }

  /// Whether the player waits for enough of a stream. Nothing stalls here, so it changes nothing.
  open var automaticallyWaitsToMinimizeStalling = true
  let observations = KeyValueObservations()
  let state = Mutex(State())

  /// Creates a player without an item.
  public override init() { super.init() }

  /// Creates a player of a local file or a stream.
  public init(url: URL) {
    super.init()
    add(AVPlayerItem(url: url))
  }

  /// Creates a player of an item.
  public init(playerItem item: AVPlayerItem?) {
    super.init()
    if let item { add(item) }
  }

  deinit {
    guard let playing = state.withLock({ $0.playing }) else { return }
    PlaybackClock.shared.end(playing.sound)
    playing.item.rest()
  }

  /// Whether the player can play.
  open var status: Status { state.withLock { $0.status } }
  /// The reason of the status `failed`, which does not come here.
  open var error: (any Error)? { nil }
  /// The item that plays or rests.
  open var currentItem: AVPlayerItem? { state.withLock { $0.items.first } }

  /// Whether sound passes.
  open var timeControlStatus: TimeControlStatus {
    state.withLock { state in
      if state.rate == 0 { return .paused }
      return state.items.first?.status == .readyToPlay ? .playing : .waitingToPlayAtSpecifiedRate
    }
  }

  /// The speed, at most 32; 0 at rest. Nothing plays backwards, so a negative speed is not taken.
  open var rate: Float {
    get { state.withLock { $0.rate } }
    set {
      state.withLock { $0.interruptedRate = nil }
      guard newValue >= 0, newValue != rate else { return }
      change { $0.rate = min(newValue, PlaybackClock.fastestRate) }
    }
  }

  /// The speed that ``play()`` sets.
  open var defaultRate: Float {
    get { state.withLock { $0.defaultRate } }
    set { state.withLock { $0.defaultRate = newValue } }
  }

  /// The action at the end of an item.
  open var actionAtItemEnd: ActionAtItemEnd {
    get { state.withLock { $0.actionAtItemEnd } }
    set { state.withLock { $0.actionAtItemEnd = newValue } }
  }

  /// The volume, from 0 to 1.
  open var volume: Float {
    get { state.withLock { $0.volume } }
    set { setLoudness { $0.volume = newValue } }
  }

  /// Whether the sound is silent.
  open var isMuted: Bool {
    get { state.withLock { $0.isMuted } }
    set { setLoudness { $0.isMuted = newValue } }
  }

  /// Plays from the current place, at the default speed.
  open func play() { rate = defaultRate }

  /// Plays from the current place at a speed.
  open func playImmediately(atRate rate: Float) { self.rate = rate }

  /// Rests at the current place.
  open func pause() { rate = 0 }

  /// Puts another item, or none, in the place of the current one. The rate stays. An item that a player has is not taken;
  /// iOS raises an exception.
  open func replaceCurrentItem(with item: AVPlayerItem?) {
    guard item !== currentItem, item.map(isFree) ?? true else { return }
    let former = change { state in
      let former = state.items.first
      state.items.replaceSubrange(..<min(1, state.items.count), with: item.map { [$0] } ?? [])
      return former
    }
    former?.player = nil
    if let item { adopt(item) }
  }

  /// Returns the place in the current item; 0 without one.
  open func currentTime() -> CMTime { currentItem?.currentTime() ?? .zero }

  /// Goes to a place in the current item.
  open func seek(to time: CMTime) { currentItem?.seek(to: time, completionHandler: nil) }

  /// Goes to a place in the current item, and calls the closure on the main queue.
  open func seek(to time: CMTime, completionHandler: @escaping @Sendable (Bool) -> Void) {
    guard let item = currentItem else { return PlaybackClock.shared.after(0) { completionHandler(false) } }
    item.seek(to: time, completionHandler: completionHandler)
  }

  /// Goes to a place in the current item exactly, whatever the tolerances are.
  open func seek(to time: CMTime, toleranceBefore: CMTime, toleranceAfter: CMTime) { seek(to: time) }

  /// Goes to a place in the current item exactly, whatever the tolerances are, and calls the closure on the main queue.
  open func seek(
    to time: CMTime, toleranceBefore: CMTime, toleranceAfter: CMTime,
    completionHandler: @escaping @Sendable (Bool) -> Void
  ) { seek(to: time, completionHandler: completionHandler) }

  /// Goes to a place in the current item. Returns whether there is an item, and the time was a place.
  @discardableResult
  open func seek(to time: CMTime) async -> Bool { await currentItem?.seek(to: time) ?? false }

  /// Goes to a place in the current item exactly, whatever the tolerances are.
  @discardableResult
  open func seek(to time: CMTime, toleranceBefore: CMTime, toleranceAfter: CMTime) async -> Bool {
    await currentItem?.seek(to: time) ?? false
  }

  /// Calls a closure whenever an interval of the item's time has passed, and when the player starts, stops or moves.
  ///
  /// - Parameters:
  ///   - interval: The interval. One of less than 0.01 s counts as that.
  ///   - queue: The queue of the closure; nil for the main queue.
  ///   - block: Gets the place in the item.
  /// - Returns: A token for ``removeTimeObserver(_:)``. The player keeps the closure until then.
  open func addPeriodicTimeObserver(
    forInterval interval: CMTime, queue: DispatchQueue?, using block: @escaping @Sendable (CMTime) -> Void
  ) -> Any {
    add(TimeObserver(places: .every(TimeObserver.interval(interval.seconds)), queue: queue, closure: block))
  }

  /// Calls a closure whenever the item passes one of some places.
  ///
  /// - Parameters:
  ///   - times: The places. That of the end is not passed.
  ///   - queue: The queue of the closure; nil for the main queue.
  ///   - block: The closure.
  /// - Returns: A token for ``removeTimeObserver(_:)``. The player keeps the closure until then.
  open func addBoundaryTimeObserver(
    forTimes times: [NSValue], queue: DispatchQueue?, using block: @escaping @Sendable () -> Void
  ) -> Any {
    let places = times.map(\.timeValue).filter(\.isNumeric).map(\.seconds)
    return add(TimeObserver(places: .at(places), queue: queue) { _ in block() })
  }

  /// Removes an observer of the time.
  open func removeTimeObserver(_ observer: Any) {
    let removed = state.withLock { state in
      let index = state.observers.firstIndex { $0 === observer as AnyObject }
      return index.map { state.observers.remove(at: $0) }
    }
    withExtendedLifetime(removed) {}
  }
}

// The way of the sound. Each change stops the sound, changes the state, and starts the sound again if it shall play.
extension AVPlayer {
  /// Changes the state at rest.
  @discardableResult
  func change<Result>(atEnd: Bool = false, _ body: (inout State) -> Result) -> Result {
    let (result, before, after) = state.withLock { state in
      let before = state.playing?.item
      state.stop()
      let result = body(&state)
      state.start { [weak self] in self?.interrupt() }
      return (result, before, state)
    }
    let current = after.playing?.item
    if let current, current !== before { PlaybackClock.shared.note("play", current.name, "player") }
    if current == nil, let before, !atEnd { PlaybackClock.shared.note("pause", before.name, "player") }
    if let current { schedule(current, after) }
    if after.isStuck { at(after.turn, after: 0) { $0.leaveItem() } }
    for observer in after.observers where observer.isPeriodic && !after.items.isEmpty { tellPlace(observer) }
    observations.report()
    return result
  }

  /// Rests for an interruption. Behind it the player plays on by itself (CarPlay/Behavior.md#sound-interruption).
  private func interrupt() -> PlaybackClock.Interrupted {
    change { ($0.interruptedRate, $0.rate) = ($0.rate, 0) }
    return { [weak self] in
      guard let self, let rate = state.withLock({ $0.interruptedRate }) else { return }
      self.rate = rate
    }
  }

  /// Moves the current item to another place.
  final func move(_ body: () -> Void) { change { _ in body() } }

  /// Returns whether no player has an item, and notes one that is in use.
  final func isFree(_ item: AVPlayerItem) -> Bool {
    guard item.player != nil else { return true }
    PlaybackClock.shared.note("refuse", "\(item.name), which a player has", "player")
    return false
  }

  /// Adds an item at the end of the queue, if no player has it.
  final func add(_ item: AVPlayerItem) {
    guard isFree(item) else { return }
    state.withLock { $0.items.append(item) }
    adopt(item)
  }

  /// Loads an item that the player got.
  final func adopt(_ item: AVPlayerItem) {
    item.player = self
    PlaybackClock.shared.after(0) { [weak self, weak item] in
      guard let item else { return }
      item.load()
      guard let self else { return }
      let isCurrent = state.withLock { state in
        if item.status == .readyToPlay { state.status = .readyToPlay }
        return state.items.first === item && state.playing == nil
      }
      if isCurrent { change { _ in } } else { observations.report() }
    }
  }

  private func setLoudness(_ body: (inout State) -> Void) {
    let (sound, loudness) = state.withLock { state in
      body(&state)
      return (state.playing?.sound, state.loudness)
    }
    if let sound { PlaybackClock.shared.set(volume: loudness, of: sound) }
    observations.report()
  }

  private func schedule(_ item: AVPlayerItem, _ state: State) {
    for observer in state.observers { schedule(observer, after: item.place, state.turn) }
    guard let length = item.length else { return }
    at(state.turn, after: (length - item.place) / Double(state.rate)) { [weak item] player in
      guard let item else { return }
      player.leaveItem()
      MainActor.assumeIsolated { SystemNotification.post(AVPlayerItem.didPlayToEndTimeNotification, object: item) }
    }
  }

  /// Runs a closure after some seconds, unless the player has changed until then.
  private func at(_ turn: Int, after seconds: Double, _ body: @escaping @Sendable (AVPlayer) -> Void) {
    PlaybackClock.shared.after(seconds) { [weak self] in
      guard let self, state.withLock({ $0.turn == turn }) else { return }
      body(self)
    }
  }

  /// Does what is to be done at the end of the current item.
  private func leaveItem() {
    let removed: AVPlayerItem? = change(atEnd: true) { state in
      state.items.first?.place = .infinity
      switch state.actionAtItemEnd {
      case .advance: return state.items.isEmpty ? nil : state.items.removeFirst()
      case .pause: state.rate = 0
      case .none: break
      }
      return nil
    }
    removed?.player = nil
  }

  // MARK: Observers of the time

  private func add(_ observer: TimeObserver) -> TimeObserver {
    let (turn, item) = state.withLock { state in
      state.observers.append(observer)
      return (state.turn, state.playing?.item)
    }
    if let item { schedule(observer, after: item.place, turn) }
    return observer
  }

  private func schedule(_ observer: TimeObserver, after place: Double, _ turn: Int) {
    let (now, rate) = (currentItem?.place ?? place, Double(rate))
    guard rate > 0, let next = observer.next(after: place), next < currentItem?.length ?? .infinity else { return }
    at(turn, after: (next - now) / rate) { [weak observer] player in
      guard let observer, player.has(observer) else { return }
      observer.tell(next)
      player.schedule(observer, after: next, turn)
    }
  }

  private func has(_ observer: TimeObserver) -> Bool {
    state.withLock { state in state.observers.contains { $0 === observer } }
  }

  private func tellPlace(_ observer: TimeObserver) {
    PlaybackClock.shared.after(0) { [weak self, weak observer] in
      guard let self, let observer, has(observer) else { return }
      observer.tell(currentTime().seconds)
    }
  }
}
