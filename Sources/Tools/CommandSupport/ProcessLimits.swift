// swift-iap2 · Apache-2.0

import Foundation
import Glibc

/// The limits of this process (getrlimit(2)) that would end a command in the middle of its work.
package enum ProcessLimits {
  /// The descriptors of one event loop: its selector, its wake-up and its timer. There is a loop for each core.
  private static let descriptorsOfLoop = 3
  /// The descriptors of signals, files and one connection.
  private static let descriptorsOfWork = 12
  /// The address space for the stacks and the memory of a session's threads.
  private static let roomByteCount = 512 << 20

  /// The descriptors that commands with transports need.
  package static var descriptorsOfTransports: Int {
    descriptorsOfWork + descriptorsOfLoop * ProcessInfo.processInfo.activeProcessorCount
  }

  /// The descriptors that commands without transports need.
  package static let descriptorsOfFiles = 8

  /// Throws if the limits leave too little for a command that starts threads and opens connections. Without the check,
  /// such a command crashes or waits for a thread that never starts.
  ///
  /// - Parameter descriptors: the files and sockets that the command needs at once.
  package static func check(descriptors: Int) throws {
    let free = freeDescriptors(upTo: descriptors)
    guard free >= descriptors else {
      throw CommandFailure(
        .system,
        "only \(free) more files and sockets can be opened, and this command needs \(descriptors); raise the limit, for"
          + " example with `ulimit -n 1024`")
    }
    guard let limit = addressSpace else { return }
    let room = limit - usedByteCount
    guard room >= roomByteCount else {
      throw CommandFailure(
        .system,
        "the limit of memory leaves \(max(0, room) >> 20) MiB of address space, and this command needs "
          + "\(roomByteCount >> 20) MiB; raise the limit, for example with `ulimit -v unlimited`")
    }
  }

  /// Prepares for limits that are met later: a file that grows too large is an error of its write, and memory that
  /// cannot be had ends the command with a sentence.
  package static func prepare() {
    signal(SIGXFSZ, SIG_IGN)
    guard addressSpace != nil else { return }
    for number in [SIGILL, SIGTRAP, SIGSEGV, SIGABRT] {
      signal(number) { _ in
        // Only calls that are safe in a signal handler.
        ProcessLimits.lastWords.withUTF8Buffer { text in
          _ = unsafe write(STDERR_FILENO, text.baseAddress, text.count)
        }
        _exit(ExitStatus.system.rawValue)
      }
    }
  }

  private static let lastWords: StaticString =
    "iap2: the command failed under a limit of memory; raise the limit, for example with `ulimit -v unlimited`\n"

  /// The limit of the address space in bytes; nil without one.
  private static var addressSpace: Int? {
    var limit = rlimit()
    guard unsafe getrlimit(__rlimit_resource_t(RLIMIT_AS.rawValue), &limit) == 0 else { return nil }
    return limit.rlim_cur == rlim_t.max ? nil : Int(clamping: limit.rlim_cur)
  }

  /// The address space in use, in bytes (proc(5)).
  private static var usedByteCount: Int {
    do {
      let pages = try String(contentsOfFile: "/proc/self/statm", encoding: .utf8).split(separator: " ").first
      return (pages.flatMap { Int($0) } ?? 0) * Int(sysconf(Int32(_SC_PAGESIZE)))
    } catch { return 0 }
  }

  /// Returns how many more descriptors can be opened, at most `limit`.
  private static func freeDescriptors(upTo limit: Int) -> Int {
    var opened: [Int32] = []
    while opened.count < limit {
      let descriptor = unsafe open("/dev/null", O_RDONLY | O_CLOEXEC)
      guard descriptor >= 0 else { break }
      opened.append(descriptor)
    }
    for descriptor in opened { close(descriptor) }
    return opened.count
  }
}
