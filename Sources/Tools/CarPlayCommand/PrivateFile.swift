// swift-iap2 · Apache-2.0

import CommandSupport
import Foundation
import Glibc

/// A small file with a secret, such as a private key. The file has mode 0600, and a folder that is created for it has
/// 0700.
///
/// A change is written to a new file with a random name, which then replaces the old one. So a reader gets either the
/// old or the new content. A lock orders the changes of several programs. A symbolic link stays, and its target
/// changes.
struct PrivateFile: Sendable {
  /// The path with symbolic links followed.
  let path: String

  /// A reason why a file cannot be used.
  enum Problem: Error, Hashable {
    /// The system returned an error: its errno.
    case system(Int32)
    /// The path is a folder, a pipe or a device.
    case noFile
    /// Another program has locked the file for longer than ``PrivateFile/lockTimeout``.
    case locked
    /// The file to create exists already.
    case exists
    /// Another option of the command writes to the same file.
    case inUse(String)
  }

  /// The time to wait for the lock of another program, whose change takes milliseconds. Ours.
  static let lockTimeout = Duration.seconds(2)
  /// The maximum number of links that are followed, as in the kernel.
  private static let maximumLinkCount = 40

  init(path: String) {
    var path = path
    for _ in 0..<Self.maximumLinkCount {
      let target: String
      do { target = try FileManager.default.destinationOfSymbolicLink(atPath: path) } catch { break }
      path = target.hasPrefix("/") ? target : (path as NSString).deletingLastPathComponent.appendingPath(target)
    }
    self.path = path
  }

  /// Returns the bytes; nil if the file does not exist.
  ///
  /// - Parameter limit: The maximum number of bytes that are read.
  func read(limit: Int) throws(Problem) -> [UInt8]? {
    guard let descriptor = try Self.open(path, O_RDONLY) else { return nil }
    defer { close(descriptor) }
    try note(descriptor)
    // A copied file, or a file restored from a backup, may be readable by other users.
    _ = fchmod(descriptor, 0o600)
    var bytes = [UInt8](repeating: 0, count: limit)
    var count = 0
    while count < limit {
      let read = unsafe bytes.withUnsafeMutableBytes { bytes in
        unsafe Glibc.read(descriptor, bytes.baseAddress.map { unsafe $0 + count }, limit - count)
      }
      if read < 0 && errno == EINTR { continue }
      guard read >= 0 else { throw .system(errno) }
      guard read > 0 else { break }
      count += read
    }
    return Array(bytes[..<count])
  }

  /// Creates the file, unless it exists.
  func make(_ bytes: [UInt8]) throws(Problem) {
    let folder = (path as NSString).deletingLastPathComponent
    if !folder.isEmpty, !FileManager.default.fileExists(atPath: folder) {
      do {
        try FileManager.default.createDirectory(
          atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
      } catch { throw .system(InputFile.number(error) ?? EIO) }
    }
    try put(bytes) { new in
      // Unlike a rename, a link never replaces a file.
      guard unsafe link(new, path) == 0 else { return errno }
      unsafe unlink(new)
      return 0
    }
  }

  /// Changes the file while no other program changes it.
  ///
  /// - Parameter change: A closure that returns the new bytes. It may read the file.
  /// - Returns: false if the file does not exist.
  func change<Failure: Error>(
    _ change: () throws(Failure) -> [UInt8], failure: (Problem) -> Failure
  ) throws(Failure) -> Bool {
    let descriptor: Int32
    do throws(Problem) {
      guard let found = try locked() else { return false }
      descriptor = found
    } catch { throw failure(error) }
    defer { close(descriptor) }
    let bytes = try change()
    do throws(Problem) { try put(bytes) { new in unsafe rename(new, path) == 0 ? 0 : errno } } catch {
      throw failure(error)
    }
    return true
  }

  /// Locks the file that is currently at the path; nil if it does not exist.
  private func locked() throws(Problem) -> Int32? {
    let end = ContinuousClock.now + Self.lockTimeout
    while let descriptor = try Self.open(path, O_RDONLY) {
      if flock(descriptor, LOCK_EX | LOCK_NB) == 0 {
        // Another program may have replaced the file since it was opened.
        let current = try Self.open(path, O_RDONLY)
        defer { if let current { close(current) } }
        if let current, FileIdentity(descriptor: current) == FileIdentity(descriptor: descriptor) { return descriptor }
      } else if errno != EWOULDBLOCK && errno != EINTR {
        defer { close(descriptor) }
        throw .system(errno)
      }
      close(descriptor)
      guard ContinuousClock.now < end else { throw .locked }
      usleep(2_000)
    }
    return nil
  }

  /// Writes the bytes under a new name, and moves the file with a closure that returns an errno.
  private func put(_ bytes: [UInt8], _ move: (_ new: String) -> Int32) throws(Problem) {
    let new = "\(path).\(UUID().uuidString)"
    let descriptor = unsafe Glibc.open(new, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw .system(errno) }
    do throws(Problem) {
      defer { close(descriptor) }
      try note(descriptor)
      var rest = bytes[...]
      while !rest.isEmpty {
        let count = unsafe rest.withUnsafeBytes { unsafe write(descriptor, $0.baseAddress, $0.count) }
        guard count > 0 || errno == EINTR else { throw .system(errno) }
        rest = rest.dropFirst(max(0, count))
      }
      // Without this call, a power failure could leave an empty file in place of the old one.
      guard fsync(descriptor) == 0 else { throw .system(errno) }
      let number = move(new)
      guard number == 0 else { throw number == EEXIST ? .exists : .system(number) }
    } catch {
      unsafe unlink(new)
      throw error
    }
  }

  /// Registers the file, so that no output of this command replaces it.
  private func note(_ descriptor: Int32) throws(Problem) {
    do { try FilesInUse.shared.note(descriptor: descriptor, path, as: .input) } catch {
      throw .inUse((error as? CommandFailure)?.text ?? "\(error)")
    }
  }

  /// Opens an ordinary file without waiting for the other end of a pipe; nil if it does not exist.
  private static func open(_ path: String, _ flags: Int32) throws(Problem) -> Int32? {
    let descriptor = unsafe Glibc.open(path, flags | O_NONBLOCK | O_CLOEXEC)
    guard descriptor >= 0 else {
      if errno == ENOENT { return nil }
      throw errno == ENXIO ? .noFile : .system(errno)
    }
    guard FileIdentity(descriptor: descriptor) != nil else {
      close(descriptor)
      throw .noFile
    }
    return descriptor
  }
}

extension String {
  fileprivate func appendingPath(_ path: String) -> String { isEmpty ? path : self + "/" + path }
}
