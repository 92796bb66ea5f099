// swift-iap2 · Apache-2.0

public import Foundation
import Synchronization

/// A player of items one after the other. A played item leaves the queue.
open class AVQueuePlayer: AVPlayer, @unchecked Sendable {
  /// Creates a player without an item.
  public override init() {
    super.init()
    actionAtItemEnd = .advance
  }

  /// Creates a player of a local file or a stream.
  public override init(url: URL) {
    super.init(url: url)
    actionAtItemEnd = .advance
  }

  /// Creates a player of an item.
  public override init(playerItem item: AVPlayerItem?) {
    super.init(playerItem: item)
    actionAtItemEnd = .advance
  }

  /// Creates a player of items.
  public init(items: [AVPlayerItem]) {
    super.init()
    actionAtItemEnd = .advance
    for item in items { add(item) }
  }

  /// Returns the current item and those after it.
  open func items() -> [AVPlayerItem] { state.withLock { $0.items } }

  /// Returns whether an item is in no queue.
  open func canInsert(_ item: AVPlayerItem, after afterItem: AVPlayerItem?) -> Bool {
    item.player == nil && (afterItem == nil || afterItem?.player === self)
  }

  /// Adds an item after another one, or at the end. An item that ``canInsert(_:after:)`` refuses is not added; iOS raises
  /// an exception.
  open func insert(_ item: AVPlayerItem, after afterItem: AVPlayerItem?) {
    guard isFree(item), canInsert(item, after: afterItem) else { return }
    state.withLock { state in
      let index = state.items.firstIndex { $0 === afterItem }
      state.items.insert(item, at: index.map { $0 + 1 } ?? state.items.count)
    }
    adopt(item)
    observations.report()
  }

  /// Removes an item. If it is the current one, the next one plays.
  open func remove(_ item: AVPlayerItem) { remove { $0 === item } }

  /// Removes all items.
  open func removeAllItems() { remove { _ in true } }

  /// Goes to the next item.
  open func advanceToNextItem() {
    guard let current = currentItem else { return }
    remove(current)
  }

  private func remove(_ isRemoved: (AVPlayerItem) -> Bool) {
    let removed = change { state in
      let removed = state.items.filter(isRemoved)
      state.items.removeAll(where: isRemoved)
      return removed
    }
    for item in removed { item.player = nil }
  }
}
