// swift-iap2 · Apache-2.0

import Basics
package import CarPlaySession
import CommandSupport
import Cryptography
import Foundation
import Glibc

/// A file with the identity of one side and of the other sides that are paired with it.
///
/// The file contains a private key, so only its owner may read it. Several commands may use and change one file.
package struct PairingFile: Sendable {
  /// A paired side.
  package struct Peer: Codable, Sendable, Hashable {
    /// The name.
    package var identifier: String
    /// The Ed25519 key as 64 hexadecimal digits.
    package var publicKey: String
  }

  private struct Content: Codable {
    var identifier: String
    var privateKey: String
    var peers: [Peer]
  }

  /// The path of the file.
  package let path: String
  private var content: Content
  /// The names of the sides that this command has added.
  private var added: Set<String> = []
  /// The identity of this side.
  package let identity: PairingIdentity

  /// A reason why a file cannot be used.
  package enum Problem: Error, Sendable, Hashable {
    /// The system returned an error: its text, and whether the user lacks a permission.
    case system(path: String, reason: String, isForbidden: Bool)
    /// The file has an unknown form.
    case malformed(path: String)
    /// The file of another identity has replaced the file since it was read.
    case replaced(path: String)
    /// Another option of the command names the file; the value is the text for the user.
    case inUse(String)
  }

  /// The largest accepted file in bytes. Ours.
  package static let maximumByteCount = 1 << 20

  /// The maximum number of paired sides; the oldest are removed. With escaped names of 255 bytes each, they fit a file.
  /// Ours.
  package static let maximumPeerCount = 500

  /// Returns the path below the state folder of XDG, `$XDG_STATE_HOME/iap2` or `~/.local/state/iap2`.
  package static func standardPath(of side: SessionSide) -> String {
    let environment = ProcessInfo.processInfo.environment
    let state =
      environment["XDG_STATE_HOME"].flatMap { $0.hasPrefix("/") ? $0 : nil }
      ?? (environment["HOME"] ?? NSHomeDirectory()) + "/.local/state"
    return state + "/iap2/carplay-" + (side == .headUnit ? "headunit" : "phone") + ".json"
  }

  /// Reads a file, or creates one with a new identity.
  package init(path: String) throws(Problem) {
    if let file = try Self(existing: path) {
      self = file
      return
    }
    let key = SecureRandom.secret(byteCount: Ed25519PrivateKey.byteCount)
    let new = Content(identifier: UUID().uuidString, privateKey: Hex.text(key.bytes), peers: [])
    do throws(PrivateFile.Problem) { try PrivateFile(path: path).make(try Self.bytes(new)) } catch {
      // Another command may have created the file in the meantime.
      guard error == .exists, let file = try Self(existing: path) else { throw Self.problem(path, error) }
      self = file
      return
    }
    (self.path, content, identity) = (path, new, try Self.identity(new, path))
  }

  /// Reads a file; nil if it does not exist.
  package init?(existing path: String) throws(Problem) {
    guard let content = try Self.content(path) else { return nil }
    (self.path, self.content, identity) = (path, content, try Self.identity(content, path))
  }

  private static func content(_ path: String) throws(Problem) -> Content? {
    let bytes: [UInt8]?
    do throws(PrivateFile.Problem) { bytes = try PrivateFile(path: path).read(limit: maximumByteCount) } catch {
      throw problem(path, error)
    }
    do { return try bytes.map { try JSONDecoder().decode(Content.self, from: Data($0)) } } catch {
      throw .malformed(path: path)
    }
  }

  private static func bytes(_ content: Content) throws(PrivateFile.Problem) -> [UInt8] {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .prettyPrinted, .withoutEscapingSlashes]
    do { return [UInt8](try encoder.encode(content)) } catch { throw .system(EINVAL) }
  }

  private static func problem(_ path: String, _ problem: PrivateFile.Problem) -> Problem {
    func system(_ reason: String, isForbidden: Bool = false) -> Problem {
      .system(path: path, reason: reason, isForbidden: isForbidden)
    }
    return switch problem {
    case .system(let number):
      system(unsafe String(cString: strerror(number)), isForbidden: [EACCES, EPERM, EROFS].contains(number))
    case .noFile: system("it is a folder, a pipe or a device, not a file")
    case .locked: system("another program has locked it; try again")
    case .exists: system("another program makes and removes it; try again")
    case .inUse(let text): .inUse(text)
    }
  }

  private static func identity(_ content: Content, _ path: String) throws(Problem) -> PairingIdentity {
    guard let key = key(content.privateKey) else { throw .malformed(path: path) }
    do throws(PairingProblem) {
      return try PairingIdentity(identifier: content.identifier, privateKey: Secret(key))
    } catch { throw .malformed(path: path) }
  }

  /// The paired sides, the oldest first.
  package var peers: [Peer] { content.peers }

  /// The keys of the paired sides by their names.
  package var keys: [String: [UInt8]] {
    Dictionary(
      content.peers.compactMap { peer in Self.key(peer.publicKey).map { (peer.identifier, $0) } },
      uniquingKeysWith: { $1 })
  }

  /// Adds a side, or replaces its key, and stores the file. Without room, the oldest side that this command has added
  /// makes room, then the oldest of all: any phone may pair, and must not push out those of before.
  ///
  /// - Throws: ``Problem/replaced(path:)`` if the file now has another identity. The file then stays unchanged.
  package mutating func add(_ peer: PairedPeer) throws(Problem) {
    let new = Peer(identifier: peer.identifier, publicKey: Hex.text(peer.publicKey))
    let added = added
    var isNew = true
    try change { peers in
      // One that is stored keeps its place.
      if let place = peers.firstIndex(where: { $0.identifier == new.identifier }) {
        peers[place] = new
        isNew = false
        return
      }
      while peers.count >= Self.maximumPeerCount {
        peers.remove(at: peers.firstIndex { added.contains($0.identifier) } ?? 0)
      }
      peers.append(new)
    }
    if isNew { self.added.insert(new.identifier) }
  }

  /// Removes sides, and stores the file.
  ///
  /// - Returns: The number of removed sides.
  package mutating func remove(_ isRemoved: (Peer) -> Bool) throws(Problem) -> Int {
    var count = 0
    try change { peers in
      count = peers.count
      peers.removeAll(where: isRemoved)
      count -= peers.count
    }
    return count
  }

  /// Changes the sides that the file contains now. They may differ from those that were read before.
  private mutating func change(_ body: (inout [Peer]) -> Void) throws(Problem) {
    let file = PrivateFile(path: path)
    var changed = content
    let isStored = try file.change { () throws(Problem) in
      guard let present = try Self.content(path), present.privateKey == content.privateKey else {
        throw .replaced(path: path)
      }
      changed = present
      body(&changed.peers)
      do throws(PrivateFile.Problem) { return try Self.bytes(changed) } catch { throw Self.problem(path, error) }
    } failure: { problem in
      Self.problem(path, problem)
    }
    if !isStored {
      // The file was removed.
      body(&changed.peers)
      do throws(PrivateFile.Problem) { try file.make(try Self.bytes(changed)) } catch {
        throw error == .exists ? .replaced(path: path) : Self.problem(path, error)
      }
    }
    content = changed
  }

  private static func key(_ digits: String) -> [UInt8]? { Hex.bytes(digits[...]).flatMap { $0.count == 32 ? $0 : nil } }
}
