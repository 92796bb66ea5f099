// swift-iap2 · Apache-2.0

import CarPlaySession
import CommandSupport
import Foundation
import Glibc
import Testing

@testable import CarPlayCommand

@Suite struct PairingFileTests {
  /// A folder for a test, which is removed behind it.
  private func inFolder(_ body: (URL) throws -> Void) throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "iap2-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { do { try FileManager.default.removeItem(at: folder) } catch { Issue.record(error) } }
    try body(folder)
  }

  private func peer(_ name: String) -> PairedPeer {
    PairedPeer(identifier: name, publicKey: [UInt8](repeating: 255, count: 32))
  }

  private func mode(_ url: URL) throws -> Int {
    let mode = try FileManager.default.attributesOfItem(atPath: url.path())[.posixPermissions] as? NSNumber
    return try #require(mode).intValue
  }

  private func setMode(_ mode: Int, _ url: URL) throws {
    try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: url.path())
  }

  private func names(_ folder: URL) throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: folder.path()).sorted()
  }

  @Test func theLongestNamesFitAFileAndTheOldestSideGoesFirst() throws {
    try inFolder { folder in
      let url = folder.appending(path: "pairings.json")
      let path = url.path()
      // JSON writes each of these characters with six bytes. The end of a name is its number.
      func name(_ number: Int) -> String { String(repeating: "\u{1}", count: 251) + String(number + 1000) }
      _ = try PairingFile(path: path)
      var content = try #require(try JSONSerialization.jsonObject(with: Data(contentsOf: url)) as? [String: Any])
      content["peers"] = (0..<PairingFile.maximumPeerCount).map {
        ["identifier": name($0), "publicKey": String(repeating: "f", count: 64)]
      }
      try JSONSerialization.data(withJSONObject: content).write(to: url)
      var file = try #require(try PairingFile(existing: path))
      try file.add(peer(name(PairingFile.maximumPeerCount)))
      let read = try #require(try PairingFile(existing: path))
      #expect(read.peers.map(\.identifier) == (1...PairingFile.maximumPeerCount).map(name))
      // Further strangers push out each other, and none of those of before.
      for number in 1...3 { try file.add(peer(name(PairingFile.maximumPeerCount + number))) }
      let later = try #require(try PairingFile(existing: path)).peers.map(\.identifier)
      #expect(later == ((1..<PairingFile.maximumPeerCount) + [PairingFile.maximumPeerCount + 3]).map(name))
    }
  }

  @Test func theFileIsForItsOwnerAloneWhateverWasThere() throws {
    try inFolder { folder in
      let url = folder.appending(path: "new/pairings.json")
      var file = try PairingFile(path: url.path())
      #expect(try mode(url) == 0o600 && mode(folder.appending(path: "new")) == 0o700)
      // A file that others may read, as a copy or a backup may be.
      try setMode(0o644, url)
      try file.add(peer("phone"))
      #expect(try mode(url) == 0o600)
      try setMode(0o644, url)
      _ = try #require(try PairingFile(existing: url.path()))
      #expect(try mode(url) == 0o600)
      #expect(try names(folder.appending(path: "new")) == ["pairings.json"], "nothing is left beside it")
    }
  }

  /// A link, or a file that everybody may read, at a name that a writer could choose, gets no private key.
  @Test func namesThatCanBeGuessedAreNotWritten() throws {
    try inFolder { folder in
      let url = folder.appending(path: "pairings.json")
      let victim = folder.appending(path: "victim")
      try Data("text".utf8).write(to: victim)
      var file = try PairingFile(path: url.path())
      let planted = url.path() + ".\(getpid())"
      try FileManager.default.createSymbolicLink(atPath: planted, withDestinationPath: victim.path())
      try file.add(peer("phone"))
      #expect(try Data(contentsOf: victim) == Data("text".utf8))
    }
  }

  @Test func theTargetOfALinkChangesAndTheLinkStays() throws {
    try inFolder { folder in
      let target = folder.appending(path: "kept/pairings.json")
      _ = try PairingFile(path: target.path())
      let link = folder.appending(path: "link.json")
      try FileManager.default.createSymbolicLink(atPath: link.path(), withDestinationPath: "kept/pairings.json")
      var file = try PairingFile(path: link.path())
      try file.add(peer("phone"))
      #expect(try FileManager.default.destinationOfSymbolicLink(atPath: link.path()) == "kept/pairings.json")
      #expect(try PairingFile(existing: target.path())?.peers.map(\.identifier) == ["phone"])
      // A link to nothing: the target is made.
      let dangling = folder.appending(path: "dangling.json")
      try FileManager.default.createSymbolicLink(atPath: dangling.path(), withDestinationPath: "other.json")
      let made = try PairingFile(path: dangling.path())
      let other = try PairingFile(existing: folder.appending(path: "other.json").path())
      #expect(other?.identity.identifier == made.identity.identifier)
      // A circle of links ends.
      try FileManager.default.createSymbolicLink(atPath: folder.appending(path: "a").path(), withDestinationPath: "b")
      try FileManager.default.createSymbolicLink(atPath: folder.appending(path: "b").path(), withDestinationPath: "a")
      #expect(throws: PairingFile.Problem.self) { try PairingFile(path: folder.appending(path: "a").path()) }
    }
  }

  @Test func aPipeAFolderAndADeviceAreRefusedAtOnce() throws {
    try inFolder { folder in
      let pipe = folder.appending(path: "pipe").path()
      let isMade = unsafe mkfifo(pipe, 0o600) == 0
      #expect(isMade)
      for path in [pipe, folder.path(), "/dev/null"] {
        let error = #expect(throws: PairingFile.Problem.self) { try PairingFile(path: path) }
        #expect(error?.failure.text.contains("not a file") == true, "\(path)")
      }
    }
  }

  @Test func severalCommandsWithOneFileLoseNoPairing() throws {
    try inFolder { folder in
      let path = folder.appending(path: "pairings.json").path()
      let writers = 4
      let each = 25
      let names = (0..<writers).map { writer in (0..<each).map { "\(writer)-\($0)" } }
      // Each makes the file if it is the first, and each has its own copy in memory.
      DispatchQueue.concurrentPerform(iterations: writers) { writer in
        do {
          var file = try PairingFile(path: path)
          for name in names[writer] {
            try file.add(PairedPeer(identifier: name, publicKey: [UInt8](repeating: 1, count: 32)))
          }
        } catch { Issue.record(error) }
      }
      let read = try #require(try PairingFile(existing: path))
      #expect(Set(read.peers.map(\.identifier)) == Set(names.joined()))
    }
  }

  @Test func aFileThatWasMadeAnewMeanwhileStays() throws {
    try inFolder { folder in
      let url = folder.appending(path: "pairings.json")
      var file = try PairingFile(path: url.path())
      try FileManager.default.removeItem(at: url)
      let other = try PairingFile(path: url.path())
      #expect(throws: PairingFile.Problem.replaced(path: url.path())) { try file.add(peer("phone")) }
      let read = try #require(try PairingFile(existing: url.path()))
      #expect(read.identity.identifier == other.identity.identifier && read.peers.isEmpty)
      // One that is only gone is made again, with the identity that runs.
      try FileManager.default.removeItem(at: url)
      try file.add(peer("phone"))
      let again = try #require(try PairingFile(existing: url.path()))
      #expect(again.identity.identifier == file.identity.identifier && again.peers.count == 1)
    }
  }

  @Test func anotherOptionCannotNameTheFile() throws {
    try inFolder { folder in
      let url = folder.appending(path: "pairings.json")
      var file = try PairingFile(path: url.path())
      let before = try Data(contentsOf: url)
      let error = #expect(throws: CommandFailure.self) { try OutputFile.open(url.path()) }
      #expect(error?.status == .usage)
      #expect(try Data(contentsOf: url) == before)
      // Also after the file was replaced by a new one.
      try file.add(peer("phone"))
      #expect(throws: CommandFailure.self) { try ScreenFile(url.path()) }
    }
  }
}
