// swift-iap2 · Apache-2.0

import Foundation

/// The time that the main thread spends on a call of the app, without the time that a busy machine takes from it.
/// Without this correction a busy machine looks like a slow app.
package struct WorkTime {
  private let start = ContinuousClock.now
  private let counters = MachineCounters()

  /// The time since the creation: that on a processor, or the real time without the time in which something on the
  /// machine waited for a processor or a disk, if that is more. The thread itself may wait, or another thread with a
  /// lock that it needs.
  var spent: Duration {
    let now = MachineCounters()
    return Self.spent(
      real: start.duration(to: .now), processor: now.processor - counters.processor, busy: now.busy - counters.busy)
  }

  /// Returns the time of a call.
  package static func spent(real: Duration, processor: Duration, busy: Duration) -> Duration {
    max(processor, real - busy)
  }
}

/// Counters of the kernel since the start of the process or of the machine.
package struct MachineCounters {
  /// The time of the calling thread on a processor.
  package let processor: Duration
  /// The time in which something on the machine waited for a processor or a disk. Without the kernel's counters of
  /// pressure, the time in which the main thread was ready but had no processor.
  package let busy: Duration

  package init() {
    processor = Self.threadTime
    let pressure = Self.pressure(Self.processorPressure).map { $0 + (Self.pressure(Self.diskPressure) ?? .zero) }
    busy = pressure ?? Self.waited
  }

  private static var threadTime: Duration {
    /// `RUSAGE_THREAD`, which Glibc's module does not show.
    let thread: Int32 = 1
    var usage = rusage()
    guard unsafe getrusage(thread, &usage) == 0 else { return .zero }
    let seconds = usage.ru_utime.tv_sec + usage.ru_stime.tv_sec
    let microseconds = usage.ru_utime.tv_usec + usage.ru_stime.tv_usec
    return .seconds(seconds) + .microseconds(microseconds)
  }

  // The descriptors are open for the life of the process; −1 stands for no counters.
  private static let processorPressure = unsafe open("/proc/pressure/cpu", O_RDONLY | O_CLOEXEC)
  private static let diskPressure = unsafe open("/proc/pressure/io", O_RDONLY | O_CLOEXEC)
  private static let scheduling = unsafe open("/proc/self/task/\(getpid())/schedstat", O_RDONLY | O_CLOEXEC)

  private static func text(_ descriptor: Int32) -> Substring? {
    var text = [UInt8](repeating: 0, count: 256)
    let count = unsafe pread(descriptor, &text, text.count, 0)
    return count > 0 ? Substring(decoding: text.prefix(count), as: UTF8.self) : nil
  }

  /// Reads the time in which at least one thread of the machine waited for a resource: `total` in microseconds of the
  /// first line, `some` (the kernel's documentation, PSI); nil without the counter.
  private static func pressure(_ descriptor: Int32) -> Duration? {
    guard let line = text(descriptor)?.prefix(while: { $0 != "\n" }), line.hasPrefix("some"),
      let total = line.split(separator: "=").last.flatMap({ Int64($0) })
    else { return nil }
    return .microseconds(total)
  }

  /// The time in which the main thread was ready but had no processor; zero if the kernel does not count it.
  ///
  /// The file has three numbers: time on a processor and time ready to run, in nanoseconds, and the number of times on
  /// a processor (the kernel's documentation, sched-stats).
  private static var waited: Duration {
    let fields = text(scheduling)?.split(separator: " ") ?? []
    guard fields.count == 3, let waited = Int64(fields[1]) else { return .zero }
    return .nanoseconds(waited)
  }
}
