// swift-iap2 · Apache-2.0

import Foundation

/// The resources of this process, as the kernel counts them (proc(5)).
struct ProcessResources: Sendable, Equatable {
  var descriptors: Int
  var threads: Int
  /// Memory in use, in bytes.
  var residentBytes: Int

  static func now() throws -> ProcessResources {
    // The listing itself uses one descriptor.
    let descriptors = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count - 1
    let threads = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/task").count
    let pages = try String(contentsOfFile: "/proc/self/statm", encoding: .utf8).split(separator: " ")
    guard pages.count > 1, let resident = Int(pages[1]) else { throw CocoaError(.fileReadCorruptFile) }
    return ProcessResources(
      descriptors: descriptors, threads: threads, residentBytes: resident * Int(sysconf(Int32(_SC_PAGESIZE))))
  }
}
