// swift-iap2 · Apache-2.0

import Foundation

/// The time in which the main thread was ready but had no processor. Without this correction a busy machine looks like
/// a slow app.
enum ProcessorWait {
  /// The file descriptor of the kernel's counters of the main thread, open for the life of the process, or −1 without
  /// counters.
  private static let counters = unsafe open("/proc/self/task/\(getpid())/schedstat", O_RDONLY | O_CLOEXEC)

  /// The waiting time since the thread's start; zero if the kernel does not count it.
  ///
  /// The file has three numbers: time on a processor and time ready to run, in nanoseconds, and the number of times on
  /// a processor (the kernel's documentation, sched-stats).
  static var total: Duration {
    var text = [UInt8](repeating: 0, count: 96)
    let count = unsafe pread(counters, &text, text.count, 0)
    let fields = text.prefix(max(count, 0)).split(separator: UInt8(ascii: " "))
    guard fields.count == 3, let waited = Int64(String(decoding: fields[1], as: UTF8.self)) else { return .zero }
    return .nanoseconds(waited)
  }
}
