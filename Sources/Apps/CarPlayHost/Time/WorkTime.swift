// swift-iap2 · Apache-2.0

import Foundation

/// The time that the main thread spends on a call of the app, without the time that a busy machine takes from it.
/// Without these corrections a busy machine looks like a slow app.
struct WorkTime {
  private let start = ContinuousClock.now
  private let waited = Self.waited
  private let usage = Self.usage

  /// The time since the creation, without the time in which the thread was ready but had no processor, and without the
  /// time that reading pages from a busy disk may take. The kernel does not count that time, so each page has the same.
  var spent: Duration {
    let now = Self.usage
    let reading = Self.pageTime * (now.pagesRead - usage.pagesRead)
    return max(now.processor - usage.processor, start.duration(to: .now) - (Self.waited - waited) - reading)
  }

  /// The time that reading a page may take. Ours: a busy disk needs some milliseconds.
  private static let pageTime = Duration.milliseconds(20)

  // MARK: Counters of the kernel

  /// The time on a processor, and the number of pages that were read from a disk, of the calling thread.
  private static var usage: (processor: Duration, pagesRead: Int) {
    /// `RUSAGE_THREAD`, which Glibc's module does not show.
    let thread: Int32 = 1
    var usage = rusage()
    guard unsafe getrusage(thread, &usage) == 0 else { return (.zero, 0) }
    let seconds = usage.ru_utime.tv_sec + usage.ru_stime.tv_sec
    let microseconds = usage.ru_utime.tv_usec + usage.ru_stime.tv_usec
    return (.seconds(seconds) + .microseconds(microseconds), usage.ru_majflt)
  }

  /// The descriptor of the kernel's counters, open for the life of the process, or −1 without counters.
  private static let counters = unsafe open("/proc/self/task/\(getpid())/schedstat", O_RDONLY | O_CLOEXEC)

  /// The time in which the main thread was ready but had no processor; zero if the kernel does not count it.
  ///
  /// The file has three numbers: time on a processor and time ready to run, in nanoseconds, and the number of times on
  /// a processor (the kernel's documentation, sched-stats).
  private static var waited: Duration {
    var text = [UInt8](repeating: 0, count: 96)
    let count = unsafe pread(counters, &text, text.count, 0)
    let fields = text.prefix(max(count, 0)).split(separator: UInt8(ascii: " "))
    guard fields.count == 3, let waited = Int64(String(decoding: fields[1], as: UTF8.self)) else { return .zero }
    return .nanoseconds(waited)
  }
}
