// swift-iap2 · Apache-2.0

package import CarPlaySession
import CommandSupport
import Cryptography
import Foundation
import Glibc
import IAP2Capture

/// A file with the identity of one side and the other sides that are paired with it.
///
/// Its mode is 0600, and that of its folder 0700: it has a private key.
package struct PairingFile: Sendable {
  /// A side that is paired.
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
  /// The identity of the own side.
  package let identity: PairingIdentity

  /// A reason why a file cannot be used.
  package enum Problem: Error, Sendable, Hashable {
    /// The system refused; its text, and whether the user lacks a permission.
    case system(path: String, reason: String, isForbidden: Bool)
    /// The file has another form.
    case malformed(path: String)
  }

  /// The bytes of a file. Ours.
  package static let maximumByteCount = 1 << 20

  /// The sides that are kept; the oldest go first. With names of 255 bytes, each escaped, they fit a file. Ours.
  package static let maximumPeerCount = 500

  /// The path below the state folder of XDG, `$XDG_STATE_HOME/iap2` or `~/.local/state/iap2`.
  package static func standardPath(of side: SessionSide) -> String {
    let environment = ProcessInfo.processInfo.environment
    let state =
      environment["XDG_STATE_HOME"].flatMap { $0.hasPrefix("/") ? $0 : nil }
      ?? (environment["HOME"] ?? NSHomeDirectory()) + "/.local/state"
    return state + "/iap2/carplay-" + (side == .headUnit ? "headunit" : "phone") + ".json"
  }

  /// Reads a file, or makes one with a new identity.
  package init(path: String) throws(Problem) {
    if let file = try Self(existing: path) {
      self = file
    } else {
      let key = SecureRandom.secret(byteCount: Ed25519PrivateKey.byteCount)
      content = Content(
        identifier: UUID().uuidString, privateKey: Hex.text(key.bytes), peers: [])
      self.path = path
      identity = try Self.identity(content, path)
      try store()
    }
  }

  /// Reads a file; nil if there is none.
  package init?(existing path: String) throws(Problem) {
    self.path = path
    do {
      guard FileManager.default.fileExists(atPath: path) else { return nil }
      let handle = try FileHandle(forReadingFrom: URL(fileURLWithPath: path))
      defer { handle.closeFile() }
      let data = try handle.read(upToCount: Self.maximumByteCount) ?? Data()
      content = try JSONDecoder().decode(Content.self, from: data)
    } catch is DecodingError {
      throw .malformed(path: path)
    } catch { throw Self.problem(path, error) }
    identity = try Self.identity(content, path)
  }

  private static func problem(_ path: String, _ error: any Error) -> Problem {
    let isForbidden = InputFile.number(error).map { [EACCES, EPERM, EROFS].contains($0) } ?? false
    return .system(path: path, reason: InputFile.reason(error), isForbidden: isForbidden)
  }

  private static func identity(_ content: Content, _ path: String) throws(Problem) -> PairingIdentity {
    guard let key = key(content.privateKey) else { throw .malformed(path: path) }
    do throws(PairingProblem) {
      return try PairingIdentity(identifier: content.identifier, privateKey: Secret(key))
    } catch { throw .malformed(path: path) }
  }

  /// The sides that are paired, the oldest first.
  package var peers: [Peer] { content.peers }

  /// The keys of the paired sides by their names.
  package var keys: [String: [UInt8]] {
    Dictionary(
      content.peers.compactMap { peer in Self.key(peer.publicKey).map { (peer.identifier, $0) } },
      uniquingKeysWith: { $1 })
  }

  /// Adds a side, or replaces its key, and stores the file.
  ///
  /// Another command may have changed the pairings since the file was read, so they are read again.
  package mutating func add(_ peer: PairedPeer) throws(Problem) {
    if let present = try Self(existing: path), present.content.privateKey == content.privateKey { self = present }
    content.peers.removeAll { $0.identifier == peer.identifier }
    content.peers.removeFirst(max(0, content.peers.count + 1 - Self.maximumPeerCount))
    content.peers.append(Peer(identifier: peer.identifier, publicKey: Hex.text(peer.publicKey)))
    try store()
  }

  /// Removes sides, and stores the file.
  ///
  /// - Returns: The number of sides that were removed.
  package mutating func remove(_ isRemoved: (Peer) -> Bool) throws(Problem) -> Int {
    let count = content.peers.count
    content.peers.removeAll(where: isRemoved)
    try store()
    return count - content.peers.count
  }

  /// Writes the file beside its place, then moves it there, so that a reader sees all of it or the one before.
  private func store() throws(Problem) {
    do {
      let encoder = JSONEncoder()
      encoder.outputFormatting = [.sortedKeys, .prettyPrinted, .withoutEscapingSlashes]
      let data = try encoder.encode(content)
      let folder = (path as NSString).deletingLastPathComponent
      if !folder.isEmpty, !FileManager.default.fileExists(atPath: folder) {
        try FileManager.default.createDirectory(
          atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
      }
      let new = path + ".\(getpid())"
      let descriptor = unsafe Glibc.open(new, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
      guard descriptor >= 0 else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
      do {
        let handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        try handle.write(contentsOf: data)
        try handle.close()
        guard unsafe rename(new, path) == 0 else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
      } catch {
        unsafe unlink(new)
        throw error
      }
    } catch { throw Self.problem(path, error) }
  }

  private static func key(_ digits: String) -> [UInt8]? { Hex.bytes(digits[...]).flatMap { $0.count == 32 ? $0 : nil } }
}
