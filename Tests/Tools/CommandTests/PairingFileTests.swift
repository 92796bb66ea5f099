// swift-iap2 · Apache-2.0

import CarPlaySession
import Foundation
import Testing

@testable import CarPlayCommand

@Suite struct PairingFileTests {
  @Test func theLongestNamesFitAFileAndTheOldestSideGoesFirst() throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "iap2-\(UUID().uuidString)")
    defer { do { try FileManager.default.removeItem(at: folder) } catch { Issue.record(error) } }
    let path = folder.appending(path: "pairings.json").path()
    // JSON writes each of these characters with six bytes. The end of a name is its number.
    func name(_ number: Int) -> String { String(repeating: "\u{1}", count: 251) + String(number + 1000) }
    _ = try PairingFile(path: path)
    let url = URL(filePath: path)
    var content = try #require(try JSONSerialization.jsonObject(with: Data(contentsOf: url)) as? [String: Any])
    content["peers"] = (0..<PairingFile.maximumPeerCount).map {
      ["identifier": name($0), "publicKey": String(repeating: "f", count: 64)]
    }
    try JSONSerialization.data(withJSONObject: content).write(to: url)
    var file = try #require(try PairingFile(existing: path))
    let key = [UInt8](repeating: 255, count: 32)
    try file.add(PairedPeer(identifier: name(PairingFile.maximumPeerCount), publicKey: key))
    let read = try #require(try PairingFile(existing: path))
    #expect(read.peers.map(\.identifier) == (1...PairingFile.maximumPeerCount).map(name))
  }
}
