// swift-iap2 · Apache-2.0

import IAP2
import Testing
import WireSupport

@testable import IAP2Roles

/// Media library (Features.md#media-library-order).
@Suite struct MediaLibraryTests {
  private static func library(_ count: UInt64) -> MediaLibrary {
    MediaLibrary(name: "Phone", identifier: "L1", items: (0..<count).map { NowPlayingTests.song($0) })
  }

  private static func updates(_ output: PolicyOutput) throws -> [MediaLibraryUpdate] {
    try output.sent.filter { ControlHeader.id(of: $0) == 0x4C04 }.map {
      try MediaLibraryUpdate(decoding: $0.rawBytes)
    }
  }

  private static func start(_ library: String, revision: String? = nil, item: [UInt16] = [0, 1]) -> [UInt8] {
    parameter(0, text(library)) + (revision.map { parameter(1, text($0)) } ?? [])
      + parameter(2, item.flatMap { parameter($0, []) })
  }

  @Test func librariesAreListedOnRequestAndWhenTheyChange() throws {
    var phone = try PhoneBench(.mediaLibrary) { $0.libraries = [Self.library(1)] }
    let entry = parameter(0, text("Phone")) + parameter(1, text("L1")) + parameter(2, [0])
    #expect(phone.ready.sent.isEmpty)
    #expect(phone.receive(0x4C00).sent == [controlMessage(0x4C01, parameter(0, entry))])
    #expect(phone.change { $0.libraries[0].put(NowPlayingTests.song(9)) }.sent.isEmpty)
    #expect(phone.change { $0.libraries = [] }.sent == [controlMessage(0x4C01, [])])
    expectStops(&phone, 0x4C02) { $0.libraries = [Self.library(2)] }
  }

  @Test func aLibraryComesInMessagesOf20WithTheRequestedAttributes() throws {
    var phone = try PhoneBench(.mediaLibrary) { $0.libraries = [Self.library(41)] }
    let updates = try Self.updates(phone.receive(0x4C03, Self.start("L1")))
    #expect(updates.map(\.mediaItem.count) == [0, 20, 20, 1] && updates[0].mediaLibraryReset.isSet)
    #expect(updates.flatMap(\.mediaItem).compactMap(\.mediaItemPersistentIdentifier) == Array(0..<41))
    #expect(updates[3].mediaItem[0].mediaItemTitle == "Song 40" && updates[3].mediaItem[0].mediaItemArtist == nil)
    // The last message has progress 100 and the revision.
    #expect(updates.map(\.mediaLibraryUpdateProgress) == [25, 50, 75, 100])
    #expect(updates.map(\.mediaLibraryRevision) == [nil, nil, nil, "1"])
  }

  @Test func aKnownRevisionGetsTheChangesAlone() throws {
    var library = Self.library(3)
    library.put(NowPlayingTests.song(7))
    library.removeItem(0)
    library.put(NowPlayingTests.song(8))
    library.removeItem(8)
    #expect(library.revision == 5)
    var phone = try PhoneBench(.mediaLibrary) { $0.libraries = [library] }
    let updates = try Self.updates(phone.receive(0x4C03, Self.start("L1", revision: "1")))
    #expect(updates.allSatisfy { !$0.mediaLibraryReset.isSet } && updates.last?.mediaLibraryRevision == "5")
    #expect(updates.flatMap(\.mediaItem).compactMap(\.mediaItemPersistentIdentifier) == [7])
    #expect(updates.flatMap(\.mediaItemDeletePersistentIdentifier) == [0, 8])
    #expect(phone.receive(0x4C03, Self.start("L1", revision: "5")).sent.isEmpty)
    // A revision that is not this library's brings everything.
    for revision in ["6", "0", "-1", "x"] {
      let all = try Self.updates(phone.receive(0x4C03, Self.start("L1", revision: revision)))
      #expect(all.first?.mediaLibraryReset.isSet == true && all.flatMap(\.mediaItem).count == 3)
    }
  }

  @Test func sixtyFourChangesAreRemembered() {
    var library = Self.library(1)
    for number in 0..<100 { library.put(NowPlayingTests.song(UInt64(number))) }
    #expect(library.revision == 101)
    #expect(library.changes(after: 37)?.items.count == 64 && library.changes(after: 36) == nil)
    #expect(library.changes(after: 101)?.items == [] && library.changes(after: 102) == nil)
    // Removing what is not there is no change.
    library.removeItem(1000)
    library.removePlaylist(1)
    #expect(library.revision == 101)
  }

  @Test func aLibraryThatReplacesAnotherContinuesItsRevisions() throws {
    var phone = try PhoneBench(.mediaLibrary) { $0.libraries = [Self.library(1)] }
    phone.receive(0x4C03, Self.start("L1"))
    let updates = try Self.updates(phone.change { $0.libraries = [Self.library(2)] })
    #expect(updates.first?.mediaLibraryReset.isSet == true && updates.last?.mediaLibraryRevision == "2")
  }

  @Test func anUnknownLibraryIsNamed() throws {
    var phone = try PhoneBench(.mediaLibrary) { $0.libraries = [Self.library(1)] }
    #expect(
      phone.receive(0x4C03, Self.start("L2"))
        == PolicyOutput([.event(.violation(.unknownTarget(message: 0x4C03)))]))
    let odd = phone.receive(0x4C03, Self.start("L1") + parameter(0x60, []))
    #expect(odd.violations == [.unknownAttributes(message: 0x4C03, [0x60])] && !odd.sent.isEmpty)
  }
}
