// swift-iap2 · Apache-2.0

import CarPlayDrawing
import CarPlaySession
import Glibc
import Synchronization

/// What the session reports to the thread of the phone's app.
enum PhoneReport: Sendable {
  /// The head unit's answer to `/info`.
  case info(SessionInfo)
  /// An input at the head unit, with its time.
  case input(InputEvent, ContinuousClock.Instant)
  /// A command of the head unit.
  case command(SessionCommand)
  /// The screen's stream began or ended.
  case screen(isRunning: Bool)
  /// The screen is the phone's, or the head unit shows its own.
  case modes(isShown: Bool)
  /// A picture was sent, or was dropped because the head unit reads too slowly.
  case taken(isSent: Bool)
  /// The session ended.
  case end
}

/// The reports of a session in their order, with a descriptor that is readable while there are any.
final class PhoneQueue: Sendable {
  private let reports = Mutex<[PhoneReport]>([])
  /// The descriptor.
  let descriptor: Int32
  private let other: Int32

  /// The number of reports that wait. A head unit that sends more inputs than a finger makes loses them.
  private static let maximumCount = 1000

  /// - Throws: The system's error.
  init() throws(SystemProblem) { (descriptor, other) = try Descriptors.pipe() }

  deinit { Descriptors.close(descriptor, other) }

  /// Adds a report.
  func add(_ report: PhoneReport) {
    let isFirst = reports.withLock { reports in
      // Between two looks of the thread, only the last place of a finger counts.
      if case .input(.touch(let slot, true, _, _), _) = report,
        case .input(.touch(slot, true, _, _), let time)? = reports.last, reports.count > 1,
        case .input(let event, _) = report
      {
        reports[reports.count - 1] = .input(event, time)
        return false
      }
      if case .input = report, reports.count >= Self.maximumCount { return false }
      reports.append(report)
      return reports.count == 1
    }
    guard isFirst else { return }
    var byte: UInt8 = 1
    _ = unsafe write(other, &byte, 1)
  }

  /// Takes all reports.
  func take() -> [PhoneReport] {
    reports.withLock { reports in
      guard !reports.isEmpty else { return [] }
      var byte: UInt8 = 0
      _ = unsafe read(descriptor, &byte, 1)
      defer { reports = [] }
      return reports
    }
  }
}
