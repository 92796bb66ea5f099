// swift-iap2 · Apache-2.0

import CarPlayDrawing
import CarPlaySession
import Glibc
import IAP2Roles
import Synchronization

/// A report of the session to the thread of the phone.
enum PhoneReport: Sendable {
  /// The head unit's answer to `/info`.
  case info(SessionInfo)
  /// An input at the head unit, with its time.
  case input(InputEvent, ContinuousClock.Instant)
  /// A command of the head unit.
  case command(SessionCommand)
  /// The session is live: it takes requests for modes.
  case live
  /// The stream of a screen began or ended.
  case screen(StreamType, isRunning: Bool)
  /// Whether the phone has the screen and the speakers, or the head unit uses them.
  case modes(isShown: Bool, hasSpeakers: Bool)
  /// A picture was sent, or was dropped because the head unit reads too slowly.
  case taken(StreamType, isSent: Bool)
  /// A request that the head unit made over iAP2, for the player or the telephone.
  case request(PhoneRequest)
  /// The position of the car.
  case location(LocationReading)
  /// Sound of the car's microphone: 16 bits, 48 kHz, one channel, the lowest byte first.
  case microphone([UInt8])
  /// The session ended.
  case end
}

/// The reports of a session in their order, with a descriptor that is readable while there are any.
final class PhoneQueue: Sendable {
  private let reports = Mutex<[PhoneReport]>([])
  /// The number of inputs that were lost.
  private let lostCount = Atomic(0)
  var lost: Int { lostCount.load(ordering: .relaxed) }
  /// The descriptor.
  let descriptor: Int32
  private let other: Int32

  /// The number of reports above which a finger's moves are lost, and twice the number of all. A finger makes fewer.
  private static let maximumCount = 1000

  /// - Throws: The system's error.
  init() throws(SystemProblem) { (descriptor, other) = try Descriptors.pipe() }

  deinit { Descriptors.close(descriptor, other) }

  /// Adds a report.
  func add(_ report: PhoneReport) {
    let isFirst = reports.withLock { reports in
      // Between two looks of the thread, only the last place of a finger that moves counts.
      if let slot = report.touchingSlot, reports.suffix(2).map(\.touchingSlot) == [slot, slot] {
        reports[reports.count - 1] = report
        return false
      }
      // Of several changes of the modes, the last one counts.
      if case .modes = report, case .modes? = reports.last {
        reports[reports.count - 1] = report
        return false
      }
      // One request for a key frame of a screen is as good as many, and the last view area and place of the car count.
      if let request = report.keyFrameRequest, reports.contains(where: { $0.keyFrameRequest == request }) {
        return false
      }
      if report.replacesOthers, let index = reports.firstIndex(where: report.isSameKind) {
        reports[index] = report
        return false
      }
      // The apps take nothing while one of them hangs, and it is ended long before this sound is over.
      if case .microphone = report, reports.count >= Self.maximumCount { return false }
      let limit = report.isNeeded ? Int.max : report.touchingSlot != nil ? Self.maximumCount : 2 * Self.maximumCount
      guard reports.count < limit else {
        if case .input = report { lostCount.wrappingAdd(1, ordering: .relaxed) }
        return false
      }
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

extension PhoneReport {
  /// The finger that touches the screen; nil for another report.
  fileprivate var touchingSlot: Int? {
    if case .input(.touch(let slot, true, _, _), _) = self { slot } else { nil }
  }

  /// The request for a key frame; nil for another report.
  fileprivate var keyFrameRequest: SessionCommand? {
    if case .command(let request) = self, case .forceKeyFrame = request { request } else { nil }
  }

  /// Whether the report takes the place of an earlier one of its kind.
  fileprivate var replacesOthers: Bool { isSameKind(self) }

  /// Whether another report has the same kind, of which the last one counts.
  fileprivate func isSameKind(_ other: Self) -> Bool {
    switch (self, other) {
    case (.location, .location): true
    case (.command(.requestViewArea(let one, _, _)), .command(.requestViewArea(let two, _, _))): one == two
    default: false
    }
  }

  /// Whether the phone cannot go on without the report. A session makes few of these.
  fileprivate var isNeeded: Bool {
    switch self {
    case .input, .command, .request, .location, .microphone: false
    case .info, .live, .screen, .modes, .taken, .end: true
    }
  }
}
