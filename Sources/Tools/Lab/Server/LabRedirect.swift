// swift-iap2 · Apache-2.0

import Foundation
import Glibc
import Synchronization

/// A file that leads a browser to the page.
///
/// The program that opens a browser gets its path. As an argument, the address with its secret would stand in the
/// system's list of processes, which every user can read. Only this user can read the file.
final class LabRedirect: Sendable {
  private let path = Mutex<String?>(nil)

  /// Writes the file. Returns its path, or nil if it cannot be written.
  func write(_ address: String) -> String? {
    // The file is new and has the mode 0600.
    var template = Array((NSTemporaryDirectory() + "/iap2-lab-XXXXXX.html").utf8CString)
    let descriptor = unsafe mkstemps(&template, 5)
    guard descriptor >= 0 else { return nil }
    let path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    let file = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
    self.path.withLock { $0 = path }
    let page = """
      <!doctype html>
      <meta charset="utf-8">
      <meta name="referrer" content="no-referrer">
      <meta http-equiv="refresh" content="0; url=\(address)">
      <title>iap2 lab</title>

      """
    do { try file.write(contentsOf: Data(page.utf8)) } catch {
      remove()
      return nil
    }
    return path
  }

  /// Removes the file. A second removal has no effect.
  func remove() {
    guard let path = path.withLock({ $0.take() }) else { return }
    _ = unsafe unlink(path)
  }
}
