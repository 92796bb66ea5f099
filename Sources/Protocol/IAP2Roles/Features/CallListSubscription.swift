// swift-iap2 · Apache-2.0

import IAP2

/// A subscription of a car to the phone's call lists, with the lists that were sent last.
struct CallListSubscription: Sendable {
  private var start: StartListUpdates?
  private var reported: ListUpdate?

  var isActive: Bool { start != nil }

  mutating func begin(_ start: StartListUpdates) {
    self.start = start
    reported = nil
  }

  mutating func stop() {
    start = nil
    reported = nil
  }

  /// Returns the requested lists; nil if they have not changed.
  mutating func update(to telephone: Telephone) -> ListUpdate? {
    guard let start else { return nil }
    var update = ListUpdate()
    if let wanted = start.recentsListProperties {
      let recents = Self.recents(telephone.recents, combined: start.recentsListCombine ?? false)
      update.recentsListAvailable = true
      update.recentsList = recents.prefix(Int(start.recentsListMax ?? .max)).enumerated().map {
        Self.entry($0.offset, $0.element, wanted)
      }
      update.recentsListCount = UInt16(update.recentsList.count)
    }
    if let wanted = start.favoritesListProperties {
      update.favoritesListAvailable = true
      update.favoritesList = telephone.favorites.prefix(Int(start.favoritesListMax ?? .max)).enumerated().map {
        Self.entry($0.offset, $0.element, wanted)
      }
      update.favoritesListCount = UInt16(update.favoritesList.count)
    }
    guard update != reported else { return nil }
    reported = update
    return update
  }

  /// Returns the calls with the number of times each one occurs in a row. Equal neighbors form one entry if `combined`
  /// is true.
  private static func recents(_ calls: [RecentCall], combined: Bool) -> [(call: RecentCall, times: Int)] {
    var all: [(call: RecentCall, times: Int)] = []
    for call in calls {
      if combined, let last = all.last, last.call.contact == call.contact, last.call.type == call.type {
        all[all.count - 1].times += 1
      } else {
        all.append((call, 1))
      }
    }
    return all
  }

  private static func entry(
    _ index: Int, _ recent: (call: RecentCall, times: Int), _ wanted: StartListUpdates.RecentsListProperties
  ) -> ListUpdate.RecentsList {
    var entry = ListUpdate.RecentsList()
    let contact = recent.call.contact
    if wanted.index.isSet { entry.index = UInt16(clamping: index) }
    if wanted.remoteID.isSet { entry.remoteID = contact.remote }
    if wanted.displayName.isSet { entry.displayName = contact.name }
    if wanted.label.isSet { entry.label = contact.label }
    if wanted.service.isSet { entry.service = contact.service }
    if wanted.type.isSet { entry.type = recent.call.type }
    if wanted.unixTimestamp.isSet { entry.unixTimestamp = recent.call.time }
    if wanted.duration.isSet { entry.duration = recent.call.duration }
    if wanted.occurrences.isSet { entry.occurrences = UInt8(clamping: recent.times) }
    return entry
  }

  private static func entry(
    _ index: Int, _ contact: Contact, _ wanted: StartListUpdates.FavoritesListProperties
  ) -> ListUpdate.FavoritesList {
    var entry = ListUpdate.FavoritesList()
    if wanted.index.isSet { entry.index = UInt16(clamping: index) }
    if wanted.remoteID.isSet { entry.remoteID = contact.remote }
    if wanted.displayName.isSet { entry.displayName = contact.name }
    if wanted.label.isSet { entry.label = contact.label }
    if wanted.service.isSet { entry.service = contact.service }
    return entry
  }
}
