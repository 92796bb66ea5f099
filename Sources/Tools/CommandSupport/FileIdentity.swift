// swift-iap2 · Apache-2.0

import CDispatch
import CoreFoundation
import Glibc

/// The identity of an ordinary file in the file system, which is the same for every name and link of the file.
package struct FileIdentity: Hashable {
  private let device: UInt64
  private let number: UInt64
  package let byteCount: Int

  /// - Returns: nil for a device, a pipe or a socket.
  package init?(descriptor: Int32) {
    var status = stat()
    guard unsafe fstat(descriptor, &status) == 0 else { return nil }
    self.init(status)
  }

  /// The file to which a path leads; nil as above, and without a file.
  package init?(path: String) {
    var status = stat()
    guard unsafe stat(path, &status) == 0 else { return nil }
    self.init(status)
  }

  private init?(_ status: stat) {
    guard status.st_mode & S_IFMT == S_IFREG else { return nil }
    device = UInt64(status.st_dev)
    number = UInt64(status.st_ino)
    byteCount = Int(status.st_size)
  }

  /// Whether an open file is a pipe.
  package static func isPipe(descriptor: Int32) -> Bool {
    var status = stat()
    return unsafe fstat(descriptor, &status) == 0 && status.st_mode & S_IFMT == S_IFIFO
  }

  package static func == (a: FileIdentity, b: FileIdentity) -> Bool { a.device == b.device && a.number == b.number }

  package func hash(into hasher: inout Hasher) {
    hasher.combine(device)
    hasher.combine(number)
  }
}
